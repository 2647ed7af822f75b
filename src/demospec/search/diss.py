"""Algorithm 1, the surprise-guided sampler: draw a pivot, draw a path through it, toggle its label.

Algorithm 2: a random walk through labelled examples, guided by surprise, annealed.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from demospec.errors import Contradiction
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import Reading, Score, gradient
from demospec.explain.setup import resolve
from demospec.identify.base import Identifier
from demospec.plan.along_tree import AlongTree
from demospec.plan.base import OPEN, REVOCABLE
from demospec.plan.sample import Sampler
from demospec.problem import Problem
from demospec.search.engine import Info
from demospec.search.frontier import draw_softmin
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.paths import Path, file_state, read_path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.world import World

if TYPE_CHECKING:
    from demospec.explain.refine import Refinement

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
    while len(left) and not (reserve and tried >= overrule_after):
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


# -- Algorithm 2 -----------------------------------------------------------------------------------------


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


@dataclass(frozen=True)
class Visit:
    """A task that was visited, and the examples that it was drawn for."""

    score: Score
    examples: Examples


@dataclass(frozen=True)
class State:
    """What must persist between iterations: the annealer's (X, φ), the pending example, all visits."""

    iteration: int = 0
    examples: Examples = field(default_factory=Examples)  # X
    current: Score | None = None  # φ with its energy; None is ⊥
    pending: Conjecture | None = None  # dX
    visited: Mapping[DFA, Visit] = field(default_factory=dict)  # Φ
    best: Score | None = None
    failed: frozenset[Examples] = frozenset()  # sets that no task met; no conjecture leads to them again


@dataclass(frozen=True)
class Tested:
    """A conjecture that was added to the examples: the task that it was made about, and what came of it."""

    conjecture: Conjecture
    before: Score  # φ
    after: Score | None  # φ′; None when no task met the examples within the budget
    accepted: bool


@dataclass(frozen=True, kw_only=True)
class PaperInfo(Info):
    """What one iteration of Algorithm 2 did; the candidate φ′ is None when no task met the examples."""

    temperature: float
    reset: bool
    examples: Examples  # X′, for which the candidate was drawn
    conjecture: Conjecture | None = None  # dX for the next iteration; None: rejected, or no pivot is left
    tested: tuple[Tested, ...] = ()  # the conjecture that was tried

    @property
    def exhausted(self) -> bool:
        """Say whether the task was accepted but no conjecture could be made about it."""
        return self.accepted and self.conjecture is None


def tried_in(info: Info) -> tuple[Tested, ...]:
    """Return the conjectures that an iteration tried; only the paper's search makes any."""
    return info.tested if isinstance(info, PaperInfo) else ()


def next_conjecture(info: Info) -> Conjecture | None:
    """Return the conjecture that an iteration made for the next one."""
    return info.conjecture if isinstance(info, PaperInfo) else None


class Search:
    """Algorithm 2 for one problem; the black boxes can be replaced."""

    def __init__(
        self,
        problem: Problem,
        *,
        identifier: Identifier | None = None,
        evaluator: Evaluator | None = None,
        stop: Stop = NEVER,
    ) -> None:
        self.problem, self.settings = problem, problem.settings
        self.paper = self.settings.paper
        self.stop = stop
        self.evaluator = evaluator or Evaluator(problem, stop=stop)
        self.identifier = identifier or resolve(problem).allowed.identifier(self.paper.identifier, stop)

    def start(self) -> State:
        """Return z₀ = (∅, ⊥)."""
        return State()

    def step(self, rng: np.random.Generator, state: State) -> tuple[State, PaperInfo]:
        """Run one iteration of Algorithm 2."""
        t = state.iteration + 1
        examples, pending = state.examples, state.pending
        reset = t % self.paper.reset_period == 0 and bool(state.visited)
        if reset:  # X ~ softmin U over visited tasks
            examples, pending = self.restart(rng, state), None
        kept = examples  # X, to which a rejected step returns
        if pending is not None:  # X′ ← update(X, dX): a newer label wins
            examples = self.update(examples, pending.word, pending.label)
        candidate = self.identify(rng, examples)  # φ′ ~ 𝓘(X′)
        begin, end = self.paper.initial_temperature, self.paper.final_temperature
        temperature = linear_cooling(t, self.settings.iterations, begin, end)

        info = PaperInfo(
            iteration=t,
            candidate=candidate,
            accepted=False,
            best=state.best,
            scored=() if candidate is None else (candidate,),
            origins=("examples" if pending is None else "conjecture",) * (candidate is not None),
            temperature=temperature,
            reset=reset,
            examples=examples,
        )
        if pending is not None and state.current is not None:
            info = replace(info, tested=(Tested(pending, state.current, candidate, accepted=False),))
        if candidate is None:
            failed = state.failed | {examples}
            return State(t, kept, state.current, None, state.visited, state.best, failed), info
        visited = {**state.visited, candidate.language: Visit(candidate, examples)}  # Φ ← Φ ∪ {φ′}
        best = candidate if state.best is None or candidate.energy < state.best.energy else state.best
        info = replace(info, best=best)
        # dU ← U(φ′) − U(φ)
        rise = -math.inf if state.current is None else candidate.energy - state.current.energy
        if not accepts(rng, rise, temperature):
            return State(t, kept, state.current, None, visited, best, state.failed), info
        dx = self.conjecture(rng, candidate, examples, state.failed, visited)
        tested = tuple(replace(one, accepted=True) for one in info.tested)
        following = State(t, examples, candidate, dx, visited, best, state.failed)
        return following, replace(info, accepted=True, conjecture=dx, tested=tested)

    def over(self, state: State) -> bool:
        """Say whether the chain has had its iterations."""
        return state.iteration >= self.settings.iterations

    def restart(self, rng: np.random.Generator, state: State) -> Examples:
        """Draw a visited task by softmin of energy and return its examples."""
        visits = list(state.visited.values())
        return visits[draw_softmin(rng, [visit.score.energy for visit in visits])].examples

    def identify(self, rng: np.random.Generator, examples: Examples) -> Score | None:
        """Draw a consistent task from the first candidates by softmin of size, and score it."""
        merged = Examples.from_mapping({**examples.mapping, **self.problem.given.mapping})
        try:
            tasks = self.identifier.candidates(merged, self.paper.candidates)
        except Contradiction:  # a class of the identifier's own: ours are heeded before
            return None
        if not tasks:
            return None
        sizes = [float(resolve(self.problem).size_of(task)) for task in tasks]
        return self.evaluator.score(tasks[draw_softmin(rng, sizes)])

    def conjecture(
        self,
        rng: np.random.Generator,
        score: Score,
        examples: Examples,
        failed: frozenset[Examples] = frozenset(),
        visited: Iterable[DFA] = (),
    ) -> Conjecture | None:
        """Run Algorithm 1 on a task; with `refine`, on the tree over what the visited tasks tell apart."""
        found = self.evaluator.evaluation(score.task)

        def possible(word: Word, label: bool) -> bool:
            return self.possible(word, label) and not (
                failed and self.update(examples, word, label) in failed
            )

        readings = found.readings
        if self.paper.refine:
            tasks = (*visited, score.language)
            readings = tuple(map(partial(self.refined, tasks=tasks), range(len(readings)), readings))
        scenes, allowed = self.problem.scenes, resolve(self.problem).allowed
        made = conjecture(
            rng,
            readings,
            pivot_temperature=self.paper.pivot_temperature,
            word_of=lambda path, scene: self.problem.word(path, scenes[scene]),
            possible=possible,
            overrules=lambda word, label: bool(allowed.overruled(examples, word, label)),
            overrule_after=self.paper.overrule_after,
            stop=self.stop,
        )
        if made is None:
            return None
        # Pivots are told by the nodes of the demonstrations, as they were shown.
        told = replace(made, pivot=readings[made.scene].tree.shown_node(made.pivot))
        return told.portable(scenes[made.scene].world)

    def refined(self, scene: int, reading: Reading, *, tasks: Iterable[DFA]) -> Reading:
        """Return a plan along the tree over what tasks tell apart in a scene."""
        from demospec.explain.refine import along_classes

        tree = self.refinements[scene].over(tasks)
        along = along_classes(tree, reading.along)
        return Reading(along, gradient(tree, along.log_edge, along.deviation))

    @cached_property
    def refinements(self) -> list[Refinement]:
        """Return the classes of actions and states that tasks do not tell apart, scene by scene."""
        from demospec.explain.refine import Refinement, first_tasks

        def along(task: DFA, scene: int) -> AlongTree:
            return self.evaluator.evaluation(task).readings[scene].along

        first, scenes = first_tasks(self.problem.alphabet), enumerate(self.problem.scenes)
        return [Refinement(scene.tree, first, partial(along, scene=number)) for number, scene in scenes]

    def update(self, examples: Examples, word: Word, label: bool) -> Examples:
        """Return X with a conjecture, without those that it overrules."""
        gone = resolve(self.problem).allowed.overruled(examples, word, label)
        return Examples.from_mapping(
            {**{other: own for other, own in examples if other not in gone}, word: label}
        )

    def possible(self, word: Word, label: bool) -> bool:
        """Say whether a task of the class that agrees with the given examples gives `word` this label.

        That is condition iii of Algorithm 1, as far as the classes tell.
        """
        return not resolve(self.problem).allowed.certain[not label].accepts(word)
