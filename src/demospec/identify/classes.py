"""What a class of automata is: something that is known about a task beforehand, as a constraint.

A class is a set of languages. `holds` is its definition, on the minimal automaton; `clauses` say the same
of an automaton that a solver looks for. They may speak of its table as if it were minimal, because only
minimal, breadth-first numbered automata are ever taken from the solver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby, permutations
from typing import ClassVar

from demospec.errors import ExamplesError, InputError
from demospec.identify.encoding import Clause, Unknown
from demospec.plan.monitor import counts_repeats
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.tasks.tables import Table, explore
from demospec.wording import listing, nearest, unknown_letter
from demospec.work.stop import NEVER, Stop


class AutomatonClass(ABC):
    """A set of languages; its members are frozen dataclasses, equal when they mean the same.

    >>> from demospec.identify.classes import CoSafety, Safety
    >>> Safety().holds(DFA.parse(">*0: a→1 | 1:", "ab")), CoSafety().holds(DFA.parse(">*0: a→1 | 1:", "ab"))
    (True, False)
    """

    kind: ClassVar[str]
    sentence: ClassVar[str]  # describes the members

    @property
    def name(self) -> str:
        """Return the short name, which `by_name` reads back where a class has no automaton in it."""
        return self.kind

    @abstractmethod
    def holds(self, dfa: DFA) -> bool:
        """Say whether the automaton's language is in the class."""

    @abstractmethod
    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield what makes an automaton, if it is minimal, a member."""

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the words whose labels, taken together, no member has.

        By default those that have one normal form, but not one label. No words is a promise only where the
        class says so: its labels may be excluded all the same.
        """
        labels: dict[Word, set[bool]] = {}
        for word, label in examples:
            labels.setdefault(self.normal(word), set()).add(label)
        return tuple(word for word, _ in examples if len(labels[self.normal(word)]) > 1)

    def normal(self, word: Word) -> Word:
        """Return the word that stands for all that every member must treat like this one."""
        return word

    def forced(self, language: DFA, label: bool) -> DFA:
        """Return the words that have the label in every member that gives it to those of a language.

        Some such words, where the class does not promise more.
        """
        del label
        return language

    def spoken(self) -> frozenset[str]:
        """Return the letters that the class speaks of."""
        return frozenset()

    def most_states(self, examples: Examples) -> int | None:
        """Return the largest number of states of a member that agrees with the examples, if there is one."""
        del examples
        return None

    def check_letters(self, alphabet: Sequence[str]) -> None:
        """Refuse an alphabet that the class cannot speak of."""
        del alphabet


# -- Languages made from others by closing them under what a class demands of its members ----------------

States = frozenset[int]


def of_words(words: Iterable[Word], alphabet: Sequence[str], stop: Stop = NEVER) -> DFA:
    """Return the language of some words.

    >>> of_words([("a", "b"), ("a",)], "ab")
    DFA('>0: a→1, b→2 | *1: a→2, b→3 | 2: | *3: a→2, b→2')
    """
    letters = tuple(sorted(alphabet))
    known = set(words)
    begun = {word[:length] for word in known for length in range(len(word) + 1)}

    def step(prefix: Word | None, letter: int) -> Word | None:
        stop.check()
        longer = None if prefix is None else (*prefix, letters[letter])
        return longer if longer in begun else None

    start: Word | None = ()
    nodes, table = explore(start, len(letters), step)
    return DFA(alphabet=letters, table=table, accepting=tuple(node in known for node in nodes))


def prefixes(dfa: DFA) -> DFA:
    """Return the words that can be extended to a word of the language.

    >>> prefixes(of_words([("a",)], "ab"))
    DFA('>*0: a→1, b→2 | *1: a→2, b→2 | 2:')
    """
    hopeful: set[int] = set()
    while more := {
        state
        for state, row in enumerate(dfa.table)
        if state not in hopeful and (dfa.accepting[state] or not hopeful.isdisjoint(row))
    }:
        hopeful |= more
    marks = tuple(state in hopeful for state in range(dfa.states))
    return replace(dfa, accepting=marks, _is_canonical=False)


def extensions(dfa: DFA) -> DFA:
    """Return the words that begin with a word of the language.

    >>> extensions(DFA.parse(">0: a→1 | *1: a→0", "ab"))
    DFA('>0: a→1 | *1:')
    """
    table = tuple(
        (state,) * len(row) if mark else row
        for state, (row, mark) in enumerate(zip(dfa.table, dfa.accepting, strict=True))
    )
    return replace(dfa, table=table, _is_canonical=False)


def up_to_repeats(dfa: DFA) -> DFA:
    """Return the words that are equal to one of the language once repeats of a letter are merged.

    >>> up_to_repeats(of_words([("a", "a", "b")], "ab")).minimal
    DFA('>0: a→1, b→2 | 1: b→3 | 2: | *3: a→2')
    """

    def step(node: tuple[States, int], letter: int) -> tuple[States, int]:
        here, last = node
        if letter == last:
            return node
        reached: States = frozenset()
        while here := frozenset(dfa.table[state][letter] for state in here) - reached:
            reached |= here
        return reached, letter

    return _subsets(dfa, step)


def up_to_exchange(dfa: DFA, letters: Sequence[str]) -> DFA:
    """Return the words that are equal to one of the language once some of these letters are exchanged.

    >>> up_to_exchange(of_words([("a",)], "abc"), "ab").minimal
    DFA('>0: a→1, b→1, c→2 | *1: a→2, b→2, c→2 | 2:')
    """
    among = [dfa.column[letter] for letter in letters]

    def step(node: tuple[States, int], letter: int) -> tuple[States, int]:
        read = among if letter in among else [letter]
        return frozenset(dfa.table[state][a] for state in node[0] for a in read), -1

    return _subsets(dfa, step)


def _subsets(dfa: DFA, step: Callable[[tuple[States, int], int], tuple[States, int]]) -> DFA:
    """Return the automaton of the states where a word may lead, and the letter that is remembered."""
    nodes, table = explore((frozenset([dfa.start]), -1), len(dfa.alphabet), step)
    marks = tuple(any(dfa.accepting[state] for state in here) for here, _ in nodes)
    return DFA(alphabet=dfa.alphabet, table=table, accepting=marks)


# -- Classes between two languages: within a prior, or around a lower bound ------------------------------


@dataclass(frozen=True)
class Bound(AutomatonClass):
    """The languages that give a label to all words that have it in a given task."""

    task: DFA

    label: ClassVar[bool]
    what: ClassVar[str]

    def holds(self, dfa: DFA) -> bool:
        """Say whether the automaton gives the label wherever the task does."""
        return self.task.implies(dfa) if self.label else dfa.implies(self.task)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Run the task alongside: reached together with one of its states that has the label, have it.

        together[i][p]: some word leads to state i here and to p in the task.
        """
        other = self.task.minimal
        together = [unknown.new(other.states) for _ in range(unknown.states)]
        yield [together[0][other.start]]
        for i, row in enumerate(unknown.transition):
            for p in range(other.states):
                if other.accepting[p] == self.label:
                    yield [-together[i][p], unknown.accepting[i] if self.label else -unknown.accepting[i]]
                for a, q in enumerate(other.table[p]):
                    for j, target in enumerate(row[a]):
                        yield [-together[i][p], -target, together[j][q]]

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the words without the label that have it in the task."""
        without = [word for word, label in examples if label != self.label]
        return tuple(word for word in without if self.task.accepts(word) == self.label)

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add to what has the label all that has it in the task."""
        own = self.task if self.label else ~self.task
        return language | own if label == self.label else language

    def spoken(self) -> frozenset[str]:
        """Return the task's letters."""
        return frozenset(self.task.alphabet)

    def check_letters(self, alphabet: Sequence[str]) -> None:
        """Refuse a task over other letters."""
        if set(self.task.alphabet) != set(alphabet):
            raise ExamplesError(
                f"{self.what} reads {listing(self.task.alphabet)}, but the letters are {listing(alphabet)}"
            )


@dataclass(frozen=True)
class Implies(Bound):
    """The languages within a given one. No conflicts means that there is a member."""

    kind = "implies"
    sentence = "Every accepted word is accepted by the given task as well."
    label, what = False, "the prior"


@dataclass(frozen=True)
class ImpliedBy(Bound):
    """The languages that contain a given one. No conflicts means that there is a member."""

    kind = "implied-by"
    sentence = "Every word that the given task accepts is accepted."
    label, what = True, "the lower bound"


# -- Classes whose members do not tell certain words from each other -------------------------------------


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
                raise ExamplesError(f"{self.name}: {unknown_letter(letter, alphabet)}")


def normal_form(word: Word, classes: Sequence[AutomatonClass]) -> Word:
    """Return a word that the members of all classes must treat like this one: all normal forms at once."""
    while True:
        before = word
        for one in classes:
            word = one.normal(word)
        if word == before:
            return word


# -- Classes of automata whose states have a certain shape -----------------------------------------------


class Closed(AutomatonClass):
    """Languages in which a label that was given once stays: accepted, or rejected."""

    stays: ClassVar[bool]

    def conflicts(self, examples: Examples) -> tuple[Word, ...]:
        """Return the words with the label that have an extension without it, and these extensions."""
        found: set[Word] = set()
        for word, own in examples:
            if own != self.stays:
                begun = [word[:k] for k in range(len(word)) if examples.mapping.get(word[:k]) is self.stays]
                if begun:
                    found |= {word, *begun}
        return tuple(sorted(found))

    def forced(self, language: DFA, label: bool) -> DFA:
        """Add the extensions of what has the label that stays, the prefixes of what has the other."""
        return extensions(language) if label == self.stays else prefixes(language)


class OneSink(Closed):
    """All languages in which a label stays: the states that have it are a single sink."""

    def holds(self, dfa: DFA) -> bool:
        """Say whether states with the label lead to such states only."""
        table, accepting = dfa.minimal.table, dfa.minimal.accepting
        leads = [row for row, mark in zip(table, accepting, strict=True) if mark == self.stays]
        return all(accepting[target] == self.stays for row in leads for target in row)

    def clauses(self, unknown: Unknown) -> Iterator[Clause]:
        """Yield: a state with the label is a sink, and the only one."""
        return one_sink(unknown, [z if self.stays else -z for z in unknown.accepting])


@dataclass(frozen=True)
class Safety(OneSink):
    """The prefix-closed languages: what is rejected once stays rejected.

    No conflicts means that there is a member.
    """

    kind = "safety"
    sentence = "Every prefix of an accepted word is accepted: nothing bad ever happens."
    stays = False


@dataclass(frozen=True)
class CoSafety(OneSink):
    """The extension-closed languages: what is accepted once stays accepted.

    No conflicts means that there is a member.
    """

    kind = "co-safety"
    sentence = "Every extension of an accepted word is accepted: something good happens once."
    stays = True


@dataclass(frozen=True)
class ReachAvoid(Closed):
    """A chain of states that ends in an accepting sink, with at most one rejecting sink beside it.

    In a state of the chain each letter moves on to the next, falls to the rejecting sink, or stays. The
    language of all words is a member (the chain is empty), that of none is not. An accepted word bounds
    the chain by its length, so that few members agree with it; labels that none has are not always told.
    """

    kind = "reach-avoid"
    sentence = "Goals are reached one after the other, before anything that must be avoided."
    stays = True

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


# -- All classes of automata that come with the package, and their names. They can be combined -----------

PLAIN: dict[str, AutomatonClass] = {
    one.kind: one for one in (Safety(), CoSafety(), Monotone(), ReachAvoid(), IgnoresRepeats())
}


def by_name(text: str) -> AutomatonClass:
    """Return the class with a name; `same-effect` is followed by its letters.

    >>> by_name("co-safety"), by_name("same-effect: a, b")
    (CoSafety(), SameEffect(letters=('a', 'b')))
    """
    kind, colon, rest = (part.strip() for part in text.partition(":"))
    if kind == SameEffect.kind:
        letters = [letter.strip() for letter in rest.split(",") if letter.strip()]
        if len(set(letters)) < 2:
            raise InputError(f'class "{text}": expected two letters or more, as in "{kind}:a,b"')
        return SameEffect(letters)
    if kind not in PLAIN:
        known = [*PLAIN, SameEffect.kind]
        raise InputError(f'class "{text}" is not known; known: {listing(known)}{nearest(kind, known)}')
    if colon:
        raise InputError(f'class "{text}": "{kind}" stands alone, found "{rest}" after it')
    return PLAIN[kind]
