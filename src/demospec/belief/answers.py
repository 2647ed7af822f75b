"""Answers: tasks that cannot be told apart in any world of the problem are one.

Two tasks are one answer when the divergence between their agents' episodes is below `SAME` both ways, in
every world: a thousand demonstrations would then be expected to tell less than one nat between them, and
nobody shows as many. Tasks are taken likeliest first, and each joins the first answer whose likeliest task it
cannot be told from. What is accepted plays no part: an agent that is always satisfied and one that never is
both wander.

The *credible set* of answers is the smallest that has 95 % of the belief. Tasks that were not compared with
the others are answers of their own.

The demonstrations *determine* the task where the likeliest answer has an aim and a good part of the belief.
It has no aim where its agent cannot be told from one that wanders: every run satisfies it, or none does, or
nothing can be done about it. Such an answer says what was not found, and is no task.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from demospec.belief.belief import Belief
from demospec.belief.distance import Agents, lower_bounds
from demospec.belief.episodes import Episodes
from demospec.belief.tuned import (
    CREDIBLE,
    FEWEST_COMPARED,
    FOR_A_PICTURE,
    LEFT_OUT,
    LITTLE,
    MOST_COMPARED,
    MOST_DIFFERENCES,
    MOST_WORK,
    PAIR_STATES,
    SAME,
    TOLD,
    UNLISTED_COMPARED,
)
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.wording import count, percent
from demospec.work.stop import NEVER, Stop
from demospec.worlds.walk import TooManySituations

ROUNDING = 1e-9

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Answer:
    """Tasks that no world tells apart, likeliest first; the smallest of them is told for all."""

    members: tuple[Score, ...]
    share: float  # of the belief, that all of them have
    is_named: bool  # whether it is the answer that is named

    @property
    def smallest(self) -> Score:
        """Return the smallest task; of equally small ones one that can be satisfied, and the likeliest."""
        return min(self.members, key=lambda score: (score.size, score.satisfaction_probability == 0))


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of a belief, likeliest first; and the share not compared."""

    all: tuple[Answer, ...]
    compared: int
    not_compared: float

    @property
    def answer(self) -> Answer:
        """Return the answer that is named."""
        return next(answer for answer in self.all if answer.is_named)

    @property
    def likeliest(self) -> Answer:
        return self.all[0]


def most_compared(agents: Agents) -> int:
    """Return how many tasks are compared: fewer where plans are expensive."""
    if not agents.is_listed:
        return UNLISTED_COMPARED
    return max(FEWEST_COMPARED, min(MOST_COMPARED, int(MOST_WORK / (PAIR_STATES * plan_size(agents)))))


def plan_size(agents: Agents) -> int:
    """Return how many numbers a plan has in all worlds together, for each state of its monitor."""
    return sum(mdp.horizon * len(mdp.states) for mdp in agents.listed)


def answers_of(
    belief: Belief, named: Score | None = None, progress: Progress | None = None, stop: Stop = NEVER
) -> Answers:
    """Group the likeliest tasks by what their agents do, and with them one that is named in any case.

    Without it the likeliest answer is named.
    """
    most = most_compared(Agents(belief.problem, [], [], stop))
    if (
        resolve(belief.problem).code == "words"
    ):  # weights are probabilities: what is left out is known to be little
        most = min(most, 1 + int(np.searchsorted(np.cumsum(belief.weights), 1.0 - LEFT_OUT)))
    scores, weights = list(belief.scores[:most]), belief.weights[:most].tolist()
    place = None if named is None else belief.find(named.language)
    if named is not None and (place is None or place >= len(scores)):
        scores.append(named)
        weights.append(0.0 if place is None else float(belief.weights[place]))
        place = len(scores) - 1
    answers = [
        Answer(tuple(scores[k] for k in members), sum(weights[k] for k in members), place in members)
        for members in grouped(Agents.of(belief.problem, scores, stop), progress)
    ]
    answers.sort(key=lambda answer: -answer.share)
    if named is None:
        answers[0] = replace(answers[0], is_named=True)
    return Answers(tuple(answers), len(scores), max(0.0, 1.0 - sum(weights)))


def grouped(agents: Agents, progress: Progress | None = None) -> list[list[int]]:
    """Return the agents that cannot be told apart, group by group; each group's first is its measure."""
    bounds = lower_bounds(agents)
    near = np.maximum(bounds, bounds.T) < SAME
    groups: list[list[int]] = []
    left = list(range(len(agents.tasks)))
    while left:
        agents.stop.check()
        first, *others = left
        like = [other for other in others if near[first, other]]
        same = {other for other, alike in zip(like, agents.alike(first, like, SAME), strict=True) if alike}
        groups.append([first, *(other for other in others if other in same)])
        left = [other for other in others if other not in same]
        if progress is not None:
            progress(len(agents.tasks) - len(left), len(agents.tasks))
    return groups


@dataclass(frozen=True, eq=False)
class Credible:
    """Answers, likeliest first: the places of each one's tasks in the belief; `share` is what they have."""

    belief: Belief
    answers: tuple[tuple[int, ...], ...]
    share: float
    of: int  # answers that there are

    @classmethod
    def set_of(cls, belief: Belief, answers: Answers | None = None, least: float = CREDIBLE) -> Credible:
        """Take the likeliest answers until they have the share; without answers every task is one."""
        number = {id(score): place for place, score in enumerate(belief.scores)}
        groups = [
            tuple(number[id(score)] for score in answer.members if id(score) in number)
            for answer in (() if answers is None else answers.all)
        ]
        compared = {place for group in groups for place in group}
        groups = [group for group in groups if group]
        groups += [(place,) for place in range(len(belief.scores)) if place not in compared]
        weights = [float(belief.weights[list(group)].sum()) for group in groups]
        order = sorted(range(len(groups)), key=lambda k: -weights[k])  # stable
        total = np.cumsum([weights[k] for k in order])
        most = min(len(order), int(np.searchsorted(total, least - ROUNDING)) + 1)
        return cls(belief, tuple(groups[k] for k in order[:most]), float(total[most - 1]), len(groups))

    @property
    def sentence(self) -> str:
        """Say how many answers are in the set."""
        if len(self.answers) == 1:
            return f"The first answer alone is the {percent(CREDIBLE)} credible set."
        return f"The {percent(CREDIBLE)} credible set has {len(self.answers)} of {self.of} answers."

    @property
    def scores(self) -> list[Score]:
        """Return the tasks of all its answers."""
        return [self.belief.scores[place] for answer in self.answers for place in answer]


@dataclass(frozen=True, eq=False)
class Difference:
    """How another answer differs from the one that is named.

    `word` is a shortest one of a whole episode that one accepts and the other does not: None where there is
    no such episode, or where too many would have to be followed (`searched` tells which). In a problem with
    several worlds `world` is the name of one in which the word is possible, and `shown_in` of the one in
    which demonstrations tell most.
    """

    other: Answer
    word: Word | None
    accepted: bool  # by the answer that is named
    searched: bool
    nats: float  # that an episode of its agent tells against the other, on average
    demonstrations: int | None  # of its agent until it told 3 nats; None: they are alike
    world: str | None = None
    shown_in: str | None = None


def differences_of(
    problem: Problem, answers: Answers, shown: int = MOST_DIFFERENCES, stop: Stop = NEVER
) -> list[Difference]:
    """Compare the answer with the likeliest others, each by its smallest task."""
    answer, episodes = answers.answer, Episodes(problem, stop, FOR_A_PICTURE)
    others = [other for other in answers.all if other is not answer][:shown]
    own, scores = answer.smallest, [other.smallest for other in others]
    nats = Agents.of(problem, [own, *scores], stop).in_each_world([(0, k + 1) for k in range(len(others))])

    def place(world: int) -> str | None:
        return problem.scenes[world].name if len(problem.scenes) > 1 else None

    found = []
    for number, (other, score) in enumerate(zip(others, scores, strict=True)):
        try:
            searched = episodes.is_listed
            telling = episodes.telling(own.language, score.language) if searched else []
        except TooManySituations:
            searched, telling = False, []
        word = telling[0].word if telling else None
        most = int(np.argmax(nats[:, number]))
        told = float(nats[most, number])
        found.append(
            Difference(
                other,
                word,
                word is not None and own.task.accepts(word),
                searched,
                told,
                math.ceil(TOLD / told) if told > 0 else None,
                place(telling[0].world) if telling else None,
                place(most),
            )
        )
    return found


def has_aim(problem: Problem, score: Score, stop: Stop = NEVER) -> bool:
    """Say whether some episode tells a task's agent from one that is content with anything."""
    tasks = [score.language, DFA.constant(problem.alphabet, True)]
    agents = Agents(problem, tasks, [score.rationality] * 2, stop, score.effort)
    return not agents.alike(0, [1], SAME)[0]


def is_determined(problem: Problem, likeliest: Score, share: float, stop: Stop = NEVER) -> bool:
    """Say whether the demonstrations determine the task, by the likeliest answer."""
    return share >= LITTLE and has_aim(problem, likeliest, stop)


def not_determined(problem: Problem) -> str:
    """Say that they do not.

    >>> import demospec
    >>> not_determined(demospec.load_example("robot"))
    '2 demonstrations do not determine the task'
    """
    shown = len(problem.demonstrations)
    return f"{count(shown, 'demonstration')} {'does' if shown == 1 else 'do'} not determine the task"


def why_not(share: float) -> str:
    """Say why not, by the share of the likeliest answer.

    >>> why_not(0.1), why_not(0.9)
    ('no answer has 20 % of the belief', 'the likeliest answer, with 90 % of the belief, has no aim here')
    """
    if share < LITTLE:
        return f"no answer has {percent(LITTLE)} of the belief"
    return f"the likeliest answer, with {percent(share)} of the belief, has no aim here"
