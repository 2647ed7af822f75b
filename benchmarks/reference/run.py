"""Run the authors' package (`diss` on PyPI) on the paper's monolithic experiment; print one JSON line.

Runs inside the environment that `benchmarks/search.py` makes, never inside ours. The package holds the map
turned by a quarter, with moves turned alike, and its demonstrations are given in those terms.
"""

import contextlib
import io
import json
import os
import random
import sys
import time

if os.environ.get("PYTHONHASHSEED") != "0":  # its runs depend on hash order, too
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})

import dfa
import numpy as np
from diss import LabeledExamples
from diss.experiment import PartialDFAIdentifier
from diss.experiment.planner import GridWorldPlanner
from diss.learn import diss

MAP = """y....g..
........
.b.b...r
.b.b...r
.b.b....
.b.b....
rrrrrr.r
g.y....."""
START = (3, 5)
SLIPS_INTO_WATER = "↑! ↑ ↑ → ↑ ↑ → → → ← ← ← ← ←"  # ! marks a step that the wind decides
STRAIGHT = "↑ ↑ ↑ ← ←"

iterations = int(sys.argv[1])
random.seed(0)
np.random.seed(0)
spent = {"identify": 0.0, "plan": 0.0}


def timed(part, function):
    def wrapper(*args, **kwargs):
        began = time.perf_counter()
        result = function(*args, **kwargs)
        spent[part] += time.perf_counter() - began
        return result

    return wrapper


def demonstration(moves):
    return [START, *({"a": move[0], "c": 0 if move.endswith("!") else 1} for move in moves.split())]


began = time.perf_counter()
planner = GridWorldPlanner.from_string(MAP, start=START, horizon=15)
everything = dfa.DFA(
    start=True,
    inputs={"red", "blue", "green", "yellow"},
    outputs={True, False},
    label=lambda state: state,
    transition=lambda state, letter: True,
)
identifier = PartialDFAIdentifier(partial=everything, base_examples=LabeledExamples())
energies = []
with contextlib.redirect_stdout(io.StringIO()):
    for _, _, info in diss(
        demos=[planner.to_demo(demonstration(moves)) for moves in (SLIPS_INTO_WATER, STRAIGHT)],
        to_concept=timed("identify", identifier),
        to_chain=timed(
            "plan",
            lambda concept, tree, rationality: planner.plan(
                concept, tree, rationality, monolithic=True, use_rationality=True
            ),
        ),
        competency=lambda *_: 10,
        lift_path=planner.lift_path,
        n_iters=iterations,
        reset_period=10,
        surprise_weight=1,
        size_weight=1 / 50,
        sgs_temp=1 / 500,
        example_drop_prob=1 / 20,
        synth_timeout=20,
    ):
        energies.append(info["energy"])
spent["total"] = time.perf_counter() - began
print(json.dumps({"seconds": spent, "iterations": len(energies), "minimum_energy": min(energies)}))
