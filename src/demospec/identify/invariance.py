"""Classes whose members do not tell certain words from each other: repeats of a letter, or some letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from demospec.errors import ExamplesError, InputError, listing, nearest
from demospec.identify.automaton_class import AutomatonClass
from demospec.identify.closures import up_to_exchange, up_to_repeats
from demospec.identify.encoding import Clause, Unknown
from demospec.plan.monitor import counts_repeats
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples


@dataclass(frozen=True)
class IgnoresRepeats(AutomatonClass):
    """The languages in which a letter read twice in a row counts once: δ(δ(q, a), a) = δ(q, a).

    No conflicts means that there is a member. Over a single letter there are only four.
    """

    kind = "ignores-repeats"
    sentence = "Reading a letter twice in a row is the same as reading it once."

    def holds(self, dfa: DFA) -> bool:
        """Say whether every letter, read again, changes nothing."""
        return not counts_repeats(dfa.minimal)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: where a letter leads to j, it leads from j to j."""
        for i, row in enumerate(unknown.transition):
            for a, targets in enumerate(row):
                for j, target in enumerate(targets):
                    if i != j:
                        yield [-target, unknown.transition[j][a][j]]

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the words that are equal up to repeats, but labelled differently."""
        return labelled_apart(examples, self.normal)

    def normal(self, word: Word) -> Word:
        """Return the word with each run of one letter read once."""
        return tuple(letter for letter, _ in groupby(word))

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add the words that are equal up to repeats."""
        return up_to_repeats(language)


@dataclass(frozen=True, init=False)
class SameEffect(AutomatonClass):
    """The languages that do not tell some letters from each other. No conflicts means that there is a member.

    >>> SameEffect("ba").name
    'same-effect:a,b'
    """

    letters: tuple[str, ...]  # sorted, each once; any iterable will do

    kind = "same-effect"
    sentence = "The given letters can be exchanged for each other."

    def __init__(self, letters: Iterable[str]) -> None:
        object.__setattr__(self, "letters", tuple(sorted(set(letters))))
        if len(self.letters) < 2:
            raise InputError(f"same effect: expected two letters or more, found {listing(self.letters)}")

    @property
    def name(self) -> str:
        """Return the kind and the letters."""
        return f"{self.kind}:{','.join(self.letters)}"

    def holds(self, dfa: DFA) -> bool:
        """Say whether the letters have the same transitions in every state."""
        self.check_letters(dfa.alphabet)
        columns = [dfa.column[letter] for letter in self.letters]
        return all(len({row[a] for a in columns}) == 1 for row in dfa.minimal.table)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: where the first of the letters leads, the others lead."""
        first, *others = [unknown.alphabet.index(letter) for letter in self.letters]
        for row in unknown.transition:
            for a in others:
                for one, other in zip(row[first], row[a], strict=True):
                    yield [-one, other]

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the words that are equal up to exchanging the letters, but labelled differently."""
        return labelled_apart(examples, self.normal)

    def normal(self, word: Word) -> Word:
        """Return the word with the first of the letters in the place of each."""
        return tuple(self.letters[0] if letter in self.letters else letter for letter in word)

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add the words that are equal up to exchanging the letters."""
        return up_to_exchange(language, self.letters)

    def spoken(self) -> frozenset[str]:
        """Return the letters that can be exchanged."""
        return frozenset(self.letters)

    def check_letters(self, alphabet: Sequence[str]) -> None:
        """Refuse letters that are not in the alphabet."""
        for letter in self.letters:
            if letter not in alphabet:
                raise ExamplesError(
                    f'{self.name}: letter "{letter}" is not in the alphabet '
                    f"{listing(alphabet)}{nearest(letter, alphabet)}"
                )


def labelled_apart(examples: Examples, normal: Callable[[Word], Word]) -> tuple[Word, ...]:
    """Return the words that have one normal form, but not one label."""
    labels: dict[Word, set[bool]] = {}
    for word, label in examples:
        labels.setdefault(normal(word), set()).add(label)
    return tuple(word for word, _ in examples if len(labels[normal(word)]) > 1)


def normal_form(word: Word, classes: Sequence[AutomatonClass]) -> Word:
    """Return a word that the members of all classes must treat like this one: all normal forms at once."""
    while True:
        before = word
        for one in classes:
            word = one.normal(word)
        if word == before:
            return word
