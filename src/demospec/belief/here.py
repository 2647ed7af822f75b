"""Tasks in the words of a problem's worlds: only words of whole episodes there can tell tasks apart.

Every path is followed to the horizon, with the two tasks that are compared, and where an episode can end they
must agree. So "exactly here" means: on the word of every episode that some agent could have in one of the
worlds, repeats merged where the problem says so. Worlds with too many situations are not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from demospec.belief.differences import differ
from demospec.belief.distance import Agents
from demospec.belief.words import Possible, Words
from demospec.problem import Problem
from demospec.tasks import DFA, Task, Word
from demospec.tasks.side_by_side import Product
from demospec.tasks.words import Budget, Description, describe
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import word_of
from demospec.worlds.walk import TooManySituations

MOST_SITUATIONS = 300_000  # that are followed for one comparison; a description makes dozens
MOST_WORDS = 16  # that tell two tasks apart, of one comparison
DRAWN = 400  # words of random episodes, to begin with


class Here:
    """The words of whole episodes in a problem's worlds, as a place in which tasks are said."""

    def __init__(self, problem: Problem, stop: Stop = NEVER) -> None:
        self.problem, self.stop = problem, stop
        self._agents = Agents(problem, [], [], stop)

    @property
    def is_listed(self) -> bool:
        """Say whether all paths can be followed at all."""
        return self._agents.is_listed

    @property
    def worlds(self) -> list[MDP]:
        """Return the worlds as arrays."""
        return self._agents.listed

    def words(self, task: DFA) -> Sequence[Word]:
        """Return words of random episodes, and shortest ones that the task accepts and rejects."""
        found = dict.fromkeys(self.drawn)
        for accept in (True, False):
            found |= dict.fromkeys(self.differences(task, DFA.constant(task.alphabet, accept)))
        return list(found)

    def differences(self, first: DFA, second: DFA) -> Sequence[Word]:
        """Return words of episodes on which two tasks differ, a shortest one first."""
        return [one.word for one in self.telling(first, second, MOST_WORDS)]

    def telling(self, first: DFA, second: DFA, most: int = 1) -> list[Possible]:
        """Return the same with the number of a world for each, at most so many."""
        pair = [first.minimal, second.minimal]
        reader = Product.of(pair, merge_repeats=self.problem.merge_repeats)
        apart = differ(pair, reader)
        if not apart.any():
            return []
        words = Words(self.worlds, reader, self.stop, MOST_SITUATIONS)
        found: list[Possible] = []
        while len(found) < most and apart.any():
            shortest = words.shortest(apart, complete=True)
            if shortest is None:
                break
            found.append(shortest)
            node = reader.start
            for letter in shortest.word:
                node = int(reader.table[node, reader.alphabet.index(letter)])
            apart[node] = False
        return found

    @property
    def drawn(self) -> tuple[Word, ...]:
        """Return words of episodes in which every move is as likely as any other, each once."""
        return tuple(self.drawn_in)

    @cached_property
    def drawn_in(self) -> dict[Word, int]:
        """Return the same words, each with the number of a world in which it was drawn."""
        rng = np.random.default_rng(11)
        share = DRAWN // len(self.worlds)
        return {
            self._episode(mdp, rng): number for number, mdp in enumerate(self.worlds) for _ in range(share)
        }

    def _episode(self, mdp: MDP, rng: np.random.Generator) -> Word:
        state = mdp.starts[int(rng.integers(len(mdp.starts)))][0]
        labels, steps, ending = [mdp.label(state)], 0, 0.0
        while ending == 0 or (ending < 1 and rng.random() < 0.9):  # long ones too, where they may end early
            pairs = mdp.pairs(state)
            outcomes = mdp.outcomes(pairs[int(rng.integers(len(pairs)))])
            state = outcomes[int(rng.integers(len(outcomes)))][0]
            steps += 1
            labels.append(mdp.label(state))
            ending = mdp.end_chance(state, steps)
        return word_of(labels, merge_repeats=self.problem.merge_repeats)


def describe_here(
    problem: Problem, task: Task, *, budget: Budget | None = None, stop: Stop = NEVER
) -> tuple[Description, bool]:
    """Say a task in words, exactly here where it cannot be said exactly always.

    Also say whether the worlds were followed: not where there are too many situations, or none are listed.
    """
    here = Here(problem, stop)
    if here.is_listed:
        try:
            return describe(task, place=here, budget=budget), True
        except TooManySituations:
            pass
    return describe(task, budget=budget), False
