"""What a class of automata demands, in the form that the backtracking search follows step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from demospec.identify.classes import (
    AutomatonClass,
    CoSafety,
    IgnoresRepeats,
    ImpliedBy,
    Implies,
    Monotone,
    ReachAvoid,
    Safety,
    SameEffect,
)

MOST_OTHERS = 64  # their states are a set of bits in C


@dataclass(frozen=True)
class Rules:
    """The classes that an automaton must be in. The automata that run alongside are numbered as one."""

    same_effect: tuple[int, ...]  # by letter: the first letter that has the same effect
    safety: bool = False
    co_safety: bool = False
    monotone: bool = False
    ignores_repeats: bool = False
    reach_avoid: bool = False
    others: tuple[tuple[int, ...], ...] = ()  # by state of the others and letter: the next
    other_start: int = 0  # bits: the states in which the others start
    must_reject: int = 0  # bits: reached together with one of these, reject
    must_accept: int = 0

    @classmethod
    def of(cls, classes: Sequence[AutomatonClass], alphabet: Sequence[str]) -> Rules | None:
        """Return the rules of the classes taken together; None when one of them has no such form."""
        effect = list(range(len(alphabet)))
        others: list[tuple[int, ...]] = []
        starts = must_reject = must_accept = 0
        kinds = {type(one) for one in classes}
        for one in classes:
            match one:
                case SameEffect():
                    tied = {effect[list(alphabet).index(letter)] for letter in one.letters}
                    effect = [min(tied) if first in tied else first for first in effect]
                case Implies(prior=other) | ImpliedBy(lower=other):
                    base, other = len(others), other.minimal
                    others += [tuple(base + target for target in row) for row in other.table]
                    starts |= 1 << base + other.start
                    marked = [bool(mark) == isinstance(one, ImpliedBy) for mark in other.accepting]
                    demand = sum(1 << base + p for p, mark in enumerate(marked) if mark)
                    if isinstance(one, Implies):
                        must_reject |= demand
                    else:
                        must_accept |= demand
                case Safety() | CoSafety() | Monotone() | IgnoresRepeats() | ReachAvoid():
                    pass
                case _:
                    return None
        if len(others) > MOST_OTHERS:
            return None
        reach_avoid = ReachAvoid in kinds  # a chain to an accepting sink: no cycles, and nothing after it
        return cls(
            same_effect=tuple(effect),
            safety=Safety in kinds,
            co_safety=CoSafety in kinds or reach_avoid,
            monotone=Monotone in kinds or reach_avoid,
            ignores_repeats=IgnoresRepeats in kinds,
            reach_avoid=reach_avoid,
            others=tuple(others),
            other_start=starts,
            must_reject=must_reject,
            must_accept=must_accept,
        )
