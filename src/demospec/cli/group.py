"""All commands: told by what people want, loaded when they are called; and how their help is written."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from demospec import __version__
from demospec.later import while_loading
from demospec.wording import nearest

GROUPS: dict[str, dict[str, str]] = {
    "Learn": {
        "example": "Print a problem file to start from",
        "check": "Check a problem file and say what it holds",
        "record": "Drive the world with the arrow keys and keep the runs",
        "studio": "Draw a world, show runs and learn in the browser",
        "learn": "Learn the task behind the demonstrations",
        "resume": "Go on with a run of learn that was interrupted",
        "identify": "Find the smallest automata for labelled words",
    },
    "Ask": {
        "ask": "Answer the questions that tell most about the task",
    },
    "Understand": {
        "describe": "Say a task in words, as a formula and as an automaton",
        "diff": "Say how two tasks differ",
        "score": "Say how well a task explains the demonstrations",
        "policy": "Say what an agent with a task does",
        "sample": "Draw runs of an agent with a task",
    },
    "Hand over": {
        "export": "Write a task in a form that other programs read",
        "monitor": "Check traces of a log against a task",
    },
    "Measure": {
        "reproduce": "Run the paper's experiments",
    },
}

TASK = '"reach y; never r"'
EXAMPLES: dict[str, tuple[str, ...]] = {
    "example": ("demospec example robot > robot.toml",),
    "check": ("demospec check robot.toml",),
    "record": ("demospec record robot.toml",),
    "studio": ("demospec studio robot.toml",),
    "learn": ("demospec learn robot.toml", "demospec learn robot.toml --out out --details"),
    "resume": ("demospec resume out",),
    "ask": ("demospec ask robot.toml --out answers.toml",),
    "describe": (f"demospec describe {TASK}",),
    "diff": (f'demospec diff {TASK} "reach y; no r before y" --world robot.toml',),
    "score": (f"demospec score robot.toml {TASK}",),
    "policy": (f"demospec policy robot.toml {TASK} --path 1",),
    "sample": (f"demospec sample robot.toml {TASK} --count 2",),
    "export": (
        f"demospec export {TASK} --format hoa",
        f"demospec export {TASK} --format python --out task.py",
    ),
    "monitor": (f"echo 'b y' | demospec monitor {TASK} - --columns format=lines",),
    "identify": ("printf '+ b y\\n- b\\n' > words.txt", "demospec identify words.txt --count 3"),
    "reproduce": ("demospec reproduce monolithic --seeds 0",),
}

OPTION_GROUPS: dict[str, tuple[str, ...]] = {  # by the names of parameters; what is in none is told first
    "What is printed": ("details", "top", "with_why", "words", "pivots", "out", "as_json"),
    "What is known": ("class_names", "all_of", "any_of", "log_file", "columns"),
    "Labels that may be wrong": ("flips", "trade_off", "flip_bits"),
    "The agent": ("belief", "answers", "agent"),
    "The search": (
        *("seed", "method", "without", "iterations", "chains", "max_evaluations", "max_seconds", "seconds"),
        *("most", "sure", "changed", "jobs", "cluster"),
    ),
}
FILES = ("PROBLEM", "TASK", "LOG", "EXAMPLES", "FILE")  # arguments and values that may be files
KINDS = {  # of values, as click names them and as people do
    "INTEGER RANGE": "N",
    "INTEGER": "N",
    "FLOAT RANGE": "NUMBER",
    "FLOAT": "NUMBER",
}
IN_MODULES = {
    "diff": "describe",
    "example": "check",
    "resume": "learn",
    "sample": "policy",
}  # others are named as the command
# Options that were: what is written instead. Those of the search are keys of a problem file.
SEARCH = "method without iterations chains max-states max-evaluations max-seconds"
PAPER = "identifier pivot-temperature overrule-after reset-period candidates initial-temperature"
PAPER += " final-temperature refine"
INSTEAD = {
    f"--{name}": f"--set search.{within}{name.replace('-', '_')}=VALUE"
    for within, names in (("", SEARCH), ("paper.", PAPER))
    for name in names.split()
}
INSTEAD |= {
    "--no-refine": "--set search.paper.refine=false",
    "describe --out": "demospec export TASK --format svg --out FILE",
    "--code": "--set task.code=CODE",
    "--implies": "--class implies:TASK",
    "--implied-by": "--class implied-by:TASK",
    "--rationality": "--agent rationality=λ",
    "--effort": "--agent effort=NATS",
    "--answers": "--agent answers=N",
    "--demonstration": "--path N",
    "--events": "--columns format=events",
    "--log-format": "--columns format=FORMAT",
    "--column": "--columns event=NAME",
    "--trace": "--columns run=NAME",
    "--lifecycle": "--columns lifecycle=NAME",
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
            name = error.option_name
            instead = INSTEAD.get(f"{self.name} {name}") or INSTEAD.get(name, "")
            there = instead.split()[:1] in ([one] for one in (*known, "demospec"))
            told = f"; write {instead}" if there else nearest(name, known)
            raise click.UsageError(f'there is no option "{name}"{told}', context) from None

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those that are alike under one heading."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for one in self.get_params(context):
            record = one.get_help_record(context)
            if record is not None and isinstance(one, click.Option) and "--help" not in one.opts:
                groups.setdefault(heading_of(one), []).append(plain_record(*record))
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
        return next((told[self.name] for told in GROUPS.values() if self.name in told), "")


def heading_of(option: click.Option) -> str:
    """Return the heading under which an option is told."""
    return next((title for title, names in OPTION_GROUPS.items() if option.name in names), "Options")


def plain_record(names: str, told: str) -> tuple[str, str]:
    """Write an option without the names of Python's types, and without its bounds.

    >>> plain_record("--seed INTEGER RANGE", "One result.  [default: 0; x>=0]")
    ('--seed N', 'One result.  [default: 0]')
    """
    for kind, short in KINDS.items():
        names = names.replace(f" {kind}", f" {short}")
    told = told.partition("\n\n")[0]  # the reference has the rest
    return names, re.sub(r"(; |(?<=\[))[-\d.<=]*x[<>]=?[\d.]+(?=\])", "", told).replace("[]", "").rstrip()


class Commands(click.Group):
    """All commands; each is in a module of its own that is loaded when it is called."""

    command_class = Command

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands; nothing is loaded for that."""
        return sorted(name for told in GROUPS.values() for name in told)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command; its module adds it."""
        if name not in self.commands and name in self.list_commands(context):
            with while_loading():
                import_module(f"demospec.cli.{IN_MODULES.get(name, name)}")
        return super().get_command(context, name)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by its name; one that is not there is refused with the nearest one."""
        name, names = arguments[0], self.list_commands(context)
        if name not in names and not name.startswith("-") and not context.resilient_parsing:
            raise click.UsageError(f'there is no command "{name}"{nearest(name, names)}', context)
        return super().resolve_command(context, arguments)

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what people want, each on one line, so that all fit a screen."""
        formatter.write_paragraph()
        for title, told in GROUPS.items():
            for number, (name, summary) in enumerate(told.items()):
                formatter.write(f"  {'' if number else title:<11} {name:<10} {summary}\n")


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog="demospec COMMAND --help explains a command.\n\n"
    '\b\nCompletion with Tab:  eval "$(_DEMOSPEC_COMPLETE=bash_source demospec)"',
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__)
@click.pass_context
def cli(context: click.Context) -> None:
    """Learn the task behind runs that someone shows in a Markov decision process.

    It is told in words and as an automaton, with how sure it is.

    \b
    Begin with:  demospec example robot > robot.toml
                 demospec learn robot.toml
    """
    from demospec.work.workers import threads_allowed

    threads_allowed()  # what the environment says wrongly is told before anything is done
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
