"""What an identifier is: labelled examples in, consistent tasks out, smallest first (𝓘 in the paper)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import ClassVar, Protocol

from demospec.errors import Contradiction, ExamplesError
from demospec.identify.classes import AutomatonClass, Implies, of_words
from demospec.tasks import DFA, Word
from demospec.tasks.dfa import checked_letters
from demospec.tasks.examples import Examples
from demospec.wording import listing, unknown_letter, word_text
from demospec.work.stop import NEVER, Stop

MOST_REMEMBERED = 10_000  # example sets of one identifier


class Identifier(Protocol):
    """A black box for the search: consistent tasks, each language once, by size.

    Ours say whether they are `exact`: then none smaller is missed, else smaller ones may exist.
    """

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return the first `count` consistent tasks, fewer when the budget ends first."""
        ...


class FirstAnswers(ABC):
    """An identifier that takes the first of the tasks that are found in exact order, and remembers them."""

    exact: ClassVar[bool] = True

    def __init__(self) -> None:
        self._known: dict[tuple[Examples, int], tuple[DFA, ...]] = {}

    @abstractmethod
    def found(self, examples: Examples, count: int) -> Iterator[DFA]:
        """Yield the consistent tasks, of which so many are asked for."""

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return the first `count` consistent tasks, fewer when there are no more within `max_states`."""
        key = (examples, count)
        if key not in self._known:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()  # answers are found again as they were
            self._known[key] = tuple(islice(self.found(examples, count), count))
        return self._known[key]


def joined(prior: DFA | None, classes: Sequence[AutomatonClass]) -> tuple[AutomatonClass, ...]:
    """Return the classes that a task must be in, each once; a prior is one of them."""
    first = () if prior is None else (Implies(prior),)
    return tuple(dict.fromkeys((*first, *classes)))


def check_class(
    examples: Examples,
    alphabet: Sequence[str],
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    *,
    stop: Stop = NEVER,
) -> None:
    """Refuse examples with foreign letters, or with labels that the prior or the classes exclude.

    Refuse as well an alphabet that is no set of letters, and a class that speaks of other letters.
    """
    members = joined(prior, classes)
    known = frozenset(checked_letters(alphabet, ExamplesError))
    for one in members:
        one.check_letters(alphabet)
    for word, _ in examples:
        stop.check()
        for letter in word:
            if letter not in known:
                raise ExamplesError(f'word "{word_text(word)}": {unknown_letter(letter, alphabet)}')
    for one in members:
        stop.check()
        if words := one.conflicts(examples):
            raise labels_excluded([one], words, examples)
    if len(members) > 1:
        if words := joint_conflicts(members, examples, stop):
            raise labels_excluded(members, words, examples)
        accepted, rejected = certain_words(members, tuple(alphabet))
        if (both := (accepted & rejected).shortest_word()) is not None:
            raise Contradiction(
                f'no task is of class {named(members)}: it would both accept and reject "{word_text(both)}"',
                words=(),
            )


def joint_conflicts(
    classes: Sequence[AutomatonClass], examples: Examples, stop: Stop = NEVER
) -> tuple[Word, ...]:
    """Return the words whose labels are excluded where a task must be in all classes at once.

    No words means that there is a member if all classes promise one for labels without conflicts, and do
    not exclude each other; but not always where `Monotone` is between two bounds.
    """
    alphabet = {letter for word, _ in examples for letter in word}.union(*(one.spoken() for one in classes))
    if not alphabet:
        return ()
    must = forced_by(examples, classes, tuple(alphabet), stop)
    return tuple(word for word, label in examples if must[not label].accepts(word))


def forced_by(
    examples: Examples, classes: Sequence[AutomatonClass], alphabet: Sequence[str], stop: Stop = NEVER
) -> dict[bool, DFA]:
    """Return, by label, the words that have it in every member of all classes that has the given labels."""
    labelled = {label: [word for word, own in examples if own == label] for label in (True, False)}
    return {
        label: forced(classes, of_words(words, alphabet, stop), label, stop)
        for label, words in labelled.items()
    }


def forced(classes: Sequence[AutomatonClass], language: DFA, label: bool, stop: Stop = NEVER) -> DFA:
    """Return the words that have the label in every member of all classes in which a language's have it.

    For classes that promise a member where there are no conflicts these are all such words.
    """
    while True:
        before = language
        for one in classes:
            stop.check()
            language = one.forced(language, label)
        if len(classes) < 2 or language == before:
            return language.minimal


@lru_cache(maxsize=256)
def certain_words(classes: tuple[AutomatonClass, ...], alphabet: tuple[str, ...]) -> tuple[DFA, DFA]:
    """Return the words that every member of all classes accepts, and those that every member rejects.

    Some of them, where a class does not promise more.
    """
    nothing = DFA.constant(alphabet, False)
    return forced(classes, nothing, True), forced(classes, nothing, False)


def labels_excluded(
    classes: Sequence[AutomatonClass], words: Sequence[Word], examples: Examples, also: str = ""
) -> Contradiction:
    """Return the error that names words whose labels no task of the classes has, whatever is done also."""
    if len(classes) == 1 and isinstance(classes[0], Implies):
        names = ", ".join(f'"{word_text(word)}"' for word in words)
        return Contradiction(f"accepted, but no task that implies the prior accepts {names}", words=words)
    labelled = [
        f'"{word_text(word)}" {"accepted" if examples.mapping[word] else "rejected"}' for word in words
    ]
    return Contradiction(
        f"no task of class {named(classes)} has these labels{also}: {listing(labelled)}", words=words
    )


def named(classes: Sequence[AutomatonClass]) -> str:
    """Return the names of classes for a message."""
    return " and ".join(one.name for one in classes)
