"""The commands `check` and `example`: what a problem file holds, and those that ship."""

from __future__ import annotations

import click

from demospec import problems
from demospec.cli.commands import cli
from demospec.cli.log_options import log_options, read_log_options
from demospec.cli.options import check_standard_input, json_option
from demospec.cli.screen import show
from demospec.cli.streams import say
from demospec.files.demonstrations import filled_in
from demospec.files.values import load_with_document
from demospec.report.documents import check_document, dumps
from demospec.report.problem_blocks import problem_blocks


@cli.command()
@click.argument("problem_file", metavar="PROBLEM")
@log_options
@json_option
def check(problem_file: str, log_file: str | None, columns: str | None, as_json: bool) -> None:
    """Validate PROBLEM and describe what it holds."""
    check_standard_input({"PROBLEM": problem_file, "--log": log_file})
    problem, told = load_with_document(problem_file, log=read_log_options(log_file, columns))
    document = check_document(problem)
    for demonstration, filled in zip(document["demonstrations"], filled_in(told), strict=False):
        demonstration["filled_in"] = filled or None
    if as_json:
        click.echo(dumps(document))
    else:
        show(problem_blocks(document))


def complete(begun: str) -> list[str]:
    """Return the examples whose names begin so."""
    return [name for name in problems.names() if name.startswith(begun)]


@cli.command()
@click.argument("name", required=False, shell_complete=lambda context, parameter, begun: complete(begun))
@json_option
def example(name: str | None, as_json: bool) -> None:
    """Print a problem file that ships with demospec; without a NAME, list them."""
    if name is None:
        if as_json:
            click.echo(dumps({"examples": problems.names()}))
        else:
            say("\n".join(problems.names()))
    else:
        content = problems.text(name)
        click.echo(dumps({"name": name, "text": content}) if as_json else content, nl=as_json)
