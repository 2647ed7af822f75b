"""The newcomer's walk of docs/architecture.md is what the program does, in that order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from demospec import native
from traced import learning

DOCUMENT = Path(__file__).parent.parent / "docs" / "architecture.md"


def test_the_walk_is_what_the_program_does() -> None:
    if native.library() is None:
        pytest.skip("the walk passes the compiled backup")
    text = DOCUMENT.read_text(encoding="utf-8")
    part = text[text.index("<!-- walk -->") : text.index("<!-- end of the walk -->")]
    steps = re.findall(r"^\d+\. `([^`]+)` `([^`]+)`", part, re.MULTILINE)
    assert len(steps) >= 20
    called = learning().called
    assert [step for step in steps if step not in called] == []
    assert sorted(steps, key=called.index) == steps
