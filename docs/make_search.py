"""Write the table of what the default search is made of into docs/searching.md; a test tells when to.

python docs/make_search.py
"""

from __future__ import annotations

import re
from pathlib import Path

from demospec.search.best_first import INGREDIENTS

DOCUMENT = Path(__file__).parent / "searching.md"
HEAD = "| ingredient | what it does, and why |\n|---|---|\n"


def with_table(text: str) -> str:
    """Return the document with the table as the moves tell it."""
    rows = "".join(f"| `{name}` | {reason} |\n" for name, reason in INGREDIENTS.items())
    return re.sub(re.escape(HEAD) + r"(?:\|.*\n)*", lambda _: HEAD + rows, text)


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
