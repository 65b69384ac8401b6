"""Methods beside MOCTSVM: each puts its native method and its exact model together."""

from margintree.rivals.cart import fit_cart
from margintree.rivals.oct import fit_oct
from margintree.rivals.octh import fit_octh
from margintree.rivals.octsvm import fit_octsvm

__all__ = ["fit_cart", "fit_oct", "fit_octh", "fit_octsvm"]
