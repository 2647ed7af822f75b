"""What a bit should task_cost: planted tasks, priced in several ways after one search.

    make bench-weights

The tasks and the worlds are others than those of the recovery benchmark. Each case is searched once, with
the weights by rule, and all tasks that the search scored, and the truth, are then ranked again for each price
of a bit. Told is how often an agent that plans with the first one reaches at least 95 % of the truth's
satisfaction probability, in the world of the demonstrations and in another one, where what fits accidents
does not help; how often both tasks agree about paths of the two agents; and, for beliefs over the tasks that
were scored (the truth not added), the mean Brier score of the probability that a word of these agents is
accepted.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from demospec.belief import acceptance, task_cost
from demospec.explain.score import Score, evaluate
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.runs.session import iterate
from demospec.search.frontier import softmin
from demospec.tasks import DFA
from recovery.measures import brier, draw_words, read_along, share
from recovery.planted import LETTERS, planted

PLANTED = {
    "reach r or b": ">0: b→1, r→1 | *1:",
    "avoid y and g": ">*0: g→1, y→1 | 1:",
    "reach b, never y": ">0: b→1, y→2 | *1: y→2 | 2:",
    "r, then y": ">0: r→1 | 1: y→2 | *2:",
    "y, then g, never b": ">0: y→1, b→3 | 1: g→2, b→3 | *2: b→3 | 3:",
    "r, then b, then g": ">0: r→1 | 1: b→2 | 2: g→3 | *3:",
    "r and y in any order": ">0: r→1, y→2 | 1: y→3 | 2: r→3 | *3:",
    "r and b, before y": ">0: b→2, r→1, y→4 | 1: b→3, y→4 | 2: r→3, y→4 | *3: | 4:",
    "g twice": ">0: g→1 | 1: g→2 | *2:",
    "after g, r": ">*0: g→1 | 1: r→0",
    "r last": ">0: r→1 | *1: b→0, g→0, y→0",
    "b after every y, then r": ">0: r→1, y→2 | *1: | 2: b→0",
    "g, or y and then b": ">0: g→2, y→1 | 1: b→2, g→2 | *2:",
    "at most one r": ">*0: r→1 | *1: r→2 | 2:",
}
FIRST_WORLD = 1000  # those of the recovery benchmark are below
ANOTHER = 1001  # so much further lies the other world; an odd number, so that one of the two has wind
RULE = "0.02·√n (rule)"
SIZE_WEIGHTS: dict[str, float | None] = {
    "0.005": 0.005,
    "0.02 (paper)": 0.02,
    "0.05": 0.05,
    RULE: None,
    "0.1": 0.1,
    "0.2": 0.2,
    "0.3": 0.3,
    "ln 2": math.log(2),
}
BELIEF_WEIGHTS = {
    "0.02": 0.02,
    "0.05": 0.05,
    "0.1": 0.1,
    "0.2": 0.2,
    "0.3": 0.3,
    "0.4": 0.4,
    "0.5": 0.5,
    "ln 2": math.log(2),
}
ENOUGH = 0.95  # of the truth's satisfaction probability
WORDS = 50  # of each of the two agents


def scored(problem: Problem, seed: int) -> list[Score]:
    """Search, and return all tasks that were scored, each language once."""
    found: dict[DFA, Score] = {}
    for row in iterate(problem, seed=seed):
        for score in row.info.scored:
            found.setdefault(score.language, score)
    return list(found.values())


def cheapest(problem: Problem, scores: Sequence[Score], price: float) -> Score:
    """Return the task with the lowest energy when a bit costs `price` nats; of equal ones the smaller."""
    weight, known = resolve(problem).weights.surprise_weight, resolve(problem).prior_size
    return min(scores, key=lambda score: (price * (score.size - known) + weight * score.surprise, score.size))


def measures(problem: Problem, elsewhere: Problem, best: DFA, truth: DFA) -> dict[str, float | str]:
    """Return how well a task does for the truth, here and in another world, and how often both agree."""
    here, back = read_along(problem, best, truth), read_along(problem, truth, best)
    most = read_along(elsewhere, truth, truth).own
    return {
        "learned": str(best),
        "share": share(here.other, back.own),
        "elsewhere": share(read_along(elsewhere, best, truth).other, most),
        "agreement": (here.same + back.same) / 2,
    }


def run(name: str, count: int, number: int, place: int) -> dict[str, Any]:
    """Plant a task, search once, and rank what was scored by each price."""
    truth = DFA.parse(PLANTED[name], LETTERS)
    began = time.process_time()
    problem = planted(truth, number, count, seed=place)
    scores = scored(problem, place)
    searched = time.process_time() - began
    own = evaluate(problem, truth).score
    all_scores = scores if any(score.task == truth for score in scores) else [*scores, own]
    elsewhere = planted(truth, number + ANOTHER, 1, seed=place)
    measured: dict[DFA, dict[str, float | str]] = {}
    priced_at = {}
    for label, price in SIZE_WEIGHTS.items():
        best = cheapest(
            problem, all_scores, resolve(problem).weights.size_weight if price is None else price
        ).language
        if best not in measured:
            measured[best] = measures(problem, elsewhere, best, truth)
        priced_at[label] = measured[best]
    rng = np.random.default_rng([number, count, 98])
    best = cheapest(problem, scores, resolve(problem).weights.size_weight).language
    words = [word for task in (truth, best) for word in draw_words(problem, task, WORDS, rng)]
    labels = np.array([truth.accepts(word) for word in words])
    accepted = acceptance([score.language for score in scores], words)
    briers = {}
    for label, price in BELIEF_WEIGHTS.items():
        priced = replace(
            problem, weights=replace(resolve(problem).weights, belief_size_weight=price, by_rule=False)
        )
        believed = softmin([task_cost(priced, score) for score in scores])  # each language is there once
        briers[label] = brier(believed @ accepted, labels)
    return {
        "task": name,
        "world": number,
        "demonstrations": count,
        "scored": len(scores),
        "truth_scored": len(all_scores) == len(scores),
        "sizes": priced_at,
        "brier": briers,
        "seconds": searched,
    }


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table as documents hold it."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tables(rows: Sequence[dict[str, Any]], counts: Sequence[int]) -> str:
    """Tell both tables: one column for each number of demonstrations, and one for all."""

    def of(count: int | None) -> list[dict[str, Any]]:
        return [row for row in rows if count is None or row["demonstrations"] == count]

    columns = [*counts, None]
    header = [*map(str, counts), "all"]

    def good(measure: str) -> list[list[str]]:
        def cell(label: str, own: list[dict[str, Any]]) -> str:
            return f"{sum(row['sizes'][label][measure] >= ENOUGH for row in own)}/{len(own)}"

        return [[label, *(cell(label, of(n)) for n in columns)] for label in SIZE_WEIGHTS]

    agreement = [
        [label, *(f"{np.mean([row['sizes'][label]['agreement'] for row in of(n)]):.3f}" for n in columns)]
        for label in SIZE_WEIGHTS
    ]
    mean = [
        [label, *(f"{np.mean([row['brier'][label] for row in of(n)]):.4f}" for n in columns)]
        for label in BELIEF_WEIGHTS
    ]
    return "\n\n".join(
        [
            "Tasks whose agent reaches at least 95 % of the truth's satisfaction, by demonstrations:",
            markdown(["nats for a bit", *header], good("share")),
            "The same in another world than that of the demonstrations:",
            markdown(["nats for a bit", *header], good("elsewhere")),
            "Mean agreement with the truth about paths of both agents:",
            markdown(["nats for a bit", *header], agreement),
            "Mean Brier score of the belief, by demonstrations (lower is better; always ½ gives 0.25):",
            markdown(["nats for a bit", *header], mean),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--demonstrations", type=int, nargs="+", default=[1, 2, 5, 10, 20])
    parser.add_argument("--worlds", type=int, default=2, help="for each task")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    for count in args.demonstrations:
        for k, name in enumerate(PLANTED):
            for place in range(args.worlds):
                row = run(name, count, FIRST_WORLD + args.worlds * k + place, place)
                rows.append(row)
                print(
                    f"{count} × {name}, world {row['world']}: {row['scored']} tasks, {row['seconds']:.1f} s",
                    file=sys.stderr,
                )
    if args.json:
        print(json.dumps(rows))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    found, seconds = sum(row["truth_scored"] for row in rows), sum(row["seconds"] for row in rows)
    print(
        f"{len(PLANTED)} planted tasks, worlds for each: {args.worlds}; {len(rows)} searches took "
        f"{seconds:.0f} s of processor time; the truth was among the scored tasks in {found}\n"
    )
    print(tables(rows, args.demonstrations))


if __name__ == "__main__":
    main()
