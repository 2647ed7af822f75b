"""Does a move of the default search earn its place? The wide suite's cases without it, beside those with all.

    python benchmarks/moves.py conjectures nothing
    python benchmarks/moves.py edits products --codes words --cases 36

Each name is left out alone, or several together where they are joined by "+". For every case of the part for
choosing, with ten demonstrations, the whole search is run; what is worked out from its tasks afterwards is
not. Compared are the lowest energy, the task that is likeliest in the belief, how much of the belief the
likeliest task of the whole search has, and seconds of processor time. Runs of a case come one after the
other, the first of them now one and now another, so that what else the machine does falls on all alike. The
name "nothing" is the whole search with another seed: so much is chance.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, replace

from demospec.problem import CODES, Problem
from demospec.problem.problem import Code
from demospec.runs.session import Session
from demospec.tasks import DFA
from recovery.wide_cases import WideCase

CHANCE = "nothing"
SAME = 1e-6  # nats: scores of the same task differ in their last digits by what was scored with it


@dataclass(frozen=True)
class Ended:
    """What a search ended with."""

    energy: float  # the lowest
    likeliest: DFA
    weights: dict[DFA, float]  # in the belief, by language
    seconds: float  # of the processor
    iterations: int
    scored: int


def searched(problem: Problem, seed: int) -> Ended:
    """Run a search to its end."""
    began = time.process_time()
    with Session(problem, seed=seed) as session:
        result = session.run()
    seconds = time.process_time() - began
    belief = result.belief
    weights: dict[DFA, float] = {}
    for score, weight in zip(belief.scores, belief.weights.tolist(), strict=True):
        weights[score.language] = weights.get(score.language, 0.0) + weight
    likeliest = max(weights, key=lambda language: weights[language])
    iterations, scored = len(result.trace), result.evaluations
    return Ended(result.ranked[0].score.energy, likeliest, weights, seconds, iterations, scored)


def of_case(number: int, demonstrations: int, code: Code, left_out: list[str]) -> dict[str, Ended]:
    """Run a case with all moves (the name is empty), and without each of some names."""
    _, planted = WideCase("choose", number, 0, demonstrations, "default").plant()
    problem = replace(planted, code=code)
    names = ["", *left_out]
    first = number % len(names)
    found: dict[str, Ended] = {}
    for name in (*names[first:], *names[:first]):
        without = tuple(name.split("+")) if name not in ("", CHANCE) else ()
        found[name] = searched(problem.with_settings(without=without), seed=int(name == CHANCE))
    return found


def compared(whole: Ended, other: Ended) -> dict[str, object]:
    """Return what is different without a move."""
    return {
        "rise": other.energy - whole.energy,
        "same_likeliest": other.likeliest == whole.likeliest,
        "weight": whole.weights[whole.likeliest],
        "weight_without": other.weights.get(whole.likeliest, 0.0),
        "seconds": whole.seconds,
        "seconds_without": other.seconds,
        "scored": whole.scored,
        "scored_without": other.scored,
        "iterations": whole.iterations,
        "iterations_without": other.iterations,
    }


def summary(name: str, code: str, rows: list[dict[str, float]]) -> str:
    """Tell what is different without a move, over all cases."""
    rises = [row["rise"] for row in rows]
    worse, better = sum(rise > SAME for rise in rises), sum(rise < -SAME for rise in rises)
    same = sum(bool(row["same_likeliest"]) for row in rows)
    moved = sum(abs(row["weight"] - row["weight_without"]) for row in rows) / len(rows)
    time_share = sum(row["seconds_without"] for row in rows) / sum(row["seconds"] for row in rows)
    return (
        f"without {name}, code {code}: of {len(rows)} cases the same likeliest task in {same}, the lowest "
        f"energy lower in {better}, the same in {len(rows) - better - worse}, higher in {worse} (mean change "
        f"{sum(rises) / len(rows):+.4f} nats); weight of the likeliest task changes by {moved:.4f} on "
        f"average; processor time × {time_share:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("moves", nargs="+", help="names to leave out; joined by + together")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=108)
    parser.add_argument("--demonstrations", type=int, default=10)
    parser.add_argument("--codes", default=",".join(reversed(CODES)))
    args = parser.parse_args()
    rows: dict[tuple[str, Code], list[dict[str, float]]] = {}
    for number in range(args.first, args.first + args.cases):
        for code in (one for one in CODES if one in args.codes.split(",")):
            found = of_case(number, args.demonstrations, code, args.moves)
            for name in args.moves:
                row = compared(found[""], found[name])
                print(json.dumps({"case": number, "code": code, "without": name, **row}), flush=True)
                rows.setdefault((name, code), []).append(row)  # type: ignore[arg-type]
    for (name, code), some in rows.items():
        print(summary(name, code, some), file=sys.stderr)


if __name__ == "__main__":
    main()
