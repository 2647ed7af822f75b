"""What a result says about itself: what this world cannot tell is one answer, drawn light, and told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path as File

import numpy as np
import pytest
from belief_cases import belief_in

import demospec
from demospec.belief import Belief, Findings, findings_of
from demospec.belief.tuned import FAR
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import evaluate
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.rationality import Competency, Fixed
from demospec.problem import Problem
from demospec.report.answer_report import belief_blocks, result_blocks
from demospec.report.blocks import as_text
from demospec.report.documents import dumps
from demospec.report.drawings import open_svg
from demospec.report.html import as_html
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.result_document import belief_json, result_document
from demospec.runs.result import Result
from demospec.tasks import DFA
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import Episode
from factored_worlds import random_world

GRID = """
name = "no red"
alphabet = ["r", "y", "b"]

[world]
kind = "gridworld"
map = '''
b..
..y
'''
start = [1, 2]

[episode]
horizon = 4


[[demonstrations]]
complete = true
path = ["right", [2, 2], "right", [3, 2], "right", [3, 2], "right", [3, 2]]
"""


def goal_and_then_the_end(after: float) -> Problem:
    """A goal y; there nearly every episode ends, and few go on and see b."""
    mdp = MDP.build(
        [
            ("start", "go", {"goal": 1}),
            ("start", "wait", {"start": 1}),
            ("goal", "rest", {"end": 1 - after, "beyond": after}),
            ("beyond", "rest", {"end": 1}),
        ],
        start="start",
        episode=Episode(horizon=5),
        labels={"goal": "y", "beyond": "b"},
        terminal=["end"],
    )
    shown = read_path(mdp, ["go", "goal", "rest", "end"], complete=True)
    return Problem.of(mdp, demonstrations=(shown,) * 3, agent=Fixed(6.0), name="goal")


REACH = DFA.parse(">0: y→1 | *1:", ("b", "y"))
NOT_BACK = DFA.parse(">0: y→1 | *1: b→0", ("b", "y"))
NOT_B = DFA.parse(">0: y→1 | *1: b→2 | 2:", ("b", "y"))
AVOID = DFA.parse(">*0: y→1 | 1:", ("b", "y"))


def findings(problem: Problem, tasks: list[DFA], best: DFA) -> Findings:
    belief = belief_in(problem, tasks)
    return findings_of(belief, next(score for score in belief.scores if score.task == best))


@pytest.mark.parametrize("best", [REACH, NOT_BACK, NOT_B])
def test_tasks_that_differ_after_the_practical_end_are_one_answer_with_the_difference_light(
    best: DFA,
) -> None:
    found = findings(goal_and_then_the_end(1e-6), [REACH, NOT_BACK, NOT_B, AVOID], best)
    assert [len(answer.members) for answer in found.answers.all] == [3, 1]
    answer = found.answers.all[0]
    assert answer.is_named
    assert answer.smallest.task == REACH  # the smallest
    assert answer.share == pytest.approx(1 - found.answers.all[1].share)
    after = best.run(["y", "b"])
    assert (1, "b", after) in found.open.light
    assert (0, "y", 1) not in found.open.light
    picture = open_svg(found.open)
    assert "stroke-dasharray" in picture
    assert picture in as_html(belief_blocks(found)) or best != REACH
    document = belief_json(found).plain()
    assert [1, "b", after] in document["best"]["light"]
    (row,) = [one for one in document["best"]["transitions"] if (one["from"], one["letter"]) == (1, "b")]
    assert row["light"]
    assert row["use"] == ("idle" if row["taken"] < 1e-6 else "used")
    assert document["answers"][0]["members"] == 3
    assert any(f"1 –b→ {after}" in sentence for sentence in found.sentences)
    assert found.differences[0].other.smallest.task == AVOID


def test_the_name_shows_what_the_others_do_instead() -> None:
    found = findings(goal_and_then_the_end(1e-6), [REACH, NOT_BACK], REACH)
    assert found.open.also == ((1, "b", 0),)
    assert 'data-source="1" data-target="0"' in open_svg(found.open)


def test_a_loop_that_the_others_lead_elsewhere_is_a_pale_letter_under_its_state() -> None:
    found = findings(goal_and_then_the_end(1e-6), [REACH, NOT_B], REACH)
    assert found.open.also == ()
    assert (1, "b", 1) in found.open.differing
    plain, shown = automaton_svg(REACH), automaton_svg(REACH, light=[(1, "b", 1)])
    assert plain.count('class="chip"') == 1
    assert shown.count('class="chip"') == 2
    assert shown.count("stroke-dasharray") == 1
    assert ">b</text>" in shown
    assert ">b</text>" not in plain


def test_where_episodes_do_go_on_the_same_tasks_are_different_answers() -> None:
    found = findings(goal_and_then_the_end(0.5), [REACH, NOT_BACK, NOT_B, AVOID], REACH)
    assert (1, "b", 1) not in found.open.light
    assert found.answer.smallest.task == REACH
    (difference,) = [one for one in found.differences if one.other.smallest.task in (NOT_BACK, NOT_B)]
    assert difference.word == ("y", "b")
    assert difference.accepted
    assert difference.nats > 0
    assert difference.demonstrations is not None
    assert (
        (difference.demonstrations - 1) * difference.nats < 3 <= difference.demonstrations * difference.nats
    )


def test_a_world_without_r_says_that_avoiding_r_is_undetermined(tmp_path: File) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(GRID, encoding="utf-8")
    result = demospec.learn(demospec.load(file))
    sentence = "r: undetermined, avoided or not (no state of the world has it)"
    assert sentence in as_text(result_blocks(result, shown=3))
    document = json.loads(dumps(result_document(result)))["belief"]
    assert sentence in document["findings"]
    assert sentence in [letter["sentence"] for letter in document["letters"]]
    assert sentence in as_html(result_blocks(result))
    of_r = [row for row in document["best"]["transitions"] if row["letter"] == "r"]
    assert of_r
    assert all(row["light"] and row["use"] == "impossible" and row["taken"] == 0 for row in of_r)


def test_a_letter_beyond_the_horizon_cannot_be_reached() -> None:
    mdp = MDP.build(
        [("s0", "go", {"s1": 1}), ("s1", "go", {"s2": 1}), ("s2", "go", {"s2": 1})],
        start="s0",
        episode=Episode(horizon=1),
        labels={"s1": "a", "s2": "b"},
    )
    problem = Problem.of(mdp, demonstrations=(read_path(mdp, ["go", "s1"], complete=True),))
    found = findings_of(belief_in(problem, [DFA.parse(">0: a→1 | *1:", ("a", "b"))]))
    assert "b: undetermined, avoided or not (cannot be reached within the episode)" in found.sentences
    assert not any(sentence.startswith("a:") for sentence in found.sentences)


def test_a_best_task_outside_the_belief_is_an_answer_without_weight() -> None:
    problem = goal_and_then_the_end(0.5)
    belief = belief_in(problem, [REACH, NOT_B])
    outside = replace(evaluate(problem, AVOID).score, surprise=10 * FAR)
    found = findings_of(belief, outside)
    assert found.answer.share == 0
    assert sum(answer.share for answer in found.answers.all) + found.answers.not_compared == pytest.approx(1)
    assert any(
        "The likeliest answer" in sentence and "is another" in sentence for sentence in found.sentences
    )


def test_agents_of_a_given_competency_are_compared_at_their_own_rationality() -> None:
    problem = replace(goal_and_then_the_end(1e-6), agent=Competency(0.9))
    scores = Evaluator(problem).scores([REACH, NOT_BACK, AVOID])
    found = findings_of(Belief.of(problem, scores))
    assert found.answer.smallest.task == REACH
    assert len(found.answer.members) == 2


def test_a_world_that_is_not_listed_says_what_was_not_worked_out() -> None:
    pytest.importorskip("oxidd")
    world = random_world(np.random.default_rng(0), horizon=3)
    letters = tuple(sorted(world.conditions))
    problem = Problem.of(
        world,
        demonstrations=(Path((), complete=False),),
        alphabet=letters,
        planner=DiagramPlanner(),
        agent=Fixed(4.0),
    )
    tasks = [DFA.constant(letters, True), DFA.constant(letters, False)]
    first = letters[0]
    tasks.append(DFA.build(alphabet=letters, states=2, accepting=[1], transitions=[(0, first, 1)]))
    found = findings_of(belief_in(problem, tasks))
    assert found.open.use is None
    assert any("was not worked out" in sentence for sentence in found.sentences)
    assert all(not difference.searched for difference in found.differences)
    assert json.loads(dumps(belief_json(found).plain()))["answers"][0]["members"] >= 1
    assert as_html(belief_blocks(found))


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    problem = goal_and_then_the_end(0.5)
    findings_of(belief_in(problem, [REACH, AVOID]), progress=lambda done, of: told.append((done, of)))
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1][0] == told[-1][1]


def test_the_same_result_gives_the_same_bytes() -> None:
    problem = demospec.load_example("delivery")
    one, two = (demospec.learn(problem, seed=1).findings for _ in range(2))
    assert one is not None
    assert two is not None
    assert dumps(belief_json(one).plain()) == dumps(belief_json(two).plain())


def test_a_result_believes_in_what_was_scored() -> None:
    problem = demospec.load_example("delivery")
    result: Result = demospec.learn(problem, seed=1)
    scored = {score.language for row in result.trace for score in row.info.scored}
    scored |= {row.info.candidate.language for row in result.trace if row.info.candidate}
    assert set(result.belief.tasks) <= scored
    assert result.belief.weights.sum() == pytest.approx(1)
