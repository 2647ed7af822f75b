"""What an identifier is: labelled examples in, consistent tasks out, smallest first (𝓘 in the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from demospec.errors import Contradiction, ExamplesError, listing, nearest, word_text
from demospec.examples import Examples
from demospec.tasks import DFA


class Identifier(Protocol):
    """A black box for the search. Tasks come in exact order of `size`, each language once."""

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return the first `count` consistent tasks, fewer when the budget ends first."""
        ...


def check_class(examples: Examples, alphabet: Sequence[str], prior: DFA | None) -> None:
    """Refuse examples with foreign letters, or with accepted words that the prior excludes.

    Refuse as well an alphabet that is no set of letters, and a prior that reads other letters.
    """
    if not alphabet:
        raise ExamplesError("the alphabet is empty")
    if twice := [letter for letter in alphabet if list(alphabet).count(letter) > 1]:
        raise ExamplesError(f'the alphabet lists "{twice[0]}" twice')
    if prior is not None and set(prior.alphabet) != set(alphabet):
        raise ExamplesError(
            f"the prior reads {listing(prior.alphabet)}, but the letters are {listing(alphabet)}"
        )
    for word, _ in examples:
        for letter in word:
            if letter not in alphabet:
                raise ExamplesError(
                    f'word "{word_text(word)}": letter "{letter}" is not in the alphabet '
                    f"{listing(alphabet)}{nearest(letter, alphabet)}"
                )
    if prior is not None:
        outside = [word for word, label in examples if label and not prior.accepts(word)]
        if outside:
            names = ", ".join(f'"{word_text(word)}"' for word in outside)
            raise Contradiction(
                f"accepted, but no task that implies the prior accepts {names}", words=outside
            )
