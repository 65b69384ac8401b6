"""Optional packages, imported only when they are needed."""

from importlib import import_module
from typing import Any

from margintree._lib.exceptions import MissingPackageError


def imported(module: str, extra: str) -> Any:
    """Return a module of an optional package; ``extra`` is the extra that installs the package.

    Examples
    --------
    >>> imported("json.decoder", extra="plot").__name__
    'json.decoder'
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingPackageError(
            f"This needs the package {package!r}, which is not installed. "
            f"Install it with: pip install 'margintree[{extra}]'",
            name=package,
        ) from error
