"""What is known about the task beforehand: a prior, classes, parts, labelled words; and what they allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from demospec.errors import InputError
from demospec.identify.base import Identifier, certain_words, check_class, forced, forced_by, joined
from demospec.identify.classes import AutomatonClass, of_words
from demospec.identify.exact import ExactIdentifier, smallest
from demospec.tasks import DFA, Operator, Word
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop


@dataclass(frozen=True)
class Parts:
    """A task may be made of so many automata, all of which ("and") or one of which ("or") must accept."""

    operator: Operator
    most: int

    def __post_init__(self) -> None:
        from demospec.identify.decomposition import check_form

        check_form(self.operator, self.most, None)

    @classmethod
    def of(cls, all_of: int | None, any_of: int | None) -> Parts | None:
        """Return what a file or a command line asks for."""
        if all_of is not None and any_of is not None:
            raise InputError("give all_of or any_of, not both")
        if all_of is not None:
            return cls("and", all_of)
        return None if any_of is None else cls("or", any_of)


@dataclass(frozen=True, eq=False, kw_only=True)
class Allowed:
    """The tasks that are considered: they imply the prior, are in all classes, and agree with `given`."""

    alphabet: tuple[str, ...]
    prior: DFA | None = None
    classes: tuple[AutomatonClass, ...] = ()
    parts: Parts | None = None
    given: Examples = field(default_factory=Examples)
    max_states: int = 10

    def __post_init__(self) -> None:
        check_class(self.given, self.alphabet, self.prior, self.classes)

    @cached_property
    def bounds(self) -> tuple[DFA | None, DFA | None]:
        """Return a language that every task of the class contains, and one that every task is within.

        None where they say nothing. Words between the two are accepted by some tasks and not by others, as
        far as the classes tell.
        """
        lower, outside = certain_words(joined(self.prior, self.classes), self.alphabet)
        return None if lower.is_empty() else lower, None if outside.is_empty() else ~outside

    @cached_property
    def certain(self) -> dict[bool, DFA]:
        """Return, by label, the words that have it in every task of the class that agrees with `given`."""
        return forced_by(self.given, joined(self.prior, self.classes), self.alphabet)

    def overruled(self, examples: Examples, word: Word, label: bool) -> tuple[Word, ...]:
        """Return the labelled words that cannot stay beside a new one: those whose label it excludes.

        Without classes that is the word itself with the other label. With classes it is every word to which
        all members give the new label once they give it to the new word: accepting "a b" in a safety class
        overrules that "a" is rejected. No smaller set would do, since each of these alone contradicts the
        new label; and none of the others has to go, where the classes promise a member for labels without
        conflicts, because such conflicts are between two words. Elsewhere the rest may still contradict it
        together: then no task is found.
        """
        if not self.classes:
            return (word,) if examples.mapping.get(word, label) != label else ()
        same = forced(self.classes, of_words([word], self.alphabet), label)
        return tuple(other for other, own in examples if own != label and same.accepts(other))

    @property
    def _told(self) -> dict[str, Any]:
        """Return what identifiers are told about the class."""
        known = {"prior": self.prior, "classes": self.classes, "max_states": self.max_states}
        parts = {} if self.parts is None else {"operator": self.parts.operator, "most_parts": self.parts.most}
        return {**known, **parts}

    def identifier(self, kind: str = "exact", stop: Stop = NEVER) -> Identifier:
        """Return what finds small tasks of the class for labelled words: "exact" or "merging"."""
        if kind == "merging":
            from demospec.identify.merging import MergingIdentifier

            return MergingIdentifier(self.alphabet, prior=self.prior, classes=self.classes, stop=stop)
        if self.parts is None:
            return ExactIdentifier(self.alphabet, **self._told, stop=stop)
        from demospec.identify.decomposition import DecomposingIdentifier

        return DecomposingIdentifier(self.alphabet, **self._told, stop=stop)

    def smallest(self, examples: Examples, stop: Stop = NEVER) -> Iterator[DFA]:
        """Yield the tasks of the class that agree with labelled words, by size."""
        if self.parts is None:
            return smallest(examples, self.alphabet, **self._told, stop=stop)
        from demospec.identify.decomposition import smallest_decompositions

        return smallest_decompositions(examples, self.alphabet, **self._told, stop=stop)
