"""Tasks that are planted in the wide suite: what people say in clauses, and automata that no clause says."""

from __future__ import annotations

from dataclasses import dataclass

from demospec.tasks import DFA
from demospec.tasks.clauses import parse

LETTERS = "abcde"


@dataclass(frozen=True)
class Wanted:
    """A task that someone might mean: a sentence in clauses, or an automaton's line."""

    name: str
    kind: str
    line: str = ""  # of the automaton; empty: the name says it in clauses

    @property
    def letters(self) -> str:
        """Return the letters that it needs: the first ones of `LETTERS`, up to its last."""
        needed = DFA.parse(self.line).alphabet if self.line else parse(self.name).alphabet
        return LETTERS[: LETTERS.index(max(needed)) + 1]

    def task(self, alphabet: str) -> DFA:
        """Return the automaton over letters."""
        return DFA.parse(self.line, alphabet) if self.line else parse(self.name, alphabet).automaton


# Their number shares no factor with those of worlds and demonstrators: cases that count through all three
# at once meet every combination. The order matters: it says which case has which task.
TASKS = (
    Wanted("a, then b", "sequence"),
    Wanted("reach a; never b", "avoidance"),
    Wanted("reach a; after b, no a until c", "conditional"),
    Wanted("reach a; reach b", "any order"),
    Wanted("a at least twice", "counting"),
    Wanted("(a, then b) or (c, then d)", "either/or"),
    Wanted("an odd number of a", "parity", ">0: a→1 | *1: a→0"),
    Wanted("a, then b, then c", "sequence"),
    Wanted("never a; never b", "avoidance"),
    Wanted("reach a; no a before b; never c", "conditional"),
    Wanted("reach a; reach b; never c", "any order"),
    Wanted("reach b; a at most once", "counting"),
    Wanted("reach a, or b and c in turn", "either/or", ">0: a→2, b→1 | 1: a→2, c→2 | *2:"),
)
KINDS = tuple(dict.fromkeys(one.kind for one in TASKS))
