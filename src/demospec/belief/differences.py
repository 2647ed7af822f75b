"""What tells two answers apart: a word on which they differ, and how many demonstrations it would take."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from demospec.belief.answers import Answer, Answers
from demospec.belief.distance import Agents
from demospec.belief.words import Possible, Words
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.side_by_side import Product
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools

ENOUGH = 3.0  # nats: twenty to one
SHOWN = 5  # answers beside the best that are looked at


@dataclass(frozen=True, eq=False)
class Difference:
    """How another answer differs from the best.

    `word` is a shortest one of a whole episode that one accepts and the other does not: None where there is
    no such episode, or where too many would have to be followed (`searched` tells which). In a problem with
    several worlds `world` is the name of one in which the word is possible, and `shown_in` of the one in
    which demonstrations tell most.
    """

    other: Answer
    word: Word | None
    accepted: bool  # by the best
    searched: bool
    nats: float  # that an episode of the best's agent tells against the other, on average
    demonstrations: int | None  # of the best's agent until it told 3 nats; None: they are alike
    world: str | None = None
    shown_in: str | None = None


def differences_of(
    problem: Problem, answers: Answers, shown: int = SHOWN, stop: Stop = NEVER
) -> list[Difference]:
    """Compare the best answer with the likeliest others, each by its name."""
    best = answers.best
    others = [answer for answer in answers.all if answer is not best][:shown]
    agents = Agents.of(problem, [best.name, *(other.name for other in others)], stop)
    nats = agents.in_each_world([(0, k) for k in range(1, 1 + len(others))])
    found = []
    for number, other in enumerate(others):
        word, searched = separating_word(agents, best.name.language, other.name.language)
        most = int(np.argmax(nats[:, number]))
        told = float(nats[most, number])
        found.append(
            Difference(
                other,
                None if word is None else word.word,
                word is not None and best.name.task.accepts(word.word),
                searched,
                told,
                math.ceil(ENOUGH / told) if told > 0 else None,
                None if word is None else name_of(problem, word.world),
                name_of(problem, most),
            )
        )
    return found


def name_of(problem: Problem, world: int) -> str | None:
    """Return the name of a world, where there are several."""
    return problem.scenes[world].name if len(problem.scenes) > 1 else None


def separating_word(agents: Agents, first: DFA, second: DFA) -> tuple[Possible | None, bool]:
    """Return a shortest word of an episode on which two tasks differ, and whether it was looked for."""
    pair = [first.minimal, second.minimal]
    reader = Product.of(pair, merge_repeats=agents.problem.merge_repeats)
    words = Words.of(agents, reader)
    if words is None:
        return None, False
    return words.shortest(differ(pair, reader), complete=True), True


def differ(pair: list[DFA], reader: Product) -> Bools:
    """Return [N]: the nodes of a reader in which one accepts and the other does not."""
    one, two = (np.array(task.accepting)[reader.states(k)] for k, task in enumerate(pair))
    found: Bools = one != two
    return found
