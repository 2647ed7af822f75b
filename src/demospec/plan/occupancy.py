"""Where the agent of a plan goes: expected visits, choices and ends, forward over the layers of time.

d₀ = [start];  Pr(m, s → m′, s′) = Σₐ π(a | t, m′, s)·P(s′ | s, a),  m′ = the monitor after reading s
dₜ₊₁(m′, s′) = Pr(goes on | t + 1, s′) · Σ dₜ(m, s)·Pr(m, s → m′, s′)

Only situations in which an episode can be are visited.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.plan.base import Plan, tolls
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Floats, Ints
from demospec.worlds.walk import Layer, Walk

BLOCK = 1 << 24  # numbers carried at a time when many states are asked about


def choices(plan: Plan, time: int, monitor: int, state: int) -> tuple[list[int], Floats]:
    """Return the pairs of a state, and ln π = Q − V of each after `time` steps, with the state read."""
    pairs = list(plan.world.pairs(state))
    count = len(pairs)
    q = plan.action_values(np.full(count, time), np.full(count, monitor), np.array(pairs, dtype=np.intp))
    return pairs, q - plan.value(time, monitor, state)


def log_policy(plan: Plan, layer: Layer, monitor: Ints) -> Floats:
    """Return [C]: ln π = Q − V of each choice in a layer, with the monitors [N] that have read the states."""
    time, decides = layer.time, layer.source[layer.first]
    here = np.flatnonzero(layer.ends < 1)  # a plan is asked only where something is decided
    value = np.zeros(len(layer))
    value[here] = plan.values(np.full(len(here), time), monitor[here], layer.state[here])
    arriving = plan.arrivals(np.full(len(layer.source), time + 1), monitor[layer.source], layer.reached)
    q: Floats = np.bincount(layer.choice, layer.chance * arriving, minlength=len(decides)).astype(np.float64)
    toll = tolls(plan.world)
    if toll is not None:
        q -= toll[layer.pair[layer.first]]
    found: Floats = q - value[decides]
    return found


@dataclass(frozen=True, eq=False)
class Step:
    """A layer of situations, a monitor state with a state that it has not read, and what the agent does."""

    layer: Layer
    policy: Floats  # [C], π of each choice
    probability: Floats  # [E], of each move


def steps(walk: Walk, plan: Plan) -> Iterator[Step]:
    """Yield the steps that episodes can take, time after time; the last layer has none."""
    for layer in walk:
        monitor = plan.readings(layer.node, layer.state)
        policy = np.exp(log_policy(plan, layer, monitor)) if len(layer.source) else np.zeros(0)
        yield Step(layer, policy, policy[layer.choice] * layer.chance)


@dataclass(frozen=True, eq=False)
class Occupancy:
    """How often the agent is where, in M monitor states, S world states and P state-action pairs.

    A visit belongs to the monitor state in which it finds the task, before the state is read: the first
    visit is that of the start in monitor state 0. States in which episodes end are visited too.
    """

    plan: Plan
    entered: Floats  # [M, S], expected visits
    chosen: Floats  # [M, P], how often a choice is expected
    ended: Floats  # [M, S], the probability that the episode ends there
    moves: int  # possible moves, summed over all steps

    @classmethod
    def of(cls, plan: Plan, stop: Stop = NEVER) -> Occupancy:
        """Follow all episodes of a plan from the start to their ends."""
        mdp, monitors = plan.world.listed(), plan.monitor.states
        states, pairs = len(mdp.states), len(mdp.pair_action)
        entered, ended = np.zeros((2, monitors * states))
        chosen = np.zeros(monitors * pairs)
        walk, moves = Walk(mdp, plan.monitor, unread=True, stop=stop), 0
        arrived = walk.begin
        for step in steps(walk, plan):
            layer = step.layer
            place = layer.node * states + layer.state  # each once in a layer
            entered[place] += arrived
            ended[place] += layer.ends * arrived
            present = (1.0 - layer.ends) * arrived
            source = layer.source[layer.first]
            chosen[layer.node[source] * pairs + layer.pair[layer.first]] += present[source] * step.policy
            arrived = layer.gather(present[layer.source] * step.probability)
            moves += len(layer.source)
        shape = monitors, -1
        return cls(plan, entered.reshape(shape), chosen.reshape(shape), ended.reshape(shape), moves)

    @cached_property
    def visits(self) -> Floats:
        """Return [S]: the expected number of visits to each state, the start's first one included."""
        return np.asarray(self.entered.sum(axis=0))

    @property
    def steps(self) -> float:
        """Return the expected number of steps of an episode."""
        return float(self.entered.sum()) - 1.0

    def ever(self, states: Sequence[int] | None = None) -> Floats:
        """Return the probability that each of some states (default: all) is visited at least once.

        Every state needs a pass of its own, in which an episode is dropped at its first visit there; the
        work is `moves` times the number of states that are ever visited.
        """
        every = (
            np.arange(len(self.plan.world.listed().states))
            if states is None
            else np.asarray(states, dtype=np.intp)
        )
        found = np.zeros(len(self.plan.world.listed().states))
        goals = np.unique(every[self.visits[every] > 0])
        width = max(1, BLOCK // self.entered.size)
        for first in range(0, len(goals), width):
            block = goals[first : first + width]
            found[block] = first_visits(self.plan, block)
        return found[every]


def first_visits(plan: Plan, goals: Ints) -> Floats:
    """Return the probability of ever visiting each of some different states, all in one pass."""
    mdp = plan.world.listed()
    row = np.full(len(mdp.states), -1)
    row[goals] = np.arange(len(goals))
    found = np.zeros(len(goals))
    walk = Walk(mdp, plan.monitor, unread=True)
    mass = np.repeat(walk.begin[None], len(goals), axis=0)  # by goal and situation: what was not there yet
    for step in steps(walk, plan):
        layer = step.layer
        count_arrivals(mass, row[layer.state], found)
        mass *= 1.0 - layer.ends
        mass = np.array([layer.gather(one[layer.source] * step.probability) for one in mass])
    return found


def count_arrivals(mass: Floats, row: Ints, found: Floats) -> None:
    """Add what has reached its goal, and take it away; row −1 marks a situation that is no goal."""
    column = np.flatnonzero(row >= 0)
    at = row[column], column
    np.add.at(found, row[column], mass[at])
    mass[at] = 0.0
