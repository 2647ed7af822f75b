"""What objects show of themselves: a few lines in a terminal, markup that holds together in a notebook."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from xml.etree import ElementTree

import numpy as np
import pytest

import demospec
from demospec import problems
from demospec.ask.dialogue import Dialogue
from demospec.explain.refine import Refinement
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.tasks.showing import LINES, WIDTH, html_of
from demospec.tasks.words import compare
from demospec.worlds.simulator import WorldSimulator, estimate
from demospec.worlds.world import only_start, pairs_by_action
from factored_worlds import random_world


@lru_cache
def objects(name: str) -> dict[str, object]:
    problem = demospec.load_example(name)
    result = demospec.learn(problem, seed=0)
    evaluation = demospec.evaluate(problem, result.best.task)
    dialogue = Dialogue.begin(problem, enough=2.0)
    answered = dialogue.replied(True) if dialogue.question else dialogue
    return {
        "problem": problem,
        "merged problem": problem.merged() if resolve(problem).planner.abilities.listed else problem,
        "problem with many demonstrations": problem.with_demonstrations(problem.demonstrations * 50),
        "world": problem.world,
        "tree": problem.tree,
        "result": result,
        "comparison": compare(result.best.task, result.ranked[-1].score.task),
        "belief": result.belief,
        "findings": result.findings,
        "score": result.best,
        "evaluation": evaluation,
        "plan": evaluation.plan,
        "policy": demospec.policy(problem, result.best.task),
        "policy for a belief": policy_for_belief(problem, result),
        "dialogue": dialogue,
        "dialogue with an answer": answered,
        "dialogue that is over": replace(dialogue, contradiction="no task is left"),
    }


def policy_for_belief(problem: Problem, result: demospec.Result) -> demospec.Policy:
    if not resolve(problem).planner.abilities.rewards:
        return demospec.policy(problem, result.best.task)
    return demospec.belief_policy(problem, result.weighted_tasks)


def every() -> Iterator[tuple[str, str]]:
    kinds = (
        *("problem", "merged problem", "problem with many demonstrations", "world", "tree", "result"),
        *("belief", "findings", "score", "evaluation", "plan", "policy", "policy for a belief"),
        *("dialogue", "dialogue with an answer", "dialogue that is over"),
    )
    return ((name, kind) for name in problems.names() for kind in kinds)


def assert_short(shown: object) -> None:
    lines = repr(shown).split("\n")
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert str(shown) == repr(shown)


@pytest.mark.parametrize(("name", "kind"), list(every()))
def test_an_object_shows_itself_in_a_few_lines(name: str, kind: str) -> None:
    assert_short(objects(name)[kind])


@pytest.mark.parametrize(("name", "kind"), list(every()))
def test_an_object_shows_markup_in_a_notebook(name: str, kind: str) -> None:
    shown = objects(name)[kind]
    markup = shown._repr_html_()  # type: ignore[attr-defined]
    assert markup == html_of(shown)
    root = ElementTree.fromstring(f"<div>{markup}</div>")
    assert {found.tag for found in root} & {"table", "figure", "ul"}


@pytest.mark.parametrize("name", problems.names())
def test_what_a_person_wants_to_see_is_there(name: str) -> None:
    shown = objects(name)
    problem, result = shown["problem"], shown["result"]
    assert isinstance(problem, Problem)
    assert isinstance(result, demospec.Result)
    best = str(result.best.task)
    for kind in ("result", "belief", "score", "evaluation", "findings"):
        assert best[: WIDTH // 2] in repr(shown[kind]) or kind == "belief"
    for kind in ("problem", "result", "dialogue"):
        assert repr(name.removesuffix("-paper")) in repr(shown[kind])
    assert f"{result.best.energy:.4f}" in repr(result)
    world = problem.world
    assert f"{len(list(world.names()))} states" in repr(problem)
    (line,) = [line for line in repr(shown["policy"]).split("\n") if line.startswith("at the start")]
    for action in pairs_by_action(world, only_start(world)):
        assert action in line


def test_worlds_and_trees_of_other_kinds_are_short_too() -> None:
    problem = demospec.load_example("delivery")
    assert_short(estimate(WorldSimulator(problem.mdp, seed=0), steps=50))
    assert_short(random_world(np.random.default_rng(0), horizon=3))
    assert_short(Refinement(problem.tree, (), lambda task: demospec.evaluate(problem, task).along).over(()))


def test_a_picture_is_drawn_of_a_task_as_it_is() -> None:
    task = demospec.DFA.parse(">0: a→1 | 1: a→2 | 2: a→2", "ab")
    picture = task._repr_svg_()
    assert picture is not None
    states = [found for found in ElementTree.fromstring(picture).iter() if found.get("class") == "state"]
    assert len(states) == 3


def test_importing_the_package_draws_nothing() -> None:
    program = (
        "import sys, demospec\n"
        "print([name for name in sys.modules if name.startswith('demospec.report.') "
        "and name != 'demospec.report.notebook'])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
