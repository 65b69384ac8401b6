"""Write the page of the results of a study, with its rows, tables and pictures.

    python benchmarks/publish.py study-paper.sqlite

The page lists the commands that make everything on it. They need only the exported rows, so you
can run them yourself. Commit ``docs/results.md`` and ``docs/results`` afterwards.
"""

import argparse
import json
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

from margintree.cli import app
from margintree.study.exported import Study, read_study
from margintree.study.names import READINGS

DOCS = Path(__file__).resolve().parents[1] / "docs"
FOLDER = "results"
ROWS = f"{FOLDER}/rows.csv.bz2"
TABLES = {
    "accuracy": f"table {ROWS} --format markdown",
    "balanced accuracy": f"table {ROWS} --measure balanced_accuracy --format markdown",
    "splits": f"table {ROWS} --measure splits --format markdown",
    "speed": f"table {ROWS} --measure speed --format markdown",
    "comparison": f"compare {ROWS} --format markdown",
}
"""The tables of the page and their commands; the files of these commands are not kept."""
FILES = (
    f"table {ROWS} --format csv --output {FOLDER}/table.csv",
    f"table {ROWS} --format latex --output {FOLDER}/table.tex",
    f"table {ROWS} --format html --output {FOLDER}/table.html",
    f"figures {ROWS} --output {FOLDER}",
)
FIGURES = {
    "accuracy": "Accuracy by method and data set",
    "ranks": "Average ranks, with bars between methods that do not differ",
    "splits": "Accuracy against the number of splits",
    "coefficients": "Accuracy against the number of coefficients",
    "seconds": "Accuracy against time",
}


def study(command: str) -> None:
    """Run ``margintree study``."""
    app(["study", *command.split()], standalone_mode=False)


def markdown(command: str) -> str:
    """Return the output of a command."""
    part = Path(FOLDER) / "part.md"
    study(f"{command} --output {part}")
    text = part.read_text(encoding="utf-8")
    part.unlink()
    return text


def origin(found: Study) -> Iterator[str]:
    """Yield the days, commit, machine and versions of the sessions, each combination once."""
    for commit, machine, versions in dict.fromkeys(
        (one.commit_id, one.machine, one.versions) for one in found.sessions
    ):
        days = sorted(
            one.started[:10]
            for one in found.sessions
            if (one.commit_id, one.machine, one.versions) == (commit, machine, versions)
        )
        listed = ", ".join(f"{name} {value}" for name, value in json.loads(versions).items())
        when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
        yield f"- {when}, commit `{commit or 'unknown'}`, {machine}: {listed}"


def page(name: str, found: Study) -> Iterator[str]:
    """Yield the parts of the page."""
    yield "# Results of the study"
    yield (
        f"These are the results of `margintree study run {name}`. [The study](study.md) describes "
        "its protocol and the meaning of the readings. The page is made from the "
        f"[rows]({ROWS}), which have the limits of every fit, and their "
        f"[sessions]({FOLDER}/rows.sessions.json). `benchmarks/publish.py` runs these commands in "
        "`docs`:"
    )
    commands = [f"export {ROWS} study-{name}.sqlite", *TABLES.values(), *FILES]
    yield "\n".join(["```sh", *(f"margintree study {command}" for command in commands), "```"])
    yield "The rows were made in these sessions:"
    yield "\n".join(origin(found))
    for title, command in TABLES.items():
        yield f"## {title.capitalize()}"
        yield markdown(command).strip()
    yield "## Pictures"
    for figure, text in FIGURES.items():
        for reading, words in READINGS.items():
            path = Path(FOLDER) / f"{figure}-{reading}.png"
            if path.exists():
                yield f"![{text}, {words}]({path.as_posix()})"
    ends = ("csv", "tex", "html")
    links = ", ".join(f"[{end.upper()}]({FOLDER}/table.{end})" for end in ends)
    yield f"The table of accuracies in other formats: {links}."


def main() -> None:
    """Publish a study from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("store", type=Path, help="store of the study, or exported rows")
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the page and its files go")
    given = parser.parse_args()
    store = given.store.resolve()
    (given.docs / FOLDER).mkdir(parents=True, exist_ok=True)
    with chdir(given.docs):
        study(f"export {ROWS} {store}")
        for command in FILES:
            study(command)
        found = read_study(ROWS)
        name = found.spec.name if found.spec else "SPEC"
        text = "\n\n".join(page(name, found)) + "\n"
        Path("results.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
