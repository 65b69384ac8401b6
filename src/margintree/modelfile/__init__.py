"""Model files: a fitted classifier as JSON, checked when it is read.

A model file holds data and no code::

    format          "margintree-model"
    version         1
    written_by      the version of margintree
    estimator       the name of the classifier
    params          its parameters, as far as they are plain data
    classes         {"type": "str" | "int" | "float" | "bool", "values": [...]}
    feature_names   a list of names, or null
    tree            the arrays of the tree and its scaling
    result          objective, bound, reason, limit, trace, solver, ... of the fit
    cost            the cost by term

Infinite bounds are written as the texts "inf" and "-inf", since JSON has no such numbers.
"""

from margintree.modelfile._read import load
from margintree.modelfile._write import save

__all__ = ["load", "save"]
