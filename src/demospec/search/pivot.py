"""Algorithm 1, the surprise-guided sampler: draw a pivot, draw a path through it, toggle its label."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from demospec.explain.score import Reading
from demospec.plan.along_tree import AlongTree
from demospec.plan.sample import OPEN, REVOCABLE, Sampler
from demospec.tasks import Word
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.paths import Path, file_state, read_path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.world import World

NEGLIGIBLE = 1e-12  # a gradient this small, for each demonstration, is rounding


@dataclass(frozen=True)
class Conjecture:
    """A labelled example that would make the demonstrations less surprising."""

    word: Word
    label: bool  # the toggled one
    path: Path
    pivot: int  # node of the scene's prefix tree
    gradient: float
    scene: int = 0  # number of the scene that the path is in
    named: str = ""  # the path by names, where numbers of states mean nothing in another process

    def path_in(self, world: World) -> Path:
        """Return the path with the numbers that a world has for it here."""
        if not self.named:
            return self.path
        start, *parts = [tuple(part) if isinstance(part, list) else part for part in json.loads(self.named)]
        return read_path(world, parts, complete=True, start=start)

    def portable(self, world: World) -> Conjecture:
        """Return the conjecture as another process can read it: states that were numbered as met by names."""
        if isinstance(world, MDP):
            return self
        start = file_state(world.name(self.path.first(world)))
        return replace(self, named=json.dumps([start, *self.path.to_file(world)]))


def pivot_probabilities(gradient: Floats, pivot_temperature: float) -> Floats:
    """Return Pr(pivot i) ∝ exp(+|∂ĥ/∂𝕍ᵢ| / β); β = ∞ is uniform. (The paper prints a minus.)"""
    magnitude = np.abs(gradient)
    with np.errstate(over="ignore"):  # a tiny β makes the others −inf: nothing but the largest is left
        weight = np.exp((magnitude - magnitude.max()) / pivot_temperature)
    return np.asarray(weight / weight.sum())


def conjecture(
    rng: np.random.Generator,
    readings: Sequence[Reading],
    *,
    pivot_temperature: float,
    word_of: Callable[[Path, int], Word],
    possible: Callable[[Word, bool], bool],
    overrules: Callable[[Word, bool], bool],
    overrule_after: int,
    most_pivots: int | None = None,
    stop: Stop = NEVER,
) -> Conjecture | None:
    """Run Algorithm 1; None when no pivot is left.

    i.   the path pivots at node i;
    ii.  it is accepted exactly when the gradient at i is positive;
    iii. some task in the class is consistent with X and the toggled label. What contradicts the class or
         a given example (`possible`) is never conjectured; bounds of the class are heeded already in ii,
         where a rejected path must be one that the class could accept, and an accepted path one that it
         could reject. What contradicts only earlier conjectures in X (`overrules`) is kept in reserve: it
         is made, and overrules the earlier ones, when the first `overrule_after` pivots have nothing else
         to say.

    At most `most_pivots` are tried.
    """
    reserve: Conjecture | None = None
    samplers = {
        (scene, want): Sampler(reading.plan, rng, want)
        for scene, reading in enumerate(readings)
        for want in (REVOCABLE, OPEN)
    }
    # Pivots of all worlds compete.
    gradient = readings[0].gradient
    if len(readings) > 1:
        gradient = np.concatenate([reading.gradient for reading in readings])
    ends = list(accumulate(len(reading.gradient) for reading in readings))
    shown = sum(reading.tree.demonstrations for reading in readings)
    left = np.flatnonzero(np.abs(gradient) > NEGLIGIBLE * max(1, shown))
    tried = 0
    while len(left) and not (reserve and tried >= overrule_after) and tried != most_pivots:
        stop.check()
        probabilities = pivot_probabilities(gradient[left], pivot_temperature)
        at = min(int(np.searchsorted(np.cumsum(probabilities), rng.random(), side="right")), len(left) - 1)
        pivot = int(left[at])
        scene = bisect_right(ends, pivot)
        reading, node = readings[scene], pivot - ends[scene] + len(readings[scene].gradient)
        want = REVOCABLE if gradient[pivot] > 0 else OPEN
        path = path_through(samplers[scene, want], reading.tree, reading.along, node)
        if path is not None:
            word, label = word_of(path, scene), want == OPEN
            if possible(word, label):
                found = Conjecture(word, label, path, node, float(gradient[pivot]), scene)
                if not overrules(word, label):
                    return found
                reserve = reserve or found
        left = np.delete(left, at)
        tried += 1
    return reserve


def path_through(sampler: Sampler, tree: PrefixTree, along: AlongTree, node: int) -> Path | None:
    """Draw a path that pivots at a node and has the sampler's label; None when there is none."""
    prefix, chosen = tree.path_to(node)
    steps, monitor = list(prefix.steps), int(along.monitor[node])
    if tree.player[node] == Player.NOBODY:  # the only path through is the demonstration itself
        return replace(prefix, complete=True) if sampler.ended(monitor) else None
    if chosen is None:
        state = int(tree.state[node])
        leaving = tree.leaving[node]
        pair = sampler.choose(len(steps), monitor, state, leaving) if leaving else None
        landed = None if pair is None else sampler.land(steps, monitor, pair)
    else:
        landed = sampler.land(steps, monitor, chosen, tree.exits[node])
    if landed is None:
        return None
    state, monitor, ends = landed
    if not ends and not sampler.finish(steps, monitor, state):
        return None
    return Path(tuple(steps), complete=True, start=prefix.start)
