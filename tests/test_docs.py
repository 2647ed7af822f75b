"""The documents' Python blocks run as they stand, and what pages name exists; commands: test_printed.py."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(document: Path, language: str) -> list[str]:
    text = document.read_text(encoding="utf-8")
    return [body for kind, body in BLOCK.findall(text) if kind == language]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_examples_run(
    document: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for block in blocks(document, "python"):
        module = ModuleType("example")  # so that what it defines can be sent to another process
        monkeypatch.setitem(sys.modules, "example", module)
        exec(compile(block, str(document), "exec"), module.__dict__)
        printed = capsys.readouterr().out
        for promised in re.findall(r"print\(.*\)\s+# (>0: .*)$", block, re.MULTILINE):
            assert promised.strip() in printed


def test_the_reference_shows_a_problem_that_can_be_learned(tmp_path: Path) -> None:
    from demospec import learn, load

    (example,) = blocks(ROOT / "docs" / "reference" / "problem_file.md", "toml")
    file = tmp_path / "problem.toml"
    file.write_text(example, encoding="utf-8")
    assert learn(load(file).with_settings(iterations=5)).ranked


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_named_files_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    missing = [link for link in links if not (document.parent / link).exists()]
    named = re.findall(r"`(tests/[\w/.]+)`", text)
    missing += [name for name in named if not (ROOT / name).exists()]
    assert not missing


def test_every_row_of_paper_to_code_names_code_that_exists() -> None:
    text = (ROOT / "docs" / "paper_to_code.md").read_text(encoding="utf-8")
    folders = (ROOT / "src", ROOT / "benchmarks" / "recovery", ROOT / "tests")
    files = [path for folder in folders for path in folder.rglob("*.py")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in files)
    names = set()
    for row in re.findall(r"^\|.*\|$", text, re.MULTILINE)[2:]:
        for code in re.findall(r"`([\w.]+)`", row.split("|")[2]):
            names.add(code.split(".")[-1])
    missing = [name for name in sorted(names) if not re.search(rf"(def|class) {name}\b|\b{name}:", source)]
    assert len(names) > 20
    assert not missing
