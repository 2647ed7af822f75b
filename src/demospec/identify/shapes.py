"""Classes of automata whose states have a certain shape: sinks, chains, no cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from demospec.identify.automaton_class import AutomatonClass
from demospec.identify.closures import extensions, prefixes
from demospec.identify.encoding import Clause, Unknown
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.tasks.tables import Table


@dataclass(frozen=True)
class Safety(AutomatonClass):
    """The prefix-closed languages: what is rejected once stays rejected.

    No conflicts means that there is a member.
    """

    kind = "safety"
    sentence = "Every prefix of an accepted word is accepted: nothing bad ever happens."

    def holds(self, dfa: DFA) -> bool:
        """Say whether rejecting states lead to rejecting states only."""
        return stays(dfa, label=False)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: a rejecting state is a sink, and the only one."""
        return one_sink(unknown, [-z for z in unknown.accepting])

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the rejected words with an accepted extension, and these."""
        return extensions_apart(examples, label=False)

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add the prefixes of what is accepted, the extensions of what is rejected."""
        return prefixes(language) if label else extensions(language)


@dataclass(frozen=True)
class CoSafety(AutomatonClass):
    """The extension-closed languages: what is accepted once stays accepted.

    No conflicts means that there is a member.
    """

    kind = "co-safety"
    sentence = "Every extension of an accepted word is accepted: something good happens once."

    def holds(self, dfa: DFA) -> bool:
        """Say whether accepting states lead to accepting states only."""
        return stays(dfa, label=True)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: an accepting state is a sink, and the only one."""
        return one_sink(unknown, unknown.accepting)

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the accepted words with a rejected extension, and these."""
        return extensions_apart(examples, label=True)

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add the extensions of what is accepted, the prefixes of what is rejected."""
        return extensions(language) if label else prefixes(language)


@dataclass(frozen=True)
class ReachAvoid(AutomatonClass):
    """A chain of states that ends in an accepting sink, with at most one rejecting sink beside it.

    In a state of the chain each letter moves on to the next, falls to the rejecting sink, or stays. The
    language of all words is a member (the chain is empty), that of none is not. An accepted word bounds
    the chain by its length, so that few members agree with it; labels that none has are not always told.
    """

    kind = "reach-avoid"
    sentence = "Goals are reached one after the other, before anything that must be avoided."

    def holds(self, dfa: DFA) -> bool:
        """Walk along the chain: where a state leads, but for itself and the sink, is its successor."""
        return is_reach_avoid(dfa.minimal.table, dfa.minimal.accepting)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: but for the sink to avoid, states are numbered along the chain, up to the goal.

        avoid[j]: j is the rejecting sink.
        """
        states = range(unknown.states)
        avoid = unknown.new(unknown.states)
        yield list(unknown.accepting)
        yield from one_sink(unknown, unknown.accepting)
        yield from one_sink(unknown, avoid)
        for i in states:
            yield [-avoid[i], -unknown.accepting[i]]
            for targets in unknown.transition[i]:
                for j in states:
                    if j == i + 2:
                        yield [-targets[j], avoid[j], avoid[i + 1]]
                    elif j not in (i, i + 1):
                        yield [-targets[j], avoid[j]]

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the accepted words with a rejected extension, and these."""
        return extensions_apart(examples, label=True)

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add the extensions of what is accepted, the prefixes of what is rejected."""
        return extensions(language) if label else prefixes(language)

    def most_states(self, examples: Examples) -> int | None:
        """Return the letters of the shortest accepted word, the goal and the sink."""
        return min((len(word) + 2 for word, label in examples if label), default=None)


@dataclass(frozen=True)
class Monotone(AutomatonClass):
    """The languages whose minimal automaton has no cycles but self loops. There are members for any labels.

    States can be numbered so that transitions never go back.
    """

    kind = "monotone"
    sentence = "A state that is left is never entered again: states have an order that only grows."

    def holds(self, dfa: DFA) -> bool:
        """Take away states that lead only to themselves and to those taken away, until none is left."""
        left = dict(enumerate(map(set, dfa.minimal.table)))
        while ends := [q for q, targets in left.items() if not (targets & left.keys()) - {q}]:
            for q in ends:
                del left[q]
        return not left

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: there is a total order of the states along which the transitions go."""
        states = range(unknown.states)
        before = {}
        for i, j in combinations(states, 2):
            (before[i, j],) = unknown.new(1)
            before[j, i] = -before[i, j]
        for i, j, k in combinations(states, 3):
            yield [-before[i, j], -before[j, k], -before[k, i]]
            yield [-before[i, k], -before[k, j], -before[j, i]]
        for i, j in permutations(states, 2):
            for targets in unknown.transition[i]:
                yield [-targets[j], before[i, j]]


def one_sink(unknown: Unknown, chosen: Sequence[int]) -> Iterator[Clause]:
    """Demand that at most one state is chosen, and that it is never left.

    Two accepting sinks, or two rejecting ones, are equivalent: in a minimal automaton there is one.
    """
    for i, row in enumerate(unknown.transition):
        for targets in row:
            yield [-chosen[i], targets[i]]
    for one, other in combinations(chosen, 2):
        yield [-one, -other]


def stays(dfa: DFA, *, label: bool) -> bool:
    """Say whether states with the label lead to such states only."""
    table, accepting = dfa.minimal.table, dfa.minimal.accepting
    return all(accepting[t] == label for q, row in enumerate(table) if accepting[q] == label for t in row)


def extensions_apart(examples: Examples, *, label: bool) -> tuple[Word, ...]:
    """Return the words with the label that have an extension without it, and these extensions."""
    found: set[Word] = set()
    for word, own in examples:
        if own != label:
            shorter = [word[:k] for k in range(len(word)) if examples.mapping.get(word[:k]) is label]
            if shorter:
                found |= {word, *shorter}
    return tuple(sorted(found))


def is_reach_avoid(table: Table, accepting: Sequence[bool]) -> bool:
    """Say whether a minimal automaton is a chain to a goal, with at most one rejecting sink beside it."""
    sinks = {state for state, row in enumerate(table) if set(row) == {state}}
    state = 0
    while state not in sinks:  # ends: a chain that closes would accept nothing, and be a sink
        following = set(table[state]) - {state} - {sink for sink in sinks if not accepting[sink]}
        if accepting[state] or len(following) != 1:
            return False
        (state,) = following
    return accepting[state]
