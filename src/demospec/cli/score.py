"""The command `score`: how well one task explains what was shown."""

from __future__ import annotations

from pathlib import Path

import click

from demospec.cli.group import cli
from demospec.cli.options import Count, about, json_option, load_both, scene_of, world_option
from demospec.cli.streams import say, show_report
from demospec.errors import InputError
from demospec.explain.score import evaluate
from demospec.explain.setup import resolve
from demospec.report.documents import dumps
from demospec.report.folder import make_folder, write_score
from demospec.report.score_report import score_blocks, score_document


@cli.command("score")
@click.argument("problem_file", metavar="PROBLEM")
@click.argument("task_file", metavar="TASK")
@click.option(
    "--pivots",
    type=Count(0),
    default=8,
    show_default=True,
    help="How many of the most telling steps to print.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write score.json, maps and a page here.")
@click.option("--time", type=Count(0), help="With --out: values after this many steps.  [default: 0]")
@world_option
@json_option
def score_command(
    problem_file: str,
    task_file: str,
    pivots: int,
    out: Path | None,
    time: int | None,
    world_name: str | None,
    as_json: bool,
) -> None:
    """Say how well TASK explains the demonstrations of PROBLEM, and what the gradient says.

    TASK is clauses ("reach y; never r"), a formula ("F y & G !r"), an automaton (">0: y→1 | *1:"), a file
    with one of them, a task file, or a result of learn (its best task). Where PROBLEM has several worlds,
    --out draws what the agent does in the one that --world names.
    """
    problem, task = load_both(problem_file, task_file)
    if out is not None:
        scene = scene_of(problem, world_name)
        if not resolve(problem).planner.abilities.listed:
            raise InputError("--out tells of every state, and the states of this world cannot be listed")
        make_folder(out)
    else:
        for name, given in (("--time", time), ("--world", world_name)):
            if given is not None:
                raise click.UsageError(f"{name} needs --out")
    with about(problem_file):
        found = evaluate(problem, task)
        document = score_document(problem, found)
    if out is not None:
        write_score(problem, found, out, scene, time=time or 0)
    if as_json:
        click.echo(dumps(document))
        return
    show_report(score_blocks(problem, document, pivots))
    if out is not None:
        say(f"\nwritten to {out / 'score.json'}; what the agent does: {out / 'score.html'}")
