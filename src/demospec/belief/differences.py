"""What tells two answers apart: a word on which they differ, and how many demonstrations it would take."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demospec.belief.answers import Answer, Answers
from demospec.belief.distance import Agents
from demospec.belief.words import Reader, Words
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.worlds.mdp import Bools

ENOUGH = 3.0  # nats: twenty to one
SHOWN = 5  # answers beside the best that are looked at


@dataclass(frozen=True, eq=False)
class Difference:
    """How another answer differs from the best.

    `word` is a shortest one of a whole episode that one accepts and the other does not: None where there is
    no such episode, or where too many would have to be followed (`searched` tells which).
    """

    other: Answer
    word: Word | None
    accepted: bool  # by the best
    searched: bool
    nats: float  # that an episode of the best's agent tells against the other, on average
    demonstrations: int | None  # of the best's agent until it told 3 nats; None: they are alike


def differences_of(problem: Problem, answers: Answers, shown: int = SHOWN) -> list[Difference]:
    """Compare the best answer with the likeliest others, each by its name."""
    best = answers.best
    others = [answer for answer in answers.all if answer is not best][:shown]
    agents = Agents.of(problem, [best.name, *(other.name for other in others)])
    nats = agents.divergences([(0, k) for k in range(1, 1 + len(others))]).tolist()
    found = []
    for other, told in zip(others, nats, strict=True):
        word, searched = separating_word(agents, best.name.task, other.name.task)
        needed = math.ceil(ENOUGH / told) if told > 0 else None
        accepted = word is not None and best.name.task.accepts(word)
        found.append(Difference(other, word, accepted, searched, told, needed))
    return found


def separating_word(agents: Agents, first: DFA, second: DFA) -> tuple[Word | None, bool]:
    """Return a shortest word of an episode on which two tasks differ, and whether it was looked for."""
    if not agents.is_listed:
        return None, False
    pair = [first.minimal, second.minimal]
    reader = Reader.of(pair, merge_repeats=agents.problem.merge_repeats)
    if not Words.fits(agents.world, reader):
        return None, False
    words = Words(agents.world, reader)
    return words.shortest(differ(pair, reader), complete=True), True


def differ(pair: list[DFA], reader: Reader) -> Bools:
    """Return [N]: the nodes of a reader in which one accepts and the other does not."""
    one, two = (np.array(task.accepting)[reader.states(k)] for k, task in enumerate(pair))
    found: Bools = one != two
    return found
