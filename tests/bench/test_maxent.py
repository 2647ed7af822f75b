"""The baseline without tasks: what it counts, against enumeration, and what it learns."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from demospec.plan.monitor import make_monitor
from demospec.plan.tabular import PLANNER
from demospec.tasks import DFA
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import Ends, Episode
from recovery.wide_learners import Counted, learn_reward, satisfaction

AB = ("a", "b")


def small(ends: Ends = "by chance") -> MDP:
    wind = Wind(direction="right", probability=0.25)
    return gridworld(["a.b", "..."], start=(2, 2), episode=Episode(horizon=3, ends=ends), wind=wind)


def every_path(world: MDP, policy: Floats) -> Iterator[tuple[Path, float]]:
    """Yield all complete paths with their probabilities."""

    def go_on(steps: tuple[tuple[int, int], ...], state: int, chance: float) -> Iterator[tuple[Path, float]]:
        if world.end_chance(state, len(steps)) == 1:
            yield Path(steps, complete=True), chance
            return
        for pair in world.pairs(state):
            for reached, outcome in world.outcomes(pair):
                taken = chance * math.exp(policy[len(steps), pair]) * outcome
                yield from go_on((*steps, (pair, reached)), reached, taken)

    yield from go_on((), world.start, 1.0)


@pytest.mark.parametrize("ends", ["by chance", "by choice"])
def test_expectations_are_sums_over_all_paths(ends: Ends) -> None:
    world = small(ends)
    counted, theta = Counted(world, AB), np.array([1.5, -0.5, -0.2])
    policy = counted.policy(theta)
    paths = list(every_path(world, policy))
    assert math.fsum(chance for _, chance in paths) == pytest.approx(1)
    entered = np.zeros(3)
    for path, chance in paths:
        labels = [world.label(state) for _, state in path.steps]
        taken = len(path.without_stop(world).steps)
        entered += chance * np.array([labels.count("a"), labels.count("b"), taken])
    assert counted.expected(policy)[-1] == pytest.approx(entered)
    task = DFA.parse(">0: a→1 | *1: b→2 | 2:", AB)
    accepted = math.fsum(
        chance for path, chance in paths if task.accepts(path.word(world, merge_repeats=True))
    )
    found = satisfaction(world, AB, theta, make_monitor(task, merge_repeats=True))
    assert found == pytest.approx(accepted)


def test_without_a_reward_it_wanders_as_an_aimless_agent() -> None:
    world, monitor = small(), make_monitor(DFA.parse(">0: a→1 | *1:", AB), merge_repeats=True)
    aimless = PLANNER.plan(world, monitor, 0.0).satisfaction_probability
    assert satisfaction(world, AB, np.zeros(3), monitor) == pytest.approx(aimless)


def test_a_preference_for_one_letter_is_learned() -> None:
    world = gridworld(["a.b"], start=(2, 1), episode=Episode(horizon=3))
    shown = read_path(world, ["left", (1, 1), "left", (1, 1), "left", (1, 1)], complete=True)
    theta = learn_reward(world, AB, [shown, shown])
    assert theta[0] > 1 > 0 > theta[1]
    reach_a, reach_b = (
        make_monitor(DFA.parse(f">0: {letter}→1 | *1:", AB), merge_repeats=True) for letter in AB
    )
    assert satisfaction(world, AB, theta, reach_a) > 0.95
    assert satisfaction(world, AB, theta, reach_b) < 0.1


def test_of_a_cut_run_only_what_was_shown_is_compared() -> None:
    world = gridworld(["a.b"], start=(2, 1), episode=Episode(horizon=6))
    cut = read_path(world, ["left", (1, 1)], complete=False)
    theta = learn_reward(world, AB, [cut])
    counted = Counted(world, AB)
    assert counted.expected(counted.policy(theta))[1, 0] > 0.8  # as far as the ridge lets it
    assert theta[0] > theta[1]
