"""Simulated annealing: cooling, acceptance, resets. Knows energies, not automata."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from demospec.worlds.mdp import Floats


def linear_cooling(t: int, steps: int, initial: float, final: float) -> float:
    """Return T_t = initial·(1 − t/steps) + final; the paper's is 100·(1 − t/100) + 1.

    >>> linear_cooling(1, 100, 100, 1), linear_cooling(100, 100, 100, 1)
    (100.0, 1.0)
    """
    return initial * max(0.0, 1 - t / steps) + final


def accepts(rng: np.random.Generator, rise: float, temperature: float) -> bool:
    """Accept a change of energy dU: always when it falls, else if α ≤ exp(−dU / T)."""
    alpha = rng.random()
    return rise < 0 or alpha <= math.exp(-rise / temperature)


def softmin(values: Sequence[float]) -> Floats:
    """Return probabilities ∝ exp(−value); uniform when all are infinite.

    >>> softmin([3.0, 3.0, math.inf]).tolist()
    [0.5, 0.5, 0.0]
    """
    array = np.asarray(values, dtype=np.float64)
    low = array.min()
    if not math.isfinite(low):
        return np.full(len(array), 1 / len(array))
    weight = np.exp(low - array)
    return np.asarray(weight / weight.sum())


def draw_softmin(rng: np.random.Generator, values: Sequence[float]) -> int:
    """Draw an index by softmin."""
    cumulative = np.cumsum(softmin(values))
    at = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
    return min(at, len(cumulative) - 1)
