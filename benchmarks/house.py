"""How large the house is: lines, files, rooms, the longest function, and the way to a kernel.

Prints one number a line. ``tests/test_contract.py`` holds the numbers to their limits.
"""

import argparse
import ast
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from sklearn.datasets import load_iris

import margintree

PACKAGE = Path(margintree.__file__).parent
TESTS = Path(__file__).resolve().parents[1] / "tests"
LINES_BEFORE = 26_808
"""Source lines before the package got its eleven rooms, at commit b36810a."""
CONSTRUCTORS = ("__init__", "__new__")


def modules() -> list[Path]:
    """Return the files of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def n_lines(files: list[Path]) -> int:
    """Return the number of lines of files, those of comments and docstrings among them."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def packages_at_the_top() -> list[str]:
    """Return the names of the packages beside the package's own module."""
    return sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def loose_modules() -> list[str]:
    """Return the names of the modules at the top level."""
    return sorted(path.stem for path in PACKAGE.glob("*.py"))


def function_lengths() -> dict[str, int]:
    """Return the lines of every function that is no constructor, without its docstring.

    Decorators do not count, nor do the parameters of a command: they are its help.
    """
    lengths = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef) or node.name in CONSTRUCTORS:
                continue
            name = f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
            lengths[name] = _length(node)
    return lengths


def _length(function: ast.FunctionDef) -> int:
    first, *rest = function.body
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = first.end_lineno - first.lineno + 1 if is_docstring and rest else 0
    start = first.lineno - 1 if _is_command(function) else function.lineno
    return function.end_lineno - start + 1 - docstring


def _is_command(function: ast.FunctionDef) -> bool:
    decorators = {node.id for node in function.decorator_list if isinstance(node, ast.Name)}
    return "reported" in decorators


def frames_to_the_first_kernel() -> list[str]:
    """Return the functions of this package between `fit` and the first compiled kernel it calls."""
    model = margintree.MOCTSVMClassifier(max_iter=1)
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)  # everything is loaded and compiled
    with _Watch() as watch:
        model.fit(X, y)
    return watch.frames


class _Watch:
    """Puts a watched function in the place of every kernel that other modules call."""

    def __init__(self) -> None:
        self.frames: list[str] = []
        self._kernels: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> "_Watch":
        from numba.core.dispatcher import Dispatcher

        ours = [module for name, module in sys.modules.items() if name.startswith("margintree.")]
        for module in ours:
            for name, value in [*vars(module).items()]:
                if isinstance(value, Dispatcher) and value.py_func.__module__ != module.__name__:
                    self._kernels.append((module, name, value))
                    setattr(module, name, self._watched(value))
        return self

    def __exit__(self, *_: object) -> None:
        for module, name, value in self._kernels:
            setattr(module, name, value)

    def _watched(self, kernel: Any) -> Any:
        def call(*arguments: Any) -> Any:
            if not self.frames:
                self.frames = [*_frames_up_to_fit(sys._getframe(1)), kernel.__name__]
            return kernel(*arguments)

        return call


def _frames_up_to_fit(frame: FrameType | None) -> list[str]:
    """Return the functions of this package from `fit`, which is left out, to a frame."""
    found: list[str] = []
    while frame is not None and frame.f_code.co_name != "fit":
        if str(PACKAGE) in frame.f_code.co_filename:
            found.insert(0, frame.f_code.co_qualname)
        frame = frame.f_back
    return found


def counts() -> dict[str, Any]:
    """Return all numbers by what they count."""
    source, lengths = n_lines(modules()), function_lengths()
    longest = max(lengths, key=lengths.__getitem__)
    *frames, kernel = frames_to_the_first_kernel()
    return {
        "source lines": source,
        "change of source lines (%)": round(100 * (source / LINES_BEFORE - 1), 1),
        "files": len(modules()),
        "packages at the top": len(packages_at_the_top()),
        "loose modules at the top": len(loose_modules()),
        "longest function": lengths[longest],
        "  which is": longest,
        "test lines / source lines": round(n_lines(sorted(TESTS.rglob("*.py"))) / source, 2),
        "frames from fit to a kernel": len(frames),
        "  which are": ", ".join([*frames, f"[{kernel}]"]),
    }


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    for name, value in counts().items():
        print(f"{name:<30} {value}")


if __name__ == "__main__":
    main()
