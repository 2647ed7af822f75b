"""Whole numbers on the command line: none is larger than what `limits` allows."""

from __future__ import annotations

from typing import Any

import click

from demospec import limits
from demospec.errors import shown


class Count(click.IntRange):
    """A whole number from `least` on; help tells that alone, since nobody comes near the limit."""

    def __init__(self, least: int | None, most: int = limits.COUNT) -> None:
        super().__init__(least)
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        found = super().convert(value, param, ctx)
        if found > self.most:
            self.fail(f"{shown(found)} is more than {self.most:,}", param, ctx)
        return found


SEED = Count(0, limits.SEED)
