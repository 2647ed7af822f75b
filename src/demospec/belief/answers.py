"""Answers: tasks that cannot be told apart in any world of the problem are one.

Two tasks are one answer when the divergence between their agents' episodes is below `SAME` both ways, in
every world: a thousand demonstrations would then be expected to tell less than one nat between them, and
nobody shows as many. Tasks are taken likeliest first, and each joins the first answer whose likeliest task it
cannot be told from. What is accepted plays no part: an agent that is always satisfied and one that never is
both wander.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from demospec.belief.distance import Agents
from demospec.belief.first_steps import lower_bounds
from demospec.belief.weights import Belief
from demospec.explain.score import Score
from demospec.work.stop import NEVER, Stop

SAME = 1e-3  # nats an episode, both ways
MOST_COMPARED = 150  # tasks, likeliest first
LEFT_OUT = 0.02  # of the belief, which is not compared where weights are probabilities
MOST_WORK = 1e8  # numbers in the plans of a comparison, about: larger worlds compare fewer tasks
FEWEST_COMPARED, UNLISTED_COMPARED = 3, 5
STATES = 32  # monitor states of a pair of tasks both ways, about

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Answer:
    """Tasks that no world tells apart, likeliest first; `name` is the smallest of them."""

    members: tuple[Score, ...]
    share: float  # of the belief, that all of them have
    holds_best: bool

    @property
    def name(self) -> Score:
        """Return the smallest task; of equally small ones one that can be satisfied, and the likeliest."""
        return min(self.members, key=lambda score: (score.size, score.satisfaction_probability == 0))


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of a belief, likeliest first unless one leads, and the share of what was not compared."""

    all: tuple[Answer, ...]
    compared: int
    not_compared: float

    @property
    def best(self) -> Answer:
        """Return the answer that holds the best task."""
        return next(answer for answer in self.all if answer.holds_best)

    @property
    def likeliest(self) -> Answer:
        """Return the likeliest answer."""
        return max(self.all, key=lambda answer: answer.share)

    def led_by(self, best: Answer) -> Answers:
        """Return the same answers, of which this one is the best and comes first."""
        others = (replace(one, holds_best=False) for one in self.all if one is not best)
        return replace(self, all=(replace(best, holds_best=True), *others))


def most_compared(agents: Agents) -> int:
    """Return how many tasks are compared: fewer where plans are expensive."""
    if not agents.is_listed:
        return UNLISTED_COMPARED
    return max(FEWEST_COMPARED, min(MOST_COMPARED, int(MOST_WORK / (STATES * cells(agents)))))


def cells(agents: Agents) -> int:
    """Return how many numbers a plan has in all worlds together, for each state of its monitor."""
    return sum(mdp.horizon * len(mdp.states) for mdp in agents.listed)


def answers_of(
    belief: Belief, best: Score | None = None, progress: Progress | None = None, stop: Stop = NEVER
) -> Answers:
    """Group the likeliest tasks, and the best if it is not among them, by what their agents do."""
    best = belief.scores[0] if best is None else best
    most = most_compared(Agents(belief.problem, [], [], stop))
    if belief.problem.code == "words":  # weights are probabilities: what is left out is known to be little
        most = min(most, 1 + int(np.searchsorted(np.cumsum(belief.weights), 1.0 - LEFT_OUT)))
    scores, weights = list(belief.scores[:most]), belief.weights[:most].tolist()
    place = belief.find(best.language)
    if place is None or place >= len(scores):
        scores.append(best)
        weights.append(0.0 if place is None else float(belief.weights[place]))
        place = len(scores) - 1
    groups = group(Agents.of(belief.problem, scores, stop), progress)
    answers = [
        Answer(tuple(scores[k] for k in members), sum(weights[k] for k in members), place in members)
        for members in groups
    ]
    answers.sort(key=lambda answer: -answer.share)
    return Answers(tuple(answers), len(scores), max(0.0, 1.0 - sum(weights)))


def group(agents: Agents, progress: Progress | None = None) -> list[list[int]]:
    """Return the agents that cannot be told apart, group by group; each group's first is its measure."""
    bounds = lower_bounds(agents)
    near = np.maximum(bounds, bounds.T) < SAME
    groups: list[list[int]] = []
    left = list(range(len(agents.tasks)))
    while left:
        agents.stop.check()
        leader, *others = left
        like = [other for other in others if near[leader, other]]
        same = {other for other, one in zip(like, agents.alike(leader, like, SAME), strict=True) if one}
        groups.append([leader, *(other for other in others if other in same)])
        left = [other for other in others if other not in same]
        if progress is not None:
            progress(len(agents.tasks) - len(left), len(agents.tasks))
    return groups
