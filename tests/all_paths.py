"""All complete paths of a small world, straight from the definition, and the environment's share of each."""

from __future__ import annotations

from collections.abc import Iterator

from demospec.testing.small_worlds import beginning_paths, one_step_extensions
from demospec.worlds.paths import Path
from demospec.worlds.world import World


def enumerate_paths(world: World) -> list[Path]:
    """Return all complete paths of a small world, straight from the definition."""

    def complete_from(path: Path) -> Iterator[Path]:
        if path.complete:
            yield path
            return
        for pair in world.pairs(path.states(world)[-1]):
            for longer, _ in one_step_extensions(world, path, pair):
                yield from complete_from(longer)

    return [path for begin, _ in beginning_paths(world) for path in complete_from(begin)]


def environment_probability(world: World, path: Path) -> float:
    """Return the environment's share of a path's probability: where it began, outcomes, where it ended."""
    probability = dict(world.starts)[path.first(world)]
    prefix = path.upto(0)
    for number, (pair, _) in enumerate(path.steps, start=1):
        longer = path.upto(number)
        probability *= dict(one_step_extensions(world, prefix, pair))[longer]
        prefix = longer
    return probability
