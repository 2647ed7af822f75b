"""Finite labelled Markov decision processes as arrays, and how an episode ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from demospec.errors import WorldError, count, listing, nearest
from demospec.tasks.showing import html_of, short

State = str | tuple[int, int]
Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

SUM_TOLERANCE = 1e-6  # probabilities typed with seven digits still sum to 1


@dataclass(frozen=True, kw_only=True)
class Episode:
    """How an episode ends: surely after `horizon` steps, before that by chance after each step.

    States marked terminal end it too; they belong to the world. All three lead to the paper's `$`.
    """

    horizon: int
    end_probability: float = 0.0

    def __post_init__(self) -> None:
        if self.horizon < 1:
            raise WorldError(f"the horizon must be at least 1 step; found {self.horizon}")
        if not 0 <= self.end_probability < 1:
            raise WorldError(
                f"the end probability must be at least 0 and below 1; found {self.end_probability:g}"
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class MDP:
    """A finite labelled MDP.

    States, actions and state-action pairs are numbered. The pairs of state s are the numbers
    `pair_offset[s]` to `pair_offset[s + 1]`; the outcomes of pair p are `outcome_offset[p]` to
    `outcome_offset[p + 1]`. S states, P pairs, O outcomes.
    """

    states: tuple[State, ...]
    actions: tuple[str, ...]
    start: int
    labels: tuple[str | None, ...]  # by state; None is white
    terminal: Bools  # [S]
    pair_offset: Ints  # [S + 1]
    pair_action: Ints  # [P]
    outcome_offset: Ints  # [P + 1]
    successor: Ints  # [O]
    probability: Floats  # [O], positive; each pair's sum to 1
    episode: Episode

    @classmethod
    def build(
        cls,
        transitions: Iterable[tuple[State, str, Mapping[State, float]]],
        *,
        start: State,
        episode: Episode,
        labels: Mapping[State, str] | None = None,
        terminal: Iterable[State] = (),
        states: Sequence[State] = (),
        actions: Sequence[str] = (),
    ) -> MDP:
        """Make an MDP from (state, action, {successor: probability}) rows, checking all of it.

        States and actions are numbered in the order of `states` and `actions`, then as they occur.
        """
        rows = [(state, action, dict(outcomes)) for state, action, outcomes in transitions]
        number: dict[State, int] = {}
        for state in (*states, start, *(s for row in rows for s in (row[0], *row[2]))):
            number.setdefault(state, len(number))
        action_number: dict[str, int] = {}
        for action in (*actions, *(row[1] for row in rows)):
            action_number.setdefault(action, len(action_number))

        def known(state: State, what: str) -> int:
            if state not in number:
                raise WorldError(
                    f"{what} {show(state)} is not a state of this world"
                    f"{nearest(str(state), map(str, number))}; states: {listing(map(show, number))}"
                )
            return number[state]

        ends = np.zeros(len(number), dtype=np.bool_)
        for state in terminal:
            ends[known(state, "terminal state")] = True
        names: list[str | None] = [None] * len(number)
        for state, label in (labels or {}).items():
            if not label:
                raise WorldError(f"the label of state {show(state)} is empty; leave a white state out")
            names[known(state, "labelled state")] = label

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
        if ends[number[start]]:
            raise WorldError(f"the start state {show(start)} is terminal: no episode could take a step")

        pair_offset, pair_action, outcome_offset = [0], [], [0]
        successor: list[int] = []
        probability: list[float] = []
        for pairs in by_state:
            for action_index, outcomes in sorted(pairs.items()):
                total = math.fsum(outcomes.values())
                for target, chance in outcomes.items():
                    if chance > 0:
                        successor.append(number[target])
                        probability.append(chance / total)
                pair_action.append(action_index)
                outcome_offset.append(len(successor))
            pair_offset.append(len(pair_action))
        return cls(
            states=tuple(number),
            actions=tuple(action_number),
            start=number[start],
            labels=tuple(names),
            terminal=ends,
            pair_offset=np.array(pair_offset, dtype=np.intp),
            pair_action=np.array(pair_action, dtype=np.intp),
            outcome_offset=np.array(outcome_offset, dtype=np.intp),
            successor=np.array(successor, dtype=np.intp),
            probability=np.array(probability, dtype=np.float64),
            episode=episode,
        )

    def __repr__(self) -> str:
        ends, start = self.episode.end_probability, show(self.states[self.start])
        by_chance = f", each step ends one with probability {ends:g}" if ends else ""
        states, steps = count(len(self.states), "state"), count(self.horizon, "step")
        actions, letters = listing(self.actions), listing(self.letters)
        return short(
            [
                f"{type(self).__name__}: {states}, actions {actions}, letters {letters}",
                f"starts in {start}; episodes of at most {steps}{by_chance}",
            ]
        )

    def _repr_html_(self) -> str | None:
        return html_of(self)

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
        ends: list[bool] = self.terminal.tolist()
        return ends

    def end_chance(self, state: int, steps: int) -> float:
        """Return the probability that an episode ends on reaching `state` with its `steps`-th step."""
        episode = self.episode
        return 1.0 if self._ends[state] or steps >= episode.horizon else episode.end_probability


def check_distribution(outcomes: Mapping[State, float], place: str) -> None:
    """Refuse outcomes that are not a probability distribution."""
    if not outcomes:
        raise WorldError(f"{place}: no outcomes")
    for target, chance in outcomes.items():
        if not 0 <= chance <= 1:
            raise WorldError(f"{place}: the probability of {show(target)} is {chance:g}, not between 0 and 1")
    total = math.fsum(outcomes.values())
    if abs(total - 1) > SUM_TOLERANCE:
        raise WorldError(f"{place}: probabilities sum to {total:.9g}, not 1")


def show(state: State) -> str:
    """Write a state for a message.

    >>> show((3, 1)), show("s0")
    ('(3, 1)', '"s0"')
    """
    return f'"{state}"' if isinstance(state, str) else str(state)
