"""Models that are written out: PRISM's .tra, .lab and .sta files, and Storm's .drn."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path as FilePath

from demospec.errors import FileError, InputError
from demospec.sources.model import (
    INIT,
    Choice,
    FileName,
    Labels,
    Model,
    ModelLines,
    kind_refusal,
    valuation_name,
)
from demospec.wording import listing
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode

NO_LABEL = "__NOLABEL__"
REWARDS = re.compile(r"\[[^\]]*\]")
WORD = re.compile(r'"[^"]*"|\S+')


def read_drn(path: FilePath) -> Model:
    """Read a .drn file; the comments in which Storm writes the values of variables name the states."""
    lines = ModelLines(path)
    rows = iter(lines)
    number = read_drn_head(lines, rows)
    names: list[str] = []
    choices: list[list[Choice]] = []
    held: dict[str, list[int]] = {INIT: []}
    outcomes: dict[int, float] | None = None
    for row in rows:
        if row.startswith("//["):
            if names:
                parts = (part.strip() for part in row[2:].strip("[]").split("&"))
                names[-1] = ", ".join(part for part in parts if part) or names[-1]
        elif row.startswith("//"):
            continue
        elif row.startswith("state "):
            state, *told = WORD.findall(REWARDS.sub("", row))[1:]
            if lines.whole(state, "state", number) != len(choices):
                lines.refuse(f"expected state {len(choices)}, found state {state}")
            for label in told:
                held.setdefault(label.strip('"'), []).append(len(choices))
            names.append(state)
            choices.append([])
            outcomes = None
        elif row.startswith("action") and choices:
            label = " ".join(REWARDS.sub("", row).split()[1:])
            outcomes = {}
            choices[-1].append(("" if label == NO_LABEL or label.isdigit() else label, outcomes))
        else:
            target, colon, chance = (part.strip() for part in row.partition(":"))
            if not colon or outcomes is None:
                lines.refuse(f'expected "state …", "action …" or "target : probability", found "{row}"')
            reached = lines.whole(target, "state", number)
            if reached in outcomes:
                lines.refuse(f"the action leads to state {reached} twice")
            outcomes[reached] = lines.chance(chance)
    if len(choices) != number:
        raise FileError(f"has {len(choices)} states, but says {number}", place=str(path))
    return Model(names=names, choices=choices, propositions=held, starts=held[INIT])


def read_drn_head(lines: ModelLines, rows: Iterator[str]) -> int:
    """Read up to @model; return the number of states. Refuse what is no MDP, and parameters."""
    number: int | None = None
    before = ""
    for row in rows:
        if row.startswith("@type:"):
            kind = row.partition(":")[2].strip().lower()
            if kind != "mdp":
                lines.refuse(kind_refusal(kind))
        elif row == "@model":
            if number is None:
                lines.refuse("@nr_states is missing before @model")
            return number
        elif before == "@parameters" and not row.startswith("@"):
            lines.refuse(f"the model has parameters ({row}): give them values before it is written")
        elif before == "@nr_states":
            number = lines.whole(row, "last state and one")
        before = row
    return lines.refuse("@model is missing")


# -- Models that are written out -------------------------------------------------------------------------

TRANSITIONS, LABELS, STATES, DRN = ENDINGS_OF_MODELS = ".tra", ".lab", ".sta", ".drn"
KINDS = ("dtmc", "ctmc", "mdp", "ma", "ctmdp", "pomdp", "smg")
DECLARED = re.compile(r'(\d+)="([^"]*)"')
VALUES = re.compile(r"(\d+):\((.*)\)")


def from_explicit(source: FileName | Sequence[FileName], *, episode: Episode, labels: Labels = None) -> MDP:
    """Read a model that another tool wrote out, and return its world.

    `source` is a folder with one model, a .tra file (a .lab and a .sta file of the same name beside it are
    read with it), a list of files, or a .drn file. States are named by the .sta file, else by their numbers.
    `labels` are those to keep (by default all but `init` and `deadlock`), or {the model's name: ours}.
    """
    files = found_files(source)
    try:
        if DRN in files:
            model = read_drn(files[DRN])
        else:
            choices = read_transitions(files[TRANSITIONS])
            count = len(choices)
            names = read_states(files[STATES], count) if STATES in files else list(map(str, range(count)))
            held = read_lab(files[LABELS], count) if LABELS in files else {INIT: [0]}  # PRISM's first state
            model = Model(names=names, choices=choices, propositions=held, starts=held.get(INIT, ()))
        told = ", ".join(path.name for path in files.values())
        return model.world(episode=episode, labels=labels, origin=f"read from {told}")
    except FileError:
        raise
    except InputError as error:
        raise error.within(str(files.get(TRANSITIONS) or files[DRN])) from None


def found_files(source: FileName | Sequence[FileName]) -> dict[str, FilePath]:
    """Return the files of a model by their kinds."""
    if not isinstance(source, str | os.PathLike):
        return by_kind(map(FilePath, source))
    path = FilePath(source)
    if path.is_dir():
        return by_kind(sorted(one for one in path.iterdir() if one.suffix in ENDINGS_OF_MODELS))
    beside = [path.with_suffix(kind) for kind in (LABELS, STATES)] if path.suffix == TRANSITIONS else []
    return by_kind([path, *(one for one in beside if one.exists())])


def by_kind(paths: Iterable[FilePath]) -> dict[str, FilePath]:
    """Sort files by their kinds; refuse two of one kind, and a model without transitions."""
    files: dict[str, FilePath] = {}
    for path in paths:
        kind = path.suffix
        if kind not in ENDINGS_OF_MODELS:
            told = f'files of a model end in .tra, .lab, .sta or .drn, this one in "{kind}"'
            raise FileError(told, place=str(path))
        if kind in files:
            raise FileError(f"is a second {kind} file beside {files[kind]}; name one model", place=str(path))
        files[kind] = path
    files = {kind: files[kind] for kind in ENDINGS_OF_MODELS if kind in files}
    if (TRANSITIONS in files) == (DRN in files):
        raise FileError(
            f"a model is one .tra file, or one .drn file; found {listing(map(str, files.values()))}"
        )
    return files


def read_transitions(path: FilePath) -> list[list[Choice]]:
    """Read a .tra file: a first line, then `state choice target probability [action]`.

    The first line is PRISM's, the numbers of states, choices and transitions, or Storm's, the word mdp.
    """
    lines = ModelLines(path)
    rows = iter(lines)
    promised = first_line(lines, next(rows, "").split())
    below = promised[0] if promised else None
    found: dict[int, dict[int, tuple[str, dict[int, float]]]] = {}
    most, transitions = -1, 0
    for row in rows:
        if row.startswith("#"):
            continue
        parts = row.split()
        if len(parts) not in (4, 5):
            lines.refuse(f'expected "state choice target probability action", found "{row}"')
        state, target = lines.whole(parts[0], "state", below), lines.whole(parts[2], "state", below)
        choice = lines.whole(parts[1], "choice")
        label = parts[4] if len(parts) == 5 else ""
        known, outcomes = found.setdefault(state, {}).setdefault(choice, (label, {}))
        if known != label:
            lines.refuse(f'choice {choice} of state {state} has the action "{known}" before, here "{label}"')
        if target in outcomes:
            lines.refuse(f"choice {choice} of state {state} leads to state {target} twice")
        outcomes[target] = lines.chance(parts[3])
        most, transitions = max(most, state, target), transitions + 1
    if promised:
        are = (promised[0], sum(map(len, found.values())), transitions)
        for what, said, there in zip(("states", "choices", "transitions"), promised, are, strict=True):
            if said != there:
                raise FileError(f"has {there} {what}, but its first line says {said}", place=str(path))
    states = promised[0] if promised else most + 1
    return [[choice for _, choice in sorted(found.get(state, {}).items())] for state in range(states)]


def first_line(lines: ModelLines, parts: list[str]) -> tuple[int, int, int] | None:
    """Return the numbers that PRISM writes first; None for Storm's word. Refuse what is no MDP."""
    kind = parts[0].lower() if len(parts) == 1 else ""
    if kind in KINDS:
        if kind != "mdp":
            lines.refuse(kind_refusal(kind))
        return None
    numbers = [lines.whole(part, "first line's entry") for part in parts if part.isdigit()]
    if len(numbers) != len(parts) or len(numbers) not in (2, 3):
        lines.refuse('expected "states choices transitions", three numbers, or the word mdp')
    if len(numbers) == 2:
        lines.refuse(kind_refusal("dtmc"))
    states, choices, transitions = numbers
    return states, choices, transitions


def read_lab(path: FilePath, states: int) -> dict[str, list[int]]:
    """Read a .lab file: PRISM's (`0="init" 1="goal"`, then `3: 1`), or Storm's (#DECLARATION … #END)."""
    lines = ModelLines(path)
    rows = iter(lines)
    first = next(rows, "")
    by_name = first == "#DECLARATION"
    declared: dict[str, str] = dict(DECLARED.findall(first))
    if by_name:
        for row in rows:
            if row == "#END":
                break
            declared |= {label: label for label in row.split()}
        else:
            lines.refuse("the line #END is missing")
    elif not declared or DECLARED.sub("", first).strip():
        lines.refuse(f'expected 0="init" 1="…" or #DECLARATION, found "{first}"')
    held: dict[str, list[int]] = {label: [] for label in declared.values()}
    for row in rows:
        state, _, rest = row.partition(" " if by_name else ":")
        number = lines.whole(state, "state", states)
        for label in rest.split():
            if label not in declared:
                lines.refuse(f'the label "{label}" is not declared; declared: {listing(declared)}')
            held[declared[label]].append(number)
    return held


def read_states(path: FilePath, states: int) -> list[str]:
    """Read a .sta file, `(x,y)`, then `3:(0,1)`, and return names such as "x=0, y=1"."""
    lines = ModelLines(path)
    rows = iter(lines)
    first = next(rows, "")
    if not (first.startswith("(") and first.endswith(")")):
        lines.refuse(f'expected the names of the variables, (x,y), found "{first}"')
    variables = [name.strip() for name in first[1:-1].split(",")]
    names: dict[int, str] = {}
    for row in rows:
        match = VALUES.fullmatch(row)
        if match is None:
            lines.refuse(f'expected "state:(values)", found "{row}"')
        state, values = lines.whole(match[1], "state", states), match[2].split(",")
        if len(values) != len(variables):
            lines.refuse(f"expected {len(variables)} values, one for each variable, found {len(values)}")
        if state in names:
            lines.refuse(f"state {state} is there twice")
        names[state] = valuation_name(dict(zip(variables, map(str.strip, values), strict=True)))
    if len(names) < states:
        missing = next(state for state in range(states) if state not in names)
        raise FileError(f"names {len(names)} of {states} states; state {missing} is missing", place=str(path))
    return [names[state] for state in range(states)]
