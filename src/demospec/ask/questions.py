"""The questions about labels, those that are expected to tell most first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from demospec.ask.episodes import PossiblePath, possible_paths
from demospec.ask.information import of_label
from demospec.belief import Belief, acceptance
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.tasks import Word
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools
from demospec.worlds.paths import Path

CORE = 0.999  # of the belief: what is less likely than all this is not asked about
EFFORT = 0.02  # nats: what reading a letter costs the one who answers


@dataclass(frozen=True)
class Question:
    """Should the agent be content with this path? Yes with probability `chance`; the answer tells `nats`.

    The path is one of the world with the name `world`. Where paths are `drawn`, there may be better ones.
    """

    word: Word
    path: Path
    world: str
    drawn: bool
    chance: float
    nats: float


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What the tasks of a belief say of the words that are possible in its worlds: T tasks, W words."""

    belief: Belief
    possible: tuple[PossiblePath, ...]  # [W]
    accepted: Bools  # [T, W]

    @classmethod
    def of(cls, belief: Belief, *, seed: int = 0, stop: Stop = NEVER) -> Verdicts:
        """Find the possible words and label them by every task, but for the least likely ones."""
        belief = core(belief)
        found = tuple(possible_paths(belief, seed=seed, stop=stop))
        return cls(belief, found, acceptance(belief.tasks, [one.word for one in found]))

    @property
    def drawn(self) -> bool:
        """Say whether paths were drawn in some world, so that there may be words that are not here."""
        return any(one.drawn for one in self.possible)

    def questions(self, without: Collection[Word] = ()) -> list[Question]:
        """Return the words that are worth a question, the most informative first.

        Long words are hard to judge, so every letter costs a little of what an answer tells. A word whose
        label is certain in the problem's class is never asked about.
        """
        problem = self.belief.problem
        chances = self.belief.weights @ self.accepted
        mixed = np.asarray(self.accepted.any(axis=0) & ~self.accepted.all(axis=0))
        found = [
            Question(one.word, one.path, one.world, one.drawn, float(chance), nats)
            for one, chance, nats, open_ in zip(
                self.possible, chances, of_label(chances).tolist(), mixed, strict=True
            )
            if open_
            and one.word not in without
            and one.word not in problem.given.mapping
            and not any(certain.accepts(one.word) for certain in resolve(problem).allowed.certain.values())
        ]
        return sorted(found, key=lambda one: (EFFORT * len(one.word) - one.nats, one.word))

    def answers(self) -> list[tuple[Score, float]]:
        """Return the answers with their probabilities, likeliest first.

        Tasks that give every possible word the same label are one answer: no path of these worlds tells them
        apart, so agents that pursue them do the same. The smallest of them gives it its name.
        """
        shares: dict[bytes, float] = {}
        names: dict[bytes, Score] = {}
        for score, weight, row in zip(
            self.belief.scores, self.belief.weights.tolist(), self.accepted, strict=True
        ):
            key = row.tobytes()
            shares[key] = shares.get(key, 0.0) + weight
            if key not in names or score.size < names[key].size:
                names[key] = score
        order = sorted(shares, key=lambda key: -shares[key])
        return [(names[key], shares[key]) for key in order]


def core(belief: Belief) -> Belief:
    """Return the likeliest tasks of a belief, up to nearly all of it: most tasks hardly count."""
    count = int(np.searchsorted(np.cumsum(belief.weights), CORE)) + 1
    weights = belief.weights[:count]
    return replace(belief, scores=belief.scores[:count], weights=weights / weights.sum())
