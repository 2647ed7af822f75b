"""The command `export`: a task in the forms that other programs read."""

from __future__ import annotations

import base64
import math
import sys
from pathlib import Path

import click
from msgspec import UNSET

from demospec.cli.group import cli
from demospec.cli.options import about, json_option, read_letters
from demospec.cli.streams import say
from demospec.errors import InputError
from demospec.files import load_task
from demospec.files.belief_file import MADE_FOR, load_act_on, load_believed
from demospec.report.documents import dumps
from demospec.report.folder import write_bytes
from demospec.report.task_forms import ExportJSON, exported, told_formats
from demospec.tasks import Task
from demospec.tasks.formats.gymnasium import belief_to_gymnasium
from demospec.tasks.mixture import Mixture, Weighted
from demospec.wording import listing, nearest


def check_format(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """Refuse a format that is not there, and name the nearest."""
    known = told_formats()
    if name not in known:
        raise click.BadParameter(
            f'there is no format "{name}"{nearest(name, known)}; known: {listing(known, 20)}'
        )
    return name


@cli.command(
    epilog="\b\nFormats:\n" + "\n".join(f"  {name:<15} {told}" for name, told in told_formats().items())
)
@click.argument("task_file", metavar="TASK")
@click.option(
    "--format", "name", metavar="F", required=True, callback=check_format, help="One of those below."
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Write here, not to standard output."
)
@click.option(
    "--alphabet",
    metavar="LETTERS",
    help='The letters that a one-line TASK reads, if there are more: "a b c".',
)
@click.option(
    "--act-on",
    is_flag=True,
    help="Of a result of learn: its answer with all that costs nothing beside it in its own world.",
)
@json_option
def export(
    task_file: str,
    name: str,
    out: Path | None,
    alphabet: str | None,
    act_on: bool,
    as_json: bool,
) -> None:
    """Write TASK in a form that other programs read.

    TASK is clauses ("reach y; never r"), a formula ("F y & G !r"), an automaton (">0: y→1 | *1:"), a file
    with one of them, a task file, HOA, DOT, or a result of learn: its answer, with --act-on what to act
    on. For gymnasium a result is its belief: the reward is the share of the answers that a run satisfies.
    """
    letters = read_letters(alphabet)
    written: str | bytes
    if act_on:
        task: Task | list[Weighted] = load_act_on(task_file)
        say(MADE_FOR, err=True)
    else:
        task = (load_believed if name == "gymnasium" else load_task)(task_file, letters)
    with about(task_file):
        written = belief_text(task) if isinstance(task, list) else exported(task, name)
    data = written if isinstance(written, bytes) else written.encode("utf-8", "surrogateescape")
    if out is not None:
        write_bytes(out, data)
    if as_json:
        text = UNSET if isinstance(written, bytes) else written
        coded = base64.b64encode(data).decode("ascii") if isinstance(written, bytes) else UNSET
        file = None if out is None else str(out)
        click.echo(dumps(ExportJSON(format=name, text=text, base64=coded, file=file).plain()))
    elif out is not None:
        say(f"written to {out}")
    elif isinstance(written, str):
        click.echo(written, nl=not written.endswith("\n"))
    elif sys.stdout.isatty():
        raise InputError(f"{name} is not text; say where to write it: --out FILE")
    else:
        sys.stdout.buffer.write(data)


def belief_text(weighted: list[Weighted]) -> str:
    """Write what is believed, and tell on standard error what was left out."""
    mixture = Mixture.of(weighted, merge_repeats=False)
    if mixture.left_out:
        weight = math.fsum(weight for _, weight in mixture.left_out)
        few = f"{len(mixture.left_out)} of {len(weighted)} answers"
        say(f"left out: {few}, with a weight of {weight:.4f} together", err=True)
    return belief_to_gymnasium(mixture)
