"""The dialogue about demonstrations as a machine: an offer out, a path in, a new state out.

A path becomes a demonstration in the offered scene, which is added to the problem unless it has it. The
search then runs again, since everything that is believed rests on the demonstrations; tasks that were
believed before are scored anew and stay in the belief.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

from demospec.ask.labelled import consistent, learned_scores
from demospec.ask.offers import Offer, offered_starts, with_demonstration
from demospec.ask.standing import WORTHLESS, Searching, Standing
from demospec.belief import Belief
from demospec.belief.answers import SURE
from demospec.errors import InputError
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.tasks.showing import short
from demospec.wording import count
from demospec.work.stop import NEVER, Stop
from demospec.worlds.paths import Path

Offering = Callable[[Belief], list[Offer]]  # ranks what can be asked for: `offered_starts`, `offered_edits`


@dataclass(frozen=True)
class ShownRun:
    """What was offered, and the path of the scene's original world that was shown there."""

    offer: Offer
    path: Path

    @property
    def steps(self) -> int:
        """Return how many steps were shown; to stop is none."""
        return len(self.path.without_stop(self.offer.scene.original).steps)


@dataclass(frozen=True, eq=False)
class Showing:
    """Where a dialogue stands that asks for demonstrations.

    `contradiction` tells why no task is left, after which nothing is asked any more.
    """

    standing: Standing  # the problem with what was shown, and the tasks that were scored
    searching: Searching
    offering: Offering
    enough: float  # the share of the belief in one answer at which nothing more is asked; 1: never
    shown: tuple[ShownRun, ...] = ()
    left: tuple[Offer, ...] | None = None  # after others were skipped
    contradiction: str = ""

    @classmethod
    def begin(
        cls,
        problem: Problem,
        *,
        seed: int = 0,
        enough: float = SURE,
        searching: Searching | None = None,
        offering: Offering | None = None,
        stop: Stop = NEVER,
    ) -> Showing:
        """Search once, and get ready to ask: for other start states, unless `offering` says otherwise."""
        look = partial(learned_scores, seed=seed) if searching is None else searching
        offer = partial(offered_starts, seed=seed, stop=stop) if offering is None else offering
        scores = tuple(consistent(problem, look(problem)))
        return cls(Standing(problem, scores, seed, stop), look, offer, enough)

    def __repr__(self) -> str:
        runs = f"{count(len(self.shown), 'run')} shown"
        return short(
            [
                f"Showing on {self.problem.name!r}: {self.contradiction or runs}",
                *(f"{run.offer.scene.name}: {count(run.steps, 'step')}" for run in self.shown),
            ]
        )

    @property
    def problem(self) -> Problem:
        """Return the problem with all that was shown."""
        return self.standing.problem

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """Return what could be asked for next, best first; nothing when all is settled."""
        if self.contradiction or self.sure:
            return ()
        found = tuple(self.offering(self.standing.belief)) if self.left is None else self.left
        return found if found and found[0].expected.nats >= WORTHLESS else ()

    @property
    def offer(self) -> Offer | None:
        """Return where to ask for a demonstration; None when the dialogue is over."""
        return self.offers[0] if self.offers else None

    @property
    def best(self) -> tuple[Score, float]:
        """Return the answer that is named, by its smallest task, and its share of the belief."""
        return self.standing.answers[0]

    @property
    def sure(self) -> bool:
        """Say whether one answer has nearly all of the belief."""
        return self.enough < 1 and self.best[1] >= self.enough

    @property
    def reason(self) -> str:
        """Say why nothing is asked any more; empty while something is."""
        if self.contradiction:
            return self.contradiction
        if self.sure:
            return f"one answer has {self.best[1]:.1%} of the belief"
        return "" if self.offers else "no demonstration is left that would tell enough"

    def demonstrated(self, path: Path, offer: Offer | None = None) -> Showing:
        """Take a demonstration, and search again."""
        return self.taken(path, offer).searched()

    def taken(self, path: Path, offer: Offer | None = None) -> Showing:
        """Take a demonstration: a path of the original world of what is offered now, or of another offer.

        The problem has it then, but nobody has searched yet.
        """
        asked = self.offer if offer is None else offer
        if asked is None:
            raise InputError("nothing was asked for, so there is nothing to show")
        problem = with_demonstration(self.problem, asked.scene, path)
        standing = replace(self.standing, problem=problem)
        return replace(self, standing=standing, shown=(*self.shown, ShownRun(asked, path)), left=None)

    def searched(self) -> Showing:
        """Search again with all demonstrations, and score what was believed before anew."""
        problem, before = self.problem, [score.task for score in self.standing.belief.scores]
        try:
            found = consistent(problem, self.searching(problem))
        except InputError as error:
            return replace(self, contradiction=error.message)
        again = Evaluator(problem, stop=self.standing.stop).scores(before)
        new = {score.task.key: score for score in (*again, *found)}
        return replace(self, standing=replace(self.standing, scores=tuple(new.values())))

    def skip(self) -> Showing:
        """Leave what is offered now, until something else was shown."""
        if self.offer is None:
            raise InputError("nothing was asked for, so there is nothing to skip")
        return replace(self, left=self.offers[1:])
