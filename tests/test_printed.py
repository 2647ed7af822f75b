"""What documents say that commands print is what they print."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
specification = importlib.util.spec_from_file_location("make_printed", DOCS / "make_printed.py")
assert specification is not None
assert specification.loader is not None
make_printed = importlib.util.module_from_spec(specification)
specification.loader.exec_module(make_printed)


@pytest.mark.slow
@pytest.mark.parametrize("document", make_printed.DOCUMENTS, ids=lambda path: path.stem)
def test_what_commands_print_is_current(document: Path) -> None:
    assert make_printed.text(document) == document.read_text(encoding="utf-8")
