"""Optional packages: imported when needed, and asked for in words when missing."""

import sys

import pytest

from margintree import MissingPackageError
from margintree._lib.extras import imported


def test_a_missing_package_is_asked_for_by_its_extra():
    """The message is the command that helps, and the error is an ImportError as elsewhere."""
    with pytest.raises(MissingPackageError, match=r"pip install 'margintree\[plot\]'") as caught:
        imported("no_such_package.part", extra="plot")
    assert isinstance(caught.value, ImportError)
    assert caught.value.name == "no_such_package"


def test_a_broken_package_is_not_called_missing(tmp_path, monkeypatch):
    """An installed package whose own import fails is another matter, and its error stays."""
    (tmp_path / "half_there.py").write_text("import another_that_is_not_there", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="another_that_is_not_there") as caught:
        imported("half_there", extra="plot")
    assert not isinstance(caught.value, MissingPackageError)
    assert "half_there" not in sys.modules
