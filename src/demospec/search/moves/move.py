"""What a move is: it says which tasks to score next, given what is known so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from demospec.search.frontier import Known
from demospec.tasks import Task
from demospec.tasks.edits import Pair

Proposal = tuple[Task, str]  # a task, and what proposed it


@dataclass(frozen=True)
class Memory:
    """What a move may remember from step to step: plain values of known types, since runs write them down."""

    numbers: tuple[int, ...] = ()
    tasks: tuple[Task, ...] = ()
    pairs: frozenset[Pair] = frozenset()


@dataclass(frozen=True)
class Proposals:
    """What a move says in one step."""

    tasks: Iterable[Task] = ()  # minimal ones; what is known already, or not in the class, is passed over
    memory: Memory | None = None  # what the move is given in its next step; None leaves it as it was


class Move(ABC):
    """A way to get from what is known to tasks that may be better. It keeps nothing between steps."""

    name: str  # as `--without` calls it
    reason: str  # what it adds and why, in one sentence
    phrase: str = ""  # what is said of a task that it proposed: "one edit away from a good task"

    @property
    def origin(self) -> str:
        """Return what its tasks are said to come from."""
        return self.name

    @abstractmethod
    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose tasks; `memory` is what the move said last, empty in its first step."""
