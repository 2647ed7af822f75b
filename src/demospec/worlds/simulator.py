"""Worlds that can be played but not looked into: they are estimated from counts of what happened."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

import numpy as np

from demospec.errors import DemonstrationError, InputError, PastTheEnd, UnavailableAction, WorldError
from demospec.wording import listing, nearest
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.world import STOP, STOPPED, Episode, State, show, unless_ones


class Simulator(Protocol):
    """A world that can only be played, in the spirit of Gymnasium.

    A simulator may also have `cost(state, action)`; without, every step costs 1.

    `episode` says how episodes end besides: after `horizon` steps, or by chance. Neither is the simulator's
    business: it is reset when the horizon is reached, and need not end anything by chance.
    """

    @property
    def episode(self) -> Episode:
        """Return after how many steps an episode surely ends, and how likely it does after each step."""

    def reset(self) -> State:
        """Begin an episode; return the start state, the same every time."""

    def step(self, action: str) -> tuple[State, bool]:
        """Take an action; return the state reached, and whether the episode ends there."""

    def actions(self, state: State) -> Sequence[str]:
        """Return the actions that a state offers; it is asked only about states that go on."""

    def label(self, state: State) -> str | None:
        """Return a state's label; None is white."""


class WorldSimulator:
    """A known world, offered as a simulator only."""

    def __init__(self, mdp: MDP, *, seed: int = 0) -> None:
        self.mdp = mdp
        self._rng = np.random.default_rng(seed)
        self._state = mdp.start
        self._pair = [
            dict(zip(mdp.available(state), mdp.pairs(state), strict=True)) for state in range(len(mdp.states))
        ]
        self._reached: list[tuple[list[int], list[float]]] = []
        for pair in range(len(mdp.pair_action)):
            states, chances = zip(*mdp.outcomes(pair), strict=True)
            self._reached.append((list(states), list(accumulate(chances))[:-1]))

    @property
    def episode(self) -> Episode:
        return self.mdp.episode

    def reset(self) -> State:
        self._state = self.mdp.start
        return self.mdp.states[self._state]

    def step(self, action: str) -> tuple[State, bool]:
        states, chances = self._reached[self._pair[self._state][action]]
        self._state = states[bisect_right(chances, self._rng.random()) if chances else 0]
        return self.mdp.states[self._state], bool(self.mdp.terminal[self._state])

    def actions(self, state: State) -> Sequence[str]:
        """Return the actions that a state offers."""
        return self.mdp.available(self.mdp.number[state])

    def cost(self, state: State, action: str) -> float:
        """Return what an action costs in a state."""
        return self.mdp.cost(self._pair[self.mdp.number[state]][action])

    def label(self, state: State) -> str | None:
        return self.mdp.labels[self.mdp.number[state]]


# -- Play a simulator, count what happens, and estimate the world from the counts ------------------------

AT_RANDOM = 0.1  # share of the actions that are drawn uniformly
PATIENCE = 1.1  # the way to what is rarely tried is planned again after so many times the steps


@dataclass(frozen=True)
class Run:
    """A demonstration as it was shown: action, state, action, state, … after the start; complete or not."""

    path: Sequence[str | State]
    complete: bool


def estimate(simulator: Simulator, *, steps: int, seed: int = 0, runs: Sequence[Run] = ()) -> EstimatedMDP:
    """Estimate a world from so many steps of a simulator; what happened in `runs` counts too.

    What a demonstration shows has therefore a positive probability, however rare it is.
    """
    return next(estimates(simulator, steps=steps, seed=seed, runs=runs))


def estimates(
    simulator: Simulator, *, steps: int, seed: int = 0, runs: Sequence[Run] = ()
) -> Iterator[EstimatedMDP]:
    """Yield better and better estimates, each from so many more steps."""
    if steps < 1:
        raise InputError(f"a world is estimated from at least 1 step; found {steps}")
    experience, rng = Experience(simulator), np.random.default_rng(seed)
    while True:
        experience.explore(rng, steps)
        yield experience.including(runs).world()


class Experience:
    """Counts of what was seen of a simulator.

    The end of an episode in a state is a state of its own: the episode may go on there another time.
    States and actions that are given are numbered first, in their order. With `several_starts` episodes may
    begin in one of several states, whose shares are counted too.
    """

    def __init__(
        self,
        simulator: Simulator,
        *,
        states: Sequence[State] = (),
        actions: Sequence[str] = (),
        several_starts: bool = False,
    ) -> None:
        self.simulator = simulator
        self.several_starts = several_starts
        self.steps = 0
        self._begun: dict[int, int] = {}  # by number of a state: how many episodes began there
        self._number: dict[tuple[State, bool], int] = {}  # by state and whether the episode ended there
        self._labels: list[str | None] = []  # by number of a state
        self._pairs: list[range] = []  # by number of a state
        self._actions = {action: number for number, action in enumerate(actions)}
        self._action: list[str] = []  # by state-action pair
        self._reached: list[dict[int, int]] = []  # by pair: the number of a state → how often
        self._tries: list[int] = []  # by pair
        for state in states:
            self._find(state, ended=not simulator.actions(state))
        self._start = simulator.reset()
        self._find(self._start, ended=False)
        if simulator.episode.by_choice and STOP not in simulator.actions(self._start):
            raise WorldError(
                f'episodes end by choice, but the simulator has no action "{STOP}"; let them end by chance, '
                "and tell runs that were stopped as not complete"
            )

    def _find(self, state: State, *, ended: bool) -> int:
        """Return the number of a state, a new one where it was not seen before."""
        found = self._number.get((state, ended))
        if found is not None:
            return found
        offered = () if ended else tuple(self.simulator.actions(state))
        if not ended and not offered:
            raise WorldError(f"state {show(state)} does not end an episode, but offers no action")
        for action in offered:
            self._actions.setdefault(action, len(self._actions))
        self._labels.append(self.simulator.label(state))
        first = len(self._action)
        self._action += sorted(offered, key=self._actions.__getitem__)
        self._pairs.append(range(first, len(self._action)))
        self._reached += [{} for _ in offered]
        self._tries += [0] * len(offered)
        self._number[state, ended] = len(self._number)
        return self._number[state, ended]

    def _count(self, pair: int, reached: int) -> None:
        self._reached[pair][reached] = self._reached[pair].get(reached, 0) + 1
        self._tries[pair] += 1

    def including(self, runs: Sequence[Run]) -> Experience:
        """Return the experience with what happened in demonstrations counted too."""
        found = copy(self)
        for name in ("_number", "_labels", "_pairs", "_actions", "_action", "_tries"):
            setattr(found, name, copy(getattr(self, name)))
        found._reached = [dict(seen) for seen in self._reached]
        for number, run in enumerate(runs, start=1):
            found._add(run, number)
        return found

    def _add(self, run: Run, demonstration: int) -> None:
        if len(run.path) % 2:
            raise DemonstrationError(
                f"the path has {len(run.path)} entries; it must alternate action, state, and end in a state",
                demonstration=demonstration,
            )
        at, steps = self._find(self._start, ended=False), len(run.path) // 2
        for step in range(1, steps + 1):
            action, state = run.path[2 * step - 2 : 2 * step]
            offered = {self._action[pair]: pair for pair in self._pairs[at]}
            if not isinstance(action, str) or action not in offered:
                raise UnavailableAction(
                    f'action "{action}" is not available{nearest(str(action), offered)}; '
                    f"available: {listing(offered)}",
                    demonstration=demonstration,
                    step=step,
                )
            pair = offered[action]
            ended = run.complete and step == steps and self._ends(pair, state, step)
            if not ended and (state, False) not in self._number and not self.simulator.actions(state):
                raise PastTheEnd(
                    f"the path does not end in state {show(state)}, but the state offers no action",
                    demonstration=demonstration,
                    step=step,
                )
            at = self._find(state, ended=ended)
            self._count(pair, at)
        episode = self.simulator.episode
        if episode.by_choice and run.complete and steps < episode.horizon and self._pairs[at]:
            (pair,) = [pair for pair in self._pairs[at] if self._action[pair] == STOP]  # it was stopped
            self._count(pair, self._find(STOPPED, ended=True))

    def _ends(self, pair: int, state: State, step: int) -> bool:
        """Say whether a demonstration that is complete ended because of its last state.

        Else it did by chance, or at the horizon, which the estimated world does by itself.
        """
        episode = self.simulator.episode
        if episode.by_choice:
            return not self.simulator.actions(state)
        if episode.end_probability == 0 and step < episode.horizon:
            return True
        if (state, False) in self._number:
            return self._number.get((state, True), -1) in self._reached[pair]
        return (state, True) in self._number or not self.simulator.actions(state)

    def explore(self, rng: np.random.Generator, steps: int) -> None:
        """Play so many steps: towards pairs that were rarely tried, now and then at random."""
        horizon, until, planned = self.simulator.episode.horizon, self.steps + steps, self.steps
        ahead: list[list[float]] = []
        while self.steps < until:
            if self.steps >= planned:
                ahead = self._novelty_ahead()
                planned = max(self.steps + horizon, int(self.steps * PATIENCE))
            state = self.simulator.reset()
            if state != self._start and not self.several_starts:
                raise WorldError(
                    f"an episode began in state {show(self._start)}, another in {show(state)}; "
                    "a world has one start state"
                )
            at = self._find(state, ended=False)
            self._begun[at] = self._begun.get(at, 0) + 1
            for time in range(min(horizon, until - self.steps)):
                options = self._pairs[at]
                if rng.random() < AT_RANDOM:
                    pair = options[int(rng.random() * len(options))]
                else:
                    later, most = ahead[time], horizon - 1.0 - time
                    worth = [
                        1 / math.sqrt(1 + self._tries[p]) + (later[p] if p < len(later) else most)
                        for p in options
                    ]
                    pair = options[worth.index(max(worth))]
                state, ended = self.simulator.step(self._action[pair])
                at = self._find(state, ended=ended)
                self._count(pair, at)
                self.steps += 1
                if ended:
                    break

    def _novelty_ahead(self) -> list[list[float]]:
        """Return [H, P]: the novelty that can be met after choosing a pair at a time, as far as is known.

        A pair that was tried n times has the novelty 1/√(1 + n). One that was never tried promises the most.
        """
        horizon = self.simulator.episode.horizon
        world = self.world()
        tries, deciding = world.tries, np.flatnonzero(~world.terminal)
        value, ahead = np.zeros(len(world.states)), []
        for left in range(horizon):
            later = np.add.reduceat(world.probability * value[world.successor], world.outcome_offset[:-1])
            later[tries == 0] = left
            ahead.append(later.tolist())
            value[deciding] = np.maximum.reduceat(
                later + 1 / np.sqrt(1 + tries), world.pair_offset[:-1][deciding]
            )
        return ahead[::-1]

    def world(self) -> EstimatedMDP:
        """Return the world of the counts so far.

        Where an episode ended in a state in which others went on, its end is named "… (end)".
        """
        states = [
            f"{state} (end)" if ended and (state, False) in self._number else state
            for state, ended in self._number
        ]
        if len(set(states)) < len(states):
            twice = next(state for state in states if states.count(state) > 1)
            raise WorldError(f"{show(twice)} is the name of a state, and of the end in another one")
        stays = [{number: 0} for number, pairs in enumerate(self._pairs) for _ in pairs]
        outcomes = [sorted((seen or stay).items()) for seen, stay in zip(self._reached, stays, strict=True)]
        fan = [len(found) for found in outcomes]
        begun = self._begun if self.several_starts and self._begun else {self._number[self._start, False]: 1}
        counts = np.array([count for found in outcomes for _, count in found], dtype=np.float64)
        shares = np.maximum(counts, 1.0) / np.repeat(np.maximum(self._tries, 1.0), fan)
        return EstimatedMDP(
            states=tuple(states),
            actions=tuple(self._actions),
            starts=tuple((state, times / sum(begun.values())) for state, times in sorted(begun.items())),
            labels=tuple(self._labels),
            terminal=np.array([ended for _, ended in self._number], dtype=np.bool_),
            pair_offset=np.array([0, *(pairs.stop for pairs in self._pairs)], dtype=np.intp),
            pair_action=np.array([self._actions[action] for action in self._action], dtype=np.intp),
            outcome_offset=np.concatenate([[0], np.cumsum(fan)]).astype(np.intp),
            successor=np.array([reached for found in outcomes for reached, _ in found], dtype=np.intp),
            probability=shares,
            episode=self.simulator.episode,
            costs=self._costs(),
            counts=counts,
        )

    def _costs(self) -> Floats | None:
        price = getattr(self.simulator, "cost", None)
        if price is None:
            return None
        owners = [state for (state, _), pairs in zip(self._number, self._pairs, strict=True) for _ in pairs]
        return unless_ones(np.array(list(map(price, owners, self._action)), dtype=np.float64))
