"""Examples of the studio: the paper's, and six that each teach one thing."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from demospec import problems
from demospec.errors import InputError
from demospec.studio.opening import Document, Limits, open_text

ORDER = ("sequence", "avoidance", "conditional", "any-order", "one-world", "mistake")
PAPER = {
    "name": "robot",
    "title": "The paper's robot",
    "text": "Two runs, one of which slips into the water. What was meant?",
}


@lru_cache(maxsize=len(ORDER))
def text_of(name: str) -> str:
    """Return the text of an example."""
    if name == "robot":
        return problems.text("robot")
    if name not in ORDER:
        raise InputError(f'there is no example "{name}"')
    return (resources.files(__name__) / f"{name}.toml").read_text(encoding="utf-8")


def listed() -> list[Document]:
    """Return all examples: name, title, and what each is about, as its first two lines of comment say."""
    found: list[Document] = [dict(PAPER)]
    for name in ORDER:
        title, about = (line.removeprefix("# ") for line in text_of(name).splitlines()[:2])
        found.append({"name": name, "title": title, "text": about})
    return found


def lesson_document(name: str, limits: Limits) -> Document:
    """Return an example as the page holds it."""
    return open_text(text_of(name), f"{name}.toml", limits)
