"""The MOCTSVM model as a program: solver-free arrays, and the way back to a tree."""

from margintree.formulation.moctsvm import build, decode, encode_tree
from margintree.formulation.program import Block, Cone, Program
from margintree.formulation.strengthening import Strengthening

__all__ = ["Block", "Cone", "Program", "Strengthening", "build", "decode", "encode_tree"]
