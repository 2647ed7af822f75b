"""The policy of a plan: what its agent does after a history, where it goes, and with several tasks at once.

ln π(a | ξ) = Q(ξ·a) − V(ξ)

Expected visits go forward over the layers of time, to situations in which an episode can be:

d₀ = [start];  Pr(m, s → m′, s′) = Σₐ π(a | t, m′, s)·P(s′ | s, a),  m′ = the monitor after reading s
dₜ₊₁(m′, s′) = Pr(goes on | t + 1, s′) · Σ dₜ(m, s)·Pr(m, s → m′, s′)

With several tasks V(ξ) = λ·Σₖ wₖ·[ξ ∈ φₖ] when ξ is complete; with one this is its plan, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from demospec.errors import DemonstrationError, InputError, WorldError
from demospec.plan.base import ACCEPTED, LABELS, Plan, Planner, tolls
from demospec.plan.monitor import Monitor
from demospec.plan.tabular import TabularPlanner
from demospec.tasks.mixture import Mixture
from demospec.tasks.showing import Displayed, short
from demospec.wording import nearest
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools, Floats, Ints
from demospec.worlds.paths import Path, read_path, start_of
from demospec.worlds.walk import PathWalk, SituationLayer
from demospec.worlds.world import State, World, show

BLOCK = 1 << 24  # numbers carried at a time when many states are asked about


def choice_logs(plan: Plan, time: int, monitor: int, state: int) -> tuple[list[int], Floats]:
    """Return the pairs of a state, and ln π = Q − V of each after `time` steps, with the state read."""
    pairs = list(plan.world.pairs(state))
    count = len(pairs)
    q = plan.action_values(np.full(count, time), np.full(count, monitor), np.array(pairs, dtype=np.intp))
    return pairs, q - plan.value(time, monitor, state)


def log_policy(plan: Plan, layer: SituationLayer, monitor: Ints) -> Floats:
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
    return q - value[decides]


def steps(walk: PathWalk, plan: Plan) -> Iterator[tuple[SituationLayer, Floats, Floats]]:
    """Yield each layer of an unread walk with π [C] of its choices and the probability [E] of its moves."""
    for layer in walk:
        monitor = plan.readings(layer.node, layer.state)
        policy = np.exp(log_policy(plan, layer, monitor)) if len(layer.source) else np.zeros(0)
        yield layer, policy, policy[layer.choice] * layer.chance


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
        walk, moves = PathWalk(mdp, plan.monitor, unread=True, stop=stop), 0
        arrived = walk.begin
        for layer, policy, probability in steps(walk, plan):
            place = layer.node * states + layer.state  # each once in a layer
            entered[place] += arrived
            ended[place] += layer.ends * arrived
            present = (1.0 - layer.ends) * arrived
            source = layer.source[layer.first]
            chosen[layer.node[source] * pairs + layer.pair[layer.first]] += present[source] * policy
            arrived = layer.gather(present[layer.source] * probability)
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
        found = np.zeros(len(self.visits))
        every = np.arange(len(found)) if states is None else np.asarray(states, dtype=np.intp)
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
    walk = PathWalk(mdp, plan.monitor, unread=True)
    mass = np.repeat(walk.begin[None], len(goals), axis=0)  # by goal and situation: what was not there yet
    for layer, _, probability in steps(walk, plan):
        here = row[layer.state]  # −1: no goal
        arrived = here[here >= 0], np.flatnonzero(here >= 0)
        np.add.at(found, arrived[0], mass[arrived])
        mass[arrived] = 0.0
        mass *= 1.0 - layer.ends
        mass = np.array([layer.gather(one[layer.source] * probability) for one in mass])
    return found


# -- The policy of a plan --------------------------------------------------------------------------------


class Situation(NamedTuple):
    """After `time` steps in `state`, which the monitor has read and is now in state `monitor`."""

    time: int
    monitor: int
    state: State


History = Path | Sequence[tuple[str, State]]  # (action, state reached), …
Where = History | tuple[int, int, State]
NOTHING_YET = Path((), complete=False)


@dataclass(frozen=True, eq=False)
class Worth:
    """What standing in each state after `time` steps is worth; M monitor states, S world states.

    Row m is for a task that was in monitor state m before the state was read. In a terminal state the
    episode is over.
    """

    time: int
    value: Floats  # [M, S], V
    satisfaction: Floats  # [M, S], the probability that the task will be satisfied


class Policy(Displayed):
    """What the agent of a plan does.

    A question is about a history, that is a `Path` or a list of (action, state reached), or about a
    situation (time, monitor, state), which need not be one that an episode can be in.

    >>> import demospec
    >>> problem = demospec.load_example("delivery")
    >>> task = demospec.DFA.parse(">0: parcel→1 | 1: home→2 | *2:", problem.alphabet)
    >>> policy = demospec.policy(problem, task)
    >>> {action: round(chance, 3) for action, chance in policy.action_probabilities().items()}
    {'ramp': 0.253, 'stairs': 0.219, 'wait': 0.385, 'go': 0.143}
    >>> history = [("ramp", "depot"), ("return", "hall")]
    >>> policy.situation(history)
    Situation(time=2, monitor=1, state='hall')
    >>> round(policy.action_probabilities(history)["go"], 3), round(policy.satisfaction(history), 4)
    (0.271, 0.9995)
    >>> round(policy.value((2, 1, "hall")) - policy.value(history), 9)
    0.0
    >>> visits = dict(zip(problem.mdp.states, policy.occupancy.visits.tolist()))
    >>> round(visits["depot"], 2), round(visits["out"], 2)
    (1.99, 0.2)
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.world, self.monitor = plan, plan.world, plan.monitor

    def __repr__(self) -> str:
        first = f"an agent of rationality {self.plan.rationality:g}"
        told = [f"Policy: {first} that succeeds with probability {self.plan.satisfaction_probability:.4f}"]
        for state, _ in self.world.starts:
            begin = Path((), complete=False, start=start_of(self.world, state))
            chances = sorted(self.action_probabilities(begin).items(), key=lambda item: -item[1])
            chosen = ", ".join(f"{action} {chance:.4f}" for action, chance in chances)
            told.append(f"at the start, in {show(self.world.name(state))}: {chosen}")
        return short(told)

    @cached_property
    def everywhere(self) -> Plan:
        """Return the plan for every situation, also for those in which no episode can be."""
        return TabularPlanner(by_numpy=True).plan(self.world, self.monitor, self.plan.rationality)

    @cached_property
    def occupancy(self) -> Occupancy:
        """Return how often the agent is where."""
        return Occupancy.of(self.plan)

    # -- histories --------------------------------------------------------------------------------

    def path(self, history: History, start: State | None = None) -> Path:
        """Return a history as a path, checked against the world; it is complete where it cannot go on."""
        if isinstance(history, Path):
            return history
        flat: list[str | State] = []
        for number, step in enumerate(history, start=1):
            if isinstance(step, str) or len(step) != 2:
                raise InputError(
                    f"a history is a list of (action, state reached); found {step!r}", place=f"step {number}"
                )
            flat += step
        try:
            return read_path(self.world, flat, complete=None, start=start)
        except DemonstrationError as error:
            raise InputError(error.message, place=f"step {error.step}") from None

    def situations(self, history: History = NOTHING_YET) -> list[Situation]:
        """Follow a history by reading the monitor: a situation at the start, and one after each step."""
        monitor, found = 0, []
        for time, state in enumerate(self.path(history).states(self.world)):
            monitor = self.plan.read(monitor, state)
            found.append(Situation(time, monitor, self.world.name(state)))
        return found

    def situation(self, history: History = NOTHING_YET) -> Situation:
        """Return where a history has led."""
        return self.situations(history)[-1]

    # -- questions --------------------------------------------------------------------------------

    def action_probabilities(self, where: Where = NOTHING_YET) -> dict[str, float]:
        """Return π of each action that is available."""
        plan, at, over = self._locate(where)
        if over:
            raise InputError(
                f"the episode is over after {at.time} steps in state {show(at.state)}: "
                "nothing is left to choose"
            )
        pairs, log_chance = choice_logs(plan, at.time, at.monitor, self._number(at.state))
        names = map(plan.world.action, pairs)
        return dict(zip(names, np.exp(log_chance).tolist(), strict=True))

    def is_over(self, where: Where = NOTHING_YET) -> bool:
        """Say whether nothing is left to choose."""
        return self._locate(where)[2]

    def value(self, where: Where = NOTHING_YET) -> float:
        """Return V; where the episode is over, λ for a task that is satisfied and 0 for one that is not."""
        plan, at, over = self._locate(where)
        if over:
            return plan.rationality * float(self.monitor.reward[at.monitor])
        return plan.value(at.time, at.monitor, self._number(at.state))

    def satisfaction(self, where: Where = NOTHING_YET) -> float:
        """Return the probability that the task will be satisfied when the episode ends."""
        plan, at, over = self._locate(where)
        if over:
            return float(self.monitor.reward[at.monitor])
        return plan.chance(ACCEPTED, at.time, at.monitor, self._number(at.state))

    def worth(self, time: int = 0) -> Worth:
        """Return what every state is worth after `time` steps, also where no episode can be by then."""
        self._check_time(time)
        mdp = self.world.listed()
        monitors, states = self.monitor.states, len(mdp.states)
        before, state = np.divmod(np.arange(monitors * states), states)
        read = self.plan.readings(before, state)
        satisfied = self.monitor.reward[read]
        value = self.plan.rationality * satisfied
        on = ~mdp.terminal[state]
        asked = np.full(int(on.sum()), time), read[on], state[on]
        value[on] = self.everywhere.values(*asked)
        satisfied[on] = self.everywhere.chances(ACCEPTED, *asked)
        return Worth(time, value.reshape(monitors, states), satisfied.reshape(monitors, states))

    # -- where a question is asked --------------------------------------------------------------------

    def _locate(self, where: Where) -> tuple[Plan, Situation, bool]:
        """Return the plan to ask, the situation, and whether the episode is over there."""
        if isinstance(where, tuple) and len(where) == 3 and isinstance(where[0], int):
            at = Situation(*where)
            self._check_time(at.time)
            if not 0 <= at.monitor < self.monitor.states:
                raise InputError(f"monitor state {at.monitor} is not between 0 and {self.monitor.states - 1}")
            if self.world.ends(self._number(at.state)):
                raise InputError(f"state {show(at.state)} is terminal: nothing is left to choose")
            return self.everywhere, at, False
        path = self.path(cast(History, where))
        at = self.situation(path)
        over = bool(path.steps) and self.world.end_chance(self._number(at.state), at.time) == 1
        return self.plan, at, over or path.complete

    def _number(self, state: State) -> int:
        number = self.world.find(state)
        if number is None:
            hint = nearest(str(state), map(str, self.world.names()))
            raise WorldError(f"state {show(state)} is not in this world{hint}")
        return number

    def _check_time(self, time: int) -> None:
        horizon = self.world.episode.horizon
        if not 0 <= time < horizon:
            raise InputError(
                f"time {time} is not between 0 and {horizon - 1}: after {horizon} steps an episode is over"
            )


# -- One plan for several tasks --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MixtureMonitor(Monitor):
    """The monitor of several tasks, M states; `accepting` are those in which all of them are satisfied.

    It has a label for each task beside the usual ones, of which no path is open or revocable.
    """

    satisfied: Bools  # [T, M]
    weighed: Floats  # [M], the weight of the tasks that are satisfied

    @classmethod
    def of(cls, mixture: Mixture) -> MixtureMonitor:
        satisfied = np.array(mixture.satisfied, dtype=np.bool_).T.copy()
        never = np.zeros(len(mixture.table), dtype=np.bool_)
        whole: Bools = np.logical_and.reduce(satisfied)
        return cls(mixture.alphabet, mixture.table, whole, never, never, satisfied, np.array(mixture.reward))

    @cached_property
    def reward(self) -> Floats:
        """Return [M]: the weight of the tasks that are satisfied."""
        return self.weighed

    @property
    def outputs(self) -> tuple[Bools | Floats, ...]:
        """Return, by label, [M]: the reward as what is accepted, open, revocable, then each task's marks."""
        return (self.reward, self.open, self.revocable, *self.satisfied)


class MixturePolicy(Policy):
    """What an agent does that must satisfy one of several tasks, and knows their weights alone.

    Everything that a `Policy` tells of its task is told of a task that is drawn by its weight; `chances` are
    told of each.
    """

    def __init__(self, plan: Plan, mixture: Mixture) -> None:
        super().__init__(plan)
        self.mixture = mixture

    @classmethod
    def planned(cls, planner: Planner, world: World, mixture: Mixture, rationality: float) -> MixturePolicy:
        """Plan for all tasks of a mixture together."""
        if not planner.abilities.rewards:
            raise WorldError(
                f"{type(planner).__name__} plans for one task at a time, not for the "
                f"{len(mixture.tasks)} of a belief together"
            )
        quick = planner.for_labels(ACCEPTED)
        return cls(quick.plan(world, MixtureMonitor.of(mixture), rationality), mixture)

    @property
    def labels(self) -> range:
        """Return the labels of the tasks, as a plan is asked for them."""
        return range(len(LABELS), len(LABELS) + len(self.mixture.tasks))

    @cached_property
    def satisfaction_probabilities(self) -> tuple[float, ...]:
        """Return how often the agent satisfies each task, over all that episodes can begin with."""
        return tuple(self.plan.expected_chance(label) for label in self.labels)

    def chances(self, where: Where = NOTHING_YET) -> tuple[float, ...]:
        """Return the probability that each task will be satisfied when the episode ends."""
        plan, at, over = self._locate(where)
        if over:
            return tuple(map(float, self.mixture.satisfied[at.monitor]))
        place = at.time, at.monitor, self._number(at.state)
        return tuple(plan.chance(label, *place) for label in self.labels)

    def __repr__(self) -> str:
        told = [
            f"MixturePolicy of {len(self.mixture.tasks)} tasks",
            f"an agent of rationality {self.plan.rationality:g}; what it satisfies has weight "
            f"{self.plan.satisfaction_probability:.4f} on average",
        ]
        each = zip(self.mixture.shares, self.satisfaction_probabilities, self.mixture.tasks, strict=True)
        return short(told + [f"weight {weight:.4f}, satisfied {p:.4f}: {task}" for weight, p, task in each])
