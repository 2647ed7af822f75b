"""Planted tasks: how many labels it takes to find them, asked for by their information or at random.

    make bench-ask

One demonstration of a planted task in a random 8×8 world; then questions about complete paths, which the
planted task answers. The task is found when an agent that plans with the likeliest task of the belief reaches
at least 95 % of what the planted task's own agent reaches, and both tasks agree on at least 95 % of the paths
of each of the two agents. "At random" asks about words drawn from those that the informative questions are
chosen from.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from typing import Any

import numpy as np

from demospec.ask.dialogue import Dialogue
from demospec.ask.labels import LabelQuestion
from demospec.problem import Problem
from demospec.tasks import DFA
from recovery.measures import read_along, share
from recovery.planted import TASKS, planted

NEAR = 0.95


def found(problem: Problem, learned: DFA, truth: DFA) -> bool:
    """Say whether a learned task is as good as the planted one."""
    most = read_along(problem, truth, learned)
    reached = read_along(problem, learned, truth)
    return share(reached.other, most.own) >= NEAR and min(reached.same, most.same) >= NEAR


def at_random(dialogue: Dialogue, rng: np.random.Generator) -> LabelQuestion | None:
    """Return a question about a random possible word that was not asked yet."""
    verdicts = dialogue.verdicts
    chances = verdicts.belief.weights @ verdicts.accepted
    given = dialogue.problem.given.mapping
    left = [k for k, one in enumerate(verdicts.possible) if one.word not in given]
    if not left:
        return None
    k = left[int(rng.integers(len(left)))]
    one = verdicts.possible[k]
    return LabelQuestion(one.word, one.path, one.world, one.drawn, float(chances[k]), 0.0)


def ask(problem: Problem, truth: DFA, way: str, most: int, seed: int) -> list[bool]:
    """Return, after 0, 1, … answers, whether the likeliest task is as good as the truth; stops when over."""
    dialogue = Dialogue.begin(problem, seed=seed)
    rng = np.random.default_rng([seed, 9])
    good = [found(problem, dialogue.answer[0].language, truth)]
    for _ in range(most):
        question = dialogue.question if way == "informative" else at_random(dialogue, rng)
        if not isinstance(question, LabelQuestion):
            break
        dialogue = dialogue.replied(truth.accepts(question.word), question)
        if dialogue.contradiction:
            break
        good.append(found(problem, dialogue.answer[0].language, truth))
    return good


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=3, help="take every so many of the planted tasks")
    parser.add_argument("--most", type=int, default=12, help="questions")
    parser.add_argument("--demonstrations", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for k in range(0, len(TASKS), args.every):
        truth = TASKS[k].task
        problem = planted(truth, 2 * k, args.demonstrations, seed=args.seed)
        for way in ("informative", "random"):
            began = time.process_time()
            good = ask(problem, truth, way, args.most, args.seed)
            seconds = time.process_time() - began
            stays = len(good) - next((n for n, ok in enumerate(reversed(good)) if not ok), len(good))
            after = stays if good[-1] else None  # found, and not lost again
            rows.append({"task": TASKS[k].name, "way": way, "good": good, "after": after, "seconds": seconds})
            told = "not found" if after is None else f"found after {after}"
            print(f"{TASKS[k].name}, {way}: {told} of {len(good) - 1}, {seconds:.1f} s", file=sys.stderr)
    if args.json:
        print(json.dumps(rows))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    settings = f"demonstrations: {args.demonstrations}, questions: {args.most} at most"
    print(f"{len(rows) // 2} planted tasks; {settings}")
    heads = ("at first", "in the end", "questions: median, mean", "seconds, median")
    print(" " * 12 + " {:>9} {:>11} {:>24} {:>16}".format(*heads))
    for way in ("informative", "random"):
        own = [row for row in rows if row["way"] == way]
        # What was not found counts as one question more than there were.
        needed = [args.most + 1 if row["after"] is None else row["after"] for row in own]
        print(
            f"{way:>12} {sum(row['good'][0] for row in own):>6}/{len(own)} "
            f"{sum(row['good'][-1] for row in own):>8}/{len(own)} "
            f"{statistics.median(needed):>14g}, {statistics.mean(needed):>8.1f} "
            f"{statistics.median(row['seconds'] for row in own):>16.1f}"
        )
    for row in rows:
        if row["after"] is None:
            print(f"not found, {row['way']}: {row['task']}, {len(row['good']) - 1} questions")


if __name__ == "__main__":
    main()
