"""A scene: a world, and what was shown in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from demospec.work.stop import Stop
from demospec.worlds.gridworld import PLAIN, GridWorld, Terrain
from demospec.worlds.mdp import MDP, Manner
from demospec.worlds.paths import Path, read_path
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.world import World

if TYPE_CHECKING:
    from demospec.worlds.quotient import Quotient


@dataclass(frozen=True, eq=False, kw_only=True)
class Scene:
    """A world and its demonstrations; `name` tells it from the other scenes of a problem.

    `quotient` and `shown` tell from what `merged` made the scene: the world, and by their images the paths
    that were shown in it.
    """

    world: World
    demonstrations: tuple[Path, ...] = ()
    name: str = "world"
    quotient: Quotient | None = None
    shown: Mapping[Path, Path] = field(default_factory=dict)

    def felt_by(self, agent: Manner) -> World:
        """Return the world as an agent feels it; where steps cost nothing and nothing hurries, the world."""
        return self.world.listed().felt_by(agent) if agent.effort or agent.haste else self.world

    @cached_property
    def tree(self) -> PrefixTree:
        """Return the prefix tree of the demonstrations."""
        return PrefixTree.build(self.world, self.demonstrations)

    def prepare(self, stop: Stop) -> None:
        """Make the prefix tree now, where it takes long unless a flag is set."""
        if "tree" not in self.__dict__:
            self.__dict__["tree"] = PrefixTree.build(self.world, self.demonstrations, stop)

    @property
    def grid(self) -> tuple[str, ...] | None:
        """Return the rows of the map, where the world is one: pictures use it, nothing else does."""
        return self.original.rows if isinstance(self.original, GridWorld) else None

    @property
    def terrain(self) -> Terrain:
        """Return how the map's characters are read, where the world is one."""
        return self.original.terrain if isinstance(self.original, GridWorld) else PLAIN

    @property
    def mdp(self) -> MDP:
        """Return the world as arrays; refuse where its states are too many."""
        return self.world.listed()

    def listed(self) -> Scene:
        """Return the scene in the listed world; demonstrations are the same ones by their names."""
        mdp = self.world.listed()
        if mdp is self.world:
            return self
        paths = tuple(
            read_path(
                mdp,
                path.named(self.world),
                complete=path.complete,
                demonstration=number,
                start=self.world.name(path.first(self.world)),
            )
            for number, path in enumerate(self.demonstrations, start=1)
        )
        return replace(self, world=mdp, demonstrations=paths)

    def merged(self, *, costs: bool = False) -> Scene:
        """Return the scene in the smallest world that behaves alike, copies of actions and states merged.

        Demonstrations are the same ones, told by the actions and states that stand for theirs. With
        `costs` actions that cost differently are no copies: see `quotient`.
        """
        from demospec.worlds.quotient import quotient

        if self.quotient is not None:
            return self
        found = quotient(self.world, costs=costs)
        images = tuple([found.image(path) for path in self.demonstrations])
        shown: dict[Path, Path] = {}
        for image, path in zip(images, self.demonstrations, strict=True):
            shown.setdefault(image, path)
        return replace(self, world=found.mdp, demonstrations=images, quotient=found, shown=shown)

    @property
    def original(self) -> World:
        """Return the world before copies were merged."""
        return self.world if self.quotient is None else self.quotient.original

    def from_original(self, path: Path) -> Path:
        """Return the path that stands for a path of the original world."""
        return path if self.quotient is None else self.quotient.image(path)

    def in_original(self, path: Path) -> Path:
        """Return a path of the original world that a path stands for: the one that was shown, or any."""
        if self.quotient is None:
            return path
        return self.shown.get(path) or self.quotient.lifted(path)

    def drawn_in_original(self, path: Path, rng: np.random.Generator) -> Path:
        """Draw a path of the original world that a path stands for, as its environment would."""
        return path if self.quotient is None else self.quotient.lifted(path, rng)
