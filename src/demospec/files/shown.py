"""What was shown in a world: paths that a file writes out, and recordings that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from demospec.errors import InputError
from demospec.files.tables import DemonstrationTable
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import World


def read_shown(world: World, tables: Iterable[DemonstrationTable]) -> Iterator[Path]:
    """Yield the demonstrations of `[[demonstrations]]`; a dataset holds several."""
    for number, table in enumerate(tables, start=1):
        if table.minari is None:
            if table.path is None:
                raise InputError('the key "path" is missing', place=f"demonstration {number}")
            yield read_path(
                world, table.path, complete=table.complete, demonstration=number, start=table.start
            )
        else:
            yield from read_dataset(world, table, number)


def read_dataset(world: World, table: DemonstrationTable, number: int) -> list[Path]:
    """Return the demonstrations of a Minari dataset."""
    from demospec.sources.gymnasium_world import GymnasiumWorld  # readers, which few files need
    from demospec.sources.minari import from_minari

    place = f"demonstration {number}"
    for key in ("path", "complete", "start"):
        if getattr(table, key) is not None:
            raise InputError(f"give minari or {key}, not both", place=place)
    if not isinstance(world, GymnasiumWorld):
        raise InputError('a Minari dataset needs a world of kind "gymnasium"', place=place)
    assert table.minari is not None
    try:
        return from_minari(table.minari, world, episodes=table.episodes)
    except InputError as error:
        raise error.within(place) from None
