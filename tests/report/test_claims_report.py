"""Claims as people read them, and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from demospec.belief import Belief, Claims, claims_of
from demospec.belief.episodes import occurring_words
from demospec.explain.evaluator import Evaluator
from demospec.files import load_example
from demospec.report.answer_report import claims_blocks
from demospec.report.blocks import as_text
from demospec.report.html import as_html
from demospec.report.result_document import claims_json
from demospec.report.told import BOUND, claim_lists
from demospec.tasks.clauses import parse
from demospec.worlds.scene import Scene

SAID = {"reach y; never r": 0.45, "reach y; no r before y": 0.35, "reach y; never b": 0.17, "reach g": 0.03}


def believed() -> Belief:
    problem = load_example("robot")
    tasks = [parse(said, problem.alphabet).automaton for said in SAID]
    belief = Belief.of(problem, Evaluator(problem).scores(tasks))
    weight = dict(zip(tasks, SAID.values(), strict=True))
    order = sorted(belief.scores, key=lambda score: -weight[score.language])
    scores, weights = tuple(order), np.array([weight[score.language] for score in order])
    return Belief(problem, scores, weights)


@pytest.fixture(scope="module")
def claims() -> Claims:
    return claims_of(believed())


def test_three_lists_with_probabilities(claims: Claims) -> None:
    problem = load_example("robot")
    text = as_text(claims_blocks(claim_lists(problem, claims)))
    lines = text.splitlines()
    assert lines[0] == "What is settled"
    assert lines.index("Settled") < lines.index("reach y (97 %)") < lines.index("Likely")
    assert lines.index("Likely") < lines.index("no r before y (80 %)") < lines.index("Open")
    (never,) = [line for line in lines if line.startswith("never r")]
    assert never.startswith('never r (45 %): the run "')
    assert " would tell. If it is good (" in never
    assert BOUND not in text
    page = as_html(claims_blocks(claim_lists(problem, claims)))
    assert "no r before y (80 %)" in page


def test_a_list_without_claims_has_no_title(claims: Claims) -> None:
    problem = load_example("robot")
    some = Claims(claims.of("open"), claims.words)
    assert "Likely" not in as_text(claims_blocks(claim_lists(problem, some)))
    nothing = claim_lists(problem, Claims((), claims.words))
    assert "nothing that a short sentence could say" in as_text(claims_blocks(nothing))


def test_the_document_has_the_keys_that_scripts_know(claims: Claims) -> None:
    problem = load_example("robot")
    document = json.loads(json.dumps([one.plain() for one in claims_json(problem, claims)]))
    by_sentence = {one["sentence"]: one for one in document}
    assert set(document[0]) == {"sentence", "formula", "probability", "status", "settle"}
    assert by_sentence["never r"]["formula"] == "G !r"
    assert {one["status"] for one in document} <= {"settled", "likely", "open"}
    settle = by_sentence["never r"]["settle"]
    assert set(settle) == {"word", "probability", "if_accepted", "if_rejected", "nats"}
    assert "r" in settle["word"]
    assert by_sentence["reach y"]["settle"] is None


def test_bounds_are_told_as_bounds() -> None:
    problem = load_example("robot")
    claims = claims_of(believed(), occurring_words(problem, most=60))
    assert not claims.exact
    assert BOUND in as_text(claims_blocks(claim_lists(problem, claims)))
    for one in (claim.plain() for claim in claims_json(problem, claims)):
        assert one["at_most"] >= one["probability"] > 0


def test_of_several_worlds_one_is_named(claims: Claims) -> None:
    problem = load_example("robot")
    (scene,) = problem.scenes
    two = replace(problem, scenes=(replace(scene, name="hall"), Scene(world=scene.world, name="yard")))
    assert 'in world "hall" would tell' in as_text(claims_blocks(claim_lists(two, claims)))
    settles = [one.settle.plain() for one in claims_json(two, claims) if one.settle is not None]
    assert {one["world"] for one in settles} == {"hall"}
