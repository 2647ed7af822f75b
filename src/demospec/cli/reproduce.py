"""The command `reproduce`: the paper's experiments again."""

from __future__ import annotations

from pathlib import Path

import click

from demospec.cli import Interrupted
from demospec.cli.group import cli
from demospec.cli.options import Count, json_option, seed_range
from demospec.cli.streams import say
from demospec.cli.termination import interruptible
from demospec.problem import METHODS
from demospec.report import reproduction as paper
from demospec.report.documents import dumps
from demospec.report.folder import make_folder
from demospec.runs.progress_line import Progress
from demospec.work.stop import Stop


@cli.command()
@click.argument("experiment", type=click.Choice(["monolithic", "incremental"]))
@click.option(
    "--seeds", callback=seed_range, default="0-9", show_default=True, help="For example 0-9 or 1,4."
)
@click.option("--baselines", is_flag=True, help="Run random pivots and enumeration too.")
@click.option("--iterations", type=Count(1), default=100, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Write table, figure and automata here.")
@json_option
def reproduce(
    experiment: str, seeds: list[int], baselines: bool, iterations: int, out: Path | None, as_json: bool
) -> None:
    """Run the paper's experiment: minimum energy by iteration, the learned automata, wall times."""
    if out is not None:
        make_folder(out)
    methods = METHODS[1:] if baselines else METHODS[1:2]
    total = iterations * sum(1 if method == "enumeration" else len(seeds) for method in methods)
    reports: list[paper.Reproduction | None] = []
    with Progress(total) as progress:

        def work(stop: Stop) -> None:
            reports.append(
                paper.run_experiment(
                    experiment,
                    seeds,
                    methods,
                    iterations=iterations,
                    progress=lambda label, row: progress(row, label=f"{label}: "),
                    stop=lambda: stop.is_set,
                )
            )

        interrupted = interruptible(work)
    report = reports[0] if reports else None
    if report is None:
        raise Interrupted
    if out is not None:
        paper.write(report, out)
    if as_json:
        click.echo(dumps(paper.reproduction_document(report)))
    else:
        say(paper.table_text(report))
        if out is not None:
            say(f"\nwritten to {out / 'README.md'}")
    if interrupted:
        raise Interrupted
