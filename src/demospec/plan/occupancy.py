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

from demospec.plan.base import Plan
from demospec.plan.structure import spans
from demospec.worlds.mdp import MDP, Floats, Ints

BLOCK = 1 << 24  # numbers carried at a time when many states are asked about


def choices(plan: Plan, time: int, monitor: Ints, state: Ints) -> tuple[Ints, Ints, Floats]:
    """Return what is chosen after `time` steps: (number of the situation, pair, ln π = Q − V) in order."""
    offset = plan.world.listed().pair_offset
    pair = spans(offset, state)
    number = np.repeat(np.arange(len(state)), offset[state + 1] - offset[state])
    q = plan.action_values(np.full(len(pair), time), monitor[number], pair)
    v = plan.values(np.full(len(state), time), monitor, state)
    return number, pair, q - v[number]


@dataclass(frozen=True, eq=False)
class Step:
    """One step out of N situations, by C choices and E moves.

    A situation is the number m·S + s of a monitor state m, with s not read yet, and a world state s.
    """

    here: Ints  # [N], rising
    chooser: Ints  # [C], which of the situations
    pair: Ints  # [C]
    chance: Floats  # [C], π
    source: Ints  # [E], which of the situations
    target: Ints  # [E], the situation reached
    probability: Floats  # [E]
    goes_on: Floats  # [S], the probability that an episode goes on in a state reached now


def first_situations(mdp: MDP) -> tuple[Ints, Floats]:
    """Return the situations in which episodes begin: the monitor's start with each start state; how often."""
    state, chance = zip(*sorted(mdp.starts), strict=True)
    return np.array(state, dtype=np.intp), np.array(chance)


def steps(plan: Plan) -> Iterator[Step]:
    """Yield the steps that episodes can take, time after time."""
    mdp = plan.world.listed()
    states = len(mdp.states)
    here, _ = first_situations(mdp)
    for time in range(mdp.horizon):
        if not len(here):
            return
        state = here % states
        monitor = plan.readings(here // states, state)
        chooser, pair, log_chance = choices(plan, time, monitor, state)
        chance = np.exp(log_chance)
        outcome = spans(mdp.outcome_offset, pair)
        choice = np.repeat(np.arange(len(pair)), mdp.outcome_offset[pair + 1] - mdp.outcome_offset[pair])
        source = chooser[choice]
        target = monitor[source] * states + mdp.successor[outcome]
        on = 0.0 if time + 1 >= mdp.horizon else 1.0 - mdp.episode.end_probability
        goes_on = np.where(mdp.terminal, 0.0, on)
        probability = chance[choice] * mdp.probability[outcome]
        yield Step(here, chooser, pair, chance, source, target, probability, goes_on)
        reached = np.unique(target)
        here = reached[goes_on[reached % states] > 0]


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
    def of(cls, plan: Plan) -> Occupancy:
        """Follow all episodes of a plan from the start to their ends."""
        mdp, monitors = plan.world.listed(), plan.monitor.states
        states, pairs = len(mdp.states), len(mdp.pair_action)
        entered, ended = np.zeros((2, monitors * states))
        chosen = np.zeros(monitors * pairs)
        begin, chance = first_situations(mdp)
        entered[begin] = chance
        mass = entered.copy()
        moves = 0
        for step in steps(plan):
            present = mass[step.here]
            monitor = step.here // states
            chosen += np.bincount(
                monitor[step.chooser] * pairs + step.pair,
                present[step.chooser] * step.chance,
                minlength=monitors * pairs,
            )
            arrived = np.bincount(
                step.target, present[step.source] * step.probability, minlength=monitors * states
            )
            on = np.tile(step.goes_on, monitors)
            entered += arrived
            ended += (1.0 - on) * arrived
            mass = on * arrived
            moves += len(step.target)
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
    states = len(mdp.states)
    row = np.full(states, -1)
    row[goals] = np.arange(len(goals))
    found = np.zeros(len(goals))
    begin, chance = first_situations(mdp)
    mass = np.repeat(chance[None], len(goals), axis=0)  # by goal and situation: what has not been there yet
    count_arrivals(mass, row[begin], found)
    for step in steps(plan):
        reached, target = np.unique(step.target, return_inverse=True)
        state = reached % states
        arrived = np.array(
            [np.bincount(target, one[step.source] * step.probability, minlength=len(reached)) for one in mass]
        )
        count_arrivals(arrived, row[state], found)
        on = step.goes_on[state]
        mass = arrived[:, on > 0] * on[on > 0]
    return found


def count_arrivals(mass: Floats, row: Ints, found: Floats) -> None:
    """Add what has reached its goal, and take it away; row −1 marks a situation that is no goal."""
    column = np.flatnonzero(row >= 0)
    at = row[column], column
    np.add.at(found, row[column], mass[at])
    mass[at] = 0.0
