"""The methods, one file each, and the functions for all of them: solve, path, choose."""

from margintree.core.method import Method
from margintree.methods.cart import CART
from margintree.methods.class_tree import ClassTree
from margintree.methods.moctsvm import MOCTSVM
from margintree.methods.oct import OCT
from margintree.methods.octh import OCTH
from margintree.methods.octsvm import OCTSVM

METHODS: dict[str, Method] = {
    method.name: method for method in (CART(), OCT(), OCTH(), MOCTSVM(), OCTSVM(), ClassTree())
}
"""The methods by name, those of the paper's table first. Add your own to use it in a study."""

__all__ = ["CART", "METHODS", "MOCTSVM", "OCT", "OCTH", "OCTSVM", "ClassTree", "Method"]
