"""The models as programs: solver-free arrays, and the way back to a tree."""

from margintree.exact.programs.class_tree import (
    build_class_tree,
    decode_class_tree,
    encode_class_tree,
)
from margintree.exact.programs.moctsvm import build, decode, encode_tree
from margintree.exact.programs.oct import build_oct, decode_oct, encode_oct
from margintree.exact.programs.octh import build_octh, decode_octh, encode_octh
from margintree.exact.programs.octsvm import build_octsvm, decode_octsvm, encode_octsvm
from margintree.exact.programs.program import Block, Cone, Program
from margintree.exact.programs.strengthening import Strengthening

__all__ = [
    "Block",
    "Cone",
    "Program",
    "Strengthening",
    "build",
    "build_class_tree",
    "build_oct",
    "build_octh",
    "build_octsvm",
    "decode",
    "decode_class_tree",
    "decode_oct",
    "decode_octh",
    "decode_octsvm",
    "encode_class_tree",
    "encode_oct",
    "encode_octh",
    "encode_octsvm",
    "encode_tree",
]
