"""Methods beside MOCTSVM: each puts its native method and its exact model together."""

from margintree.methods.cart import fit_cart
from margintree.methods.oct import fit_oct
from margintree.methods.octh import fit_octh
from margintree.methods.octsvm import fit_octsvm

__all__ = ["fit_cart", "fit_oct", "fit_octh", "fit_octsvm"]
