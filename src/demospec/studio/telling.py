"""What the page is told of a search and of its result, as plain JSON; drawings are Python's, as everywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from demospec.belief import Belief
from demospec.belief.letters import percent
from demospec.errors import word_text
from demospec.problem import Problem
from demospec.report.answer_blocks import demonstrator_words, headline
from demospec.report.claims_blocks import claims_document, settle_sentence
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.board import Line, lines_layer
from demospec.report.said import in_full, sentence
from demospec.report.worlds import cell_of
from demospec.runs.position import Row
from demospec.runs.result import Result
from demospec.runs.session import Session
from demospec.runs.why import Shown, explain
from demospec.search.pivot import Conjecture
from demospec.studio.opening import Document
from demospec.tasks import DFA, Task
from demospec.tasks.words import compare
from demospec.worlds.paths import Path, word_of
from demospec.worlds.scene import Scene

QUESTION = 7  # the colour of lines that nobody walked
ANSWERS = 4  # that are told, the headline among them


# -- while the search runs -----------------------------------------------------------------------------------


class Watching:
    """What is told of each iteration; what did not change is not told again."""

    def __init__(self, session: Session) -> None:
        self.session, self.problem = session, session.problem
        self.leader: Task | None = None
        self.scored: dict[DFA, Any] = {}

    def row(self, row: Row) -> Document:
        """Return what an iteration did: the leading task, how likely it is so far, what was conjectured."""
        for score in row.info.scored:
            if score.reached:
                self.scored[score.language] = score
        told: Document = {
            "iteration": len(self.session.trace),
            "tasks": len(self.scored),
            "seconds": self.session.seconds,
        }
        if self.scored:
            belief = Belief.of(self.problem, list(self.scored.values()))
            best = belief.scores[0].task
            told["probability"] = float(belief.weights[0])
            if self.leader is None or best.automaton != self.leader.automaton:
                self.leader = best
                told |= {"sentence": sentence(best), "automaton": automaton_svg(best.automaton, live=True)}
        tested = [one.conjecture for one in row.info.tested]
        if made := row.info.conjecture or (tested[-1] if tested else None):
            told["conjecture"] = conjecture_document(self.problem, made)
        return told


def conjecture_document(problem: Problem, made: Conjecture) -> Document:
    """Return a conjecture: its path, drawn, and what is supposed of it."""
    scene = problem.scenes[made.scene]
    path = made.path_in(scene.world)
    good = "all right" if made.label else "not all right"
    return {
        **drawn_path(problem, scene, path),
        "said": f"What if {word_text(made.word) if made.word else 'a run without a letter'} were {good}?",
    }


def cells_of(scene: Scene, path: Path) -> list[tuple[int, int]]:
    """Return the cells that a path passes."""
    world = scene.original
    states = scene.in_original(path).without_stop(world).states(world)
    return [cell_of(world, state) for state in states]


def drawn_path(problem: Problem, scene: Scene, path: Path, name: str = "?") -> Document:
    """Return a path that nobody walked: dashed, in a colour of its own, and its cells."""
    cells, rows = cells_of(scene, path), scene.grid
    assert rows is not None
    line = Line(cells, name, QUESTION, dashed=True)
    return {
        "world": problem.scenes.index(scene),
        "cells": [list(cell) for cell in cells],
        "layer": lines_layer(rows, scene.terrain, [line]),
    }


# -- the result ----------------------------------------------------------------------------------------------


def answer_document(result: Result) -> Document:
    """Return the answer: one sentence, one probability, and whether what was shown determines it."""
    problem, found = result.problem, result.findings
    said = in_full(problem, result.best.task, result.stop)
    automaton = result.best.task.automaton
    shown = None if found is None else found.open
    if shown is not None and shown.task == automaton and len(result.best.task.parts) <= 1:
        drawn = automaton_svg(shown.task, light=shown.light, also=shown.also, live=True)
        automaton = shown.task
    else:
        drawn = automaton_svg(automaton, live=True)
    return {
        "sentence": said.sentence,
        "exact": said.exact,
        "rest": list(said.rest),
        "clauses": str(result.best.task) if said.exact else None,
        "probability": None if found is None else found.answers.best.share,
        "determined": None if found is None else found.determined,
        "headline": headline(result),
        "automaton": drawn,
        "table": automaton_document(automaton),
        "seconds": result.seconds,
        "tasks": result.evaluations,
        "seed": result.seed,
        "ended": result.ended,
    }


def automaton_document(dfa: DFA) -> Document:
    """Return an automaton's table, as the drawing numbers its states."""
    return {
        "alphabet": list(dfa.alphabet),
        "start": dfa.start,
        "accepting": [state for state in range(dfa.states) if dfa.accepting[state]],
        "table": [list(row) for row in dfa.table],
    }


def details_document(result: Result) -> Document:
    """Return what is settled and what is open, what to be warned of, other answers, and the runs."""
    problem, claims, found = result.problem, result.claims, result.findings
    return {
        "claims": [] if claims is None else claims_with_advice(result),
        "warnings": [one.to_json() for one in result.warnings],
        "demonstrator": None if result.demonstrator is None else demonstrator_words(result),
        "answers": [] if found is None else other_answers(result),
        "runs": [run_document(problem, result.best.task, shown) for shown in explain(result).demonstrations],
    }


def claims_with_advice(result: Result) -> list[Document]:
    """Return the claims, each open one with what would settle it in words."""
    claims = result.claims
    assert claims is not None
    told = claims_document(result.problem, claims)
    for claim, document in zip(claims.told, told, strict=True):
        document["percent"] = percent(claim.probability)
        if claim.settle is not None:
            document["advice"] = settle_sentence(result.problem, claim.settle)
    return told


def other_answers(result: Result) -> list[Document]:
    """Return the answers after the headline, each by its difference from it."""
    found = result.findings
    assert found is not None
    best = result.best.task
    others = [one for one in found.answers.all if not one.holds_best][: ANSWERS - 1]
    return [
        {
            "sentence": sentence(one.name.task),
            "probability": one.share,
            "difference": difference_words(best, one.name.task),
            "automaton": automaton_svg(one.name.task.automaton, live=True),
        }
        for one in others
    ]


def difference_words(best: Task, other: Task) -> str:
    """Say how another task differs from the answer: runs that only one of them is content with."""
    found = compare(best, other)
    told = []
    if found.only_second is not None:
        told.append(f"{run_words(found.only_second)} would be all right here, and not in the answer")
    if found.only_first is not None:
        told.append(f"{run_words(found.only_first)} would be all right in the answer, and not here")
    return "; ".join(told) if told else "the same runs are all right"


def run_words(word: Sequence[str]) -> str:
    """Name a run by its word."""
    return f"a run that reads {word_text(word)}" if word else "a run that reads no letter"


def run_document(problem: Problem, task: Task, shown: Shown) -> Document:
    """Return a demonstration step by step: cell, what is read, the task's state, and the surprise."""
    scene = shown.scene
    world, dfa = scene.original, task.automaton
    inside = [one for one in problem.shown if one[0] == shown.number]
    (_, _, path), *_ = inside
    whole = scene.in_original(path)
    states = whole.without_stop(world).states(world)
    labels = [world.label(state) for state in states]
    steps: list[Document] = []
    for k, state in enumerate(states):
        word = word_of(labels[: k + 1], merge_repeats=problem.merge_repeats)
        told: Document = {
            "cell": list(cell_of(world, state)),
            "letter": labels[k],
            "state": dfa.run(word),
            "word": list(word),
        }
        if k < len(shown.steps):
            step = shown.steps[k]
            told |= {
                "action": scene.world.action(step.pair),
                "surprise": number(step.surprise),
                "prior_surprise": number(step.prior_surprise),
            }
        steps.append(told)
    return {
        "number": shown.number,
        "world": problem.scenes.index(scene),
        "complete": shown.complete,
        "accepted": shown.accepted,
        "surprise": number(shown.surprise),
        "prior_surprise": number(shown.prior_surprise),
        "steps": steps,
    }


def number(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return float(value) if math.isfinite(value) else None
