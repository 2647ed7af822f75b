"""One result is told once: every sentence of the first screen is worded in one module, and shown by all."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import demospec
from demospec.report import told as wording
from demospec.report.answer_report import result_blocks, screen_blocks
from demospec.report.blocks import as_text
from demospec.report.page.result_page import result_page
from demospec.report.pictures.svg import escape
from demospec.report.told import ACT, SHOWN_BY, Told, as_sentence, warning_words
from demospec.studio.telling import answer_document, details_document

SOURCE = Path(demospec.__file__).parent
WORDS = 4  # a shorter piece is no sentence


def pieces(file: Path) -> Iterator[str]:
    """Yield the texts of a module, without what is filled in, and without its documentation."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield " ".join(node.value.split())


def said() -> set[str]:
    """Return the sentences, and parts of sentences, of the module that words a result."""
    every = (one.strip(" ,;:.(") for one in pieces(Path(wording.__file__)))
    ends = {*wording.ENDED.values()}  # of a search: they are not on the first screen
    return {one for one in every if len(one.split()) >= WORDS and one not in ends}


def test_what_is_said_of_a_result_is_worded_nowhere_else() -> None:
    sentences = said()
    assert "this is the whole task" in sentences
    assert len(sentences) > 30
    copies: list[tuple[str, str]] = []
    for file in SOURCE.rglob("*"):
        if file.suffix == ".py" and file != Path(wording.__file__):
            texts = list(pieces(file))
        elif file.suffix in (".js", ".html"):
            texts = [" ".join(file.read_text(encoding="utf-8").split())]
        else:
            continue
        copies += [(file.name, one) for text in texts for one in sentences if one in text]
    assert copies == []


@pytest.mark.parametrize("name", ["robot", "delivery", "robot-paper"])
def test_everybody_shows_what_is_told(name: str) -> None:
    told = Told(demospec.learn(demospec.load_example(name).with_settings(iterations=30), seed=0))
    screen = as_text(screen_blocks(told))
    notebook = as_text(result_blocks(told.result))
    page = result_page(told)
    studio = json.loads(json.dumps({**answer_document(told), **details_document(told)}))
    for one in (told.said.sentence, told.sure):
        assert one in screen
        assert one in notebook
        assert escape(one) in page
    assert (studio["sentence"], studio["sure"]) == (told.said.sentence, told.sure)
    warnings = [warning_words(one) for one in told.warnings]
    for one in (told.undetermined, told.named, told.enough, told.shown_by, *warnings):
        assert one in screen
        assert one in notebook
        assert escape(one.split(":")[-1].strip()) in page or escape(as_sentence(one)) in page
    assert studio["lead"] == as_sentence(told.undetermined or told.asked).rstrip(".")
    assert studio["enough"] == as_sentence(told.enough, ACT)
    assert studio["demonstrator"] == as_sentence(told.shown_by, SHOWN_BY)
    assert studio["warnings"] == warnings
    for listed in told.claims:
        for claim in listed.claims:
            assert claim.brief in screen
            assert claim.line in notebook
            assert claim.settle in notebook
            assert f'<span class="share">{claim.share}</span>' in page
            assert escape(claim.sentence) in page
    assert [one["name"] for one in studio["claims"]] == [one.name for one in told.claims]
