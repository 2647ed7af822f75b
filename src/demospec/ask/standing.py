"""What is believed at one point of a dialogue, worked out when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from demospec.ask.questions import Verdicts
from demospec.belief import Belief
from demospec.belief.acting import answers_to_act_on
from demospec.belief.answers import answers_of, is_determined
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.work.stop import NEVER, Stop

WORTHLESS = 0.01  # nats: what tells less is not asked

Searching = Callable[[Problem], list[Score]]  # learns, and returns every task that was scored


@dataclass(frozen=True, eq=False)
class Standing:
    """A problem, and every task that was scored and agrees with what is given."""

    problem: Problem
    scores: tuple[Score, ...]
    seed: int = 0  # of what is drawn
    stop: Stop = NEVER

    @cached_property
    def belief(self) -> Belief:
        """Return the belief over all tasks that are left."""
        return Belief.of(self.problem, self.scores)

    @cached_property
    def verdicts(self) -> Verdicts:
        """Return what the tasks say of the possible words."""
        return Verdicts.of(self.belief, seed=self.seed, stop=self.stop)

    @cached_property
    def answers_by_label(self) -> list[tuple[Score, float]]:
        """Return the tasks that labels could tell apart, with their shares of the belief, likeliest first."""
        return self.verdicts.answers()

    @cached_property
    def answers(self) -> list[tuple[Score, float]]:
        """Return the answers that `learn` would name, with their shares of the belief: first its headline.

        Where states are not listed, few agents are compared: there they are what labels could tell apart.
        """
        listed = resolve(self.problem).planner.abilities.listed
        return self.answers_by_watching if listed else self.answers_by_label

    @cached_property
    def determined(self) -> bool:
        """Say whether the demonstrations determine the task, as `learn` would."""
        likeliest, share = max(self.answers, key=lambda one: one[1])
        return is_determined(self.problem, likeliest, share, self.stop, named=self.answers[0][0])

    @cached_property
    def answers_by_watching(self) -> list[tuple[Score, float]]:
        """Return the tasks whose agents somebody could tell apart, with their shares: first the headline."""
        found, _ = answers_to_act_on(self.problem, answers_of(self.belief, stop=self.stop), self.stop)
        return [(answer.smallest, answer.share) for answer in found.all]
