"""Storm's .drn files: a model, state by state, in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path as FilePath

from demospec.errors import FileError
from demospec.sources.lines import Lines
from demospec.sources.model import INIT, Choice, Model, refusal

NO_LABEL = "__NOLABEL__"
REWARDS = re.compile(r"\[[^\]]*\]")
WORD = re.compile(r'"[^"]*"|\S+')


def read_drn(path: FilePath) -> Model:
    """Read a .drn file; the comments in which Storm writes the values of variables name the states."""
    lines = Lines(path)
    rows = iter(lines)
    number = read_head(lines, rows)
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


def read_head(lines: Lines, rows: Iterator[str]) -> int:
    """Read up to @model; return the number of states. Refuse what is no MDP, and parameters."""
    number: int | None = None
    before = ""
    for row in rows:
        if row.startswith("@type:"):
            kind = row.partition(":")[2].strip().lower()
            if kind != "mdp":
                lines.refuse(refusal(kind))
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
