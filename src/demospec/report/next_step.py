"""What to do next with a result: ask, show more, look closer, or hand the task over; and the command."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from demospec.belief.determined import SURE
from demospec.report.said import in_full
from demospec.runs.result import Result

PROBLEM = "PROBLEM"  # where nobody knows the name of the file


@dataclass(frozen=True)
class Source:
    """Where a result comes from, and where it is kept, as it was typed."""

    file: str = PROBLEM  # the problem file; - is standard input
    folder: str | None = None  # that the result is written to
    options: tuple[str, ...] = ()  # that were given for the search, and that `ask` knows too
    narrowed: bool = False  # by options that `ask` does not have

    @property
    def name(self) -> str:
        """Return the file's name in a command; of standard input it has none."""
        return PROBLEM if self.file == "-" else shlex.quote(self.file)

    @property
    def is_toml(self) -> bool:
        """Say whether runs can be added to the file."""
        return self.file == PROBLEM or self.file.endswith(".toml")


@dataclass(frozen=True)
class Step:
    """What to do, and the command that does it."""

    text: str
    command: str


def next_step(result: Result, source: Source | None = None) -> Step:
    """Say what is most useful now, given how sure the answer is and what speaks against it."""
    source = Source() if source is None else source
    found = result.findings
    if result.ended in ("interrupted", "seconds", "evaluations") or found is None:
        return go_on(result, source)
    codes = {one.code for one in result.warnings if one.serious or one.code == "stray-demonstration"}
    if codes & {"no-choice", "prior-excludes", "succeeds-otherwise"}:
        return Step("check what the problem file says:", f"demospec check {source.name}")
    if codes & {"surprising-demonstration", "stray-demonstration"}:
        command = f"demospec score {source.name} {task_argument(result, source)}"
        return Step("look at the runs that do not fit:", command)
    if "nearly-aimless" in codes or not found.aim:
        return show_more(source)
    if found.answers.best.share >= SURE:
        return keep(source)
    if source.narrowed:
        return Step(
            "write the options into the problem file and answer questions:", f"demospec ask {source.name}"
        )
    options = "".join(f" {shlex.quote(one)}" for one in source.options)
    return Step("answer a few yes/no questions:", f"demospec ask {source.name}{options}")


def go_on(result: Result, source: Source) -> Step:
    """Advise to search on."""
    if result.ended == "interrupted" and source.folder is not None:
        return Step("go on with the search:", f"demospec resume {shlex.quote(source.folder)}")
    return Step("let the search run to its end:", f"demospec learn {source.name}")


def show_more(source: Source) -> Step:
    """Advise to show more."""
    if source.is_toml:
        return Step("show more runs:", f"demospec record {source.name}")
    return Step("add runs to the problem file; it holds:", f"demospec check {source.name}")


def keep(source: Source) -> Step:
    """Say that it is settled, and advise to hand it over."""
    if source.folder is None:
        command = f"demospec learn {source.name} --out out"
        return Step("it is settled; keep the result, and see it in pictures:", command)
    result = shlex.quote(f"{source.folder}/result.json")
    return Step("it is settled; hand it over:", f"demospec export {result} --format python")


def task_argument(result: Result, source: Source) -> str:
    """Return the answer as an argument of a command: its file, its clauses, or its automaton."""
    if source.folder is not None:
        return shlex.quote(f"{source.folder}/result.json")
    said = in_full(result.problem, result.best.task, result.stop)
    exact = said.exact == "always"
    return shlex.quote(said.sentence.rstrip(".") if exact else str(result.best.task.automaton))
