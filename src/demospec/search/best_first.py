"""The default search, behind the same `step`: best first, over what moves propose, scored in batches.

A step takes a task, lets the moves propose, scores what is new, and keeps the best. What the moves are, and
why each is there, stands in `moves/`; which task is taken, in `frontier.py`. When nothing better turns up for
a while, the chain ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from demospec.errors import InputError
from demospec.explain.evaluator import Evaluator, rejected
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.search.engine import Info
from demospec.search.frontier import RESTARTS, Known, best_of, best_one, take
from demospec.search.moves import MOVES
from demospec.search.moves.move import Memory, Move, Proposal
from demospec.tasks import DFA, Task
from demospec.wording import listing, nearest

PATIENCE = 10  # steps without anything better, after which a chain ends
PATIENCE_IN_WORDS = 5  # the same where the first step has tried all that is short to say
LARGEST = 8  # states of a task that moves make: over four letters it has some 700 edits
SLOW = 32  # tasks that a step scores where each takes its time
A_STEP = 1 << 30  # numbers that a step works out, about: a few seconds
CELLS = 1 << 20  # transitions of all tasks that a step scores: they are kept
TYPICAL = 4  # states of a task
FEWEST = 8  # tasks that a step scores in any case
AT_FIRST = (
    8  # where tasks wait, the first step scores this part of what others do: so something is soon known
)
SMALLEST = 20  # tasks to begin with where moves propose none: as many as the paper draws from
ROUNDS = 8  # steps for which tasks wait, where tasks are said in words; what is left then is not scored

LOOKS = 3  # how often known tasks are looked at again in a step
AGAIN = "second look"

INGREDIENTS = {  # each can be left out
    **{move.name: move.reason for move in MOVES},
    RESTARTS: "Takes a good task elsewhere now and then, because the best so far need not lead to the best.",
}


@dataclass(frozen=True)
class Explored:
    """What must persist between steps."""

    iteration: int = 0
    scores: Mapping[DFA, Score] = field(default_factory=dict)  # every task that was scored
    front: tuple[Score, ...] = ()  # the best of them, in order
    taken: frozenset[DFA] = frozenset()
    waiting: tuple[Proposal, ...] = ()  # not scored yet
    quiet: int = 0  # steps since the best was found
    memory: Mapping[str, Memory] = field(default_factory=dict)  # of moves, by name

    @property
    def best(self) -> Score | None:
        """Return the task with the lowest energy."""
        return self.front[0] if self.front else None


class Explorer:
    """Best-first search for one problem, by these moves or others; each can be left out by its name."""

    def __init__(
        self, problem: Problem, *, moves: Sequence[Move] = MOVES, evaluator: Evaluator | None = None
    ) -> None:
        names = [move.name for move in moves]
        if twice := [name for name in names if names.count(name) > 1]:
            raise InputError(f'two moves are called "{twice[0]}"')
        without = problem.settings.without
        check_ingredients(without, [*names, RESTARTS])
        self.problem = problem
        self.evaluator = evaluator or Evaluator(problem)
        self.moves = [move for move in moves if move.name not in without]
        self.largest = min(LARGEST, problem.settings.max_states)
        self.batch = SLOW
        if self.evaluator.quick:  # fewer where worlds, episodes or alphabets are large
            by_time = A_STEP // (TYPICAL * self.evaluator.work)
            by_memory = CELLS // (LARGEST * len(problem.alphabet))
            self.batch = max(FEWEST, min(by_time, by_memory))
        self._reached: Explored | None = None

    def start(self) -> Explored:
        """Return the state in which nothing is known."""
        return Explored()

    def step(self, rng: np.random.Generator, state: Explored) -> tuple[Explored, Info]:
        """Take a task, let the moves propose, score what is new, keep the best: it is the candidate."""
        self.recall(state)
        known, memory = self.known(state), dict(state.memory)
        proposals = list(state.waiting)
        if not proposals:
            known = replace(known, task=take(rng, known))
            proposals = self.ask(rng, known, memory)
        new = self.unknown(proposals, state.scores) or self.unknown(self.first(known), state.scores)
        if not state.waiting:
            new = self.likely_first(new)
        many = self.batch if state.scores else max(FEWEST, self.batch // AT_FIRST)
        many = self.batch if len(new) <= self.batch else many
        now, later = new[:many], new[many:]
        scored = self.evaluator.scores([task for task, _ in now])
        scored += self.looked_at_again({**state.scores, **by_language(scored)}, state.best)
        now += [(score.task, AGAIN) for score in scored[len(now) :]]

        candidate = best_one(scored)
        better = candidate is not None and (state.best is None or candidate.energy < state.best.energy)
        self._reached = following = Explored(
            iteration=state.iteration + 1,
            scores={**state.scores, **by_language(scored)},
            front=best_of([*state.front, *scored]),
            taken=state.taken if known.task is None else state.taken | {known.task},
            waiting=tuple(later),
            quiet=0 if better else state.quiet + (not later),
            memory=memory,
        )
        return following, Info(
            iteration=following.iteration,
            candidate=candidate,
            accepted=better,
            best=following.best,
            scored=tuple(scored),
            origins=tuple(origin for _, origin in now),
        )

    def looked_at_again(self, known: Mapping[DFA, Score], before: Score | None) -> list[Score]:
        """Return the scores that are others because a task leads that was shown by another agent."""
        found = dict[DFA, Score]()
        for _ in range(LOOKS):
            leader = self.evaluator.best
            changed = self.evaluator.again(list({**known, **found}.values()), before)
            found |= by_language(changed)
            if self.evaluator.best is leader:
                break
            before = leader
        return list(found.values())

    def over(self, state: Explored) -> bool:
        """Say whether the chain has had its steps, or nothing better was found for a while."""
        patience = PATIENCE if resolve(self.problem).code == "automaton" else PATIENCE_IN_WORDS
        return state.iteration >= self.problem.settings.iterations or state.quiet > patience

    def recall(self, state: Explored) -> None:
        """Know the scores of a state, and no others; what leads is the state's to say.

        A task that is scored alone differs in the last digits from one that is scored among many: without
        this, what was done before would show.
        """
        if state is not self._reached:
            self.evaluator.forget()
            self.evaluator.remember(state.scores.values())
        self.evaluator.best = state.best
        self._reached = None  # a step that is broken off has reached nothing

    def known(self, state: Explored) -> Known:
        """Return what moves may look at."""
        return Known(self.problem, self.largest, state.scores, state.front, state.taken, state.quiet)

    def ask(self, rng: np.random.Generator, known: Known, memory: dict[str, Memory]) -> list[Proposal]:
        """Ask the moves, and keep what they want to be given in the next step."""
        proposals: list[Proposal] = []
        for move in self.moves:
            made = move.propose(rng, known, memory.get(move.name, Memory()))
            proposals += [(task, move.origin) for task in made.tasks]
            if made.memory is not None:
                memory[move.name] = made.memory
        return proposals

    def first(self, known: Known) -> list[Proposal]:
        """Return the tasks to begin with where moves propose none: the smallest that are in the class.

        Of those that agree with the given examples no guess need be one, nor any that is short to say.
        """
        if known.scores:
            return []
        identifier = resolve(self.problem).allowed.identifier(stop=self.evaluator.stop)
        return [(task, "start") for task in identifier.candidates(self.problem.given, SMALLEST)]

    def unknown(self, proposed: Iterable[Proposal], known: Mapping[DFA, Score]) -> list[Proposal]:
        """Return the proposals that are in the class and were not scored yet, each language once.

        A task that is made of parts may be smaller than one automaton of the same language: then it counts.
        """
        new: dict[DFA, Proposal] = {}
        prior, size_of = self.problem.prior, resolve(self.problem).size_of
        for one in proposed:
            task, language = one[0], one[0].automaton
            if prior is not None and not language.implies(prior):
                task = language = (language & prior).minimal
            if language in known and size_of(task) >= known[language].size:
                continue
            other = new.get(language)
            if (other is None or size_of(task) < size_of(other[0])) and self.admits(task):
                new[language] = task, one[1]
        return list(new.values())

    def likely_first(self, new: list[Proposal]) -> list[Proposal]:
        """Order tasks of which not all can be scored in one step: by what they reject of what was shown.

        Among those that reject as much, the shortest come first; only so many wait.
        """
        problem = self.problem
        if resolve(problem).code != "words" or len(new) <= self.batch:
            return new
        rejections = rejected(problem, [task.automaton for task, _ in new]).tolist()
        order = sorted(range(len(new)), key=lambda k: (rejections[k], resolve(problem).size_of(new[k][0])))
        return [new[k] for k in order[: ROUNDS * self.batch]]

    def admits(self, task: Task) -> bool:
        """Say whether a task is small enough, in the class, and agrees with the given examples."""
        problem, most = self.problem, self.problem.settings.max_states
        classes = problem.classes
        for part in task.parts:
            language = part.automaton
            if len(language.table) > most or (classes and not all(one.holds(language) for one in classes)):
                return False
        return not problem.given or problem.given.consistent(task)


def by_language(scores: Iterable[Score]) -> dict[DFA, Score]:
    """Return scores by what their tasks say."""
    return {score.language: score for score in scores}


def check_ingredients(without: Iterable[str], known: Collection[str] = INGREDIENTS) -> None:
    """Refuse to leave out what the search does not have."""
    for name in without:
        if name not in known:
            raise InputError(f'without "{name}": known are {listing(known)}{nearest(name, known)}')
