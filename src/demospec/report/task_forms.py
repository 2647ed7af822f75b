"""Tasks in the forms that other programs read: as text, as a picture, and in the JSON of five commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import UNSET

from demospec.belief.episodes import Episodes
from demospec.identify.noise import Noisy
from demospec.problem import Problem
from demospec.report.blocks import Block, Table
from demospec.report.documents import JSON, Document, HowFar, Sometimes, TaskJSON, task_document
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.svg import png_of
from demospec.report.words import sentence
from demospec.tasks import DFA, Task
from demospec.tasks.formats import FORMATS
from demospec.tasks.monitoring import Kind
from demospec.tasks.words import Comparison
from demospec.wording import listing, word_text
from demospec.worlds.walk import TooManySituations

# -- formats and pictures --------------------------------------------------------------------------------


PICTURES = {"svg": "a picture", "png": "a picture in pixels (extra: png)"}


def told_formats() -> dict[str, str]:
    """Return all formats by name, each with what it is."""
    return {name: one.told for name, one in FORMATS.items()} | PICTURES


def exported(task: Task, name: str) -> str | bytes:
    """Return a task in a form of `told_formats`."""
    if name not in PICTURES:
        return FORMATS[name].write(task)
    drawn = automaton_svg(task.automaton)
    return png_of(drawn) if name == "png" else drawn


def ending_of(name: str) -> str:
    """Return how the names of files of a form end."""
    return f".{name}" if name in PICTURES else FORMATS[name].ending


class ExportJSON(JSON, kw_only=True):
    """What was written."""

    format: Annotated[str, "The format."]
    text: Annotated[Sometimes[str], "What was written, where it is text."] = UNSET
    base64: Annotated[Sometimes[str], "What is not text, in base 64."] = UNSET
    file: Annotated[str | None, "The file that was written, or null."]


# -- identify --------------------------------------------------------------------------------------------


class _FlippedJSON(JSON):
    word: Annotated[list[str], "The word."]
    label: Annotated[bool, "The label that was given."]


class _IdentifiedJSON(TaskJSON):
    flips: Annotated[Sometimes[int], "Where labels may be wrong: how many the automaton contradicts."] = UNSET
    cost: Annotated[Sometimes[float], "Size and the price of the wrong labels, in bits."] = UNSET
    flipped: Annotated[Sometimes[list[_FlippedJSON]], "The words whose labels it contradicts."] = UNSET


class IdentifyJSON(JSON):
    """The smallest automata that agree with labelled words."""

    tasks: Annotated[list[_IdentifiedJSON], "The automata, smallest first, as task files."]
    method: Annotated[str, "How they were found."]
    exact: Annotated[bool, "Whether they are in exact order of size; false for `--method merging`."]
    stopped: Annotated[bool, "Whether the search was interrupted before it was done."]


def identified_document(answers: Sequence[DFA | Noisy], method: str, *, stopped: bool) -> Document:
    """Return the result of `identify`: automata in order, with what they flip where labels may be wrong."""

    def identified(one: DFA | Noisy) -> Any:
        if isinstance(one, DFA):
            return task_document(one, size=one.size)
        flipped = [_FlippedJSON(word=[*word], label=label) for word, label in one.flipped]
        known = {"flips": len(flipped), "cost": one.cost, "flipped": flipped}
        return task_document(one.task, size=one.task.size, **known)

    tasks = [identified(one) for one in answers]
    return IdentifyJSON(tasks=tasks, method=method, exact=method != "merging", stopped=stopped).plain()


def identified_blocks(answers: Sequence[DFA | Noisy]) -> list[Block]:
    """Tell the automata that `identify` found, each with the labels that it takes to be wrong."""
    rows: list[tuple[str, ...]] = []
    noisy = False
    for number, answer in enumerate(answers, start=1):
        if isinstance(answer, DFA):
            rows.append((str(number), str(answer.size), sentence(answer), str(answer)))
            continue
        noisy = True
        task, flips = answer.task, len(answer.flipped)
        told = sentence(task), str(task)
        rows.append((str(number), str(task.size), str(flips), f"{answer.cost:.1f}", *told))
        if flips:
            signs = [f"{'+' if label else '-'} {word_text(word)}" for word, label in answer.flipped]
            rows.append(("", "", "", "", f"  wrong: {listing(signs)}", ""))
    if noisy:
        return [Table(("", "size", "flips", "cost", "in words", "task"), rows, align="rrrrlc")]
    return [Table(("", "size", "in words", "task"), rows, align="rrlc")]


# -- describe, diff, monitor -----------------------------------------------------------------------------


class DescribeJSON(JSON):
    """A task in words."""

    sentence: Annotated[str, "The task in a sentence."]
    clauses: Annotated[list[str], "Its clauses."]
    alternatives: Annotated[list[list[str]], 'Lists of clauses, where "or" is needed.']
    exact: Annotated[HowFar, "How far they say the task."]
    formula: Annotated[str | None, "The task as a formula, or null."]
    rest: Annotated[list[str], "The automaton state by state, where the clauses do not say all of it."]
    task: Annotated[TaskJSON, "The task as a [task file](problem_file.md#a-task-file)."]


class DiffJSON(JSON):
    """How two tasks differ."""

    equal: Annotated[bool, "Whether the tasks accept the same words."]
    first_implies_second: Annotated[bool, "Whether every word of the first is one of the second."]
    second_implies_first: Annotated[bool, "The other way round."]
    only_first: Annotated[list[str] | None, "A shortest word that only the first accepts, or null."]
    only_second: Annotated[list[str] | None, "A shortest word that only the second accepts, or null."]
    first_clauses: Annotated[list[str], "What only the first asks for."]
    second_clauses: Annotated[list[str], "What only the second asks for."]
    sentence: Annotated[str, "All of this in a sentence."]
    note: Annotated[str, "What was assumed where the tasks read different letters."]
    told_apart: Annotated[
        Sometimes[bool | None],
        "With `--world`: whether an episode there can tell them apart; null where it is too large to follow.",
    ] = UNSET
    told_apart_by: Annotated[Sometimes[list[str] | None], "A shortest word of such an episode."] = UNSET
    told_apart_in: Annotated[Sometimes[str | None], "With several worlds: in which."] = UNSET


def told_apart(problem: Problem, found: Comparison) -> Document:
    """Return whether any run in the problem's worlds tells two tasks apart, and a shortest word that does."""
    here = Episodes(problem)
    try:
        telling = here.telling(found.first, found.second) if here.is_listed else None
    except TooManySituations:
        telling = None
    if not telling:
        told = None if telling is None else False
        return {"told_apart": told, "told_apart_by": None, "told_apart_in": None}
    name = problem.scenes[telling[0].world].name if len(problem.scenes) > 1 else None
    return {"told_apart": True, "told_apart_by": list(telling[0].word), "told_apart_in": name}


class MonitorJSON(JSON):
    """A list with a member for each trace."""

    trace: Annotated[str | int, "The name or number of the trace."]
    verdict: Annotated[Kind, "What is known of it."]
    at: Annotated[int | None, "The event that decided it, counted from 1; null while it is open."]
    clause: Annotated[str | None, "The clause that was broken, where the task is a conjunction."]
