"""A model as other tools hold it, by numbers, and the world that it is; and the lines of its files."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path as FilePath
from typing import NoReturn

from demospec.errors import FileError, WorldError
from demospec.limits import DIGITS, LINE
from demospec.tasks.propositions import JOIN, letter_of
from demospec.wording import count, listing, nearest
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State


class ModelLines:
    """The lines of a file that are not empty, without their ends; `number` is that of the last one."""

    def __init__(self, path: FilePath) -> None:
        self.path = path
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        try:
            with open(self.path, encoding="utf-8-sig") as stream:
                while line := stream.readline(LINE + 1):
                    self.number += 1
                    if len(line) > LINE:
                        self.refuse(f"is longer than {LINE:,} characters")
                    if text := line.strip():
                        yield text
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", place=str(self.path)) from None
        except UnicodeDecodeError:
            raise FileError(f"is not UTF-8 text after line {self.number}", place=str(self.path)) from None

    def refuse(self, message: str) -> NoReturn:
        """Refuse the last line."""
        if not self.number:
            raise FileError("is empty", place=str(self.path))
        raise FileError(message, place=f"{self.path}: line {self.number}")

    def whole(self, text: str, what: str, below: int | None = None) -> int:
        """Return a number that counts from 0, below another where one is given."""
        if not (text.isascii() and text.isdigit()):
            self.refuse(f'expected the number of a {what}, found "{text}"')
        if len(text) > DIGITS:
            self.refuse(f"the number of a {what} has {len(text)} digits; at most {DIGITS} are read")
        number = int(text)
        if below is not None and number >= below:
            self.refuse(f"there is no {what} {number}: they are numbered from 0 to {below - 1}")
        return number

    def chance(self, text: str) -> float:
        """Return a probability: a number, or a fraction as exact tools write it."""
        if text.startswith("["):
            self.refuse(f'"{text}" is an interval; only models whose probabilities are numbers can be read')
        try:
            value = float(Fraction(text)) if "/" in text else float(text)
        except (ValueError, ZeroDivisionError):
            self.refuse(f'expected a probability, found "{text}"')
        if not 0 <= value <= 1:
            self.refuse(f"the probability {text} is not between 0 and 1")
        return value


# -- A model as other tools hold it, by numbers, and the world that it is --------------------------------

INIT, DEADLOCK = "init", "deadlock"  # labels that PRISM and Storm give by themselves
UNLABELLED = "step"  # what a choice without a label is called

FileName = str | os.PathLike[str]
Labels = Sequence[str] | Mapping[str, str] | None  # those to keep, or {the model's: ours}
Choice = tuple[str, Mapping[int, float]]  # its label, "" for none, and what comes of it


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """A Markov decision process whose states are numbers, with everything that a world needs."""

    names: Sequence[str]  # by state
    choices: Sequence[Sequence[Choice]]  # by state
    propositions: Mapping[str, Collection[int]]  # by label of the model: the states in which it holds
    starts: Collection[int]

    def world(self, *, episode: Episode, labels: Labels, origin: str) -> MDP:
        """Return the world: deadlocks end the episode, starts are equally likely, choices have names."""
        names: Sequence[State] = unique(self.names)
        if not self.starts:
            raise WorldError(f'no state has the label "{INIT}": nobody knows where episodes begin')
        dead = set(self.propositions.get(DEADLOCK, ()))
        dead |= {state for state, choices in enumerate(self.choices) if not choices}
        rows = [
            (names[state], action, {names[target]: chance for target, chance in outcomes.items()})
            for state, choices in enumerate(self.choices)
            if state not in dead
            for action, outcomes in named_apart(choices)
        ]
        letters = {names[state]: letter for state, letter in self.letters(labels).items()}
        ends = f", {count(len(dead), 'deadlock')} where episodes end" if dead else ""
        made = MDP.build(
            rows,
            start={names[state]: 1 / len(self.starts) for state in sorted(self.starts)},
            episode=episode,
            labels=letters,
            terminal=[names[state] for state in sorted(dead)],
            states=names,
        )
        return replace(made, origin=f"{origin}: {count(len(names), 'state')}{ends}")

    def letters(self, labels: Labels) -> dict[int, str]:
        """Return the letters of the states that are not white."""
        held: dict[int, set[str]] = {}
        for label, ours in chosen_labels(labels, self.propositions).items():
            for state in self.propositions[label]:
                held.setdefault(state, set()).add(ours)
        return {state: letter for state in sorted(held) if (letter := letter_of(held[state])) is not None}


def chosen_labels(labels: Labels, known: Iterable[str]) -> dict[str, str]:
    """Return what each of the model's labels that is kept is called: by default all but init and deadlock.

    >>> both = "init", "goal"
    >>> chosen_labels(None, both), chosen_labels(["init"], both), chosen_labels({"goal": "g"}, ["goal"])
    ({'goal': 'goal'}, {'init': 'init'}, {'goal': 'g'})
    """
    known = sorted(known)
    if labels is None:
        found = {label: label for label in known if label not in (INIT, DEADLOCK)}
    elif isinstance(labels, Mapping):
        found = dict(labels)
    else:
        found = {label: label for label in ([labels] if isinstance(labels, str) else labels)}
    for label, ours in found.items():
        if label not in known:
            hint = nearest(label, known)
            raise WorldError(f'the model has no label "{label}"{hint}; its labels: {listing(known)}')
        if not ours or JOIN in ours:
            raise WorldError(f'a label cannot be called "{ours}": it is empty or holds "{JOIN}"')
    return found


def named_apart(choices: Iterable[Choice]) -> list[Choice]:
    """Return a state's choices under names that tell them apart; equal ones are numbered.

    >>> [name for name, _ in named_apart([("go", {}), ("", {}), ("go", {})])]
    ['go 1', 'step', 'go 2']
    """
    told = [(label or UNLABELLED, outcomes) for label, outcomes in choices]
    often = Counter(name for name, _ in told)
    used = {name for name, times in often.items() if times == 1}
    found: list[Choice] = []
    for name, outcomes in told:
        if often[name] > 1:
            number, plain = 1, name
            while (name := f"{plain} {number}") in used:
                number += 1
            used.add(name)
        found.append((name, outcomes))
    return found


def unique(names: Sequence[str]) -> list[str]:
    """Return names of which no two are equal: where the model's are, with the state's number.

    >>> unique(["x=0", "x=1", "x=0"])
    ['x=0 (state 0)', 'x=1', 'x=0 (state 2)']
    """
    often = Counter(names)
    return [name if often[name] == 1 else f"{name} (state {k})" for k, name in enumerate(names)]


def valuation_name(values: Mapping[str, object]) -> str:
    """Write the values of a state's variables.

    >>> valuation_name({"x": 1, "open": True})
    'x=1, open=true'
    """
    return ", ".join(f"{name}={plain(value)}" for name, value in values.items())


def plain(value: object) -> str:
    """Write a value as model files do."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def kind_refusal(kind: str) -> str:
    """Return why a model of a kind other than mdp is refused; in some nobody chooses."""
    if kind in ("dtmc", "ctmc"):
        return (
            f"is a {kind}, a Markov chain: it has no choices, so no run in it tells what somebody wanted; "
            "an mdp is needed"
        )
    return f"is of the kind {kind}; only mdp, Markov decision processes in discrete time, can be read"
