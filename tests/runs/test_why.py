"""Why a result is what it is: surprise by demonstration and step, paths not taken, the best task's origin."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path as FilePath

import numpy as np
import pytest

from all_paths import enumerate_paths, pivot_of
from demospec import learn, load, load_example, problems
from demospec.cli import main
from demospec.cli.streams import WIDTH
from demospec.explain.score import Score, evaluate
from demospec.plan.rationality import Empirical, Fixed
from demospec.problem import Problem
from demospec.report.answer_report import result_blocks
from demospec.report.blocks import as_text
from demospec.report.documents import dumps
from demospec.report.html import as_html
from demospec.report.pictures.maps import path_map
from demospec.report.result_document import result_document
from demospec.report.why_report import (
    MOST_CONJECTURES,
    PROPOSED,
    left_words,
    most_useful,
    origin_words,
    why_blocks,
    why_json,
)
from demospec.runs.result import Ranked, Result, Row
from demospec.runs.why import Branch, Origin, conjectures, explain, origin, prior_guess
from demospec.search.diss import Conjecture, PaperInfo, tried_in
from demospec.search.diss import Tested as Tried
from demospec.search.engine import Info
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.testing.small_worlds import (
    ByEnumeration,
    random_demonstrations,
    random_dfa,
    random_mdp,
)
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player

LETTERS = ("a", "b")
SEEDS = range(12)


def small_problem(seed: int, *, with_prior: bool = False) -> tuple[Problem, DFA]:
    rng = np.random.default_rng([seed, 59])
    mdp = random_mdp(
        rng, letters=LETTERS, actions=3, end_probability=0.2 * (seed % 2), terminal=int(seed % 3 == 0)
    )
    task, prior = random_dfa(rng, LETTERS, 3), random_dfa(rng, LETTERS, 2).minimal
    problem = Problem.of(
        mdp,
        demonstrations=random_demonstrations(rng, mdp, 1 + seed % 6),
        alphabet=LETTERS,
        agent=Fixed(3.0),
        merge_repeats=bool(seed % 4 < 2),
        prior=prior if with_prior else None,
    )
    return problem, (task & prior).minimal if with_prior else task.minimal


def result_of(problem: Problem, task: DFA, *rows: Row) -> Result:
    return Result(problem, 0, (Ranked(evaluate(problem, task).score, 1.0),), rows, 0.0)


def row(info: Info, chain: int = 0) -> Row:
    return Row(chain, info, info.best)


@lru_cache
def robot(method: str = "paper") -> Result:
    return learn(load_example("robot-paper").with_settings(method=method, iterations=40), seed=0)


# -- demonstrations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("with_prior", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_each_step_is_as_surprising_as_the_policy_says(seed: int, with_prior: bool) -> None:
    problem, task = small_problem(seed, with_prior=with_prior)
    guess = problem.prior or DFA.constant(LETTERS, True)
    agents = [
        ByEnumeration(problem.mdp, one, 3.0, merge_repeats=problem.merge_repeats) for one in (task, guess)
    ]
    why = explain(result_of(problem, task))
    assert why.prior_guess.task == guess
    for shown, path in zip(why.demonstrations, problem.demonstrations, strict=True):
        assert [step.number for step in shown.steps] == list(range(1, len(path.steps) + 1))
        assert [step.pair for step in shown.steps] == [pair for pair, _ in path.steps]
        assert [step.state for step in shown.steps] == path.states(problem.mdp)[:-1]
        assert shown.accepted == task.accepts(problem.word(path))
        for step in shown.steps:
            before = path.upto(step.number - 1)
            expected, prior = (-agent.log_policy(before, step.pair) for agent in agents)
            assert step.surprise == pytest.approx(expected, abs=1e-9)
            assert step.prior_surprise == pytest.approx(prior, abs=1e-9)
            assert step.gain == pytest.approx(prior - expected, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_surprises_of_demonstrations_add_up_to_the_tasks(seed: int) -> None:
    problem, task = small_problem(seed)
    why = explain(result_of(problem, task))
    assert sum(shown.surprise for shown in why.demonstrations) == pytest.approx(
        evaluate(problem, task).score.surprise, rel=1e-12, abs=1e-12
    )
    assert sum(shown.prior_surprise for shown in why.demonstrations) == pytest.approx(
        why.prior_guess.surprise, rel=1e-12, abs=1e-12
    )
    gain = sum(shown.gain for shown in why.demonstrations)
    assert gain == pytest.approx(why.prior_guess.surprise - why.best.surprise, abs=1e-12)


def test_a_demonstration_that_is_shown_twice_counts_twice() -> None:
    problem, task = small_problem(7)
    path = max(problem.demonstrations, key=lambda path: len(path.steps))
    once = explain(result_of(problem.with_demonstrations((path,)), task))
    twice = explain(result_of(problem.with_demonstrations((path, path)), task))
    assert once.best.surprise > 0
    assert [shown.surprise for shown in twice.demonstrations] == pytest.approx([once.best.surprise] * 2)
    assert twice.best.surprise == pytest.approx(2 * once.best.surprise)


def test_the_largest_gains_come_first_and_losses_are_no_gains() -> None:
    seen = 0
    for seed in SEEDS:
        for shown in explain(result_of(*small_problem(seed))).demonstrations:
            gains = [step.gain for step in shown.largest_gains(len(shown.steps))]
            assert gains == sorted((step.gain for step in shown.steps if step.gain > 0), reverse=True)
            assert shown.largest_gains(1) == shown.largest_gains(99)[:1]
            seen += len(gains) < len(shown.steps)
    assert seen


def test_the_agent_of_the_prior_guess_is_aimless() -> None:
    problem, task = small_problem(2)
    accepts_all = explain(result_of(problem, task)).demonstrations
    rejects_all = explain(result_of(problem, DFA.constant(LETTERS, False))).demonstrations
    for one, other in zip(accepts_all, rejects_all, strict=True):
        assert one.prior_surprise == pytest.approx(other.surprise)
    assert prior_guess(problem) == DFA.constant(LETTERS, True)


def test_an_empirical_competency_can_be_explained() -> None:
    problem = replace(load_example("robot-paper"), agent=Empirical())
    why = explain(learn(problem.with_settings(iterations=3), seed=0))
    assert sum(shown.surprise for shown in why.demonstrations) == pytest.approx(why.best.surprise)


def info_of(
    iteration: int,
    temperature: float,
    reset: bool,
    examples: Examples,
    candidate: Score | None,
    accepted: bool,
    made: Conjecture | None,
    best: Score | None,
    scored: tuple[Score, ...] = (),
    origins: tuple[str, ...] = (),
    tested: tuple[Tried, ...] = (),
) -> PaperInfo:
    return PaperInfo(
        iteration=iteration,
        candidate=candidate,
        accepted=accepted,
        best=best,
        scored=scored,
        origins=origins,
        temperature=temperature,
        reset=reset,
        examples=examples,
        conjecture=made,
        tested=tested,
    )


# -- conjectures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_every_path_is_told_to_leave_where_it_leaves(seed: int) -> None:
    problem, task = small_problem(seed)
    score, tree = evaluate(problem, task).score, problem.tree
    paths = list(enumerate_paths(problem.mdp))
    made = [Conjecture((str(k),), True, path, 0, 0.0) for k, path in enumerate(paths)]  # a word of its own
    tested = tuple(Tried(one, score, score, True) for one in made)
    info = info_of(1, 1.0, False, Examples(), score, True, None, score, tested=tested)
    found = conjectures(problem, DFA.constant([w for one in made for w in one.word], True), [row(info)])
    assert len(found) == len(paths)
    for path, one in zip(paths, found, strict=True):
        prefix, chosen, ended = pivot_of(path, problem.demonstrations)
        assert tree.path_to(tree.left_by(path)) == (prefix, chosen)
        steps = prefix.steps
        assert one.player == (
            Player.NOBODY if ended else Player.AGENT if chosen is None else Player.ENVIRONMENT
        )
        step = len(steps) + (0 if ended else 1)
        assert one.step == step
        assert one.instead == Branch(*path.steps[step - 1], step == len(path.steps))
        assert one.state == path.states(problem.mdp)[step - 1]
        passing = {
            number: shown
            for number, shown in enumerate(problem.demonstrations, start=1)
            if shown.steps[: len(steps)] == steps
            and (ended or not (shown.complete and len(shown.steps) == len(steps)))
            and (not ended or (shown.complete and shown.steps == steps))
            and (chosen is None or (len(shown.steps) > len(steps) and shown.steps[len(steps)][0] == chosen))
        }
        assert one.demonstrations == tuple(passing)
        taken = {
            Branch(*shown.steps[step - 1], shown.complete and len(shown.steps) == step)
            for shown in passing.values()
            if len(shown.steps) >= step
        }
        assert set(one.taken) == taken
        assert len(one.taken) == len(taken)
        assert (one.instead in taken) == ended
        assert left_words(problem.mdp, one)


def test_conjectures_come_by_what_they_gained_and_each_change_once() -> None:
    problem, best = small_problem(3)
    score = evaluate(problem, best).score
    path = next(iter(enumerate_paths(problem.mdp)))
    word = problem.word(path)

    def tested(before: float, after: float | None, accepted: bool = True, label: bool = True) -> Tried:
        made = Conjecture(word, label, path, 0, 0.0)
        old = replace(score, energy=before, task=DFA.parse(f">0: a→{int(before) % 2} | 1:", LETTERS))
        return Tried(made, old, None if after is None else replace(score, energy=after), accepted)

    rows = [
        row(info_of(1, 1.0, False, Examples(), score, True, None, score, tested=(tested(5.0, 4.0),))),
        row(info_of(2, 1.0, False, Examples(), None, False, None, score, tested=(tested(5.0, None, False),))),
        row(
            info_of(
                3,
                1.0,
                False,
                Examples(),
                score,
                True,
                None,
                score,
                tested=(tested(8.0, 2.0, label=False), tested(5.0, 4.0)),
            )
        ),
        row(info_of(4, 1.0, False, Examples(), score, False, None, score, tested=(tested(5.0, 9.0, False),))),
    ]
    found = conjectures(problem, best, rows)
    assert [one.gain for one in found] == [6.0, 1.0, -4.0, -np.inf]
    assert [one.times for one in found] == [1, 2, 1, 1]
    assert [one.iteration for one in found] == [3, 1, 4, 2]
    assert [one.kept for one in found] == [best.accepts(word) == label for label in (False, True, True, True)]
    assert [one.tested.accepted for one in found] == [True, True, False, False]


def test_conjectures_of_a_search_leave_at_their_pivots_and_are_all_told() -> None:
    result = robot()
    found = explain(result).conjectures
    tested = [one for row in result.trace for one in tried_in(row.info)]
    assert sum(one.times for one in found) == len(tested) > 10
    for one in found:
        made = one.tested.conjecture
        assert result.problem.tree.left_by(made.path) == made.pivot
        assert one.gain == one.tested.before.energy - one.tested.after.energy if one.tested.after else True
    gains = [one.gain for one in found]
    assert gains == sorted(gains, reverse=True)
    words = [
        (one.tested.conjecture.word, one.tested.conjecture.label) for one in most_useful(explain(result), 9)
    ]
    assert len(set(words)) == len(words)


# -- origin -------------------------------------------------------------------------------------------


def test_the_origin_is_what_the_search_says() -> None:
    problem, best = small_problem(4)
    score, other = evaluate(problem, best).score, evaluate(problem, DFA.constant(LETTERS, False)).score
    assert best != other.task
    made = Tried(Conjecture((), True, Path((), complete=False), 0, 0.0), other, score, True)
    quiet = info_of(1, 1.0, False, Examples(), other, True, None, other, (other,), ("examples",))
    named = info_of(
        2,
        1.0,
        False,
        Examples(),
        score,
        True,
        None,
        score,
        scored=(other, score),
        origins=("guess", "edit"),
    )
    tried = info_of(
        2,
        1.0,
        False,
        Examples(),
        score,
        True,
        None,
        score,
        scored=(score,),
        origins=("conjecture",),
        tested=(made,),
    )
    assert origin(best, [row(quiet), row(named, 3)]) == Origin("edit", 3, 2, None)
    assert origin(best, [row(quiet), row(tried)]) == Origin("conjecture", 0, 2, made)
    assert origin(best, [row(quiet)]) is None
    assert origin_words(Origin("edit", 3, 2, None), 4) == (
        "scored first in iteration 2 of chain 4, one edit away from a good task"
    )
    assert origin_words(Origin("mine", 0, 2, None), 1) == 'scored first in iteration 2, proposed by "mine"'


@pytest.mark.parametrize("method", ["explore", "paper", "enumeration"])
def test_the_origin_is_the_first_row_that_scored_the_best(method: str) -> None:
    result = robot(method)
    found = explain(result).origin
    assert found is not None
    first = next(
        row.info for row in result.trace if result.best.task in [one.task for one in row.info.scored]
    )
    assert found.iteration == first.iteration
    names = {"explore": set(PROPOSED), "paper": {"conjecture", "examples"}, "enumeration": {"enumeration"}}
    assert {origin for row in result.trace for origin in row.info.origins} <= names[method]


# -- what people see ----------------------------------------------------------------------------------


def test_the_document_says_why() -> None:
    result = robot()
    document = json.loads(dumps(result_document(result)))["why"]
    why = explain(result)
    assert document["surprise"] == pytest.approx(sum(one["surprise"] for one in document["demonstrations"]))
    assert document["prior_guess"] == {"task": ">*0:", "surprise": why.prior_guess.surprise}
    assert document["conjectures_tried"] == sum(one.times for one in why.conjectures)
    assert len(document["conjectures"]) == min(MOST_CONJECTURES, len(why.conjectures))
    assert document["origin"]["iteration"] == why.origin.iteration if why.origin else False
    for one in document["conjectures"]:
        assert one["gain"] == pytest.approx(one["before"]["energy"] - one["after"]["energy"])
        assert one["path"][2 * one["step"] - 2] == one["instead"]["action"]
        for number in one["demonstrations"]:
            shown = result.problem.demonstrations[number - 1].to_file(result.problem.mdp)
            assert shown[: 2 * one["step"] - 2] == one["path"][: 2 * one["step"] - 2]
            assert shown[2 * one["step"] - 2] in [move["action"] for move in one["taken"]]
    steps = document["demonstrations"][0]["steps"]
    assert steps[0] == {
        "step": 3,
        "state": [3, 6],
        "action": "left",
        "surprise": pytest.approx(0.0417238, abs=1e-6),
        "prior_surprise": pytest.approx(1.3862944, abs=1e-6),
        "gain": pytest.approx(1.3445705, abs=1e-6),
    }


def test_the_text_says_why() -> None:
    told = as_text(why_blocks(robot()))
    assert re.search(
        r"^ +1 +2\.0801 +8\.3178 +\+6\.2377 +step 3, left in \(3, 6\), \+1\.34;", told, re.MULTILINE
    )
    assert re.search(r"^ +all +11\.4516 +27\.7259 +\+16\.2743$", told, re.MULTILINE)
    assert "the task that accepts everything, whose agent is aimless" in told
    assert "The best task was scored first in iteration" in told
    assert "conjectures were tried" in told
    assert re.search(r"leaves +at step \d+ of demonstrations? [12, ]+, in \(\d, \d\)", told)
    assert "No conjecture was tried." in as_text(why_blocks(robot("enumeration")))
    assert "prior guess, the prior" in as_text(
        why_blocks(learn(load_example("robot-incremental").with_settings(iterations=2)))
    )


def test_the_command_says_why_when_asked(tmp_path: FilePath, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "robot.toml"
    file.write_text(problems.text("robot-paper"), encoding="utf-8")

    def printed(*options: str) -> str:
        with pytest.raises(SystemExit) as left:
            main(["learn", str(file), "--method", "paper", "--iterations", "5", *options])
        assert left.value.code == 0
        return capsys.readouterr().out

    assert "\nWhy\n" not in printed()
    asked = printed("--why")
    result = learn(load(file).with_settings(method="paper", iterations=5), seed=0)
    assert f"\n\n{as_text(why_blocks(result), WIDTH)}\n\n" in asked
    assert json.loads(printed("--why", "--json"))["why"] == json.loads(dumps(why_json(result).plain()))


def test_the_page_says_why_and_draws_the_path_not_taken() -> None:
    page = as_html(result_blocks(robot()))
    assert "<h3>Why</h3>" in page
    drawn = len(most_useful(explain(robot()), 3))
    assert drawn == 3
    assert page.count('stroke-dasharray="5 5"') == drawn
    assert page.count("the path not taken (") == drawn
    assert "stroke-dasharray" not in as_html(result_blocks(robot("enumeration")))


def test_demonstrations_on_a_map_keep_their_numbers() -> None:
    rows, paths = ["...", "..."], [[(1, 1), (2, 1)], [(1, 1), (1, 2)]]
    plain = path_map(rows, start=(1, 1), paths=paths)
    assert "demonstration 2 (1 step)" in plain
    assert "stroke-dasharray" not in plain
    named = path_map(rows, start=(1, 1), paths=paths, numbers=[4, 7], not_taken=[(1, 1), (2, 1), (3, 1)])
    assert "demonstration 4 (1 step)" in named
    assert "demonstration 7 (1 step)" in named
    assert "the path not taken (2 steps)" in named
    with pytest.raises(ValueError, match="not on the map"):
        path_map(rows, start=(1, 1), not_taken=[(9, 9)])
