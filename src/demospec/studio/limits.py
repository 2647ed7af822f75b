"""What the studio takes on: how large worlds are, how long a search runs, how much is done at once."""

from __future__ import annotations

import os
from dataclasses import dataclass

from demospec.errors import InputError
from demospec.problem import Problem
from demospec.worlds.gridworld import GridWorld

ELSEWHERE = "demospec learn takes larger ones"


@dataclass(frozen=True)
class Limits:
    """Limits of one studio; the page is told them, and the server holds to them whatever it is sent."""

    side: int = 64  # cells of a map, across and down
    worlds: int = 8
    runs: int = 60
    horizon: int = 400
    seconds: float = 60.0  # of a search
    searches: int = max(2, (os.cpu_count() or 2) // 2)  # at once; others wait
    pages: int = 24  # that are open, each with a process of its own
    bytes: int = 1_000_000  # of a request, and of a problem in a link
    grace: float = 10.0  # seconds until a page that is not heard of any more is taken to be closed

    def check_map(self, text: str, place: str = "world") -> None:
        """Refuse a map that is too large to be drawn, before anything is made of it."""
        rows = text.strip().splitlines()
        columns = max((len(row.strip()) for row in rows), default=0)
        if columns > self.side or len(rows) > self.side:
            raise InputError(
                f"the map has {columns} columns and {len(rows)} rows; the studio draws at most "
                f"{self.side} × {self.side} cells; {ELSEWHERE}",
                place=place,
            )

    def check(self, problem: Problem) -> None:
        """Refuse a problem that the page cannot draw, or that would take too long."""
        if len(problem.scenes) > self.worlds:
            raise InputError(
                f"there are {len(problem.scenes)} worlds; the studio takes at most {self.worlds}"
            )
        runs = len(problem.demonstrations)
        if runs > self.runs:
            raise InputError(f"there are {runs} demonstrations; the studio takes at most {self.runs}")
        for scene in problem.scenes:
            place = f'world "{scene.name}"'
            if not isinstance(scene.original, GridWorld):
                raise InputError(
                    "the studio draws grid worlds; this one is of another kind, which demospec learn takes",
                    place=place,
                )
            horizon = scene.original.episode.horizon
            if horizon > self.horizon:
                raise InputError(
                    f"episodes have up to {horizon} steps; the studio takes at most {self.horizon}; "
                    f"{ELSEWHERE}",
                    place=place,
                )
