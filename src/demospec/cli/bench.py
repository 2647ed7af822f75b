"""The commands that measure: how often planted tasks are found again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from demospec.cli.commands import cli
from demospec.cli.options import SEED, check_jobs, jobs_options, json_option, seed_range
from demospec.cli.progress import Interrupted, Progress, interruptible, telling
from demospec.cli.streams import say, show
from demospec.errors import InputError
from demospec.problem import METHODS
from demospec.report.documents import dumps
from demospec.report.folder import make_folder

if TYPE_CHECKING:
    from demospec.bench.wide.sweep import WideSweep

MOST_DEMONSTRATIONS = 1000
DAY = 86_400  # seconds
WIDE_DEMONSTRATIONS, WIDE_LIMIT = (1, 3, 10, 30), 30.0
OTHERS = {  # options that only the other suite has
    "planted": ("part", "cases", "learners"),
    "wide": ("tasks", "worlds", "methods", "weights"),
}
TYPED = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


@cli.group(invoke_without_command=True)
@click.pass_context
def bench(context: click.Context) -> None:
    """Measure demospec."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def counts(context: click.Context, parameter: click.Parameter, given: str) -> tuple[int, ...]:
    """Read numbers of demonstrations such as `2,20`; each counts once."""
    found: dict[int, None] = {}
    for part in given.split(","):
        number = part.strip()
        if not (number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= MOST_DEMONSTRATIONS):
            raise click.BadParameter(f'"{part}" is not a number from 1 to {MOST_DEMONSTRATIONS}')
        found[int(number)] = None
    return tuple(found)


def seconds(context: click.Context, parameter: click.Parameter, given: float) -> float:
    """Read a limit of time; a day is enough."""
    if not 0 < given <= DAY:  # "nan" is neither
        raise click.BadParameter(f"must be above 0 and at most {DAY} seconds; found {given:g}")
    return given


@bench.command()
@click.option(
    "--suite",
    type=click.Choice(["planted", "wide"]),
    default="planted",
    show_default=True,
    help="Methods of search on 8×8 maps; or learners in many worlds, from many demonstrators.",
)
@click.option(
    "--demonstrations",
    callback=counts,
    default="2,20",
    show_default="2,20; wide: 1,3,10,30",
    help="How many are shown: for example 1,2,5,10,20.",
)
@click.option(
    "--tasks",
    metavar="NAME",
    multiple=True,
    help="A planted task, or a kind of them such as sequence; can be given more than once.  [default: all]",
)
@click.option(
    "--worlds",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Worlds for each task: the first has wind, the second none, and so on.",
)
@click.option("--seeds", callback=seed_range, default="0", show_default=True, help="For example 0-2 or 1,4.")
@click.option(
    "--methods",
    default=",".join(METHODS),
    show_default=True,
    help="Also explore-without-NAME, which leaves an ingredient out.",
)
@click.option(
    "--weights",
    type=click.Choice(["default", "paper"]),
    default="default",
    show_default=True,
    help="What a bit costs: by rule, or the paper's 0.02.",
)
@click.option(
    "--limit",
    type=float,
    callback=seconds,
    default=5.0,
    show_default="5; wide: 30",
    help="Seconds for each run; what is found later does not count.",
)
@click.option(
    "--part",
    type=click.Choice(["choose", "held-out", "prior"]),
    default="choose",
    show_default=True,
    help="Wide: the part to choose something by, the one to report it on, or tasks drawn from the prior.",
)
@click.option(
    "--cases",
    type=click.IntRange(1, 100_000),
    default=36,
    show_default=True,
    help="Wide: cases for each seed, each a world, a task and a demonstrator.",
)
@click.option(
    "--learners",
    default="default,paper,irl",
    show_default=True,
    help="Wide: the default, the paper's agent and code, inverse reinforcement learning.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write a page, diagrams and all rows here.")
@jobs_options
@json_option
@click.pass_context
def recovery(
    context: click.Context,
    suite: str,
    demonstrations: tuple[int, ...],
    tasks: tuple[str, ...],
    worlds: int,
    seeds: list[int],
    methods: str,
    weights: str,
    limit: float,
    part: str,
    cases: int,
    learners: str,
    out: Path | None,
    jobs: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Plant tasks in random worlds, show demonstrations of them, and see what is found.

    Every run that missed the planted task is listed with its reason: it was searched badly, or the
    demonstrations do not determine it.

    The wide suite measures answers instead: acting on them, their probabilities, and how far they behave as
    the truth, where neither the agent nor its mistakes are known to the learner.
    """
    given = {name for name in context.params if context.get_parameter_source(name) in TYPED}
    if foreign := [name for name in OTHERS[suite] if name in given]:
        raise click.UsageError(f'--{foreign[0]} is not an option of the suite "{suite}"')
    if suite == "wide":
        from demospec.bench.wide.sweep import WideSweep, check_learner

        try:
            who = tuple(dict.fromkeys(check_learner(name.strip()) for name in learners.split(",")))
        except InputError as error:
            raise click.UsageError(str(error)) from None
        shown = demonstrations if "demonstrations" in given else WIDE_DEMONSTRATIONS
        longest = limit if "limit" in given else WIDE_LIMIT
        widely = WideSweep(part, cases, tuple(seeds), shown, who, longest)
        run_wide(widely, out, check_jobs(jobs, cluster), cluster, as_json=as_json)
        return
    from demospec.bench import report as reports
    from demospec.bench.recovery import Row, recover
    from demospec.bench.sweep import Sweep, check_method, chosen_tasks

    processes = check_jobs(jobs, cluster)
    try:
        names = chosen_tasks(tasks)
        chosen = tuple(dict.fromkeys(check_method(name.strip()) for name in methods.split(",")))
    except InputError as error:
        raise click.UsageError(str(error)) from None
    sweep = Sweep(demonstrations, names, worlds, tuple(seeds), chosen, weights, limit)

    def line(row: Row) -> str:
        return f"{row.demonstrations} × {row.task}, {row.method}: {row.excess:+.3f}"

    work = partial(recover, sweep, jobs=processes, cluster=cluster)
    rows, interrupted = swept(len(sweep), work, line, out)
    tell(reports, reports.Report(sweep, tuple(rows)), out, interrupted, as_json=as_json)


def swept(
    count: int, work: Callable[..., None], line: Callable[[Any], str], out: Path | None
) -> tuple[list[Any], bool]:
    """Run the cases of a sweep with progress; return the rows, and whether Ctrl-C ended it."""
    if out is not None:
        make_folder(out)  # a folder that cannot be written is told before the work, not after
    rows: list[Any] = []
    with Progress(count) as progress:

        def done(row: Any) -> None:
            rows.append(row)
            progress.run(line(row))

        interrupted = interruptible(lambda stop: work(progress=done, stop=lambda: stop.is_set))
    return rows, interrupted


def tell(reports: Any, report: Any, out: Path | None, interrupted: bool, *, as_json: bool) -> None:
    """Write and print what was measured, also where it was interrupted."""
    if interrupted and not report.rows:
        raise Interrupted
    if out is not None:
        reports.write(report, out)
    if as_json:
        click.echo(dumps(reports.document(report)))
    else:
        show(reports.blocks(report))
        if out is not None:
            say(f"\nwritten to {out / 'README.md'}")
    if interrupted:
        raise Interrupted


def run_wide(sweep: WideSweep, out: Path | None, jobs: int, cluster: str | None, *, as_json: bool) -> None:
    """Run the wide suite, and tell what was measured."""
    from demospec.bench.wide import report as reports
    from demospec.bench.wide.run import WideRow, widen

    def line(row: WideRow) -> str:
        return f"{row.demonstrations} × {row.task}, {row.learner}: share {row.share:.2f}"

    rows, interrupted = swept(len(sweep), partial(widen, sweep, jobs=jobs, cluster=cluster), line, out)
    tell(reports, reports.WideReport(sweep, tuple(rows)), out, interrupted, as_json=as_json)


@bench.command()
@click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    help="A folder with train.toml and test.toml.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="One seed, one result.")
@json_option
def mouse(folder: Path, seed: int, as_json: bool) -> None:
    """Learn from the runs in train.toml, and measure the surprise of those in test.toml.

    The data of the labyrinth are those of Rosenberg and others (eLife 2021), written as problem files; any
    other world will do.
    """
    from demospec.bench.mouse import measure

    with telling("learning"):
        measured = measure(folder, seed)
    document = measured.to_json()
    if as_json:
        click.echo(dumps(document))
        return
    for name, value in document.items():
        if isinstance(value, str | int | float) and name != "benchmark":
            told = f"{value:.3f}" if isinstance(value, float) else value
            say(f"{name.replace('_', ' '):24} {told}")
