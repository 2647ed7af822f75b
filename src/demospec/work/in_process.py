"""Work in this process, one piece after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any

from demospec.work.base import Found, Item


class InProcess:
    """Does a piece of work when its result is asked for."""

    def run(
        self,
        function: Callable[[Any, Item], Found],
        items: Iterable[Item],
        shared: Any = None,
        *,
        home: Callable[[Item], int] | None = None,
    ) -> Generator[Found, None, None]:
        """Yield `function(shared, item)` for each item."""
        del home  # there is one place only
        for item in items:
            yield function(shared, item)
