"""What an identifier is: labelled examples in, consistent tasks out, smallest first (𝓘 in the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from demospec.errors import Contradiction, ExamplesError, listing, nearest, word_text
from demospec.examples import Examples
from demospec.identify.classes import AutomatonClass, Implies, labelled_apart, normal_form
from demospec.tasks import DFA, Word


class Identifier(Protocol):
    """A black box for the search. Tasks come in exact order of `size`, each language once."""

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        """Return the first `count` consistent tasks, fewer when the budget ends first."""
        ...


def joined(prior: DFA | None, classes: Sequence[AutomatonClass]) -> tuple[AutomatonClass, ...]:
    """Return the classes that a task must be in, each once; a prior is one of them."""
    first = () if prior is None else (Implies(prior),)
    return tuple(dict.fromkeys((*first, *classes)))


def check_class(
    examples: Examples,
    alphabet: Sequence[str],
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
) -> None:
    """Refuse examples with foreign letters, or with labels that the prior or the classes exclude.

    Refuse as well an alphabet that is no set of letters, and a class that speaks of other letters.
    """
    members = joined(prior, classes)
    if not alphabet:
        raise ExamplesError("the alphabet is empty")
    if twice := [letter for letter in alphabet if list(alphabet).count(letter) > 1]:
        raise ExamplesError(f'the alphabet lists "{twice[0]}" twice')
    for one in members:
        one.check_letters(alphabet)
    for word, _ in examples:
        for letter in word:
            if letter not in alphabet:
                raise ExamplesError(
                    f'word "{word_text(word)}": letter "{letter}" is not in the alphabet '
                    f"{listing(alphabet)}{nearest(letter, alphabet)}"
                )
    for one in members:
        if words := one.conflicts(examples):
            raise refusal([one], words, examples)
    if len(members) > 1 and (words := joint_conflicts(members, examples)):
        raise refusal(members, words, examples)


def joint_conflicts(classes: Sequence[AutomatonClass], examples: Examples) -> tuple[Word, ...]:
    """Return words whose labels a class excludes once words that another treats alike are read as one."""
    normal = {word: normal_form(word, classes) for word, _ in examples}
    if apart := labelled_apart(examples, normal.__getitem__):
        return apart
    read = Examples.from_mapping({normal[word]: label for word, label in examples})
    culprits = {word for one in classes for word in one.conflicts(read)}
    return tuple(word for word, _ in examples if normal[word] in culprits)


def refusal(classes: Sequence[AutomatonClass], words: Sequence[Word], examples: Examples) -> Contradiction:
    """Return the error that names words whose labels no task of the classes has."""
    if len(classes) == 1 and isinstance(classes[0], Implies):
        names = ", ".join(f'"{word_text(word)}"' for word in words)
        return Contradiction(f"accepted, but no task that implies the prior accepts {names}", words=words)
    labelled = [
        f'"{word_text(word)}" {"accepted" if examples.mapping[word] else "rejected"}' for word in words
    ]
    kinds = " and ".join(one.name for one in classes)
    return Contradiction(f"no task of class {kinds} has these labels: {listing(labelled)}", words=words)
