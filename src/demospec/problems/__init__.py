"""Problem files that ship with the package."""

from __future__ import annotations

from importlib import resources

from demospec.errors import InputError, listing, nearest


def names() -> list[str]:
    """Return the names of the shipped problems."""
    folder = resources.files(__name__)
    return sorted(
        entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")
    )


def text(name: str) -> str:
    """Return the text of a shipped problem file."""
    if name not in names():
        raise InputError(
            f'there is no example "{name}"{nearest(name, names())}; examples: {listing(names())}'
        )
    return (resources.files(__name__) / f"{name}.toml").read_text(encoding="utf-8")
