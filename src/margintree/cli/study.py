"""``margintree study``: run the paper's study, or one of your own."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from margintree.cli._common import INTERRUPTED, reported
from margintree.cli._options import whole
from margintree.cli.data import DataDir
from margintree.cli.study_results import compare, export, figures, import_rows, store_path, table

if TYPE_CHECKING:
    from margintree.study.spec import Spec
    from margintree.study.store import Job, Row, Store

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Run the paper's study, or one of your own, and show its results.",
)
SpecName = Annotated[
    str,
    typer.Argument(
        metavar="SPEC",
        help="Specification: 'smoke', 'quick', 'paper', 'wide', or your own TOML file.",
    ),
]
StorePath = Annotated[
    Path | None,
    typer.Option("--store", help="SQLite file of the rows.", show_default="study-SPEC.sqlite"),
]


@app.command()
@reported
def run(
    spec: SpecName,
    store: StorePath = None,
    jobs: Annotated[int, whole("Processes; -1 for all cores.", True, "--jobs", "-j")] = 1,
    dask: Annotated[
        str | None,
        typer.Option(help="Address of a Dask cluster, or 'local' for one on this machine."),
    ] = None,
    data_dir: DataDir = None,
    data_set: Annotated[
        list[str] | None, typer.Option(help="Run only this data set; may be repeated.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Run only this method; may be repeated.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run failed jobs again.")] = False,
) -> None:
    """Run the jobs of a study that are still open, and keep every run as a row of an SQLite file.

    You can stop the command at any time; the next call continues where it stopped. Except for the
    seconds, rows do not depend on the number of processes, the cluster or the machine.

    [bold]Examples[/bold]

    margintree study run quick --jobs 2

    margintree study run paper --jobs 2 --method moctsvm --method cart

    margintree study run paper --dask tcp://10.0.0.5:8786
    """
    from margintree.study.jobs import jobs_of
    from margintree.study.run import check_jobs, run_study
    from margintree.study.spec import read_spec
    from margintree.study.store import Store

    plan = read_spec(spec)
    # What cannot be run is refused before there is a file.
    check_jobs(jobs)
    jobs_of(plan, data_set, method)
    kept = Store(store or store_path(spec))
    try:
        with _progress(plan, kept, data_set, method, retry) as tell:
            run_study(
                plan,
                kept,
                n_jobs=jobs,
                dask=dask,
                data_dir=data_dir,
                data_sets=data_set,
                methods=method,
                retry=retry,
                tell=tell,
            )
    except KeyboardInterrupt:
        typer.echo(f"Interrupted; the same command continues with {kept.path}.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    _print_status(plan, kept)


@app.command()
@reported
def status(spec: SpecName, store: StorePath = None) -> None:
    """Show the progress of a study, and its failed and skipped jobs with their reasons.

    [bold]Example[/bold]

    margintree study status paper
    """
    from margintree.study.spec import read_spec
    from margintree.study.store import Store

    _print_status(read_spec(spec), Store.existing(store or store_path(spec)))


for command in (table, figures, compare, export):
    app.command()(command)
app.command("import")(import_rows)


def _print_status(spec: "Spec", store: "Store") -> None:
    from rich import box
    from rich.table import Table

    from margintree.cli._view import console, print_table
    from margintree.study.jobs import Forecast, jobs_of
    from margintree.study.run import open_jobs

    out, rows, jobs = console(), store.rows(), jobs_of(spec)
    left = open_jobs(jobs, store)
    table = Table(box=box.SIMPLE_HEAD, padding=0)
    for heading in ("method", "jobs", "done", "skipped", "failed", "fits", "fits per second"):
        longest = max(map(len, heading.split()))
        no_wrap = heading == "method"
        table.add_column(heading, justify="right", no_wrap=no_wrap, min_width=longest)
    for method in dict.fromkeys(job.method for job in jobs):
        table.add_row(method, *_counts(method, jobs, store, rows))
    print_table(out, table)
    seconds = Forecast.from_rows(rows).seconds(left)
    out.print(f"{store.path}: {len(rows)} rows, {len(left)} of {len(jobs)} jobs open or skipped")
    if seconds:
        out.print(f"about {seconds / 60:.1f} minutes of one core left, or less if jobs are skipped")
    for message in sorted({f"{r.method}, {r.data_set}: {r.message}" for r in rows if r.message}):
        out.print(f"  {message}")


def _counts(
    method: str, jobs: "Sequence[Job]", store: "Store", rows: "Sequence[Row]"
) -> tuple[str, ...]:
    """Return the numbers of a method's jobs, done, skipped and failed, its fits and their speed."""
    from margintree.study.summary import Effort, grid_efforts

    mine = {job for job in jobs if job.method == method}
    by_status = [len(mine & store.jobs(name)) for name in ("done", "skipped", "failed")]
    found = grid_efforts(row for row in rows if row.method == method)
    effort = sum(found.values(), start=Effort())
    rate = f"{effort.per_second():.1f}" if effort.count else "-"
    return str(len(mine)), *map(str, by_status), str(effort.count), rate


@contextmanager
def _progress(
    spec: "Spec",
    store: "Store",
    data_sets: Sequence[str] | None,
    methods: Sequence[str] | None,
    retry: bool,
) -> "Iterator[Callable[[Job, Sequence[Row]], None]]":
    """Show a bar with the finished jobs and the time left, if stderr is a terminal.

    The time left is the estimate for one core divided by the number of busy cores, which is the
    work done so far divided by the time so far.
    """
    import time

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from margintree.study.jobs import Forecast, jobs_of, seconds_of
    from margintree.study.run import open_jobs

    left = set(open_jobs(jobs_of(spec, data_sets, methods), store, retry))
    forecast, console = Forecast.from_rows(store.rows()), Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    bar = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
    task = bar.add_task(spec.name, total=len(left))
    start, work = time.perf_counter(), 0.0

    def tell(job: "Job", rows: "Sequence[Row]") -> None:
        nonlocal work
        left.discard(job)
        forecast.learn(job, seconds_of(rows))
        work += seconds_of(rows)
        cores = work / (time.perf_counter() - start)
        minutes = forecast.seconds(left) / cores / 60 if cores else 0.0
        bar.update(task, advance=1, description=f"{job}   about {minutes:.0f} min left")

    with bar:
        yield tell
