"""The paper's search, which goes on beside: conjectured words, and the automata that agree with them."""

from __future__ import annotations

import numpy as np

from demospec.explain.evaluator import Evaluator
from demospec.problem import Problem
from demospec.search.diss import Search, Tested
from demospec.search.frontier import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks import DFA, Task

PIVOTS = 100  # tried for one conjecture: of many demonstrations most have nothing else to say
STEPS = 60_000  # of drawn paths in each step of the search, at most: longer episodes get fewer iterations
ITERATIONS = 6  # of Algorithm 2 in each step: a fifth of a step's time in the problems that ship
A_WHILE = 1 << 28  # numbers that are worked out in each step, at most: larger worlds get fewer iterations
OF_ONE = 32  # states in the plans of one iteration, about: four of the task, with several agents


class Conjectures(Move):
    """Some iterations of Algorithm 2 in each step, at its last temperature; remembers the chain's state.

    Several temperatures that exchange states, scaled with the number of demonstrations, were tried: they
    found no better tasks than this one chain (docs/searching.md).
    """

    name = "conjectures"
    origin = "conjecture"
    reason = "Lets the paper's search go on beside, because it finds tasks that are not made from known ones."
    phrase = "drawn for labelled examples with a new conjecture"
    beside = True

    def __init__(self, paper: Search | None = None, iterations: int = ITERATIONS) -> None:
        self.paper, self.iterations = paper, iterations

    def for_problem(self, problem: Problem, evaluator: Evaluator) -> Conjectures:
        """Return the move with the paper's search of a problem, which scores by the same evaluator."""
        paper = Search(problem, evaluator=evaluator, stop=evaluator.stop, most_pivots=PIVOTS)
        longest = max(scene.world.episode.horizon for scene in problem.scenes)
        iterations = min(ITERATIONS, STEPS // longest)
        if evaluator.quick:
            iterations = min(iterations, max(1, A_WHILE // (OF_ONE * evaluator.work)))
        return Conjectures(paper, iterations)

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Let the chain go on, and propose the tasks that it visits, each once."""
        assert self.paper is not None, "the chain is that of a problem"
        chain = memory.chain or self.paper.start()
        visited: dict[DFA, Task] = {}
        tested: list[Tested] = []
        for _ in range(self.iterations):
            chain, info = self.paper.step(rng, chain, temperature=self.paper.paper.final_temperature)
            tested += info.tested
            if info.candidate is not None:
                visited[info.candidate.language] = info.candidate.task  # the last form of a language counts
        return Proposals(list(visited.values()), Memory(chain=chain), tuple(tested))
