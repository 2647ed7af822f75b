"""Classes between two languages: a prior that contains every member, a lower bound within every member."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from demospec.errors import ExamplesError, listing
from demospec.identify.automaton_class import AutomatonClass
from demospec.identify.encoding import Clause, Unknown
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples


@dataclass(frozen=True)
class Implies(AutomatonClass):
    """The languages within a given one. No conflicts means that there is a member."""

    prior: DFA

    kind = "implies"
    sentence = "Every accepted word is accepted by the given task as well."

    def holds(self, dfa: DFA) -> bool:
        """Say whether the prior accepts every word that the automaton accepts."""
        return dfa.implies(self.prior)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: reached together with a state of the prior that rejects, reject."""
        return alongside(unknown, self.prior.minimal, label=False)

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the accepted words that the prior rejects."""
        return tuple(word for word, label in examples if label and not self.prior.accepts(word))

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add to what is rejected all that the prior rejects."""
        return language if label else language | ~self.prior

    def spoken(self) -> frozenset[str]:
        """Return the prior's letters."""
        return frozenset(self.prior.alphabet)

    def check_letters(self, alphabet: Sequence[str]) -> None:
        """Refuse a prior over other letters."""
        check_same_letters("the prior", self.prior, alphabet)


@dataclass(frozen=True)
class ImpliedBy(AutomatonClass):
    """The languages that contain a given one. No conflicts means that there is a member."""

    lower: DFA

    kind = "implied-by"
    sentence = "Every word that the given task accepts is accepted."

    def holds(self, dfa: DFA) -> bool:
        """Say whether the automaton accepts every word of the lower bound."""
        return self.lower.implies(dfa)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: reached together with a state of the lower bound that accepts, accept."""
        return alongside(unknown, self.lower.minimal, label=True)

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the rejected words that the lower bound accepts."""
        return tuple(word for word, label in examples if not label and self.lower.accepts(word))

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add to what is accepted all that the lower bound accepts."""
        return language | self.lower if label else language

    def spoken(self) -> frozenset[str]:
        """Return the lower bound's letters."""
        return frozenset(self.lower.alphabet)

    def check_letters(self, alphabet: Sequence[str]) -> None:
        """Refuse a lower bound over other letters."""
        check_same_letters("the lower bound", self.lower, alphabet)


def alongside(unknown: Unknown, other: DFA, *, label: bool) -> Iterator[Clause]:
    """Run another automaton alongside: reached together with one of its states that has the label, have it.

    together[i][p]: some word leads to state i here and to p in the other.
    """
    together = [unknown.new(other.states) for _ in range(unknown.states)]
    yield [together[0][other.start]]
    for i, row in enumerate(unknown.transition):
        for p in range(other.states):
            if other.accepting[p] == label:
                yield [-together[i][p], unknown.accepting[i] if label else -unknown.accepting[i]]
            for a, q in enumerate(other.table[p]):
                for j, target in enumerate(row[a]):
                    yield [-together[i][p], -target, together[j][q]]


def check_same_letters(what: str, dfa: DFA, alphabet: Sequence[str]) -> None:
    """Refuse an automaton over other letters."""
    if set(dfa.alphabet) != set(alphabet):
        raise ExamplesError(f"{what} reads {listing(dfa.alphabet)}, but the letters are {listing(alphabet)}")
