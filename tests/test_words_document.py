"""The vocabulary in docs/words.md is the one in the code."""

from __future__ import annotations

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def test_the_table_is_current() -> None:
    specification = importlib.util.spec_from_file_location("make_words", DOCS / "make_words.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert module.text() == (DOCS / "words.md").read_text(encoding="utf-8")
