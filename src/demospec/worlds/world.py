"""What a world is: states and actions that are told by numbers, outcomes by chance, labels, and an end.

Everything that follows one path at a time (demonstrations, prefix trees, samplers) asks a world no more than
`World` says. Planners that sweep over all states at once ask for the world `listed()` as arrays.

An event, such as "fell", is the label of a step from one state to another. A state that is reached with an
event is a state of its own, which has the event among its propositions and
goes on as the place does: `36 · fell` is state 36, just after a fall. Paths may name the place alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from demospec.errors import WorldError
from demospec.tasks.propositions import letter_of, propositions_of
from demospec.wording import listing, nearest

if TYPE_CHECKING:
    from demospec.worlds.mdp import MDP

State = str | tuple[int, int]
Starts = tuple[tuple[int, float], ...]  # states in which episodes begin, and how often
Ends = Literal["by chance", "by choice"]
ENDS: tuple[Ends, ...] = get_args(Ends)
STOP = "stop"  # the action that ends an episode by choice
STOPPED = "(stopped)"  # the state that it leads to


@dataclass(frozen=True, kw_only=True)
class Episode:
    """How an episode ends: surely after `horizon` steps, before that by chance after each step.

    States marked terminal end it too; they belong to the world. All three lead to the paper's `$`. With
    `ends="by choice"` nothing ends by chance: every state that is not terminal has the free action `stop`, a
    step that surely leads to one white terminal state, `(stopped)`.
    """

    horizon: int
    end_probability: float = 0.0
    ends: Ends = "by chance"

    def __post_init__(self) -> None:
        if self.horizon < 1:
            raise WorldError(f"the horizon must be at least 1 step; found {self.horizon}")
        if self.ends not in ENDS:
            raise WorldError(
                f'an episode ends "by chance" or "by choice"; found "{self.ends}"{nearest(self.ends, ENDS)}'
            )
        if not 0 <= self.end_probability < 1:
            raise WorldError(
                f"the end probability must be at least 0 and below 1; found {self.end_probability:g}"
            )
        if self.by_choice and self.end_probability > 0:
            raise WorldError(
                f"the end probability is {self.end_probability:g}, but episodes end by choice: whether a run "
                "was stopped or ended by chance could not be told; leave it out"
            )

    @property
    def by_choice(self) -> bool:
        """Say whether the agent decides when an episode ends."""
        return self.ends == "by choice"


class World(Protocol):
    """A labelled Markov decision process. `demospec.testing.world_checks.check_world` checks your own.

    States and state-action pairs are numbered, all of them beforehand or as they are first met.
    """

    @property
    def episode(self) -> Episode:
        """Return how episodes end, besides in terminal states."""

    @property
    def starts(self) -> Starts:
        """Return the states in which episodes begin, each with its probability."""

    @property
    def actions(self) -> tuple[str, ...]:
        """Return the names of all actions."""

    @property
    def letters(self) -> tuple[str, ...]:
        """Return the labels that states can have, sorted."""

    def pairs(self, state: int) -> range:
        """Return the numbers of a state's state-action pairs; none in a terminal state."""

    def action(self, pair: int) -> str:
        """Return the name of a pair's action."""

    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        """Return the states that a pair can lead to with their probabilities."""

    def cost(self, pair: int) -> float:
        """Return what choosing a pair costs, in units of the agent's effort: 1 unless told otherwise."""
        return 1.0

    def label(self, state: int) -> str | None:
        """Return a state's label; None is white."""

    def ends(self, state: int) -> bool:
        """Say whether reaching a state ends the episode: whether it is terminal."""

    def end_chance(self, state: int, steps: int) -> float:
        """Return the probability that an episode ends on reaching `state` with its `steps`-th step."""

    def name(self, state: int) -> State:
        """Return a state's name."""

    def find(self, name: State) -> int | None:
        """Return the number of the state with a name; None where the world has no such state."""

    def names(self) -> Iterable[State]:
        """Return the names of the states that are known so far, for messages."""

    def listed(self) -> MDP:
        """Return the world as arrays, with numbers of its own; refuse where its states are too many."""


def only_start(world: World) -> int:
    """Return the state in which all episodes begin; refuse a world with several."""
    if len(world.starts) > 1:
        raise WorldError(f"the world has {len(world.starts)} start states: {start_names(world)}; say which")
    return world.starts[0][0]


def start_names(world: World) -> str:
    """Name the start states for a message."""
    return listing(show(world.name(state)) for state, _ in world.starts)


def pairs_by_action(world: World, state: int) -> dict[str, int]:
    """Return the pairs of a state by the names of their actions."""
    return {world.action(pair): pair for pair in world.pairs(state)}


def stops(world: World, pair: int) -> bool:
    """Say whether a pair is the choice to end the episode."""
    return world.episode.by_choice and world.action(pair) == STOP


def is_stopped(world: World, state: int) -> bool:
    """Say whether a state is the one that `stop` leads to: no place of the world, and not shown as one."""
    return world.episode.by_choice and world.name(state) == STOPPED


def end_chance(world: World, state: int, steps: int) -> float:
    """Return the probability that an episode ends on reaching `state` with its `steps`-th step."""
    episode = world.episode
    return 1.0 if world.ends(state) or steps >= episode.horizon else episode.end_probability


def show(state: State) -> str:
    """Write a state for a message.

    >>> show((3, 1)), show("s0")
    ('(3, 1)', '"s0"')
    """
    return f'"{state}"' if isinstance(state, str) else str(state)


# -- What actions cost, in units of the agent's effort ---------------------------------------------------

Floats = npt.NDArray[np.float64]


def check_costs(told: Mapping[str, float], actions: Iterable[str], *, by_choice: bool) -> None:
    """Refuse costs of actions that there are not, costs that are no price, and a price of stopping."""
    known = list(actions)
    for action, cost in told.items():
        if by_choice and action == STOP:
            raise WorldError(f'"{STOP}" is free where episodes end by choice; found a cost of {cost:g}')
        if action not in known:
            raise WorldError(
                f'"{action}" has a cost, but is not an action{nearest(action, known)}; '
                f"actions: {listing(known)}"
            )
        if not (math.isfinite(cost) and cost >= 0):
            raise WorldError(f'the cost of "{action}" must be at least 0, and finite; found {cost:g}')


def check_no_stop(episode: Episode, actions: Iterable[str]) -> None:
    """Refuse an action of the name `stop` where that is the choice to end the episode."""
    if episode.by_choice and STOP in actions:
        raise WorldError(
            f'the world has an action "{STOP}" of its own, but with ends = "by choice" the choice to end the '
            "episode has this name; give the action another one, or let episodes end by chance"
        )


def unless_ones(costs: Floats) -> Floats | None:
    """Return costs; None where all are 1, so that worlds without costs are alike."""
    return None if np.all(costs == 1) else costs


# -- Labels of events ------------------------------------------------------------------------------------

MARK = " · "  # between a place and what happened on the way there

Row = tuple[State, str, dict[State, float]]
Event = tuple[State, str, State]  # a state, an action, and the state that it led to
Labels = str | Iterable[str]


def propositions_in(label: Labels) -> tuple[str, ...]:
    """Return the propositions that a label says: a letter, or several of them."""
    return propositions_of(label) if isinstance(label, str) else tuple(label)


def after(place: State, event: Labels) -> str:
    """Name the state that is reached with an event.

    >>> after("36", "fell"), after((3, 1), ["slipped", "fell"])
    ('36 · fell', '(3, 1) · fell&slipped')
    """
    return f"{place if isinstance(place, str) else show(place)}{MARK}{letter_of(propositions_in(event))}"


def place_of(name: State) -> str:
    """Return the place that a state's name tells, without the event.

    >>> place_of("36 · fell"), place_of((3, 1))
    ('36', '(3, 1)')
    """
    return name.partition(MARK)[0] if isinstance(name, str) else show(name)


def with_events(
    rows: Iterable[Row],
    labels: Mapping[State, Labels],
    terminal: Iterable[State],
    events: Mapping[Event, Labels],
    begin: Iterable[State],
) -> tuple[list[Row], dict[State, Labels], list[State], set[State]]:
    """Return rows, labels and terminal states of a world in which events are states of their own.

    And the places that are reached with an event alone: they are no states any more.
    """
    rows, ends, letters = list(rows), list(terminal), dict(labels)
    possible = {(state, action, target) for state, action, outcomes in rows for target in outcomes}
    for event, label in events.items():
        told = f'the event of action "{event[1]}" from state {show(event[0])} to {show(event[2])}'
        if event not in possible:
            raise WorldError(f"{told} cannot happen: there is no such outcome")
        if not label:
            raise WorldError(f"{told} has no label")
    names = {event: after(event[2], label) for event, label in events.items()}
    copies = {names[event]: (event[2], label) for event, label in events.items()}
    changed: list[Row] = [
        (state, action, {names.get((state, action, to), to): chance for to, chance in row.items()})
        for state, action, row in rows
    ]
    by_state: dict[State, list[tuple[str, dict[State, float]]]] = {}
    for state, action, outcomes in changed:
        by_state.setdefault(state, []).append((action, outcomes))
    for name, (place, label) in copies.items():
        own = propositions_in(labels[place]) if place in labels else ()
        letters[name] = (*own, *propositions_in(label))
        if place in ends:
            ends.append(name)
        changed += [(name, action, dict(outcomes)) for action, outcomes in by_state.get(place, [])]
    met = {*begin, *(one for state, _, outcomes in changed for one in (state, *outcomes))}
    gone = {place for place, _ in copies.values()} - met  # reached with an event alone
    kept = {place: label for place, label in letters.items() if place not in gone}
    return changed, kept, [place for place in ends if place not in gone], gone
