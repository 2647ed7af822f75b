"""The commands `check` and `example`: what a problem file holds, what reading filled in; files that ship."""

from __future__ import annotations

from typing import Annotated

import click
from msgspec import UNSET

from demospec import problems
from demospec.cli.group import cli
from demospec.cli.options import check_standard_input, json_option, log_options, read_log_options
from demospec.cli.streams import say, show_report
from demospec.files.values import load_with_document
from demospec.report.documents import JSON, Sometimes, dumps
from demospec.report.problem_report import check_document, problem_blocks
from demospec.wording import count


@cli.command("check")
@click.argument("problem_file", metavar="PROBLEM")
@log_options
@json_option
def check_command(problem_file: str, log_file: str | None, columns: str | None, as_json: bool) -> None:
    """Validate PROBLEM and describe what it holds."""
    check_standard_input({"PROBLEM": problem_file, "--log": log_file})
    problem, told = load_with_document(problem_file, log=read_log_options(log_file, columns))
    document = check_document(problem)
    tables = [*told.demonstrations, *(one for world in told.worlds for one in world.demonstrations)]
    if all(table.log is None and table.minari is None for table in tables):  # which tell of many at once
        for demonstration, table in zip(document["demonstrations"], tables, strict=False):
            demonstration["filled_in"] = None
            if table.actions is not None:
                demonstration["filled_in"] = f"where {count(len(table.actions), 'action')} led"
            elif table.cells is not None:
                demonstration["filled_in"] = f"{count(len(table.cells) - 1, 'action')} between cells"
    if as_json:
        click.echo(dumps(document))
    else:
        show_report(problem_blocks(document))


class ExampleJSON(JSON):
    """The problems that ship with demospec, or one of them."""

    examples: Annotated[Sometimes[list[str]], "Their names."] = UNSET
    name: Annotated[Sometimes[str], "With a name: the name."] = UNSET
    text: Annotated[Sometimes[str], "With a name: the problem file."] = UNSET


@cli.command()
@click.argument(
    "name",
    required=False,
    shell_complete=lambda _context, _parameter, begun: [
        name for name in problems.names() if name.startswith(begun)
    ],
)
@json_option
def example(name: str | None, as_json: bool) -> None:
    """Print a problem file that ships with demospec; without a NAME, list them."""
    if name is None:
        if as_json:
            click.echo(dumps(ExampleJSON(examples=problems.names()).plain()))
        else:
            say("\n".join(problems.names()))
    else:
        content = problems.text(name)
        click.echo(dumps(ExampleJSON(name=name, text=content).plain()) if as_json else content, nl=as_json)
