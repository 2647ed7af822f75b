"""What a move is: it says which tasks to score next, given what is known so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from demospec.explain.evaluator import Evaluator
from demospec.problem import Problem
from demospec.search.diss import State, Tested
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
    chain: State | None = None  # of the paper's search


@dataclass(frozen=True)
class Proposals:
    """What a move says in one step."""

    tasks: Iterable[Task] = ()  # minimal ones; what is known already, or not in the class, is passed over
    memory: Memory | None = None  # what the move is given in its next step; None leaves it as it was
    tested: tuple[Tested, ...] = ()  # conjectures that were tried on the way, for people to read


class Move(ABC):
    """A way to get from what is known to tasks that may be better. It keeps nothing between steps."""

    name: str  # as `--without` calls it
    reason: str  # what it adds and why, in one sentence
    phrase: str = ""  # what is said of a task that it proposed: "one edit away from a good task"
    beside: bool = False  # it scores its tasks itself, and goes on in every step, also while others wait

    @property
    def origin(self) -> str:
        """Return what its tasks are said to come from."""
        return self.name

    def for_problem(self, problem: Problem, evaluator: Evaluator) -> Move:
        """Return the move that an engine for one problem uses; most are the same for all problems."""
        del problem, evaluator
        return self

    @abstractmethod
    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose tasks; `memory` is what the move said last, empty in its first step."""
