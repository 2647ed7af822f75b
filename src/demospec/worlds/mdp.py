"""Listed worlds: finite labelled Markov decision processes as arrays."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import accumulate
from operator import itemgetter
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from demospec.errors import WorldError
from demospec.tasks.propositions import letter_of
from demospec.tasks.showing import Displayed, short
from demospec.wording import count, listing, nearest
from demospec.worlds.world import (
    STOP,
    STOPPED,
    Episode,
    Event,
    Labels,
    Starts,
    State,
    check_costs,
    check_no_stop,
    only_start,
    propositions_in,
    show,
    start_names,
    unless_ones,
    with_events,
)

Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Manner(Protocol):
    """How an agent goes about its task: what a step costs it in nats, and how soon it fears the end."""

    @property
    def effort(self) -> float:
        """Return what a step of cost 1 costs the agent, in nats."""

    @property
    def haste(self) -> float:
        """Return how likely the agent takes every step to be the last."""


SUM_TOLERANCE = 1e-6  # probabilities typed with seven digits still sum to 1
ROUNDING = 1e-12  # a sum this near to 1 is 1: what was divided by its sum once is not divided again


@dataclass(frozen=True, eq=False, kw_only=True)
class MDP(Displayed):
    """A world that is written out.

    States, actions and state-action pairs are numbered. The pairs of state s are the numbers
    `pair_offset[s]` to `pair_offset[s + 1]`; the outcomes of pair p are `outcome_offset[p]` to
    `outcome_offset[p + 1]`. S states, P pairs, O outcomes.
    """

    states: tuple[State, ...]
    actions: tuple[str, ...]
    starts: Starts
    labels: tuple[str | None, ...]  # by state; None is white
    terminal: Bools  # [S]
    pair_offset: Ints  # [S + 1]
    pair_action: Ints  # [P]
    outcome_offset: Ints  # [P + 1]
    successor: Ints  # [O]
    probability: Floats  # [O], positive; each pair's sum to 1
    episode: Episode
    costs: Floats | None = None  # [P], of one unit of effort; None: every step costs 1
    toll: Floats | None = None  # [P], what each pair costs the agent in nats; None: nothing
    hurry: float = 0.0  # how likely the agent takes a step to be the last, beside the episode's own chance
    origin: str = ""  # where the world came from, in words; "" where it was written out

    def tolled(self, effort: float) -> MDP:
        """Return the world in which every step costs the agent so many nats, times the action's own cost."""
        return self._felt(effort, self.hurry)

    def felt_by(self, agent: Manner) -> MDP:
        """Return the world as an agent feels it: with what steps cost it, and how soon it fears the end."""
        return self._felt(agent.effort, agent.haste)

    def _felt(self, effort: float, haste: float) -> MDP:
        if not effort and self.toll is None and haste == self.hurry:
            return self
        kept: dict[tuple[float, float], MDP] = self.__dict__.setdefault("_kept", {})
        if (effort, haste) not in kept:
            toll = effort * self.unit_costs if effort else None
            kept[effort, haste] = replace(self, toll=toll, hurry=haste)
        return kept[effort, haste]

    @property
    def seen_end_probability(self) -> float:
        """Return the chance that the agent takes a step to be the last: 1 − (1 − end)·(1 − haste)."""
        end = self.episode.end_probability
        return end + (1.0 - end) * self.hurry

    @property
    def unit_costs(self) -> Floats:
        """Return [P], what each pair costs of one unit of effort."""
        return np.ones(len(self.pair_action)) if self.costs is None else self.costs

    @classmethod
    def build(
        cls,
        transitions: Iterable[tuple[State, str, Mapping[State, float]]],
        *,
        start: State | Mapping[State, float],
        episode: Episode,
        labels: Mapping[State, Labels] | None = None,
        terminal: Iterable[State] = (),
        states: Sequence[State] = (),
        actions: Sequence[str] = (),
        costs: Mapping[str, float] | None = None,
        events: Mapping[Event, Labels] | None = None,
    ) -> MDP:
        """Make an MDP from (state, action, {successor: probability}) rows, checking all of it.

        `start` is a state, or the probability of each state in which an episode may begin.
        States and actions are numbered in the order of `states` and `actions`, then as they occur. Where
        episodes end by choice, `stop` and the state that it leads to are added behind them. `costs` tells
        what actions cost, where that is not what is usual: see `priced`. A label is a letter, or the
        propositions that hold; `events` labels steps (state, action, successor) in the same way.
        """
        rows = [(state, action, dict(outcomes)) for state, action, outcomes in transitions]
        number: dict[State, int] = {}
        begin = dict(start) if isinstance(start, Mapping) else {start: 1.0}
        check_distribution(begin, "start")
        if events:
            rows, labels, terminal, gone = with_events(rows, labels or {}, terminal, events, begin)
            states = [state for state in states if state not in gone]
        for state in (*states, *begin, *(s for row in rows for s in (row[0], *row[2]))):
            number.setdefault(state, len(number))
        action_number: dict[str, int] = {}
        for action in (*actions, *(row[1] for row in rows)):
            action_number.setdefault(action, len(action_number))
        check_no_stop(episode, action_number)
        if episode.by_choice:
            if STOPPED in number:
                raise WorldError(f'"{STOPPED}" is what a stopped episode leads to; call the state otherwise')
            number[STOPPED], action_number[STOP] = len(number), len(action_number)

        def known(state: State, what: str) -> int:
            if state not in number:
                raise WorldError(
                    f"{what} {show(state)} is not a state of this world"
                    f"{nearest(str(state), map(str, number))}; states: {listing(map(show, number))}"
                )
            return number[state]

        ends = np.zeros(len(number), dtype=np.bool_)
        for state in (*terminal, *([STOPPED] if episode.by_choice else ())):
            ends[known(state, "terminal state")] = True
        names: list[str | None] = [None] * len(number)
        for state, label in (labels or {}).items():
            letter = letter_of(propositions_in(label)) if label else None
            if not letter:
                raise WorldError(f"the label of state {show(state)} is empty; leave a white state out")
            names[known(state, "labelled state")] = letter

        by_state: list[dict[int, dict[State, float]]] = [{} for _ in number]
        for state, action, outcomes in rows:
            pairs = by_state[number[state]]
            if action_number[action] in pairs:
                raise WorldError(f'state {show(state)} has two rows for action "{action}"')
            check_distribution(outcomes, f'state {show(state)}, action "{action}"')
            pairs[action_number[action]] = outcomes
        for state, k in number.items():
            if ends[k]:
                by_state[k] = {}  # nothing can be done after the end
            elif not by_state[k]:
                raise WorldError(
                    f"state {show(state)} has no actions and is not terminal; "
                    "give it a row in transitions, or list it in terminal"
                )
            elif episode.by_choice:
                by_state[k][action_number[STOP]] = {STOPPED: 1.0}
        for state in begin:
            if ends[number[state]]:
                raise WorldError(f"the start state {show(state)} is terminal: no episode could take a step")

        offered = [pair for pairs in by_state for pair in sorted(pairs.items(), key=itemgetter(0))]
        led = [normalized(outcomes) for _, outcomes in offered]
        made = cls(
            states=tuple(number),
            actions=tuple(action_number),
            starts=tuple((number[state], chance) for state, chance in normalized(begin).items()),
            labels=tuple(names),
            terminal=ends,
            pair_offset=np.array([0, *accumulate(map(len, by_state))], dtype=np.intp),
            pair_action=np.array([action for action, _ in offered], dtype=np.intp),
            outcome_offset=np.array([0, *accumulate(map(len, led))], dtype=np.intp),
            successor=np.array([number[target] for found in led for target in found], dtype=np.intp),
            probability=np.array([p for found in led for p in found.values()], dtype=np.float64),
            episode=episode,
        )
        return made.priced(costs or {})

    def __repr__(self) -> str:
        ends, states = self.episode.end_probability, len(self.states) - self.episode.by_choice
        told = f"{type(self).__name__}: {count(states, 'state')}, actions {listing(self.actions)}, letters "
        until = f"starts in {start_names(self)}; episodes of at most {count(self.horizon, 'step')}"
        until += f", each step ends one with probability {ends:g}" if ends else ""
        until += ", or until the agent stops" if self.episode.by_choice else ""
        return short([told + listing(self.letters), until])

    @cached_property
    def number(self) -> dict[State, int]:
        """Return the number of each state."""
        return {state: k for k, state in enumerate(self.states)}

    @property
    def horizon(self) -> int:
        """Return after how many steps an episode surely ends."""
        return self.episode.horizon

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Return the labels that occur, sorted."""
        return tuple(sorted({label for label in self.labels if label is not None}))

    def letter_numbers(self, alphabet: Sequence[str]) -> Ints:
        """Return [S]: the number of each state's label in an alphabet; white comes after all letters."""
        if unknown := set(self.letters) - set(alphabet):
            raise WorldError(f'the world has the label "{min(unknown)}", which no task reads')
        number: dict[str | None, int] = {letter: k for k, letter in enumerate(alphabet)}
        number[None] = len(alphabet)
        return np.array([number[label] for label in self.labels], dtype=np.intp)

    @property
    def start(self) -> int:
        """Return the only start state; refuse a world with several."""
        return only_start(self)

    @property
    def usual_costs(self) -> dict[str, float]:
        """Return what each action costs unless told otherwise: 1, nothing where it is idle or stops.

        Idle is an action that changes nothing: wherever it is available, it surely stays.
        """
        owner = np.repeat(np.arange(len(self.states)), np.diff(self.pair_offset))
        stays = (np.diff(self.outcome_offset) == 1) & (self.successor[self.outcome_offset[:-1]] == owner)
        idle = set(self.pair_action.tolist()) - set(self.pair_action[~stays].tolist())
        free = {self.actions[k] for k in idle} | ({STOP} if self.episode.by_choice else set())
        return {action: 0.0 if action in free else 1.0 for action in self.actions}

    @property
    def action_costs(self) -> dict[str, float]:
        """Return what each action costs that some state offers; refuse one whose costs differ by state."""
        costs: dict[str, float] = {}
        for number, action in enumerate(self.actions):
            found = np.unique(self.unit_costs[self.pair_action == number]).tolist()
            if len(found) > 1:
                raise WorldError(
                    f'the action "{action}" costs {found[0]:g} in one state and {found[-1]:g} in another; '
                    "costs are told by action"
                )
            if found:
                costs[action] = found[0]
        return costs

    def priced(self, told: Mapping[str, float]) -> Self:
        """Return the world in which actions cost what is told, and all others what is usual."""
        check_costs(told, self.actions, by_choice=self.episode.by_choice)
        prices = {**self.usual_costs, **told}
        by_pair = np.array([prices[action] for action in self.actions])[self.pair_action]
        return replace(self, costs=unless_ones(by_pair))

    def cost(self, pair: int) -> float:
        """Return what choosing a pair costs, in units of the agent's effort."""
        return 1.0 if self.costs is None else self.costs.item(pair)

    def listed(self) -> MDP:
        return self

    def name(self, state: int) -> State:
        return self.states[state]

    def names(self) -> tuple[State, ...]:
        """Return the names of all states."""
        return self.states

    def find(self, name: State) -> int | None:
        """Return the number of the state with a name; None where there is no such state."""
        return self.number.get(name)

    def label(self, state: int) -> str | None:
        """Return a state's label; None is white."""
        return self.labels[state]

    def ends(self, state: int) -> bool:
        """Say whether a state is terminal."""
        return self._ends[state]

    def action(self, pair: int) -> str:
        """Return the name of a pair's action."""
        return self.actions[self.pair_action.item(pair)]

    def pairs(self, state: int) -> range:
        """Return the numbers of a state's state-action pairs."""
        return range(self.pair_offset.item(state), self.pair_offset.item(state + 1))

    def available(self, state: int) -> tuple[str, ...]:
        """Return the names of a state's actions."""
        return tuple(self.actions[self.pair_action[pair]] for pair in self.pairs(state))

    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        """Return the possible successors of a state-action pair with their probabilities."""
        known = self._outcomes.get(pair)
        if known is None:
            span = slice(int(self.outcome_offset[pair]), int(self.outcome_offset[pair + 1]))
            known = list(zip(self.successor[span].tolist(), self.probability[span].tolist(), strict=True))
            self._outcomes[pair] = known
        return known

    @cached_property
    def _outcomes(self) -> dict[int, list[tuple[int, float]]]:
        return {}

    @cached_property
    def _ends(self) -> list[bool]:
        return list(map(bool, self.terminal))

    def end_chance(self, state: int, steps: int) -> float:
        """Return the probability that an episode ends on reaching `state` with its `steps`-th step."""
        episode = self.episode  # a sampler asks thousands of times
        return 1.0 if self._ends[state] or steps >= episode.horizon else episode.end_probability


Name = TypeVar("Name", bound=Hashable)


def normalized(chances: Mapping[Name, float]) -> dict[Name, float]:
    """Return probabilities that sum to 1, but for rounding, without those that are 0."""
    total = math.fsum(chances.values())
    if abs(total - 1) <= ROUNDING:
        total = 1.0
    return {name: chance / total for name, chance in chances.items() if chance > 0}


Made = TypeVar("Made", bound=MDP)


def as_world_kind(world: MDP, kind: type[Made], **more: Any) -> Made:
    """Return a world as one of another kind, which knows more."""
    return kind(**{**{one.name: getattr(world, one.name) for one in fields(world)}, **more})


def check_distribution(outcomes: Mapping[Any, float], place: str) -> None:
    """Refuse outcomes that are not a probability distribution."""
    if not outcomes:
        raise WorldError(f"{place}: no outcomes")
    for target, chance in outcomes.items():
        if not 0 <= chance <= 1:
            raise WorldError(f"{place}: the probability of {show(target)} is {chance:g}, not between 0 and 1")
    total = math.fsum(outcomes.values())
    if abs(total - 1) > SUM_TOLERANCE:
        raise WorldError(f"{place}: probabilities sum to {total:.9g}, not 1")


def spans(offset: Ints, chosen: Ints) -> Ints:
    """Return the numbers offset[i] … offset[i + 1] of all chosen i, one behind the other."""
    count = offset[chosen + 1] - offset[chosen]
    ends = np.cumsum(count)
    return np.repeat(offset[chosen + 1] - ends, count) + np.arange(ends[-1] if len(ends) else 0)
