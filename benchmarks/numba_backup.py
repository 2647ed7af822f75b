"""The planner's backup in Numba: what decided against it. Needs an environment of its own with numba in it.

    python -m venv .cache/numba && .cache/numba/bin/pip install numba
    .cache/numba/bin/python benchmarks/numba_backup.py

Plans the size that `benchmarks/plan.py --one 4096 8 100` plans: the same loops, on one core. Run it twice:
the first run compiles, later ones read what was compiled from disk.
"""

# mypy: ignore-errors

import time

import numpy as np

began = time.perf_counter()
import numba  # noqa: E402

IMPORT = time.perf_counter() - began
STATES, ACTIONS, OUTCOMES, HORIZON, CHANNELS, COLUMNS = 4096, 4, 2, 100, 3, 8


@numba.njit(cache=True)
def back_up(pair_offset, outcome_offset, successor, probability, arrival, following, table):
    width = CHANNELS * COLUMNS
    q = np.empty((ACTIONS, width))
    for s in range(len(pair_offset) - 1):
        first, count = pair_offset[s], pair_offset[s + 1] - pair_offset[s]
        for a in range(count):
            q[a] = 0.0
            for o in range(outcome_offset[first + a], outcome_offset[first + a + 1]):
                chance, reached = probability[o], successor[o]
                for i in range(width):
                    q[a, i] += chance * arrival[reached, i]
        for i in range(COLUMNS):
            top = q[0, i]
            for a in range(1, count):
                top = max(top, q[a, i])
            total = 0.0
            for a in range(count):
                q[a, i] = np.exp(q[a, i] - top)
                total += q[a, i]
            table[s, i] = top + np.log(total)
            for c in range(1, CHANNELS):
                mean = 0.0
                for a in range(count):
                    mean += q[a, i] * q[a, c * COLUMNS + i]
                table[s, c * COLUMNS + i] = mean / total
        for i in range(width):
            following[s, i] = table[s, i]


@numba.njit(cache=True)
def plan(pair_offset, outcome_offset, successor, probability, arrival, following, tables):
    for t in range(len(tables) - 1, -1, -1):
        back_up(pair_offset, outcome_offset, successor, probability, arrival, following, tables[t])
        arrival, following = following, arrival


def main():
    rng = np.random.default_rng(0)
    pairs = STATES * ACTIONS
    world = (
        np.arange(0, pairs + 1, ACTIONS),
        np.arange(0, pairs * OUTCOMES + 1, OUTCOMES),
        rng.integers(STATES, size=pairs * OUTCOMES),
        np.tile([31 / 32, 1 / 32], pairs),
    )
    arrival = rng.random((STATES, CHANNELS * COLUMNS))
    tables = np.zeros((HORIZON, STATES, CHANNELS * COLUMNS))
    taken = []
    for _ in range(6):
        began = time.perf_counter()
        plan(*world, arrival.copy(), np.empty_like(arrival), tables)
        taken.append(time.perf_counter() - began)
    print(f"import {IMPORT:.2f} s, first plan {taken[0]:.2f} s, then {min(taken[1:]):.3f} s")


if __name__ == "__main__":
    main()
