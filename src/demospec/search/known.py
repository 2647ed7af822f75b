"""What is known in the middle of a search: all that moves may look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.tasks import DFA


@dataclass(frozen=True, eq=False)
class Known:
    """A view of the search, to be read and not to be changed."""

    problem: Problem
    largest: int  # states that a proposed task may have
    scores: Mapping[DFA, Score]  # of every task that was scored, by language
    front: tuple[Score, ...]  # the best of them, in order
    taken: frozenset[DFA]  # in earlier steps
    quiet: int  # steps since the best was found
    task: DFA | None = None  # that is taken in this step; None when there is none left, or none yet

    @property
    def best(self) -> DFA | None:
        """Return the best task so far."""
        return self.front[0].language if self.front else None

    def uses(self, name: str) -> bool:
        """Say whether an ingredient is not left out."""
        return name not in self.problem.settings.without
