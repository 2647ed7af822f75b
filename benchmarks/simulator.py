"""The paper's world, offered as a simulator only: is its task found, and do standard errors hold?

Prints, for some numbers of sampled steps, for how many seeds the search finds the exact planner's best task,
and how often the true numbers lie within two standard errors of the estimates, over repeated samplings:
V and p_sat at the start, and V at all places that the demonstrations pass.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

import numpy as np

from demospec import DFA, Problem, learn, load_example, score
from demospec.explain.score import plan_task
from demospec.explain.setup import resolve
from demospec.plan.along_tree import monitor_states
from demospec.plan.base import Plan
from demospec.plan.sampled import SampledPlanner
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.paths import Path, read_path
from demospec.worlds.prefix_tree import Player
from demospec.worlds.scene import Scene
from demospec.worlds.simulator import Run, WorldSimulator, estimate
from demospec.worlds.world import State


def as_shown(mdp: MDP, path: Path) -> Run:
    """Return a demonstration in the names of its world."""
    steps: list[str | State] = []
    for pair, state in path.steps:
        steps += [mdp.actions[mdp.pair_action[pair]], mdp.states[state]]
    return Run(steps, path.complete)


def sampled_problem(problem: Problem, steps: int, seed: int) -> Problem:
    """Return the problem in the world that so many steps show."""
    runs = [as_shown(problem.mdp, path) for path in problem.demonstrations]
    world = estimate(WorldSimulator(problem.mdp, seed=seed), steps=steps, seed=seed, runs=runs)
    shown = tuple(read_path(world, run.path, complete=run.complete) for run in runs)
    return replace(problem, scenes=(Scene(world=world, demonstrations=shown),))


def along(problem: Problem, plan: Plan) -> tuple[Floats, list[tuple[int, int, int]]]:
    """Return V at the start and at all places that demonstrations pass, and the places."""
    tree = problem.tree
    nodes = np.flatnonzero(tree.player == Player.AGENT)
    places = tree.time[nodes], monitor_states(tree, plan)[nodes], tree.state[nodes]
    return plan.values(*places), list(zip(*(column.tolist() for column in places), strict=True))


def within(problem: Problem, task: DFA, steps: int, samplings: int) -> Floats:
    """Return [3]: how often V and p_sat at the start, and V along demonstrations, are within 2 errors."""
    exact = plan_task(problem, task)
    truth, _ = along(problem, exact)
    hits = []
    for seed in range(1000, 1000 + samplings):
        sampled = sampled_problem(problem, steps, seed)
        plan = SampledPlanner(seed=seed).plan(sampled.mdp, resolve(sampled).monitor(task), exact.rationality)
        found, places = along(sampled, plan)
        errors = plan.standard_errors(*np.array(places).T)
        near = np.abs(found - truth) <= 2 * errors
        chance = plan.satisfaction_probability - exact.satisfaction_probability
        hits.append([near[0], abs(chance) <= 2 * plan.satisfaction_standard_error, near.mean()])
    return np.asarray(np.mean(hits, axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--samplings", type=int, default=100)
    parser.add_argument("--problems", nargs="+", default=["robot", "robot-incremental", "delivery"])
    options = parser.parse_args()
    for name in options.problems:
        problem = load_example(name).with_settings(method="paper")
        exact = [learn(problem, seed=seed).best for seed in range(options.seeds)]
        for steps in options.steps:
            found = [
                learn(sampled_problem(problem, steps, seed), seed=seed).best.task
                for seed in range(options.seeds)
            ]
            same = sum(task == best.task for task, best in zip(found, exact, strict=True))
            above = max(score(problem, task).energy for task in found) - max(best.energy for best in exact)
            value, chance, everywhere = within(problem, exact[0].language, steps, options.samplings)
            print(
                f"{name}, {steps:,} steps: the exact planner's task with {same} of {len(found)} seeds, "
                f"the largest energy in the true world {above:+.3f}; "
                f"within 2 standard errors in {options.samplings} samplings: V {value:.0%}, "
                f"p_sat {chance:.0%}, V along the demonstrations {everywhere:.1%}"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
