"""Conformance of identifiers: one call checks an identifier of one's own against brute force and the laws.

Brute force is every automaton up to a number of states, by size: slow and obvious. The first answer that is
wrong ends the check with one message: the law, the seed, what was asked, and what is wrong. Questions are
over two letters and can be met by a task with up to three states, so that brute force knows what must be
found.

>>> from functools import partial
>>> from demospec.identify.exact import ExactIdentifier
>>> report = check_identifier(partial(ExactIdentifier, max_states=3), seeds=[0])
>>> list(report.compared) == list(LAWS)
True
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from demospec.errors import Contradiction
from demospec.identify.base import Identifier, check_class, joined
from demospec.identify.classes import (
    AutomatonClass,
    CoSafety,
    IgnoresRepeats,
    ImpliedBy,
    Monotone,
    ReachAvoid,
    Safety,
    SameEffect,
)
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.testing.laws import LawReport, LawRun, chosen_names, run_laws
from demospec.testing.small_worlds import random_dfa
from demospec.wording import listing, word_text


@cache
def all_languages(alphabet: tuple[str, ...], max_states: int) -> list[DFA]:
    """Return each language that a DFA with at most `max_states` states accepts, once, by size."""
    found: set[DFA] = set()
    for states in range(1, max_states + 1):
        for targets in itertools.product(range(states), repeat=states * len(alphabet)):
            rows = tuple(targets[k : k + len(alphabet)] for k in range(0, len(targets), len(alphabet)))
            for marks in itertools.product((False, True), repeat=states):
                found.add(DFA(alphabet=alphabet, table=rows, accepting=marks).minimal)
    return sorted(found, key=lambda dfa: (dfa.size, dfa.states, str(dfa)))


def brute_force(
    languages: list[DFA],
    examples: Examples,
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
) -> Iterator[DFA]:
    """Filter a list from `all_languages` by examples, prior and classes, order kept."""
    for dfa in languages:
        if examples.consistent(dfa) and all(one.holds(dfa) for one in joined(prior, classes)):
            yield dfa


# -- Conformance of identifiers --------------------------------------------------------------------------

ALPHABET = ("a", "b")
MOST_STATES = 3  # of the automata that brute force knows
LONGEST = 4  # letters of a word: no longer one is needed to tell automata with so many states apart

Make = Callable[..., Identifier]  # takes the alphabet, and `prior` and `classes` where there are any


@dataclass(frozen=True)
class TaskClass:
    """What is known of a task beforehand. Of a task made of parts, the classes hold for every part."""

    prior: DFA | None = None
    classes: tuple[AutomatonClass, ...] = ()

    def holds(self, task: DFA) -> bool:
        """Say whether a task is within the class."""
        parts = [part.automaton for part in task.parts]
        return (self.prior is None or task.implies(self.prior)) and all(
            one.holds(part) for one in self.classes for part in parts
        )

    def members(self, examples: Examples) -> list[DFA]:
        """Return the members with few states that agree with labelled words, by size."""
        return list(brute_force(small_members(self), examples))

    def __str__(self) -> str:
        names = [] if self.prior is None else [f"prior {self.prior}"]
        for one in self.classes:
            names.append(f"lower bound {one.task}" if isinstance(one, ImpliedBy) else one.name)
        return " and ".join(names) or "any task"


CLASSES: dict[str, Callable[[np.random.Generator], TaskClass]] = {
    "any task": lambda rng: TaskClass(),
    "prior": lambda rng: TaskClass(prior=random_dfa(rng, ALPHABET, 3).minimal),
    "lower bound": lambda rng: TaskClass(classes=(ImpliedBy(random_dfa(rng, ALPHABET, 3).minimal),)),
    "safety": lambda rng: TaskClass(classes=(Safety(),)),
    "co-safety": lambda rng: TaskClass(classes=(CoSafety(),)),
    "monotone": lambda rng: TaskClass(classes=(Monotone(),)),
    "reach-avoid": lambda rng: TaskClass(classes=(ReachAvoid(),)),
    "ignores-repeats": lambda rng: TaskClass(classes=(IgnoresRepeats(),)),
    "same-effect": lambda rng: TaskClass(classes=(SameEffect(ALPHABET),)),
    "two classes": lambda rng: TaskClass(classes=(CoSafety(), IgnoresRepeats())),
    "prior and class": lambda rng: TaskClass(random_dfa(rng, ALPHABET, 3).minimal, (Monotone(),)),
}


@dataclass(frozen=True)
class IdentifierQuestion:
    """What an identifier is asked."""

    of: TaskClass
    examples: Examples
    count: int

    def __str__(self) -> str:
        words = [f'"{word_text(word)}" {verdict(label)}' for word, label in self.examples]
        return f"{self.count} of class: {self.of}; words: {listing(words) if words else 'none'}"


def verdict(label: bool) -> str:
    """Return the word for a label."""
    return "accepted" if label else "rejected"


@dataclass
class IdentifierCheck(LawRun):
    """One run of the suite: who is asked, about which classes."""

    make: Make
    classes: Sequence[str]

    def identifier(self, of: TaskClass) -> Identifier:
        given: dict[str, Any] = {"prior": of.prior, "classes": of.classes}
        return self.make(ALPHABET, **{name: value for name, value in given.items() if value})

    def ask(self, question: IdentifierQuestion, identifier: Identifier | None = None) -> list[DFA]:
        """Return the answer of an identifier, or of a new one; refuse what is no answer."""
        self.subject = question
        if identifier is None:
            identifier = self.identifier(question.of)
        found = identifier.candidates(question.examples, question.count)
        if not isinstance(found, Sequence):
            self.fail(f"the answer is a {type(found).__name__}, not a sequence")
        for task in found:
            if not isinstance(task, DFA):
                self.fail(f"the answer holds a {type(task).__name__}, not a task")
            if task.alphabet != ALPHABET:
                self.fail(f"the task {task} reads {listing(task.alphabet)}, expected {listing(ALPHABET)}")
        return list(found)

    @property
    def task_classes(self) -> list[TaskClass]:
        """Return the classes; a seed has bounds of its own, the same for all laws."""
        return [CLASSES[name](np.random.default_rng(self.seed)) for name in self.classes]

    def questions(self) -> Iterator[IdentifierQuestion]:
        """Yield questions that have an answer: some words, or most of them, as a member labels them."""
        for of in self.task_classes:
            members = of.members(Examples())
            for most in (0, 3, 6, 25) if members else ():
                target = members[int(self.rng.integers(len(members)))]
                words = {word: target.accepts(word) for word in random_words(self.rng, most)}
                yield IdentifierQuestion(of, Examples.from_mapping(words), 10)

    def answers(self, *, exact: bool = False) -> Iterator[tuple[IdentifierQuestion, list[DFA]]]:
        """Yield questions with their answers; or only where the identifier says that it is exact."""
        for question in self.questions():
            identifier = self.identifier(question.of)
            if not exact or getattr(identifier, "exact", False):
                yield question, self.ask(question, identifier)


@lru_cache(maxsize=64)
def small_members(of: TaskClass) -> list[DFA]:
    """Return every language that brute force knows and that is in a class, by size."""
    return list(
        brute_force(all_languages(ALPHABET, MOST_STATES), Examples(), prior=of.prior, classes=of.classes)
    )


def random_words(rng: np.random.Generator, most: int) -> set[Word]:
    """Draw so many words, or fewer where one is drawn twice."""
    lengths = rng.integers(LONGEST + 1, size=most).tolist()
    return {tuple(rng.choice(ALPHABET, size=length).tolist()) for length in lengths}


# -- laws ---------------------------------------------------------------------------------------------------


def agreement(check: IdentifierCheck) -> None:
    """Every task gives every word its label."""
    for question, found in check.answers():
        for task in found:
            for word, label in question.examples:
                if task.accepts(word) != label:
                    check.fail(f'"{word_text(word)}" is {verdict(label)}, but not by the task {task}')
            check.passed(len(question.examples))


def without_repeats(check: IdentifierCheck) -> None:
    """No language comes twice, whatever the automata look like."""
    for _, found in check.answers():
        for position, task in enumerate(found):
            if task in found[:position]:
                check.fail(f"the task {task} comes at {found.index(task) + 1} and again at {position + 1}")
            check.passed()


def sizes_rise(check: IdentifierCheck) -> None:
    """Sizes do not fall."""
    for _, found in check.answers():
        for former, latter in pairwise(found):
            if former.size > latter.size:
                check.fail(f"{former} of {former.size} bits comes before {latter} of {latter.size} bits")
            check.passed()


def membership(check: IdentifierCheck) -> None:
    """Every task is in the class that the identifier was made for."""
    for question, found in check.answers():
        for task in found:
            if not question.of.holds(task):
                check.fail(f"the task {task} is not in the class")
            check.passed()


def quantity(check: IdentifierCheck) -> None:
    """There are no more tasks than were asked for."""
    for question in check.questions():
        for count in (1, 2, 5):
            found = check.ask(IdentifierQuestion(question.of, question.examples, count))
            if len(found) > count:
                check.fail(f"found {len(found)} tasks")
            check.passed()


def smaller_ones(check: IdentifierCheck) -> None:
    """A member with few states that is smaller than the last of the answer is in the answer."""
    for question, found in check.answers(exact=True):
        for member in question.of.members(question.examples):
            if found and member.size < found[-1].size and member not in found:
                check.fail(
                    f"the task {member} of {member.size} bits is missing, "
                    f"but {found[-1]} of {found[-1].size} bits is there"
                )
            check.passed()


def completeness(check: IdentifierCheck) -> None:
    """An answer with fewer tasks than were asked for has all members with few states."""
    for question, found in check.answers(exact=True):
        for member in question.of.members(question.examples):
            if len(found) < question.count and member not in found:
                check.fail(f"found {len(found)} tasks, and not {member}")
            check.passed()


def independence(check: IdentifierCheck) -> None:
    """What was asked before does not change an answer."""
    questions = list(check.questions())
    for of in dict.fromkeys(question.of for question in questions):
        own = [question for question in questions if question.of == of]
        first, second = check.identifier(of), check.identifier(of)
        once = {question: check.ask(question, first) for question in own}
        # in the other order, and the last one asked again
        for question in [*reversed(own), own[-1]]:
            found = check.ask(question, second)
            if [(task, str(task)) for task in found] != [(task, str(task)) for task in once[question]]:
                check.fail(
                    f"found {listing(map(str, found))} after other questions, "
                    f"and {listing(map(str, once[question]))} before them"
                )
            check.passed()


def contradictions(check: IdentifierCheck) -> None:
    """For labels that no member has, there is no answer: `Contradiction` is raised, or nothing is found."""
    for of in check.task_classes:
        for _ in range(30):
            words = random_words(check.rng, 4)
            examples = Examples.from_mapping({word: bool(check.rng.integers(2)) for word in words})
            try:
                check_class(examples, ALPHABET, of.prior, of.classes)
                continue
            except Contradiction:
                check.passed()
            with suppress(Contradiction):
                if found := check.ask(IdentifierQuestion(of, examples, 3)):
                    check.fail(f"no task has these labels, but {found[0]} was found")


LAWS: dict[str, Callable[[IdentifierCheck], None]] = {
    "every task agrees with the examples": agreement,
    "each language comes once": without_repeats,
    "tasks come in order of size": sizes_rise,
    "every task is within the class": membership,
    "no more tasks than were asked for": quantity,
    "an exact answer misses nothing smaller": smaller_ones,
    "an exact answer is short only when there are no more": completeness,
    "an answer does not depend on earlier questions": independence,
    "a contradiction has no answer": contradictions,
}


def check_identifier(
    make: Make,
    *,
    seeds: Iterable[int] = range(3),
    classes: Iterable[str] | None = None,
    laws: Iterable[str] | None = None,
) -> LawReport:
    """Check an identifier; an AssertionError tells the first thing that is wrong.

    `make(alphabet, prior=..., classes=...)` makes one; an argument that says nothing is left out. It has to
    find automata with up to three states at least. Two of the laws hold for identifiers only that say
    `exact`. `classes` are names from `CLASSES`, for an identifier that does not take every class, and `laws`
    are names from `LAWS`; all of them unless given.
    """
    chosen, numbers = chosen_names("class", classes, CLASSES), list(seeds)
    return run_laws(LAWS, laws, lambda: (IdentifierCheck(make, chosen, seed=seed) for seed in numbers))
