"""Plant tasks in random worlds, show demonstrations of them, and measure what is found.

make bench-recovery
python benchmarks/recover.py --suite wide --part choose --cases 36 --out wide
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from demospec.cli import Interrupted, main
from demospec.cli.options import check_jobs, jobs_options, json_option, seed_range
from demospec.cli.streams import say, show_report
from demospec.cli.termination import interruptible
from demospec.errors import InputError
from demospec.problem import METHODS
from demospec.report.documents import dumps
from demospec.report.folder import make_folder
from demospec.runs.progress_line import Progress
from demospec.work import open_workers
from recovery import planted_report, planted_run, wide_report, wide_run
from recovery.planted import Sweep, check_method, chosen_tasks
from recovery.wide_cases import WideSweep, check_learner

MOST_DEMONSTRATIONS = 1000
DAY = 86_400  # seconds
WIDE_DEMONSTRATIONS, WIDE_LIMIT = (1, 3, 10, 30), 30.0
OTHERS = {  # options that only the other suite has
    "planted": ("part", "cases", "learners"),
    "wide": ("tasks", "worlds", "methods", "weights"),
}
TYPED = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


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


@click.command()
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
def recover(
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
        try:
            who = tuple(dict.fromkeys(check_learner(name.strip()) for name in learners.split(",")))
        except InputError as error:
            raise click.UsageError(str(error)) from None
        shown = demonstrations if "demonstrations" in given else WIDE_DEMONSTRATIONS
        longest = limit if "limit" in given else WIDE_LIMIT
        widely = WideSweep(part, cases, tuple(seeds), shown, who, longest)
        rows, interrupted = swept(
            widely,
            wide_run.run,
            lambda row: f"{row.demonstrations} × {row.task}, {row.learner}: share {row.share:.2f}",
            out,
            check_jobs(jobs, cluster),
            cluster,
        )
        report = wide_report.WideReport(widely, tuple(rows))
        tell(wide_report, report, out, interrupted, as_json=as_json)
        return
    processes = check_jobs(jobs, cluster)
    try:
        names = chosen_tasks(tasks)
        chosen = tuple(dict.fromkeys(check_method(name.strip()) for name in methods.split(",")))
    except InputError as error:
        raise click.UsageError(str(error)) from None
    sweep = Sweep(demonstrations, names, worlds, tuple(seeds), chosen, weights, limit)
    rows, interrupted = swept(
        sweep,
        planted_run.run,
        lambda row: f"{row.demonstrations} × {row.task}, {row.method}: {row.excess:+.3f}",
        out,
        processes,
        cluster,
    )
    tell(planted_report, planted_report.Report(sweep, tuple(rows)), out, interrupted, as_json=as_json)


def run_cases(
    run: Callable[[float, Any], Any],  # how long, and the case
    sweep: Sweep | WideSweep,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[Any], None],
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Run all cases and hand each finished row to `progress`, in order; end early when `stop` says so."""
    with open_workers(jobs, cluster) as workers:
        for row in workers.run(run, sweep.cases(), sweep.limit):
            progress(row)
            if stop():
                break


def swept(
    sweep: Sweep | WideSweep,
    run: Callable[[float, Any], Any],
    line: Callable[[Any], str],
    out: Path | None,
    jobs: int,
    cluster: str | None,
) -> tuple[list[Any], bool]:
    """Run the cases of a sweep with progress; return the rows, and whether Ctrl-C ended it."""
    if out is not None:
        make_folder(out)  # a folder that cannot be written is told before the work, not after
    rows: list[Any] = []
    with Progress(len(sweep)) as progress:

        def done(row: Any) -> None:
            rows.append(row)
            progress.done += 1
            if progress.due():
                of = f"{progress.done} of {progress.total} runs, {progress.time_words()}"
                progress.say(f"measuring: {of}; {line(row)}")

        interrupted = interruptible(
            lambda stop: run_cases(
                run, sweep, jobs=jobs, cluster=cluster, progress=done, stop=lambda: stop.is_set
            )
        )
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
        show_report(reports.blocks(report))
        if out is not None:
            say(f"\nwritten to {out / 'README.md'}")
    if interrupted:
        raise Interrupted


if __name__ == "__main__":
    main(command=recover)
