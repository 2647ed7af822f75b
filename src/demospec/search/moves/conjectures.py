"""The paper's search, which goes on beside: conjectured words, and the automata that agree with them."""

from __future__ import annotations

import numpy as np

from demospec.explain.score import Evaluator
from demospec.problem import Problem
from demospec.search.diss import Tested
from demospec.search.known import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.search.tempering import ADAPTATION, EXCHANGE, Tempering
from demospec.tasks import DFA

ROUNDS = 2  # of all its chains in each step: a fifth of a step's time in the problems that ship


class Conjectures(Move):
    """Some iterations of Algorithm 2 in each step; remembers the states of its chains."""

    name = "conjectures"
    origin = "conjecture"
    reason = "Lets the paper's search go on beside, because it finds tasks that are not made from known ones."
    phrase = "drawn for labelled examples with a new conjecture"
    beside = True

    def __init__(self, paper: Tempering | None = None) -> None:
        self.paper = paper

    def for_problem(self, problem: Problem, evaluator: Evaluator) -> Conjectures:
        """Return the move with the chains of a problem, which score by the same evaluator."""
        without = problem.settings.without
        return Conjectures(
            Tempering(
                problem,
                evaluator=evaluator,
                exchange=EXCHANGE.name not in without,
                adapt=ADAPTATION.name not in without,
            )
        )

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Let the chains go on, and propose the tasks that they visit, each once."""
        assert self.paper is not None, "the chains are those of a problem"
        chains = memory.chains or self.paper.start()
        visited: dict[DFA, DFA] = {}
        tested: list[Tested] = []
        for _ in range(ROUNDS):
            chains, infos = self.paper.step(rng, chains)
            for info in infos:
                tested += info.tested
                if info.candidate is not None:
                    visited[info.candidate.task] = info.candidate.task  # the last form of a language counts
        return Proposals(list(visited.values()), Memory(chains=chains), tuple(tested))
