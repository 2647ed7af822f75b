"""What the page is told of a search and of its result, as plain JSON with pictures in it."""

from __future__ import annotations

import math
import time

from demospec.belief import Belief, Findings
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.report.drawings import cells_of, open_svg
from demospec.report.page.figures import walks_document, walks_of
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.board import Line, lines_layer
from demospec.report.told import ACT, EXACTLY, SHOWN_BY, Told, as_sentence, run_words, warning_words
from demospec.report.words import sentence
from demospec.runs.result import Result, Row
from demospec.runs.session import Session
from demospec.runs.why import explain
from demospec.search.diss import Conjecture, next_conjecture, tried_in
from demospec.studio.opening import Document
from demospec.tasks import DFA, Task
from demospec.tasks.words import compare
from demospec.wording import word_text
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene

EVERY = 0.4  # seconds between two looks at the belief while a search runs
QUESTION = 7  # the colour of lines that nobody walked
ANSWERS = 4  # that are told, the headline among them


# -- while the search runs -----------------------------------------------------------------------------------


class Watching:
    """What is told of each iteration; what did not change is not told again."""

    def __init__(self, session: Session) -> None:
        self.session, self.problem = session, session.problem
        self.leader: Task | None = None
        self.scored: dict[DFA, Score] = {}
        self.weighed = -math.inf  # when the belief was last worked out

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
        if self.scored and (row.better or time.monotonic() - self.weighed > EVERY):
            belief = Belief.of(self.problem, list(self.scored.values()))
            self.weighed = time.monotonic()
            best = belief.scores[0].task
            told["probability"] = float(belief.weights[0])
            if self.leader is None or best.automaton != self.leader.automaton:
                self.leader = best
                told |= {"sentence": sentence(best), "automaton": automaton_svg(best.automaton, live=True)}
        tested = [one.conjecture for one in tried_in(row.info)]
        if made := next_conjecture(row.info) or (tested[-1] if tested else None):
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


def drawn_path(problem: Problem, scene: Scene, path: Path) -> Document:
    """Return a path that nobody walked: dashed, in a colour of its own, and its cells."""
    cells, rows = cells_of(scene, path), scene.grid
    assert rows is not None
    layer = lines_layer(rows, scene.terrain, [Line(cells, "?", QUESTION, dashed=True)])
    return {"world": problem.scenes.index(scene), "cells": [list(cell) for cell in cells], "layer": layer}


# -- the result ----------------------------------------------------------------------------------------------


def answer_document(told: Told) -> Document:
    """Return the answer: one sentence, and how sure it is."""
    result, found = told.result, told.result.findings
    automaton = drawn_automaton(result)
    known = found is not None and found.open.task is automaton
    drawn = open_svg(found.open, live=True) if found and known else automaton_svg(automaton, live=True)
    return {
        "lead": as_sentence(told.undetermined or told.asked).rstrip("."),
        "sentence": told.said.sentence,
        "exact": as_sentence(told.exact, EXACTLY),
        "rest": list(told.said.rest),
        "probability": None if found is None else found.answer.share,
        "share": told.share,
        "sure": told.sure,
        "enough": as_sentence(told.enough, ACT),
        "automaton": drawn,
        "alphabet": list(automaton.alphabet),
        "seconds": result.seconds,
        "tasks": result.evaluations,
        "seed": result.seed,
    }


def drawn_automaton(result: Result) -> DFA:
    """Return the automaton that is drawn: of equal ones the one in which it is known what is open."""
    automaton, found = result.best.task.automaton, result.findings
    return found.open.task if found is not None and found.open.task == automaton else automaton


def details_document(told: Told) -> Document:
    """Return what is settled and what is open, what to be warned of, other answers, and the runs."""
    found = told.result.findings
    return {
        "claims": [
            {
                "name": one.name,
                "nothing": as_sentence(one.nothing),
                "claims": [
                    {"sentence": each.sentence, "share": each.share, "settle": as_sentence(each.settle)}
                    for each in one.claims
                ],
            }
            for one in told.claims
        ],
        "warnings": [warning_words(one) for one in told.warnings],
        "demonstrator": as_sentence(told.shown_by, SHOWN_BY),
        "answers": [] if found is None else other_answers(told.result.best.task, found),
        "runs": runs_document(told.result),
    }


def runs_document(result: Result) -> list[Document]:
    """Return the demonstrations step by step, as figures.js reads them, each with the number of its world."""
    problem = result.problem
    walks = list(walks_of(problem, drawn_automaton(result), explain(result).demonstrations))
    told = zip(walks_document(problem, walks), walks, strict=True)
    return [{**run, "scene": problem.scenes.index(walk.scene)} for run, walk in told]


def other_answers(best: Task, found: Findings) -> list[Document]:
    """Return the answers after the headline, each by its difference from it."""
    others = [one for one in found.answers.all if not one.is_named][: ANSWERS - 1]
    return [
        {
            "sentence": sentence(one.smallest.task),
            "probability": one.share,
            "difference": difference_words(best, one.smallest.task),
            "automaton": automaton_svg(one.smallest.task.automaton, live=True),
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
