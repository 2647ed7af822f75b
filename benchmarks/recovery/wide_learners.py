"""Learners to compare with: inverse reinforcement learning on labels, and one who knows the list of tasks.

The first knows no tasks: tabular maximum-causal-entropy. The reward of a path is θ·f, where f counts how
often each letter's states were entered, and the steps. The agent plans by the soft Bellman equations of the
whole episode,

    Q(t, s, a) = E[θ·f(s, a, s') + V(t + 1, s')],   V = ln Σₐ exp Q,   π = exp(Q − V)

and θ is learned by gradient, until it expects to count what was counted: mean f of the demonstrations minus
E f of the policy (Ziebart, Bagnell and Dey 2010), with a small ridge. Of a demonstration that is cut, the
steps that were shown are compared with as many of the policy.

The second is told which tasks may be planted. It weighs every one, with every choice of its letters, by its
evidence: each name is as likely as any other, and so is each choice of letters. What it misses, the
demonstrations do not tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from demospec.explain.evidence import Evidence
from demospec.explain.setup import resolve
from demospec.plan.monitor import Monitor
from demospec.plan.rationality import Learned
from demospec.problem import Problem
from demospec.search.frontier import softmin
from demospec.tasks import DFA
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.paths import Path
from demospec.worlds.world import STOP
from recovery.wide_worlds import TASKS

STEPS, RATE = 300, 0.1  # of Adam
RIDGE = 0.01
DECAYS = (0.9, 0.99)


@dataclass(frozen=True, eq=False)
class Counted:
    """A world with what is counted in it: S states, P pairs, O outcomes, K letters and the steps."""

    world: MDP
    alphabet: tuple[str, ...]

    @cached_property
    def state_of(self) -> Ints:
        """Return [P], the state in which each pair is chosen."""
        return np.repeat(np.arange(len(self.world.states)), np.diff(self.world.pair_offset))

    @cached_property
    def pair_of(self) -> Ints:
        """Return [O], the pair of each outcome."""
        return np.repeat(np.arange(len(self.state_of)), np.diff(self.world.outcome_offset))

    @cached_property
    def deciding(self) -> Ints:
        """Return the states in which something is chosen."""
        return np.flatnonzero(np.diff(self.world.pair_offset))

    @cached_property
    def features(self) -> Floats:
        """Return [P, K + 1], what choosing each pair is expected to count."""
        world, letters = self.world, len(self.alphabet)
        entered = np.zeros((len(world.states), letters))
        for state, label in enumerate(world.labels):
            if label is not None:
                entered[state, self.alphabet.index(label)] = 1.0
        found = np.zeros((len(self.state_of), letters + 1))
        np.add.at(found[:, :letters], self.pair_of, world.probability[:, None] * entered[world.successor])
        found[:, letters] = [world.action(pair) != STOP for pair in range(len(found))]
        return found

    def policy(self, theta: Floats) -> Floats:
        """Return [H, P], ln π of each pair at each time."""
        world = self.world
        reward = self.features @ theta
        value = np.zeros(len(world.states))
        first = world.pair_offset[self.deciding]
        found = np.empty((world.horizon, len(reward)))
        for time in range(world.horizon - 1, -1, -1):
            expected = np.add.reduceat(world.probability * value[world.successor], world.outcome_offset[:-1])
            q = reward + expected
            value = np.zeros(len(world.states))
            value[self.deciding] = np.logaddexp.reduceat(q, first)
            found[time] = q - value[self.state_of]
        return found

    def expected(self, policy: Floats) -> Floats:
        """Return [H + 1, K + 1], what the policy is expected to have counted after each number of steps."""
        world = self.world
        mass = np.zeros(len(world.states))
        for state, chance in world.starts:
            mass[state] = chance
        found = np.zeros((world.horizon + 1, self.features.shape[1]))
        for time in range(world.horizon):
            chosen = mass[self.state_of] * np.exp(policy[time])
            found[time + 1] = found[time] + chosen @ self.features
            arriving = chosen[self.pair_of] * world.probability
            mass = np.zeros(len(world.states))
            np.add.at(mass, world.successor, arriving)
        return found

    def counted(self, path: Path) -> Floats:
        """Return [K + 1], what a path counts: entered as its actions were expected to enter.

        Expectations of chance outcomes stand in for the outcomes, as the agent could choose no more.
        """
        found: Floats = self.features[[pair for pair, _ in path.steps]].sum(axis=0)
        return found


def learn_reward(world: MDP, alphabet: tuple[str, ...], paths: Sequence[Path]) -> Floats:
    """Return θ [K + 1] after `STEPS` steps of Adam; the last is what a step is worth."""
    counted = Counted(world, alphabet)
    shown = np.mean([counted.counted(path) for path in paths], axis=0)
    length = [world.horizon if path.complete else len(path.steps) for path in paths]
    theta = first = second = np.zeros(len(shown))
    for step in range(1, STEPS + 1):
        gradient = shown - counted.expected(counted.policy(theta))[length].mean(axis=0) - RIDGE * theta
        first = DECAYS[0] * first + (1 - DECAYS[0]) * gradient
        second = DECAYS[1] * second + (1 - DECAYS[1]) * gradient**2
        scale = np.sqrt(second / (1 - DECAYS[1] ** step)) + 1e-8
        theta = theta + RATE * first / (1 - DECAYS[0] ** step) / scale
    return theta


def satisfaction(world: MDP, alphabet: tuple[str, ...], theta: Floats, monitor: Monitor) -> float:
    """Return how often the agent of a reward satisfies a task, exactly: its states are followed along."""
    counted = Counted(world, alphabet)
    states = range(len(world.states))
    read = np.array([[monitor.step(m, world.label(s)) for s in states] for m in range(monitor.states)])
    mass = np.zeros((monitor.states, len(world.states)))
    for state, chance in world.starts:
        mass[read[0, state], state] += chance
    ended = 0.0
    for log_chances in counted.policy(theta):
        over = mass[:, world.terminal].sum(axis=1)
        ended += float(over @ monitor.accepting)
        outcomes = (mass[:, counted.state_of] * np.exp(log_chances))[:, counted.pair_of] * world.probability
        mass = np.zeros_like(mass)
        np.add.at(mass, (read[:, world.successor], world.successor[None, :]), outcomes)
    return ended + float(mass.sum(axis=1) @ monitor.accepting)


MOST = 60  # tasks that are acted on, the likeliest


def planted_tasks(alphabet: tuple[str, ...]) -> dict[DFA, float]:
    """Return every task that may be planted over some letters, with its prior.

    >>> round(sum(planted_tasks(("a", "b", "c")).values()), 9)
    1.0
    """
    within = [one for one in TASKS if len(one.letters) <= len(alphabet)]
    prior: dict[DFA, float] = {}
    for wanted in within:
        task = wanted.task("".join(alphabet))
        languages = dict.fromkeys(renamed(task, order) for order in permutations(range(len(alphabet))))
        for language in languages:
            prior[language] = prior.get(language, 0.0) + 1 / (len(within) * len(languages))
    return prior


def renamed(task: DFA, order: tuple[int, ...]) -> DFA:
    """Return the task that reads each letter as it read another."""
    table = tuple(tuple(row[letter] for letter in order) for row in task.table)
    return DFA(alphabet=task.alphabet, table=table, accepting=task.accepting).minimal


def learn_among(problem: Problem) -> list[tuple[DFA, float]]:
    """Return the planted tasks with their probabilities, likeliest first."""
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    prior = planted_tasks(problem.alphabet)
    tasks = list(prior)
    found = Evidence(problem, resolve(problem).planner, agent).everywhere(tasks)
    costs = [one.surprise - math.log(prior[task]) for one, task in zip(found, tasks, strict=True)]
    weighted = zip(tasks, softmin(costs).tolist(), strict=True)
    return sorted(weighted, key=lambda one: -one[1])[:MOST]
