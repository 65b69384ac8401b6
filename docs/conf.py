"""How the site is built: ``sphinx-build -W --keep-going -b html docs docs/_build/html``.

What is generated on the way (examples that were run, the reference, the page of the command) lies
in ``docs/auto`` and is not committed.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from sklearn.model_selection import train_test_split

import margintree
from margintree import MOCTSVMClassifier, MOCTSVMClassifierCV
from margintree.data.datasets import load

HERE = Path(__file__).parent
PUBLIC = [name for name in margintree.__all__ if name != "__version__"]
sys.path += [str(HERE / "_ext"), str(HERE.parent / "tests")]  # the guide shows printed variants

project = "margintree"
author = project_copyright = "The margintree developers"
version = release = margintree.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "mathml",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "guide"]
default_role = "py:obj"
rst_prolog = ".. currentmodule:: margintree"
smartquotes = False  # the page of the command has options in it

html_theme = "furo"
html_title = "margintree"
html_show_sphinx = False
html_static_path = ["_static"]
html_extra_path = ["auto/site"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's sections say what a parameter is, in words
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": ["guide", "../examples"],
    "gallery_dirs": ["auto/guide", "auto/examples"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "backreferences_dir": "auto/uses",
    "doc_module": ("margintree",),
}
suppress_warnings = ["config.cache"]  # the gallery's settings need not be pickled


GROUPS = {
    "estimators": "Classifiers",
    "show.plot": "Pictures",
    "show.export": "Trees for people, programs and databases",
    "estimators.modelfile": "Model files",
    "": "Methods, problems, trees and results",
    "_lib.exceptions": "Errors and warnings",
}
"""The parts of the reference, by the module in which a name lives; all other modules share one."""

BENCHMARKS = """# Benchmarks

Tables as the scripts in `benchmarks/` printed them. The first line of each says on which machine
and with which versions. `python benchmarks/run.py NAME --compare` runs one on yours and compares
the numbers. The machine was shared with other work, so read single times as within a factor of
two."""


def write_page(name: str, text: str) -> None:
    """Write a page that comes from elsewhere."""
    path = HERE / "auto" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def command_page() -> str:
    """Return the page of the command, as the command itself tells it."""
    call = [sys.executable, "-m", "typer", "margintree.cli", "utils", "docs", "--name", project]
    text = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"\[/?bold\]", "**", text)
    text = re.sub(r"^margintree .*$", r"    \g<0>", text, flags=re.MULTILINE)
    text = re.sub(r"\*\*Commands\*\*:.*?(?=^##+ )", "", text, flags=re.DOTALL | re.MULTILINE)
    return text.replace("# `margintree`", "# The command line", 1)


def root_page(name: str) -> str:
    """Return a document of the root, with links that hold in ``docs/auto``."""
    text = (HERE.parent / name).read_text(encoding="utf-8")
    homes = {"README.md": "../index.md", "CHANGELOG.md": "changes.md", "docs/": "../"}
    return re.sub(rf"\]\(({'|'.join(homes)})", lambda link: f"]({homes[link[1]]}", text)


def benchmark_page() -> str:
    """Return a page with every table of ``docs/benchmarks``, told by the scripts that made them."""
    parts = [BENCHMARKS]
    for table in sorted((HERE / "benchmarks").glob("*.txt")):
        scripts = (HERE.parent / "benchmarks").glob("*.py")
        sources = [p.read_text(encoding="utf-8") for p in scripts if table.stem.startswith(p.stem)]
        told = [ast.get_docstring(ast.parse(source)) or "" for source in sources]
        parts += [f"## {table.stem}", *told, f"```text\n{table.read_text(encoding='utf-8')}```"]
    return "\n\n".join(parts)


def reference_page() -> str:
    """Return the reference: every public name, in groups."""
    homes = {name: margintree._HOMES[name] for name in PUBLIC}
    parts = ["Reference", "=" * 9, "Everything here can be imported from ``margintree`` itself."]
    parts += [".. currentmodule:: margintree"]
    for home, title in GROUPS.items():
        names = [name for name in PUBLIC if (homes[name] if homes[name] in GROUPS else "") == home]
        table = [".. autosummary::", "   :toctree: api", "", *(f"   {name}" for name in names)]
        parts += [title, "-" * len(title), "\n".join(table)] if names else []
    return "\n\n".join(parts).replace("\n\n===", "\n===").replace("\n\n---", "\n---") + "\n"


def sample_report() -> str:
    """Return a report to try out. Its fit also compiles the kernels before the examples run."""
    iris = load("iris")
    clf = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0).fit(iris.X, iris.y)
    return clf.report(iris.X, iris.y, feature_names=iris.feature_names).html


def sample_slider() -> str:
    """Return a report with a slider, on the rows of the guide's page about few features."""
    wine = load("wine")
    parts = train_test_split(wine.X, wine.y, train_size=0.5, stratify=wine.y, random_state=0)
    X, X_test, y, y_test = parts
    budgets = [{"max_features_per_split": most} for most in (1, 2, 3, 5, None)]
    plain = MOCTSVMClassifier(max_depth=2, c1=100.0, c3=10.0)
    choice = MOCTSVMClassifierCV(plain, budgets, last_fit="path").fit(X, y)
    return choice.report(X_test, y_test, feature_names=wine.feature_names).html


write_page("command.md", command_page())
write_page("contributing.md", root_page("CONTRIBUTING.md"))
write_page("changes.md", root_page("CHANGELOG.md"))
write_page("reference.rst", reference_page())
write_page("benchmarks.md", benchmark_page())
write_page("site/report.html", sample_report())
write_page("site/slider.html", sample_slider())


def keep_underscores(*event: Any) -> None:
    """Keep a name that ends with an underscore, in the type of a parameter, from being a link."""
    lines = event[-1]
    for i, line in enumerate(lines):
        if re.match(r"\w+ : ", line):
            lines[i] = re.sub(r"(?<=\w)_(?=[,)])", r"\\_", line)


def setup(app: Any) -> None:
    """Tell Sphinx of what is done here."""
    app.connect("autodoc-process-docstring", keep_underscores, priority=400)  # before numpydoc
