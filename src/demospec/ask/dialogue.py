"""The dialogue as a machine: a question out, a reply in, a new state out. It knows no terminal.

There are two kinds of question: should the agent be content with this run (`labels.py`), and will you show a
run there (`runs.py`)? A reply becomes part of the problem. A label is a given example, and takes the tasks
that contradict it out of the belief. When it was not expected, or when the belief seems settled by labels
that the last search did not know of, the search runs again with all of them, and what it scores joins the
belief. A run is a demonstration, on which everything that is believed rests: the search runs again, and tasks
that were believed before are scored anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

from demospec.ask.labels import LabelQuestion, Verdicts
from demospec.ask.run_questions import RunQuestion, but_for_starts, offered_edits, offered_starts
from demospec.belief import Belief
from demospec.belief.answers import answers_of, is_determined
from demospec.belief.tuned import SURE
from demospec.errors import InputError
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.runs.result import Result
from demospec.runs.session import learn
from demospec.tasks import Word
from demospec.tasks.showing import Displayed, short
from demospec.wording import count
from demospec.work.stop import NEVER, Stop
from demospec.worlds.paths import Path

UNEXPECTED = 0.1  # a label that the belief gave less than this: search again
WORTHLESS = 0.01  # nats: what tells less is not asked

Question = LabelQuestion | RunQuestion
Kind = Literal["label", "start", "edit", "any"]
Searching = Callable[[Problem], list[Score]]  # learns, and returns every task that was scored
Offering = Callable[[Belief], Sequence[RunQuestion]]  # ranks the runs that can be asked for, best first


@dataclass(frozen=True, eq=False)
class Standing:
    """A problem and tasks that were scored; what is believed then is worked out when it is asked for."""

    problem: Problem
    scores: tuple[Score, ...]  # all agree with what is given
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
    def answers(self) -> list[tuple[Score, float]]:
        """Return the answers as `learn` would, with their shares of the belief, likeliest first.

        Where states are not listed, few agents are compared: there they are what labels could tell apart.
        """
        if not resolve(self.problem).planner.abilities.listed:
            return self.verdicts.answers()
        found = answers_of(self.belief, stop=self.stop)
        return [(answer.smallest, answer.share) for answer in found.all]

    @cached_property
    def determined(self) -> bool:
        """Say whether the demonstrations determine the task, as `learn` would."""
        return is_determined(self.problem, *self.answers[0], self.stop)


@dataclass(frozen=True)
class Reply:
    """A question, and what was replied: a label, or a path of the original world of the scene in question."""

    question: Question
    given: bool | Path

    def __str__(self) -> str:
        if isinstance(self.question, LabelQuestion):
            return f"{'yes' if self.given else 'no'}: {self.question}"
        assert isinstance(self.given, Path)
        steps = len(self.given.without_stop(self.question.scene.original).steps)  # to stop is none
        return f"run {self.question.scene.name}: {count(steps, 'step')}"


@dataclass(frozen=True, eq=False)
class Dialogue(Displayed):
    """Where a dialogue stands. `known` is how many replies the last search knew of.

    Asked for are labels, or runs from other start states or in edited maps, or with `any` a label or a run
    from another start, whichever tells more. `contradiction` tells why no task is left, after which nothing
    is asked any more.
    """

    standing: Standing  # the problem with all replies, and the tasks that are left
    searching: Searching
    offering: Offering
    kind: Kind
    enough: float  # the share of the belief in one answer at which nothing more is asked; for runs 1 is never
    replies: tuple[Reply, ...] = ()
    skipped: tuple[Word, ...] = ()
    left: tuple[Question, ...] | None = None  # after others were skipped; None: they are not ranked yet
    known: int = 0
    searches: int = 1
    contradiction: str = ""

    def __repr__(self) -> str:
        runs = sum(isinstance(reply.given, Path) for reply in self.replies)
        told = [count(runs, "run")] * (runs > 0) + [count(len(self.replies) - runs, "label")]
        left = self.contradiction or f"tasks that agree with the labels: {len(self.scores)}"
        return short(
            [
                f"Dialogue on {self.problem.name!r}: {', '.join(told)}, "
                f"searched {count(self.searches, 'time')}; {left}",
                *map(str, self.replies),
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
        offering: Offering | None = None,
        kind: Kind = "label",
        stop: Stop = NEVER,
    ) -> Dialogue:
        """Search once, and get ready to ask."""
        look = partial(learned_scores, seed=seed) if searching is None else searching
        offered = offered_edits if kind == "edit" else offered_starts
        offer = partial(offered, seed=seed, stop=stop) if offering is None else offering
        scores = tuple(consistent(problem, look(problem)))
        return cls(Standing(problem, scores, seed, stop), look, offer, kind, enough)

    @property
    def problem(self) -> Problem:
        """Return the problem with all replies."""
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
    def questions(self) -> tuple[Question, ...]:
        """Return what could be asked next, best first; nothing when all is settled."""
        if self.over:
            return ()
        if self.left is not None:
            return self.left
        labels: Sequence[Question] = ()
        runs: Sequence[Question] = ()
        if self.kind in ("label", "any"):
            labels = self.verdicts.questions(self.skipped)
        if self.kind in ("start", "edit") or (self.kind == "any" and but_for_starts(self.problem)):
            runs = self.offering(self.standing.belief)
        first, then = (
            (runs, labels) if runs and (not labels or runs[0].worth > labels[0].worth) else (labels, runs)
        )
        return tuple(question for question in (*first, *then) if question.nats >= WORTHLESS)

    @property
    def question(self) -> Question | None:
        """Return what to ask next; None when the dialogue is over."""
        return self.questions[0] if self.questions else None

    @property
    def answer(self) -> tuple[Score, float]:
        """Return the answer that is named, by its smallest task, and its share of the belief."""
        return self.standing.answers[0]

    @property
    def sure(self) -> bool:
        """Say whether one answer, of those that replies could tell apart, has nearly all of the belief.

        A run in another world may tell apart what labels here do not.
        """
        if self.kind == "label":
            return self.verdicts.answers()[0][1] >= self.enough
        return self.enough < 1 and self.answer[1] >= self.enough

    @property
    def over(self) -> bool:
        """Say whether nothing is asked any more, whatever could be."""
        return bool(self.contradiction) or self.sure

    @property
    def reason(self) -> str:
        """Say why nothing is asked any more; empty while something is."""
        if self.contradiction:
            return self.contradiction
        if self.sure:
            return f"one answer has {self.answer[1]:.1%} of the belief"
        if self.questions:
            return ""
        told = "demonstration is left that" if self.kind in ("start", "edit") else "path is left whose label"
        return f"no {told} would tell enough"

    def replied(self, given: bool | Path, question: Question | None = None) -> Dialogue:
        """Take the reply to a question, by default the one that is asked now, and learn from it."""
        return self.taken(given, question).learned()

    def taken(self, given: bool | Path, question: Question | None = None) -> Dialogue:
        """Take a reply: the problem has it then, but nobody has searched yet."""
        asked = self.question if question is None else question
        if asked is None:
            raise InputError("nothing was asked, so there is nothing to answer")
        taken = replace(self, replies=(*self.replies, Reply(asked, given)), left=None)
        try:
            problem = asked.apply(self.problem, given)
        except InputError as error:
            if isinstance(asked, RunQuestion):  # the run is no run there, and says nothing about tasks
                raise
            return replace(taken, contradiction=error.message)
        scores = tuple(consistent(problem, self.scores))
        return replace(taken, standing=replace(self.standing, problem=problem, scores=scores))

    def learned(self) -> Dialogue:
        """Search again where the last reply asks for it."""
        if self.contradiction:
            return self
        reply, found = self.replies[-1], self
        if not self.scores or reply.question.expected(reply.given) < UNEXPECTED:
            found = self.searched()
        # Before the dialogue ends by itself, labels that no search knew of are searched with.
        over = not found.contradiction and found.known < len(found.replies) and found.question is None
        return found.searched() if over else found

    def searched(self) -> Dialogue:
        """Search again with all replies."""
        new_runs = any(isinstance(reply.given, Path) for reply in self.replies[self.known :])
        following = replace(self, searches=self.searches + 1)
        found: list[Score] = []
        message = ""
        try:
            found = consistent(self.problem, self.searching(self.problem))
        except InputError as error:
            message = error.message
        if not found and (not self.scores or (new_runs and message)):
            return replace(following, contradiction=message)
        before: Iterable[Score] = self.scores
        if new_runs:
            before = Evaluator(self.problem, stop=self.standing.stop).scores(
                [score.task for score in self.standing.belief.scores]
            )
        scores = {score.task.key: score for score in (*before, *found)}
        standing = replace(self.standing, scores=tuple(scores.values()))
        return replace(following, standing=standing, known=len(self.replies))

    def skip(self) -> Dialogue:
        """Leave the question that is asked now: a word for good, a run until something else is replied."""
        question = self.question
        if question is None:
            raise InputError("nothing was asked, so there is nothing to skip")
        words = (question.word,) if isinstance(question, LabelQuestion) else ()
        return replace(self, skipped=(*self.skipped, *words), left=self.questions[1:])


# -- searching ----------------------------------------------------------------------------------------


def consistent(problem: Problem, scores: Iterable[Score]) -> list[Score]:
    """Return the scored tasks that agree with the given examples.

    A score is about the demonstrations alone, so it stays as it is when examples are added.
    """
    return [score for score in scores if problem.given.consistent(score.task)]


def scored(result: Result) -> list[Score]:
    """Return every task that a search scored."""
    found: dict[tuple[object, int | str], Score] = {}
    for row in result.trace:
        for score in row.info.scored:
            found.setdefault(score.task.key, score)
    return list(found.values())


def learned_scores(problem: Problem, seed: int = 0) -> list[Score]:
    """Learn with the given examples fixed, and return every task that was scored."""
    return scored(learn(problem, seed=seed))
