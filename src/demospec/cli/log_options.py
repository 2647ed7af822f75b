"""The options `--log` and `--columns`: runs of a log, as demonstrations on top of a problem's own."""

from __future__ import annotations

from typing import Any

import click

from demospec.cli.options import Command
from demospec.errors import InputError, listing, nearest
from demospec.files import convert
from demospec.files.log_table import COLUMNS, DemonstrationTable

KEYS = (*COLUMNS, "complete", "only")
LISTS = ("state", "only")  # keys that may be given more than once
NUMBERS = ("last",)


def log_options(command: Command) -> Command:
    """Add `--log` and `--columns`."""
    for option in (
        click.option(
            "--columns",
            metavar="KEY=NAME,…",
            help="Which columns of the log tell what: run=episode,time=t,state=s,action=a,complete=done; "
            "also rows=outcomes, last=2, only=NAME, format=csv.  [default: columns with these names]",
        ),
        click.option(
            "--log",
            "log_file",
            metavar="FILE",
            help="Demonstrations beside PROBLEM's own: the runs of a CSV, JSON lines, Parquet or XES file.",
        ),
    ):
        command = option(command)
    return command


def read_log_options(log_file: str | None, columns: str | None) -> DemonstrationTable | None:
    """Return the entry of `[[demonstrations]]` that the options stand for."""
    if log_file is None:
        if columns is not None:
            raise InputError("--columns needs --log")
        return None
    table = {} if columns is None else read_columns(columns)
    return convert({"log": log_file, **table}, DemonstrationTable, "--columns")


def read_columns(text: str) -> dict[str, Any]:
    """Read `run=episode,state=x,state=y,complete=true`.

    >>> read_columns("run=episode,state=x,state=y,complete=true,last=2")
    {'run': 'episode', 'state': ['x', 'y'], 'complete': True, 'last': 2}
    """
    found: dict[str, Any] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not value:
            raise InputError(f'expected KEY=NAME, found "{part}"', place="--columns")
        if key not in KEYS:
            told = f'unknown key "{key}"{nearest(key, KEYS)}; known: {listing(KEYS)}'
            raise InputError(told, place="--columns")
        if key in found and key not in LISTS:
            raise InputError(f'"{key}" is there twice', place="--columns")
        if key in found or key == "only":
            before = found.get(key, [])
            found[key] = [*(before if isinstance(before, list) else [before]), value]
        elif key == "complete" and value in ("true", "false"):
            found[key] = value == "true"
        else:
            found[key] = int(value) if key in NUMBERS and value.isdecimal() else value
    return found
