"""Errors and warnings of margintree.

::

    MargintreeError
    ├── InvalidInputError (ValueError)     data, parameters or a table that cannot be used
    ├── ModelFileError (ValueError)        a model file that cannot be read
    ├── MissingDataError (LookupError)     a data set that is not available
    ├── MissingPackageError (ImportError)  an optional package that is not installed
    └── SolverError (RuntimeError)         a solver that cannot do its task
        ├── SolverMissingError             its package is not installed
        ├── SolverLicenceError             its licence does not allow this model
        └── SolverAbilityError             it does not support this kind of model

    CheckpointWarning (UserWarning)        a checkpoint cannot be written
    PoorTreeWarning (UserWarning)          the tree has no split, or never predicts some class
    ShallowTreeWarning (UserWarning)       the tree has fewer leaves than there are classes
    TableWarning (UserWarning)             a column is left out or holds unexpected values

Every message says what is wrong, what is allowed, what was given and what to do.
"""


class MargintreeError(Exception):
    """Base of all errors raised by margintree."""


class InvalidInputError(MargintreeError, ValueError):
    """Data, parameters or a table cannot be used."""


class ModelFileError(MargintreeError, ValueError):
    """A model file cannot be read: it is damaged, of another kind or from a newer version."""


class MissingDataError(MargintreeError, LookupError):
    """A data set is not available: it is not on disk and cannot be downloaded."""


class MissingPackageError(MargintreeError, ImportError):
    """An optional package is not installed."""


class SolverError(MargintreeError, RuntimeError):
    """A solver cannot do its task."""


class SolverMissingError(SolverError):
    """The package of a solver is not installed."""


class SolverLicenceError(SolverError):
    """The licence of a solver does not allow this model."""


class SolverAbilityError(SolverError):
    """A solver does not support this kind of model."""


class CheckpointWarning(UserWarning):
    """A checkpoint cannot be written; the solve goes on without it."""


class PoorTreeWarning(UserWarning):
    """The fitted tree has no split, or it never predicts a class of its training rows."""


class ShallowTreeWarning(UserWarning):
    """The tree has fewer leaves than there are classes, so it cannot predict all of them."""


class TableWarning(UserWarning):
    """A column of a table is left out or holds unexpected values."""


for _public in (
    CheckpointWarning,
    InvalidInputError,
    MargintreeError,
    MissingPackageError,
    ModelFileError,
    PoorTreeWarning,
    ShallowTreeWarning,
    SolverError,
    TableWarning,
):
    _public.__module__ = "margintree"  # the import path of users, also shown in tracebacks
