"""Recovery: search for planted tasks by several methods, and measure what was found.

`Sweep` says what is run, `Row` what one run gave. A run depends on its case alone, apart from seconds,
as long as it is not cut off by its limit.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from demospec.belief import Belief
from demospec.bench.measures import (
    POSSIBLE,
    Bin,
    Least,
    brier,
    draw_words,
    least_believed,
    read_along,
    reliability,
    share,
)
from demospec.bench.planted import BY_NAME, KINDS, TASKS, planted
from demospec.bench.workers import open_workers
from demospec.chains import iterate
from demospec.errors import InputError, listing, nearest
from demospec.problem import INGREDIENTS, METHODS, Problem
from demospec.score import Score, evaluate

WITHOUT = "explore-without-"
AS_GOOD = 1e-9  # an energy above the truth's by more than this is a worse one
ENOUGH = 0.95  # of the truth's satisfaction probability
CALIBRATION_WORDS = 50  # of each of the two agents
BEHAVIOUR_WORDS = 200  # of the truth's agent
BADLY, OPEN_QUESTION = "searched badly", "not determined"


@dataclass(frozen=True)
class Case:
    """One run: which task is planted where, how much of it is shown, who searches."""

    demonstrations: int
    task: str
    place: int  # the task's first world, its second, …
    seed: int
    method: str
    weights: str

    @property
    def world(self) -> int:
        """Return the world's number."""
        return 2 * BY_NAME[self.task] + self.place


@dataclass(frozen=True)
class Row:
    """What one run gave."""

    demonstrations: int
    task: str
    kind: str
    world: int
    seed: int
    method: str
    weights: str
    learned: str
    energy: float
    truth_energy: float
    share: float  # of the truth's satisfaction probability, reached by the learned task's agent
    same_on_truth: float  # how often both tasks agree on a path of the truth's agent
    same_on_learned: float  # and on a path of the learned task's
    brier: float
    bins: tuple[Bin, ...]
    least: Least | None
    tasks: int  # that were scored, each language once
    seconds_to_best: float
    seconds: float

    @property
    def excess(self) -> float:
        """Return the energy above the truth's; below 0, the demonstrations prefer another task."""
        return self.energy - self.truth_energy

    @property
    def found(self) -> bool:
        """Say whether the energy is at most the truth's."""
        return self.excess <= AS_GOOD

    @property
    def reached(self) -> bool:
        """Say whether planning with the learned task does nearly as well as planning with the truth."""
        return self.share >= ENOUGH

    @property
    def possible(self) -> bool:
        """Say whether the belief reports the labels of the truth's common words as possible."""
        return self.least is None or self.least.probability >= POSSIBLE

    @property
    def reason(self) -> str | None:
        """Say why a run missed the truth; None when it did not."""
        if not self.found:
            return BADLY
        return None if self.reached else OPEN_QUESTION


@dataclass(frozen=True)
class Sweep:
    """What is run: every combination of these, one case each."""

    demonstrations: tuple[int, ...] = (2, 20)
    tasks: tuple[str, ...] = tuple(BY_NAME)
    worlds: int = 1
    seeds: tuple[int, ...] = (0,)
    methods: tuple[str, ...] = METHODS
    weights: str = "default"
    limit: float = 5.0  # seconds for each run

    def cases(self) -> Iterator[Case]:
        """Yield the cases; methods that see the same demonstrations come one after the other."""
        for count in self.demonstrations:
            for task in self.tasks:
                for place in range(self.worlds):
                    for seed in self.seeds:
                        for method in self.methods:
                            yield Case(count, task, place, seed, method, self.weights)

    def __len__(self) -> int:
        return len(self.demonstrations) * len(self.tasks) * self.worlds * len(self.seeds) * len(self.methods)

    @property
    def command(self) -> str:
        """Return the command that runs this."""
        words = ["--demonstrations", ",".join(map(str, self.demonstrations))]
        if self.tasks != tuple(BY_NAME):
            words += [word for name in named(self.tasks) for word in ("--tasks", name)]
        words += ["--worlds", str(self.worlds), "--seeds", ranges(self.seeds)]
        words += [
            "--methods",
            ",".join(self.methods),
            "--weights",
            self.weights,
            "--limit",
            f"{self.limit:g}",
        ]
        return shlex.join(["demospec", "bench", "recovery", *words])


def check_method(name: str) -> str:
    """Refuse a method that is not known; `explore` may come without one of its ingredients."""
    known = (*METHODS, *(f"{WITHOUT}{part}" for part in INGREDIENTS))
    if name not in known:
        raise InputError(
            f'method "{name}" is none of {listing(METHODS)}, nor {WITHOUT} with one of '
            f"{listing(INGREDIENTS)}{nearest(name, known)}"
        )
    return name


def chosen_tasks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tasks that are named, themselves or by their kind, in their order; all without a name."""
    for name in names:
        known = list(dict.fromkeys(text for one in TASKS for text in (one.kind, one.name)))
        if name not in known:
            raise InputError(
                f'no planted task or kind is called "{name}"; known are {listing(known, len(known))}'
                f"{nearest(name, known)}"
            )
    return tuple(one.name for one in TASKS if not names or one.name in names or one.kind in names)


def named(tasks: tuple[str, ...]) -> tuple[str, ...]:
    """Name tasks by their kind where all tasks of the kind are there: the inverse of `chosen_tasks`.

    >>> named(("avoid r", "avoid r and b", "avoid g", "b twice"))
    ('avoid', 'b twice')
    """
    whole = {kind for kind in KINDS if all(one.name in tasks for one in TASKS if one.kind == kind)}
    chosen = [one for one in TASKS if one.name in tasks]
    return tuple(dict.fromkeys(one.kind if one.kind in whole else one.name for one in chosen))


def ranges(numbers: tuple[int, ...]) -> str:
    """Write numbers as `--seeds` takes them.

    >>> ranges((0, 1, 2)), ranges((4, 1))
    ('0-2', '4,1')
    """
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and numbers == tuple(range(first, last + 1)):
        return f"{first}-{last}"
    return ",".join(map(str, numbers))


def settings_of(method: str) -> dict[str, Any]:
    """Return the settings of a method: "explore-without-products" leaves one of its ingredients out."""
    _, _, ingredient = method.partition(WITHOUT)
    return {"method": "explore", "without": (ingredient,)} if ingredient else {"method": method}


@dataclass(frozen=True)
class Searched:
    """What a search had found when it ended, or when its time was up."""

    best: Score
    scores: tuple[Score, ...]  # all tasks that were scored
    seconds_to_best: float
    seconds: float


def search(problem: Problem, seed: int, limit: float) -> Searched:
    """Search until the method ends; a step that ends after the limit counts only if it is the first."""
    best: Score | None = None
    scores: list[Score] = []
    found = seconds = 0.0
    began = time.perf_counter()
    for row in iterate(problem, seed=seed):
        seconds = time.perf_counter() - began
        if seconds > limit and best is not None:
            break
        scores += row.info.scored
        if row.info.candidate is not None:
            scores.append(row.info.candidate)
        if row.best is not None and (best is None or row.best.energy < best.energy):
            best, found = row.best, seconds
    if best is None:
        raise InputError(f"no task was found within {limit:g} s")
    return Searched(best, tuple(scores), found, seconds)


def run(limit: float, case: Case) -> Row:
    """Plant, search and measure."""
    one = TASKS[BY_NAME[case.task]]
    truth, seed = one.task, case.seed + case.place
    problem = planted(truth, case.world, case.demonstrations, seed, case.weights)
    done = search(problem.with_settings(**settings_of(case.method)), seed, limit)
    learned = done.best.task
    by_learned, by_truth = read_along(problem, learned, truth), read_along(problem, truth, learned)
    belief = Belief.of(problem, done.scores)
    rng = np.random.default_rng([case.world, seed, 99])  # other draws than the demonstrations'
    behaviour = draw_words(problem, truth, BEHAVIOUR_WORDS, rng)
    words = [*behaviour[:CALIBRATION_WORDS], *draw_words(problem, learned, CALIBRATION_WORDS, rng)]
    chances, labels = belief.acceptances(words), np.array([truth.accepts(word) for word in words])
    return Row(
        demonstrations=case.demonstrations,
        task=case.task,
        kind=one.kind,
        world=case.world,
        seed=case.seed,
        method=case.method,
        weights=case.weights,
        learned=str(learned),
        energy=done.best.energy,
        truth_energy=evaluate(problem, truth).score.energy,
        share=share(by_learned.other, by_truth.own),
        same_on_truth=by_truth.same,
        same_on_learned=by_learned.same,
        brier=brier(chances, labels),
        bins=reliability(chances, labels),
        least=least_believed(belief, truth, behaviour),
        tasks=len({score.task for score in done.scores}),
        seconds_to_best=done.seconds_to_best,
        seconds=done.seconds,
    )


def recover(
    sweep: Sweep,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[Row], None] = lambda row: None,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Run all cases and hand each finished row to `progress`, in order; end early when `stop` says so."""
    with open_workers(jobs, cluster) as workers:
        for row in workers.run(run, sweep.cases(), sweep.limit):
            progress(row)
            if stop():
                break
