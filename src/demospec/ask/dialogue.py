"""The dialogue about labels as a machine: a question out, a label in, a new state out. It knows no terminal.

A label takes the tasks that contradict it out of the belief. When it was not expected, or when the belief
seems settled by labels that the last search did not know of, the search runs again with all of them as given
examples, and what it scores joins the belief.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

from demospec.ask.labelled import consistent, learned_scores, quicker, with_example
from demospec.ask.questions import Question, Verdicts
from demospec.ask.standing import WORTHLESS, Searching, Standing
from demospec.belief.answers import SURE
from demospec.errors import InputError
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.tasks import Word
from demospec.tasks.showing import Displayed, short
from demospec.wording import count, word_text
from demospec.work.stop import NEVER, Stop

UNEXPECTED = 0.1  # a label that the belief gave less than this: search again


@dataclass(frozen=True)
class Reply:
    """A question and the label that it was answered with."""

    question: Question
    label: bool


@dataclass(frozen=True, eq=False)
class Dialogue(Displayed):
    """Where a dialogue stands. `known` is how many replies the last search knew of.

    `contradiction` tells why no task is left, after which nothing is asked any more.
    """

    standing: Standing  # the problem with the labels as given examples, and the tasks that are left
    searching: Searching
    enough: float  # the share of the belief in one answer at which nothing more is asked
    replies: tuple[Reply, ...] = ()
    skipped: tuple[Word, ...] = ()
    known: int = 0
    searches: int = 1
    contradiction: str = ""

    def __repr__(self) -> str:
        left = self.contradiction or f"tasks that agree with the labels: {len(self.scores)}"
        return short(
            [
                f"Dialogue on {self.problem.name!r}: {count(len(self.replies), 'label')}, "
                f"searched {count(self.searches, 'time')}; {left}",
                *(
                    f"{'yes' if reply.label else 'no':<3} {word_text(reply.question.word)}"
                    for reply in self.replies
                ),
            ]
        )

    @classmethod
    def begin(
        cls,
        problem: Problem,
        *,
        seed: int = 0,
        enough: float = SURE,
        searching: Searching | None = None,
        stop: Stop = NEVER,
    ) -> Dialogue:
        """Search once, and get ready to ask."""
        look = partial(learned_scores, seed=seed) if searching is None else searching
        scores = tuple(consistent(problem, look(problem)))
        return cls(Standing(problem, scores, seed, stop), look, enough)

    @property
    def problem(self) -> Problem:
        """Return the problem with the labels as given examples."""
        return self.standing.problem

    @property
    def scores(self) -> tuple[Score, ...]:
        """Return every task that was scored and agrees with the labels."""
        return self.standing.scores

    @property
    def verdicts(self) -> Verdicts:
        """Return what the tasks say of the possible words."""
        return self.standing.verdicts

    @cached_property
    def questions(self) -> list[Question]:
        """Return what could be asked next, best first; nothing when all is settled."""
        if self.contradiction or self.sure:
            return []
        return [one for one in self.verdicts.questions(self.skipped) if one.nats >= WORTHLESS]

    @property
    def question(self) -> Question | None:
        """Return what to ask next; None when the dialogue is over."""
        return self.questions[0] if self.questions else None

    @property
    def best(self) -> tuple[Score, float]:
        """Return the answer that is named, by its smallest task, and its share of the belief."""
        return self.standing.answers[0]

    @property
    def sure(self) -> bool:
        """Say whether one answer, of those that labels could tell apart, has nearly all of the belief."""
        return self.standing.answers_by_label[0][1] >= self.enough

    @property
    def reason(self) -> str:
        """Say why nothing is asked any more; empty while something is."""
        if self.contradiction:
            return self.contradiction
        if self.sure:
            return f"one answer has {self.best[1]:.1%} of the belief"
        return "" if self.questions else "no path is left whose label would tell enough"

    def answered(self, label: bool, question: Question | None = None) -> Dialogue:
        """Take the label that a question asks for, by default the one that is asked now."""
        asked = self.question if question is None else question
        if asked is None:
            raise InputError("nothing was asked, so there is nothing to answer")
        replies = (*self.replies, Reply(asked, label))
        try:
            problem = with_example(self.problem, asked.word, label)
        except InputError as error:
            return replace(self, replies=replies, contradiction=error.message)
        left = tuple(consistent(problem, self.scores))
        following = replace(
            self, standing=replace(self.standing, problem=problem, scores=left), replies=replies
        )
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
        """Search again with all labels given; in full only when a quicker search finds nothing."""
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
        new = {score.task.key: score for score in (*self.scores, *found)}
        standing = replace(self.standing, scores=tuple(new.values()))
        return replace(self, standing=standing, known=len(self.replies), searches=self.searches + 1)

    def _settled(self) -> Dialogue:
        """Before the dialogue ends by itself, search once more if there are labels that no search knew."""
        over = not self.contradiction and self.question is None
        return self.searched() if over and self.known < len(self.replies) else self
