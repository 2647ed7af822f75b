"""What a world is: states and actions that are told by numbers, outcomes by chance, labels, and an end.

Everything that follows one path at a time (demonstrations, prefix trees, samplers) asks a world no more than
`World` says. Planners that sweep over all states at once ask for the world `listed()` as arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from demospec.errors import WorldError, listing, nearest

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
        ...

    @property
    def starts(self) -> Starts:
        """Return the states in which episodes begin, each with its probability."""
        ...

    @property
    def actions(self) -> tuple[str, ...]:
        """Return the names of all actions."""
        ...

    @property
    def letters(self) -> tuple[str, ...]:
        """Return the labels that states can have, sorted."""
        ...

    def pairs(self, state: int) -> range:
        """Return the numbers of a state's state-action pairs; none in a terminal state."""
        ...

    def action(self, pair: int) -> str:
        """Return the name of a pair's action."""
        ...

    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        """Return the states that a pair can lead to with their probabilities."""
        ...

    def cost(self, pair: int) -> float:
        """Return what choosing a pair costs, in units of the agent's effort: 1 unless told otherwise."""
        return 1.0

    def label(self, state: int) -> str | None:
        """Return a state's label; None is white."""
        ...

    def ends(self, state: int) -> bool:
        """Say whether reaching a state ends the episode: whether it is terminal."""
        ...

    def end_chance(self, state: int, steps: int) -> float:
        """Return the probability that an episode ends on reaching `state` with its `steps`-th step."""
        ...

    def name(self, state: int) -> State:
        """Return a state's name."""
        ...

    def find(self, name: State) -> int | None:
        """Return the number of the state with a name; None where the world has no such state."""
        ...

    def names(self) -> Iterable[State]:
        """Return the names of the states that are known so far, for messages."""
        ...

    def listed(self) -> MDP:
        """Return the world as arrays, with numbers of its own; refuse where its states are too many."""
        ...


def only_start(world: World) -> int:
    """Return the state in which all episodes begin; refuse a world with several."""
    if len(world.starts) > 1:
        raise WorldError(f"the world has {len(world.starts)} start states: {start_names(world)}; say which")
    return world.starts[0][0]


def start_names(world: World) -> str:
    """Name the start states for a message."""
    return listing(show(world.name(state)) for state, _ in world.starts)


def available(world: World, state: int) -> dict[str, int]:
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
