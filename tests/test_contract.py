"""The rooms of docs/design.md: who may look into which, and what importing costs."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import house
import margintree
from margintree.search.margin.compilation import compile_kernels

PACKAGE = Path(margintree.__file__).parent
DESIGN = Path(__file__).parents[1] / "docs" / "design.md"

ROOMS = [
    "_lib",
    "core",
    "search",
    "exact",
    "methods",
    "data",
    "show",
    "estimators",
    "study",
    "cli",
    "testing",
]
"""The rooms in order; a room knows those above its own and no others."""

SAME_MEANING = {
    "cart": "a method: its object, its search, its classifier",
    "oct": "a method: its object, its program, its classifier",
    "octh": "a method: its object, its program, its classifier",
    "octsvm": "a method: its object, its program, its classifier",
    "moctsvm": "a method: its object, its program, its classifier",
    "class_tree": "a method: its trees, its object, its program, its classifier",
    "margin": "trees with margins: their search, and what their methods share",
    "engine": "the loop of a search, in the folder of the search",
    "kernels": "the compiled functions of a search, in the folder of the search",
    "leaf_groups": "a step of the margin search, and its kernels",
    "many_rows": "a step of the margin search, and its kernels",
    "data": "a room, and its command",
    "export": "a room, and its command",
    "study": "a room, and its command",
    "solvers": "a room, and its command",
    "verify": "the check of a certificate, and its command",
    "_Builder": "writes the program of one method; each is a Builder",
    "_Run": "one run of a solver, in the file of the solver",
}
"""Names that several modules or classes have, and what all of them mean by it."""

LEVELS = {room: level for level, room in enumerate(ROOMS)} | {"__main__": len(ROOMS)}
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


def room_of(module):
    return module.parts[0].removesuffix(".py")


def imported_rooms(source):
    """Yield the rooms that a module imports anywhere, also inside functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, *rest = name.split(".")
            if package == "margintree" and rest and rest[0] != "__version__":
                yield rest[0]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_imports_only_from_rooms_above_its_own(module):
    """Every import of the package points upwards, or stays in its room."""
    room = room_of(module)
    if room == "__init__":
        return
    others = {*imported_rooms((PACKAGE / module).read_text(encoding="utf-8"))} - {room}
    unknown = {room, *others} - {*LEVELS}
    assert not unknown, f"{unknown} need a place in ROOMS and in docs/design.md"
    wrong = {other for other in others if LEVELS[other] >= LEVELS[room]}
    assert not wrong, f"{module} looks into {wrong}"


def test_the_design_document_lists_the_same_rooms():
    """The list in docs/design.md names the rooms in their order."""
    text = DESIGN.read_text(encoding="utf-8").split("## How data flow")[0]
    assert re.findall(r"^\| `(\w+)/` \|", text, flags=re.MULTILINE) == ROOMS


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_no_module_uses_relative_imports(module):
    """Relative imports would escape the check above."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]


def names_in_use():
    """Return the names of modules and classes, without underscores, with their places."""
    places = defaultdict(list)
    for module in MODULES:
        parts = module.with_suffix("").parts
        name = parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
        places[name.lstrip("_")].append(str(module))
        for node in ast.walk(ast.parse((PACKAGE / module).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(f"{module}: {node.name}")
    return places


def test_one_name_means_one_thing():
    """No two modules and no two classes share a name, unless they mean the same by it."""
    several = {name: places for name, places in names_in_use().items() if len(places) > 1}
    alike = {name.lstrip("_") for name in SAME_MEANING}
    assert alike <= {*several}, "SAME_MEANING names what is there once only"
    clashes = {name: places for name, places in several.items() if name not in alike}
    assert not clashes


def imported_modules(source, known):
    """Yield the modules of the package that a module imports, also inside functions."""
    waiting = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in known else node.module
        waiting += ast.iter_child_nodes(node)


def test_no_modules_import_each_other_in_a_circle():
    """Not even inside functions; what only type checkers read does not count."""
    names = {}
    for module in MODULES:
        parts = ("margintree", *module.with_suffix("").parts)
        names[".".join(parts).removesuffix(".__init__")] = PACKAGE / module
    graph = {
        name: {*imported_modules(path.read_text(encoding="utf-8"), names)} & {*names} - {name}
        for name, path in names.items()
    }
    assert sum(map(len, graph.values())) > len(graph)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_house_is_not_too_large():
    """Few rooms, short files and functions, many tests, as ``benchmarks/house.py`` prints them."""
    assert len(house.packages_at_the_top()) <= 12
    assert len(house.loose_modules()) <= 3
    too_long = [path.name for path in house.modules() if house.n_lines([path]) > 550]
    assert too_long == []
    lengths = house.function_lengths()
    assert {name: length for name, length in lengths.items() if length > 50} == {}
    tests = sorted(house.TESTS.rglob("*.py"))
    assert house.n_lines(tests) >= 0.7 * house.n_lines(house.modules())


def test_a_fit_reaches_its_kernels_soon():
    """Few calls lie between `fit` and the first compiled function; each has something to do."""
    *frames, kernel = house.frames_to_the_first_kernel()
    assert kernel == "settle"
    assert 1 <= len(frames) <= 10, frames


def test_the_house_is_counted_right(tmp_path, monkeypatch):
    """Docstrings and constructors do not count, and lines of comments do."""
    source = """\
class Room:
    def __init__(
        self,
    ): ...

    def enter(self):
        \"\"\"Two lines

        and a docstring.
        \"\"\"
        # why
        return 1


@reported
def command(
    option,
):
    return option
"""
    (tmp_path / "room.py").write_text(source)
    (tmp_path / "hall").mkdir()
    (tmp_path / "hall" / "__init__.py").touch()
    monkeypatch.setattr(house, "PACKAGE", tmp_path)
    lengths = {name.split()[-1]: length for name, length in house.function_lengths().items()}
    assert lengths == {"enter": 3, "command": 2}
    assert house.packages_at_the_top() == ["hall"]
    assert house.loose_modules() == ["room"]
    assert house.n_lines(house.modules()) == source.count("\n")


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_importing_the_package_imports_nothing_heavy():
    """No solver, kernel compiler, plotting or table library, and nothing is printed."""
    heavy = [
        "gurobipy",
        "highspy",
        "matplotlib",
        "numba",
        "onnx",
        "pandas",
        "pyarrow",
        "pyscipopt",
        "sklearn",
        "typer",
    ]
    code = f"import sys, margintree; print([m for m in {heavy} if m in sys.modules])"
    assert run(code) == "[]\n"


def test_the_help_of_the_command_does_not_wait_for_heavy_imports():
    """Only the commands that need them import scikit-learn and the solvers."""
    code = (
        "import sys, margintree.cli; print([m for m in ('sklearn', 'numba') if m in sys.modules])"
    )
    assert run(code) == "[]\n"


def test_what_is_loaded_is_hardly_looked_at():
    """Of a hundred thousand new objects of modules and kernels, hardly any is looked at."""
    compile_kernels(many_rows=False, leaf_groups=False)
    code = """
import gc, sklearn.base
looked_at = []
gc.callbacks.append(
    lambda phase, info: looked_at.append(len(gc.get_objects(info["generation"])))
    if phase == "start" else None
)
from margintree import MOCTSVMClassifier
MOCTSVMClassifier(max_iter=1).fit([[0.0], [1.0]], [0, 1])
print(sum(looked_at) < 20_000 < len(gc.get_objects()), gc.isenabled())
"""
    assert run(code) == "True True\n"


def test_loading_leaves_a_collector_alone_that_was_off():
    """Whoever has switched it off finds it so."""
    code = "import gc, margintree; gc.disable(); margintree.Problem; print(gc.isenabled())"
    assert run(code) == "False\n"


def test_loading_thaws_nothing():
    """Objects that somebody has frozen before a fork stay so."""
    code = """
import gc, margintree
gc.freeze()
frozen = gc.get_freeze_count()
margintree.Problem
print(gc.get_freeze_count() > frozen / 2, gc.isenabled())
"""
    assert run(code) == "True True\n"


def test_names_that_are_used_over_and_over_leave_the_collector_to_its_work():
    """Garbage is found beside them as often as without them."""
    code = """
import gc, margintree
margintree.Problem
looks = []
gc.callbacks.append(lambda phase, info: looks.append(phase))
for _ in range(100):
    margintree.Problem
    for _ in range(50):
        cycle = []
        cycle.append(cycle)
print(len(looks) > 0)
"""
    assert run(code) == "True\n"


def test_public_names_are_what_all_says():
    """Every public name can be imported and is listed, and nothing else is there."""
    namespace = {}
    exec("from margintree import *", namespace)
    assert set(margintree.__all__) <= {*namespace}
    assert dir(margintree) == sorted(margintree.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        margintree.nonsense  # noqa: B018


def test_public_names_are_declared_to_type_checkers():
    """The lazy names and those that a type checker sees are the same."""
    source = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    blocks = [node for node in ast.parse(source).body if isinstance(node, ast.If)]
    declared = {alias.name for block in blocks for node in block.body for alias in node.names}
    assert declared | {"__version__"} == set(margintree.__all__)
