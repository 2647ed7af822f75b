"""Gymnasium's FrozenLake and an agent of whom nothing is told: `python benchmarks/frozen_lake.py`.

The lake is the slippery one of 8×8 cells, with a key. Six runs of an agent of rationality 1,000 fetch the key
and then go to the goal, in episodes of up to 200 steps. Printed are the headline, its share of the belief,
whether its agent behaves as the truth's, and seconds of processor time.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from typing import Any

import gymnasium

import demospec
from demospec.plan.rationality import Fixed, Learned
from demospec.problem import Problem
from demospec.runs.result import Result
from demospec.tasks.clauses import Clauses, parse
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State
from recovery.wide_measures import nearness
from recovery.wide_run import answers_in

MOVES = ("left", "down", "right", "up")
KEY, GOAL = "31", "63"  # the key lies in the fourth row, last column
TRUTH = "key, then goal"


def lake(horizon: int, *, holes: bool = False) -> MDP:
    """Return the lake as Gymnasium's table tells it, with a key, and where it is asked for with its holes."""
    environment: Any = gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=True)
    table = environment.unwrapped.P
    every_way = [way for moves in table.values() for ways in moves.values() for way in ways]
    ends = {str(after) for _, after, _, over in every_way if over}
    rows: list[tuple[State, str, dict[State, float]]] = []
    for state, moves in table.items():
        for move, ways in moves.items():
            chances: dict[State, float] = {}
            for chance, after, _, _ in ways:
                chances[str(after)] = chances.get(str(after), 0.0) + chance
            rows.append((str(state), MOVES[move], chances))
    labels: dict[State, str] = {KEY: "key", GOAL: "goal"}
    if holes:
        labels |= dict.fromkeys(ends - {GOAL}, "hole")
    return MDP.build(
        rows,
        start="0",
        episode=Episode(horizon=horizon),
        labels=labels,
        terminal=ends,
        states=tuple(map(str, table)),
        actions=MOVES,
    )


def shown(*, rationality: float, runs: int, horizon: int, holes: bool, seed: int) -> tuple[Problem, Clauses]:
    """Return runs of an agent that knows the task, for a learner that is told nothing; and the task."""
    bare = Problem.of(
        lake(horizon, holes=holes), name="lake", code="words", merge_repeats=True, agent=Learned()
    )
    truth = parse(TRUTH, bare.alphabet)
    paths = demospec.sample(replace(bare, agent=Fixed(rationality)), truth, count=runs, seed=seed)
    return bare.with_demonstrations(paths), truth


def told(result: Result, truth: Clauses, rationality: float) -> str:
    """Say what was learned, how sure it is, and whether its agent behaves as the truth's."""
    answers = answers_in(result)
    at = answers.all.index(answers.answer)
    near = nearness(result.problem, answers.all, at, truth.automaton, rationality, 0.0)
    verdict = "behaves as the truth" if near.alike[at] else f"{near.nats:.2f} nats an episode from the truth"
    return f'"{result.best.task}", {answers.answer.share:.0%} of the belief, {verdict}'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rationality", type=float, default=1000.0)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--horizon", type=int, default=200)
    parser.add_argument("--holes", action="store_true", help="holes have a letter of their own")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    problem, truth = shown(**vars(given))
    began = time.process_time()
    result = demospec.learn(problem, seed=0)
    searched = time.process_time() - began
    _ = result.findings
    answered = time.process_time() - began
    _ = result.warnings, result.claims, result.demonstrator
    everything = time.process_time() - began
    print(told(result, truth, given.rationality))
    print(f"{result.evaluations} tasks in {len(result.trace)} iterations, ended by {result.ended}")
    print(f"processor time: search {searched:.1f} s, with answers {answered:.1f} s, all {everything:.1f} s")


if __name__ == "__main__":
    main()
