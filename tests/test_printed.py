"""The commands of the documents run, in order, and print what the documents say."""

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
@pytest.mark.parametrize(
    "document", make_printed.documents(), ids=lambda path: str(path.relative_to(DOCS.parent))
)
def test_what_commands_print_is_current(document: Path) -> None:
    assert make_printed.text(document) == document.read_text(encoding="utf-8")


def test_a_wrong_line_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ printf 'one\\ntwo\\nthree\\n'\none\n…\nthree\n```\n", encoding="utf-8")
    assert make_printed.text(page) == page.read_text(encoding="utf-8")
    page.write_text("```console\n$ printf 'one\\ntwo\\nthree\\n'\none\n…\nfour\n```\n", encoding="utf-8")
    assert "two\nthree\n" in make_printed.text(page)


def test_a_file_that_is_shown_is_there_for_the_commands(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```{code-block} toml\n:caption: a.toml\n\nx = 1\n```\n```console\n$ cat a.toml\nold\n```\n",
        encoding="utf-8",
    )
    assert make_printed.text(page).endswith("$ cat a.toml\nx = 1\n```\n")
