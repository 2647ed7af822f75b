"""Labelled examples: words with a label; given ones stay, conjectured ones may be overruled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from demospec.errors import Contradiction
from demospec.tasks import Task, Word
from demospec.wording import word_text


@dataclass(frozen=True)
class Examples:
    """A set of words, each with the label accepted (True) or rejected (False). X in the paper.

    >>> x = Examples().update(("b", "y"), False).update(("y",), True)
    >>> x.update(("y",), False).labels
    ((('b', 'y'), False), (('y',), False))
    """

    labels: tuple[tuple[Word, bool], ...] = ()  # sorted by word, each word once

    @classmethod
    def of(cls, accept: Iterable[Iterable[str]] = (), reject: Iterable[Iterable[str]] = ()) -> Examples:
        """Make a set from accepted and rejected words; the same word in both is a contradiction."""
        accepted = {tuple(word) for word in accept}
        rejected = {tuple(word) for word in reject}
        if both := sorted(accepted & rejected):
            names = ", ".join(f'"{word_text(word)}"' for word in both)
            raise Contradiction(f"accepted and rejected at once: {names}", words=both)
        return cls.from_mapping(dict.fromkeys(accepted, True) | dict.fromkeys(rejected, False))

    @classmethod
    def from_mapping(cls, labels: Mapping[Word, bool]) -> Examples:
        """Make a set from a mapping of words to labels."""
        return cls(tuple(sorted(labels.items())))

    @cached_property
    def mapping(self) -> dict[Word, bool]:
        """Return the labels by word."""
        return dict(self.labels)

    @cached_property
    def _hash(self) -> int:
        return hash(self.labels)

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, object]:
        # A hash of strings means nothing in another process.
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[tuple[Word, bool]]:
        return iter(self.labels)

    def update(self, word: Word, label: bool) -> Examples:
        """Return the set with one more example; a newer label wins."""
        if self.mapping.get(word) == label:
            return self
        return Examples.from_mapping({**self.mapping, word: label})

    def consistent(self, task: Task) -> bool:
        """Say whether the task gives every word its label."""
        return all(task.accepts(word) == label for word, label in self.labels)
