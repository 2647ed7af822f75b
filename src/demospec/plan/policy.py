"""The policy of a plan: what the agent does after a history, and what a situation is worth.

ln π(a | ξ) = Q(ξ·a) − V(ξ)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeGuard, cast

import numpy as np

from demospec.errors import DemonstrationError, InputError, WorldError, nearest
from demospec.plan.base import ACCEPTED, Plan
from demospec.plan.occupancy import Occupancy, choices
from demospec.plan.tabular import TabularPlanner
from demospec.tasks.showing import html_of, short
from demospec.worlds.mdp import Floats
from demospec.worlds.paths import Path, read_path, start_of
from demospec.worlds.world import State, show


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


class Policy:
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

    def _repr_html_(self) -> str | None:
        return html_of(self)

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
        pairs, log_chance = choices(plan, at.time, at.monitor, self._number(at.state))
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
        if is_situation(where):
            return self.everywhere, self._check(Situation(*where)), False
        path = self.path(cast(History, where))
        at = self.situation(path)
        over = bool(path.steps) and self.world.end_chance(self._number(at.state), at.time) == 1
        return self.plan, at, over or path.complete

    def _check(self, at: Situation) -> Situation:
        """Refuse a situation in which nobody can choose."""
        self._check_time(at.time)
        if not 0 <= at.monitor < self.monitor.states:
            raise InputError(f"monitor state {at.monitor} is not between 0 and {self.monitor.states - 1}")
        if self.world.ends(self._number(at.state)):
            raise InputError(f"state {show(at.state)} is terminal: nothing is left to choose")
        return at

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


def is_situation(where: object) -> TypeGuard[tuple[int, int, State]]:
    """Tell a situation from a history.

    >>> is_situation((0, 1, "hall")), is_situation([("go", "hall"), ("go", "hall"), ("go", "hall")])
    (True, False)
    """
    return isinstance(where, tuple) and len(where) == 3 and isinstance(where[0], int)
