"""Why a result is what it is: surprise by demonstration, where the best task comes from, paths not taken."""

from __future__ import annotations

from functools import partial

from demospec.problem import Problem
from demospec.report.blocks import Block, Facts, Figure, Items, Paragraph, Section, Table
from demospec.report.said import sentence
from demospec.report.why_words import (
    change_words,
    gains_words,
    guess_words,
    label_words,
    left_words,
    most_useful,
    origin_words,
    tried_words,
)
from demospec.report.words import decimal, path_text
from demospec.report.worlds import in_world, paths_svg
from demospec.runs.result import Result
from demospec.runs.why import NotTaken, Why, explain

CONJECTURES = 5  # told
TOGETHER = 4  # demonstrations on one map


def why_blocks(result: Result, conjectures: int = CONJECTURES) -> list[Block]:
    """Tell each demonstration's surprise, the best task's origin, and the conjectures that helped most."""
    why, problem = explain(result), result.problem
    told = most_useful(why, conjectures)
    blocks: list[Block] = [
        Paragraph(
            f'Surprise in nats under the best task, "{sentence(result.best.task)}", '
            f"and under the prior guess, {guess_words(result)}; "
            "and the steps at which the best task explains most."
        ),
        surprise_table(problem, why),
    ]
    if why.origin is not None:
        blocks.append(Paragraph(f"The best task was {origin_words(why.origin, problem.settings.chains)}."))
    blocks.append(Paragraph(tried_words(why, told)))
    blocks.append(Items([conjecture_blocks(problem, one) for one in told], numbered=True))
    return [Section("Why", blocks)]


def surprise_table(problem: Problem, why: Why) -> Table:
    """Return the surprise of each demonstration, and of all."""
    rows = [
        (
            f"{shown.number}{in_world(problem, shown.scene)}",
            *surprises(shown.surprise, shown.prior_surprise),
            gains_words(shown.scene.world, shown),
        )
        for shown in why.demonstrations
    ]
    rows.append(("all", *surprises(why.best.surprise, why.prior_guess.surprise), ""))
    return Table(("demonstration", "best task", "prior guess", "gain", "largest gains"), rows)


def surprises(best: float, prior: float) -> tuple[str, str, str]:
    """Write two surprises, and by how much the first is less."""
    return decimal(best), decimal(prior), decimal(prior - best, "+.4f")


def conjecture_blocks(problem: Problem, one: NotTaken) -> list[Block]:
    """Tell one conjecture: where its path leaves, what it changed, and on a grid the map."""
    world = one.scene.world
    blocks: list[Block] = [
        Paragraph(f"{label_words(one)}{in_world(problem, one.scene)}"),
        Facts(
            [
                ("path", path_text(one.tested.conjecture.path_in(world).to_file(world))),
                ("leaves", left_words(world, one)),
                ("change", change_words(one)),
                ("best task", "agrees" if one.kept else "does not agree"),
            ]
        ),
    ]
    if one.scene.grid is not None:
        numbers = one.demonstrations[:TOGETHER]
        shown = [problem.demonstrations[number - 1] for number in numbers]
        path = one.tested.conjecture.path_in(world)
        blocks.append(Figure(partial(paths_svg, one.scene, shown, numbers=numbers, not_taken=path)))
    return blocks
