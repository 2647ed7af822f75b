"""Commands that are loaded when they are called, and their help: by what people want, with examples."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from demospec.cli.summaries import EXAMPLES, GROUPS, OPTION_GROUPS, SETTING_DEFAULTS, group_of, summary_of
from demospec.wording import nearest

FILES = ("PROBLEM", "TASK", "LOG", "EXAMPLES", "FILE")  # arguments and values that may be files
KINDS = {  # of values, as click names them and as people do
    "INTEGER RANGE": "N",
    "INTEGER": "N",
    "FLOAT RANGE": "NUMBER",
    "FLOAT": "NUMBER",
}

MODULES = {  # that add commands, each in a module of its own
    "ask": "demospec.cli.ask",
    "check": "demospec.cli.check",
    "describe": "demospec.cli.describe",
    "diff": "demospec.cli.describe",
    "example": "demospec.cli.check",
    "export": "demospec.cli.export",
    "identify": "demospec.cli.identify",
    "monitor": "demospec.cli.monitor",
    "policy": "demospec.cli.policy",
    "record": "demospec.cli.record",
    "reproduce": "demospec.cli.reproduce",
    "sample": "demospec.cli.sample",
    "score": "demospec.cli.score",
    "studio": "demospec.cli.studio",
}


class FileName(StringParamType):
    """The name of a file, or a text: Tab completes files."""

    def shell_complete(
        self, context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete files."""
        return [CompletionItem(incomplete, type="file")]


class Command(click.Command):
    """A command whose help groups its options, and ends with an example."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        for one in self.params:
            if one.type is click.STRING and (one.metavar or "").strip("[]") in FILES:
                one.type = FileName()

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        """Read the arguments; an option that is not there is refused with the nearest one."""
        try:
            return super().parse_args(context, arguments)
        except click.NoSuchOption as error:
            known = [name for one in self.get_params(context) for name in (*one.opts, *one.secondary_opts)]
            known = [name for name in known if name.startswith("--")]
            told = f'there is no option "{error.option_name}"{nearest(error.option_name, known)}'
            raise click.UsageError(told, context) from None

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those that are alike under one heading."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for one in self.get_params(context):
            record = one.get_help_record(context)
            if record is not None and isinstance(one, click.Option):
                groups.setdefault(group_of(one.name or ""), []).append(plain_record(one, *record))
        for title in ("Options", *OPTION_GROUPS):
            if rows := groups.get(title):
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=24)

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what else there is to say, and the example."""
        super().format_epilog(context, formatter)
        if lines := EXAMPLES.get(self.name or ""):
            with formatter.section("Example" if len(lines) == 1 else "Examples"):
                formatter.write("".join(f"{' ' * formatter.current_indent}{line}\n" for line in lines))

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the command in one line."""
        return summary_of(self.name or "") or super().get_short_help_str(limit)


def plain_record(option: click.Option, names: str, told: str) -> tuple[str, str]:
    """Write an option without the names of Python's types; a setting with the default of files.

    >>> plain_record(click.Option(["--seed"]), "--seed INTEGER RANGE", "One result.  [default: 0; x>=0]")
    ('--seed N', 'One result.  [default: 0]')
    """
    for kind, short in KINDS.items():
        names = names.replace(f" {kind}", f" {short}")
    told, *parts = told.split("\n\n")
    if parts:  # the reference has them in full
        told += f" {', '.join(part.partition(':')[0] for part in parts)}."
    told = re.sub(r"(; |(?<=\[))[-\d.<=]*x[<>]=?[\d.]+(?=\])", "", told).replace("[]", "").rstrip()
    default = SETTING_DEFAULTS.get(option.help or "")
    if default not in (None, (), False):
        told += f"  [default: {default:g}]" if isinstance(default, float) else f"  [default: {default}]"
    return names, told


class Commands(click.Group):
    """A group of which some commands are in modules that are not loaded yet, told by what people want."""

    command_class = Command
    modules: Mapping[str, str] = {}

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*self.commands, *self.modules})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command; its module adds it."""
        if name in self.modules:
            import_module(self.modules[name])
        return super().get_command(context, name)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by its name; one that is not there is refused with the nearest one."""
        name = arguments[0]
        missing = self.get_command(context, name) is None and not name.startswith("-")
        if missing and not context.resilient_parsing:
            near = nearest(name, self.list_commands(context))
            raise click.UsageError(f'there is no command "{name}"{near}', context)
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what people want, each on one line; nothing is loaded for that."""
        names = self.list_commands(context)
        groups = {title: [name for name in told if name in names] for title, told in GROUPS.items()}
        known = {name for told in groups.values() for name in told}
        groups["Commands"] = [name for name in names if name not in known]
        width = max(map(len, names), default=0)
        for title, told in groups.items():
            if told:
                with formatter.section(title):
                    rows = [(name.ljust(width), self.summary(context, name)) for name in told]
                    formatter.write_dl(rows)

    def summary(self, context: click.Context, name: str) -> str:
        """Return a command in one line."""
        if (told := summary_of(name)) is not None:
            return told
        command = self.get_command(context, name)
        return "" if command is None else command.get_short_help_str(60)


Commands.group_class = Commands  # a group of the group tells its commands in the same way


class Main(Commands):
    """All commands of demospec."""

    modules = MODULES
