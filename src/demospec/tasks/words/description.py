"""A task told state by state: "after b (not enough yet): g leads back to the start, r fails for good".

A task in words: the clauses that say it, whether they say all of it, a formula, and what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any, Literal

from demospec.limits import DESCRIBED_LETTERS, DESCRIBED_STATES
from demospec.tasks.clauses import Clause, Clauses, Kind, kinds
from demospec.tasks.clauses.clause import sentence_parts, spelt
from demospec.tasks.dfa import DFA, Word
from demospec.tasks.propositions import are_sets, atoms, extension, guard
from demospec.tasks.side_by_side import shortest_words
from demospec.tasks.tables import by_target
from demospec.tasks.task import Task
from demospec.tasks.words.clauses import (
    EVERYWHERE,
    Budget,
    Conjunction,
    Place,
    alternatives_of,
    candidates,
    implied,
    said_by,
    strongest,
)
from demospec.tasks.words.formulas import formula_of_clauses, shortest_formula
from demospec.wording import count

MOST_STATES = 12  # that are told


def told_by_state(task: DFA) -> tuple[str, ...]:
    """Return a sentence for each state of the minimal automaton in which a letter changes something.

    A state is named by a shortest word that leads there. Letters that are not named change nothing.

    >>> for line in told_by_state(DFA.parse(">0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3:")): print(line)
    at first (not enough): b leads on, r fails for good, y is enough for good
    after b (not enough): g leads back to the start, r fails for good
    """
    task = task.minimal
    access = shortest_words(task.alphabet, task.table)
    living = [state for state in range(task.states) if set(task.table[state]) != {state}]
    lines = [state_told(task, state, access) for state in living[:MOST_STATES]]
    if len(living) > MOST_STATES:
        lines.append(f"and {count(len(living) - MOST_STATES, 'more state')}")
    return tuple(lines)


def state_told(task: DFA, state: int, access: Sequence[Word]) -> str:
    """Tell one state: how it stands, and where letters lead."""
    moves = []
    for target, letters in by_target(task.alphabet, task.table[state]).items():
        if target == state:
            continue
        said = guard(letters, task.alphabet)
        many = len(letters) > 1
        who = " or ".join(said if are_sets(task.alphabet) else map(spelt, said))
        moves.append(f"{who} {where(task, target, access, (*access[state], letters[0]), many=many)}")
    stands = "enough" if task.accepting[state] else "not enough"
    name = f"after {word_said(access[state])}" if access[state] else "at first"
    return f"{name} ({stands}): {', '.join(moves)}"


def where(task: DFA, target: int, access: Sequence[Word], word: Word, *, many: bool) -> str:
    """Tell where a letter leads, by the state's nature, or by the word that names it."""
    if set(task.table[target]) == {target}:
        return "is enough for good" if task.accepting[target] else "fails for good"
    if target == task.start:
        return "leads back to the start"
    if access[target] == word and not many:
        return "leads on"
    return f"leads to where {word_said(access[target])} does"


def word_said(word: Word) -> str:
    """Write a word in a sentence.

    >>> word_said(("b", "g"))
    'b g'
    """
    return " ".join(map(spelt, word)) or "nothing"


# -- A task in words -------------------------------------------------------------------------------------

Exact = Literal["always", "here", False]

ANYTHING, NOTHING = "Anything.", "Nothing at all."
MORE = "and more"  # what a sentence ends with that does not say all


@dataclass(frozen=True, kw_only=True)
class Description:
    """What a task says, in words.

    `exact` is "always" where the clauses say the task, "here" where they do on all words of a world, and
    False where the task only implies them; then `rest` tells the task state by state. The formula says as
    much as `exact` does: the task itself, or the task here.
    """

    task: Task
    sentence: str
    alternatives: tuple[Conjunction, ...]  # several where "or" is needed; none for what nothing satisfies
    exact: Exact
    formula: str | None
    rest: tuple[str, ...] = ()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Return every clause, of all alternatives, each once."""
        return tuple(dict.fromkeys(chain(*self.alternatives)))

    def __str__(self) -> str:
        return self.sentence

    def to_json(self) -> dict[str, Any]:
        """Return the object that `demospec describe --json` prints."""
        return {
            "sentence": self.sentence,
            "clauses": [clause.sentence for clause in self.clauses],
            "alternatives": [[clause.sentence for clause in one] for one in self.alternatives],
            "exact": self.exact,
            "formula": self.formula,
            "rest": list(self.rest),
            "task": self.task.to_json(),
        }


def describe(task: Task, *, place: Place | None = None, budget: Budget | None = None) -> Description:
    """Say a task in words: in as few clauses as possible, exactly where that can be done.

    A list of clauses that is exact always comes first, then one that is exact in the place, then lists with
    "or" between them; else the strongest clauses that the task implies. The budget is in steps.

    >>> print(describe(DFA.parse(">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2")))
    Never r; reach y with no b since g.
    """
    budget = budget or Budget()
    found = _always(task.automaton, kinds(), budget)
    large = task.automaton.states > DESCRIBED_STATES or len(said_of(task.automaton)) > DESCRIBED_LETTERS
    if place is not None and not large and (found.exact is False or len(found.alternatives) > 1):
        found = _here(task.automaton, place, budget, found)
    if found.exact is False and isinstance(task, Clauses):  # its own words, though they are many
        found = exactly(task.alternatives, "always", task.automaton)
    return replace(found, task=task)


@lru_cache(maxsize=4096)
def _always(task: DFA, known: tuple[Kind, ...], budget: Budget) -> Description:
    named = said_of(task)
    if not named:
        return constant(task)
    if task.states > DESCRIBED_STATES or len(named) > DESCRIBED_LETTERS:
        letters = f"{len(named):,} letter" + "s" * (len(named) != 1)
        sentence = f"A task of {task.states:,} states and {letters}, too large for words."
        return Description(task=task, sentence=sentence, alternatives=((),), exact=False, formula=None)
    small = task if are_sets(task.alphabet) else with_one_other(task, named)
    every = candidates(small.alphabet, named, small.states)
    clauses = implied(small, named, every)
    found = said_by(small, clauses, EVERYWHERE, budget)
    if found is not None:
        return exactly((found,), "always", task)
    some = strongest(small, clauses)
    lists = alternatives_of(small, every, some[:3], EVERYWHERE, budget) if budget.terms else None
    if lists is not None:
        return exactly(lists, "always", task)
    return Description(
        task=task,
        sentence=joined_sentence((some,), MORE),
        alternatives=(some,),
        exact=False,
        formula=None if are_sets(task.alphabet) else shortest_formula(small, named, budget.formulas),
        rest=told_by_state(task),
    )


def _here(task: DFA, place: Place, budget: Budget, always: Description) -> Description:
    """Return a better description for a place, or the one that holds always."""
    named = said_of(task)
    every = candidates(task.alphabet, named, task.states)
    for accept in (True, False):
        if not place.differences(DFA.constant(task.alphabet, accept), task):
            return replace(constant(DFA.constant(task.alphabet, accept).minimal), task=task, exact="here")
    found = said_by(task, every, place, budget)
    if found is not None:
        return exactly((found,), "here", task)
    if always.exact is False:
        lists = alternatives_of(task, every, always.clauses[:3], place, budget)
        if lists is not None:
            return exactly(lists, "here", task)
    return always


def exactly(alternatives: Sequence[Conjunction], exact: Exact, task: DFA) -> Description:
    """Return the description by clauses that say all of it."""
    return Description(
        task=task,
        sentence=joined_sentence(alternatives),
        alternatives=tuple(alternatives),
        exact=exact,
        formula=formula_of_clauses(alternatives),
    )


def constant(task: DFA) -> Description:
    """Return the description of a task that every word satisfies, or none."""
    every = task.accepting[task.start]
    return Description(
        task=task,
        sentence=ANYTHING if every else NOTHING,
        alternatives=((),) if every else (),
        exact="always",
        formula="true" if every else "false",
    )


def said_of(task: DFA) -> tuple[str, ...]:
    """Return the atoms that a description may name: those that hold where a letter changes something."""
    letters = {task.alphabet[k] for k in changing(task)}
    if not are_sets(task.alphabet):
        return tuple(sorted(letters))
    return tuple(atom for atom in atoms(task.alphabet) if letters & extension(atom, task.alphabet))


def changing(task: DFA) -> list[int]:
    """Return the columns of the letters that change something."""
    return [k for k in range(len(task.alphabet)) if any(row[k] != q for q, row in enumerate(task.table))]


def with_one_other(task: DFA, named: tuple[str, ...]) -> DFA:
    """Leave out letters that change nothing, but for one: they are all alike, and clauses name none."""
    others = [letter for letter in task.alphabet if letter not in named]
    kept = tuple(sorted((*named, *others[:1])))
    columns = [task.column[letter] for letter in kept]
    table = tuple(tuple(row[k] for k in columns) for row in task.table)
    return DFA(alphabet=kept, table=table, accepting=task.accepting, start=task.start).minimal


def joined_sentence(alternatives: Sequence[Conjunction], more: str = "") -> str:
    """Write clauses as one sentence, with a capital and a full stop.

    >>> from demospec.tasks.clauses import parse
    >>> joined_sentence(parse("b, then g; never r").alternatives)
    'Never r; b, then g.'
    >>> joined_sentence(parse("b, then g").alternatives)
    'First b, then g.'
    >>> joined_sentence(parse("(reach b) or (never r)").alternatives)
    'Either (reach b) or (never r).'
    """
    lists = ["; ".join(clause.sentence for clause in one) or "anything" for one in alternatives]
    if len(lists) > 1:
        return f"Either {' or '.join(f'({one})' for one in lists)}."
    (clauses,) = alternatives
    said = "; ".join(filter(None, ["; ".join(clause.sentence for clause in clauses), more]))
    if not clauses:
        return "More than clauses can say."
    opening = sentence_parts(clauses[0].kind.sentence)[0]
    if opening[0] == "word":
        return f"{said[0].upper()}{said[1:]}."
    return f"First {said}." if opening[1] == "chain" else f"{said}."
