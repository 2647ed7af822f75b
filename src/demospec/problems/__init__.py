"""Problem files that ship with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demospec.errors import InputError
from demospec.wording import listing, nearest

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def folder() -> Traversable:
    """Return where they are."""
    from importlib import resources  # which is loaded where an example is asked for

    return resources.files(__name__)


def names() -> list[str]:
    """Return the names of the shipped problems."""
    every = [entry.name for entry in folder().iterdir()]
    return sorted(name.removesuffix(".toml") for name in every if name.endswith(".toml"))


def text(name: str) -> str:
    """Return the text of a shipped problem file."""
    if name not in names():
        raise InputError(
            f'there is no example "{name}"{nearest(name, names())}; examples: {listing(names())}'
        )
    return (folder() / f"{name}.toml").read_text(encoding="utf-8")
