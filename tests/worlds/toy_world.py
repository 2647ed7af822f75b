"""A world of one's own, told by rules."""

from __future__ import annotations

from demospec.worlds.unlisted import UnlistedWorld
from demospec.worlds.world import Ends, Episode, State

Place = tuple[int, int]  # where, and whether the key is held


class Corridor(UnlistedWorld[Place]):
    """Five places in a row: a key in the first, a door in the last, which opens with the key."""

    def __init__(self, ends: Ends = "by chance") -> None:
        super().__init__(
            episode=Episode(horizon=12, ends=ends), actions=("left", "right"), letters=("door", "key")
        )

    def begin(self) -> dict[Place, float]:
        return {(3, 0): 0.75, (2, 0): 0.25}

    def offered(self, key: Place) -> tuple[str, ...]:
        return self.actions

    def reached(self, key: Place, action: str) -> dict[Place, float]:
        place = min(5, max(1, key[0] + (1 if action == "right" else -1)))
        moved = (place, int(key[1] or place == 1))
        return {moved: 1.0} if moved == key else {moved: 0.875, key: 0.125}

    def labelled(self, key: Place) -> str | None:
        return {(1, 1): "key", (5, 0): "door", (5, 1): "door"}.get(key)

    def over(self, key: Place) -> bool:
        return key == (5, 1)

    def read(self, name: State) -> Place | None:
        return name if isinstance(name, tuple) and name[0] in range(1, 6) and name[1] in (0, 1) else None
