"""The dialogue as a machine: a question out, an answer in, a new state out. It knows no terminal.

An answer takes the tasks that contradict it out of the belief. When it was not expected, or when the belief
seems settled by answers that the last search did not know of, the search runs again with all answers as given
examples, and what it scores joins the belief.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

from demospec.ask.labelled import believed, consistent, labelled, quicker, search
from demospec.ask.questions import Labels, Question
from demospec.belief import Belief
from demospec.errors import InputError, count, word_text
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.tasks import Word
from demospec.tasks.showing import html_of, short

SURE = 0.95  # of the belief in one answer: by default nothing more is asked then
WORTHLESS = 0.01  # nats: what tells less is not asked
UNEXPECTED = 0.1  # an answer that the belief gave less than this: search again

Searching = Callable[[Problem], list[Score]]


@dataclass(frozen=True)
class Answer:
    """A question and its label."""

    question: Question
    label: bool


@dataclass(frozen=True, eq=False)
class Dialogue:
    """Where a dialogue stands. `known` is how many answers the last search knew of.

    `contradiction` tells why no task is left, after which nothing is asked any more.
    """

    problem: Problem  # with the answers as given examples
    searching: Searching
    enough: float  # the share of the belief in one answer at which nothing more is asked
    scores: tuple[Score, ...]  # every task that was scored and agrees with the answers
    answers: tuple[Answer, ...] = ()
    skipped: tuple[Word, ...] = ()
    known: int = 0
    searches: int = 1
    contradiction: str = ""

    def __repr__(self) -> str:
        left = self.contradiction or f"tasks that agree with the answers: {len(self.scores)}"
        return short(
            [
                f"Dialogue on {self.problem.name!r}: {count(len(self.answers), 'answer')}, "
                f"searched {count(self.searches, 'time')}; {left}",
                *(
                    f"{'yes' if answer.label else 'no':<3} {word_text(answer.question.word)}"
                    for answer in self.answers
                ),
            ]
        )

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @classmethod
    def begin(
        cls, problem: Problem, *, seed: int = 0, enough: float = SURE, searching: Searching | None = None
    ) -> Dialogue:
        """Search once, and get ready to ask."""
        look = partial(search, seed=seed) if searching is None else searching
        return cls(problem, look, enough, tuple(consistent(problem, look(problem))))

    @cached_property
    def belief(self) -> Belief:
        """Return the belief over all tasks that are left."""
        return believed(self.problem, self.scores)

    @cached_property
    def labels(self) -> Labels:
        """Return what the tasks say of the possible words."""
        return Labels.of(self.belief)

    @cached_property
    def questions(self) -> list[Question]:
        """Return what could be asked next, best first; nothing when all is settled."""
        if self.contradiction or self.sure:
            return []
        return [one for one in self.labels.questions(self.skipped) if one.nats >= WORTHLESS]

    @property
    def question(self) -> Question | None:
        """Return what to ask next; None when the dialogue is over."""
        return self.questions[0] if self.questions else None

    @cached_property
    def best(self) -> tuple[Score, float]:
        """Return the likeliest answer, by its smallest task, and its share of the belief."""
        return self.labels.answers()[0]

    @property
    def sure(self) -> bool:
        """Say whether one answer has nearly all of the belief."""
        return self.best[1] >= self.enough

    @property
    def reason(self) -> str:
        """Say why nothing is asked any more; empty while something is."""
        if self.contradiction:
            return self.contradiction
        if self.sure:
            return f"one answer has {self.best[1]:.1%} of the belief"
        return "" if self.questions else "no path is left whose label would tell enough"

    def answered(self, label: bool, question: Question | None = None) -> Dialogue:
        """Take the answer to a question, by default the one that is asked now."""
        asked = self.question if question is None else question
        if asked is None:
            raise InputError("nothing was asked, so there is nothing to answer")
        answers = (*self.answers, Answer(asked, label))
        try:
            problem = labelled(self.problem, asked.word, label)
        except InputError as error:
            return replace(self, answers=answers, contradiction=error.message)
        left = tuple(consistent(problem, self.scores))
        following = replace(self, problem=problem, scores=left, answers=answers)
        expected = asked.chance if label else 1.0 - asked.chance
        if not left or expected < UNEXPECTED:
            following = following.searched()
        return following._settled()

    def skip(self) -> Dialogue:
        """Leave the question that is asked now unanswered, for good."""
        if self.question is None:
            raise InputError("nothing was asked, so there is nothing to skip")
        return replace(self, skipped=(*self.skipped, self.question.word))

    def searched(self) -> Dialogue:
        """Search again with all answers given; in full only when a quicker search finds nothing."""
        found: list[Score] = []
        message = ""
        for problem in (quicker(self.problem), self.problem):
            try:
                found = consistent(self.problem, self.searching(problem))
                break
            except InputError as error:
                message = error.message
        if not found and not self.scores:
            return replace(self, contradiction=message, searches=self.searches + 1)
        new = {(score.task, score.size): score for score in (*self.scores, *found)}
        return replace(self, scores=tuple(new.values()), known=len(self.answers), searches=self.searches + 1)

    def _settled(self) -> Dialogue:
        """Before the dialogue ends by itself, search once more if there are answers that no search knew."""
        over = not self.contradiction and self.question is None
        return self.searched() if over and self.known < len(self.answers) else self
