"""Worlds that came from a Gymnasium environment: what they know of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from demospec.errors import WorldError, listing
from demospec.sources.environment import Reading
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.mdp import MDP
from demospec.worlds.world import State


@dataclass(frozen=True, eq=False, kw_only=True)
class Link:
    """What a world knows of its environment: how it is made, and how its state is found in the world."""

    id: str | None  # under which `gymnasium.make` knows the environment
    kwargs: Mapping[str, Any]
    actions: Mapping[int, str]  # the environment's number of an action → its name in the world
    going: Mapping[
        Hashable, State
    ]  # what is read of the environment → the state in which the episode goes on
    ended: Mapping[Hashable, State]  # … and in which it has ended
    seeds: Sequence[int]  # of the resets from which it was explored; none where every reset will do
    table: Mapping[str, Any] | None  # `[world]` of a file that names the environment; None: no file can
    reading: Reading | None = None  # None: the world came from another process

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "reading": None}  # a function of the user's own need not be picklable

    def state(self, environment: Any, observation: Any, *, ended: bool = False) -> State:
        """Return the world's name of the state in which an environment is."""
        if self.reading is None:
            raise WorldError("the world was sent from another process: read it from the environment again")
        key = self.reading.key(environment, observation)
        names = self.ended if ended else self.going
        if key in names:
            return names[key]
        name = self.reading.name(key)
        if key in (self.going if ended else self.ended):
            says = "ends the episode" if ended else "does not end the episode"
            raise WorldError(f'the environment {says} in state "{name}"; the world says otherwise')
        seeds = f": reset it with the seed {listing(self.seeds)}" if self.seeds else ""
        raise WorldError(f'the environment is in state "{name}", which the world does not have{seeds}')

    def action(self, number: Any) -> str:
        """Return the world's name of an action of the environment."""
        if int(number) not in self.actions:
            offered = listing(f"{known} {name}" for known, name in self.actions.items())
            raise WorldError(f"the world has no action {int(number)}; it has {offered}")
        return self.actions[int(number)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GymnasiumWorld(MDP):
    """A listed world that came from an environment; `source`, which is its `origin`, says how."""

    link: Link

    @property
    def source(self) -> str:
        """Return a sentence that tells how the world was read."""
        return self.origin


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledGymnasiumWorld(GymnasiumWorld, EstimatedMDP):
    """A world that was estimated from steps of an environment."""


Made = TypeVar("Made", bound=MDP)


def grown(world: MDP, kind: type[Made], **more: Any) -> Made:
    """Return a world as one of another kind, which knows more."""
    return kind(**{**{one.name: getattr(world, one.name) for one in fields(world)}, **more})


def link_of(world: object) -> Link:
    """Return what a world knows of its environment; refuse one that came from elsewhere."""
    if not isinstance(world, GymnasiumWorld):
        raise WorldError(
            f"runs of an environment are read in a world that `from_gymnasium` made; found a "
            f"{type(world).__name__}"
        )
    return world.link
