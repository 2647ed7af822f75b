"""Tasks made of several small automata, all of which ("and") or one of which ("or") must accept.

A composite is the minimal automaton of the whole, so that it can stand wherever an automaton does, and it
remembers its parts. Only its size is its own: what it takes to write the parts down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Literal, get_args

from demospec.errors import TaskError
from demospec.tasks import dfa, text
from demospec.tasks.dfa import DFA
from demospec.tasks.task import Task, register_kind
from demospec.wording import word_text

Operator = Literal["and", "or"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Composite(DFA):
    """A conjunction or disjunction of minimal automata, none of which can be left out. Made by `of`.

    Like any automaton it is equal to whatever accepts the same language: also to a task of another size.

    >>> lava, goal = DFA.parse(">*0: r→1 | 1:", "ry"), DFA.parse(">0: y→1 | *1:", "ry")
    >>> task = Composite.of("and", [lava, goal])
    >>> task
    Composite('(>*0: r→1 | 1:) and (>0: y→1 | *1:)')
    >>> task == lava & goal, task.minimal, (lava.size, goal.size, task.size)
    (True, DFA('>0: r→1, y→2 | 1: | *2: r→1'), (12, 12, 25))
    """

    operator: Operator
    members: tuple[DFA, ...]  # by size

    def __post_init__(self) -> None:
        if not self._is_canonical:
            raise TaskError("a composite follows from its parts; Composite.of makes one")

    @classmethod
    def of(cls, operator: Operator, parts: Iterable[Task]) -> DFA:
        """Join parts; those that change nothing are left out, and a single one that is left is returned.

        The larger a part, the sooner it is left out. A part that is itself joined by the same operator
        brings its own parts.
        """
        if operator not in get_args(Operator):
            raise TaskError(f'parts are joined by "and" or "or"; found "{operator}"')
        flat = [
            one.automaton for part in parts for one in (part.parts if part.joined_by == operator else [part])
        ]
        if not flat:
            raise TaskError("a composite needs at least one part")
        kept = sorted(flat, key=part_order)
        whole = combined(operator, kept)
        for position in reversed(range(len(kept))):
            others = kept[:position] + kept[position + 1 :]
            if others and combined(operator, others) == whole:
                kept = others
        return kept[0] if len(kept) == 1 else cls.from_parts(operator, kept, whole)

    @classmethod
    def from_parts(cls, operator: Operator, parts: Iterable[DFA], whole: DFA) -> Composite:
        """Wrap two or more minimal parts, all needed, and their minimal product; nothing is checked."""
        return cls(
            alphabet=whole.alphabet,
            table=whole.table,
            accepting=whole.accepting,
            operator=operator,
            members=tuple(sorted(parts, key=part_order)),
            _is_canonical=True,
        )

    @classmethod
    def parse(cls, line: str, alphabet: Iterable[str] | None = None) -> DFA:
        """Read the one-line text form, `(>*0: r→1 | 1:) and (>0: y→1 | *1:)`, or that of an automaton."""
        letters = None if alphabet is None else list(alphabet)
        operator, lines = _operator_and_parts(line)
        if operator is None:
            return DFA.parse(line, letters)
        read = []
        for number, part in enumerate(lines, start=1):
            try:
                read.append(text.parse_line(part, letters or ["any"]))
            except TaskError as error:
                raise error.within(f"automaton {number}") from None
        if letters is None:
            letters = sorted({letter for one in read for _, letter, _ in one["transitions"]})
        return cls.of(operator, [DFA.build(**{**one, "alphabet": letters}) for one in read])

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> DFA:
        """Make a task from a task file's object, with or without parts, already checked for its types."""
        whole = DFA.from_json(document)
        operator, parts = document.get("operator"), document.get("parts")
        if operator is None and parts is None:
            return whole
        if operator is None or parts is None:
            given, missing = ("operator", "parts") if parts is None else ("parts", "operator")
            raise TaskError(f'"{given}" is given without "{missing}"')
        task = cls.of(operator, [DFA.from_json(part) for part in parts])
        if (word := task.separating_word(whole)) is not None:
            says = "accepted" if whole.accepts(word) else "rejected"
            raise TaskError(f'the word "{word_text(word)}" is {says}, but its parts say otherwise')
        return task

    @property
    def parts(self) -> tuple[DFA, ...]:
        """Return the automata that the task is made of, by size."""
        return self.members

    @property
    def joined_by(self) -> str:
        return self.operator

    @classmethod
    def decode(cls, bits: str, alphabet: Iterable[str], operator: Operator = "and") -> DFA:
        """Read back what `encode` wrote, of a composite with this operator or of an automaton."""
        letters = tuple(sorted(alphabet))
        return cls.of(operator, [DFA.decode(part, letters) for part in _separate(bits, len(letters))])

    @property
    def automaton(self) -> DFA:
        return self.minimal

    @cached_property
    def minimal(self) -> DFA:
        """Return the whole as one automaton, whose size is its own; the parts are forgotten."""
        return DFA.from_canonical(self.alphabet, self.table, self.accepting)

    def __invert__(self) -> DFA:
        # De Morgan; an automaton and its complement have the same size
        return Composite.of("or" if self.operator == "and" else "and", [~part for part in self.parts])

    @cached_property
    def size(self) -> int:
        """Return the description length in bits: the parts', and one for each part after the first."""
        return sum(part.size for part in self.parts) + len(self.parts) - 1

    def encode(self) -> str:
        """Write the parts as a string of 0 and 1, `size` characters long; the operator is known beforehand.

        The parts' headers come first, each but the first after a 1, then the transitions of all parts.
        These begin with a 0: no part has a single state, so that its first transition leaves state 0.
        Where the transitions of a part end, but for the last part, they tell themselves: the last two are
        written in the wrong order; with two states, the last one as if it stayed where it is, which none
        does. (With three states and two transitions, the second leaves state 0 or 1: still a 0 first.)
        A string without such a 1 is an automaton's own, and is read as such.
        """
        heads, tails = [], []
        for number, part in enumerate(self.parts, start=1):
            bits = part.encode()
            s, length = _header(bits, 0, len(self.alphabet))
            records = list(_chunks(bits[length:], s, len(self.alphabet)))
            if number < len(self.parts):
                records[-2:] = _marked(records[-2:], s)
            heads.append(bits[:length])
            tails.append("".join(records))
        return "1".join(heads) + "".join(tails)

    def to_json(self) -> dict[str, Any]:
        """Return the task file's object: the automaton's, with the operator and the parts."""
        return {
            **super().to_json(),
            "operator": self.operator,
            "parts": [part.to_json() for part in self.parts],
        }

    def __str__(self) -> str:
        return f" {self.operator} ".join(f"({part})" for part in self.parts)

    def __repr__(self) -> str:
        return f"Composite({str(self)!r})"

    def pretty(self) -> str:
        """Return the many-line text form for terminals, part by part."""
        return f"\n{self.operator}\n".join(part.pretty() for part in self.parts)


def part_order(part: DFA) -> tuple[int, str]:
    """Return the key by which parts are sorted."""
    return part.size, str(part)


def combined(operator: Operator, parts: Sequence[DFA]) -> DFA:
    """Return the minimal automaton of a conjunction or disjunction."""
    return reduce(lambda p, q: (p & q if operator == "and" else p | q).minimal, parts).minimal


# Outside quotes a part holds no blank next to a closing parenthesis: letters with blanks are quoted.
_JOINT = re.compile(r'("(?:[^"\\]|\\.)*(?:"|\\?\Z))|\)\s+(and|or)\s+\(')


def _operator_and_parts(line: str) -> tuple[Operator | None, list[str]]:
    """Split the text form into the operator and the parts; no operator where an automaton stands alone."""
    line = line.strip()
    joints = [found for found in _JOINT.finditer(line) if found[2]]
    if not line.startswith("("):
        return None, [line]
    if not line.endswith(")") or not joints:
        raise TaskError('expected "(part) and (part)" or "(part) or (part)", each part an automaton')
    if len({found[2] for found in joints}) > 1:
        raise TaskError('"and" and "or" cannot be mixed')
    starts, ends = [1, *(found.end() for found in joints)], [*(found.start() for found in joints), -1]
    operator: Operator = "and" if joints[0][2] == "and" else "or"
    return operator, [line[start:end] for start, end in zip(starts, ends, strict=True)]


# -- an automaton's bits: a header that tells its own length, then transitions of equal width --------------


def _header(bits: str, at: int, letters: int) -> tuple[int, int]:
    """Return the width of a state and the length of the header that begins at a position."""
    s = bits.find("0", at) - at
    before = 2 * s + 1 + 2 * dfa.width(letters) + 1 + 1
    chosen = int(bits[at + before : at + before + s] or "0", 2)
    return s, before + s + chosen * s


def _chunks(bits: str, s: int, letters: int) -> Iterator[str]:
    width = 2 * s + dfa.width(letters)
    for at in range(0, len(bits), width):
        yield bits[at : at + width]


def _marked(records: list[str], s: int) -> list[str]:
    """Mark the last transitions of a part as the last; done again, it takes the mark away."""
    if s == 1:
        return [*records[:-1], records[-1][:-1] + str(1 - int(records[-1][-1]))]
    return records[::-1]


def _separate(bits: str, letters: int) -> Iterator[str]:
    """Yield the bits of each part, as the part by itself would write them."""
    widths, heads = [], []
    at = 0
    while True:
        s, length = _header(bits, at, letters)
        if s < 0 or at + length > len(bits):
            raise TaskError(f"an encoded task ends at bit {len(bits)}, in the middle of a field")
        widths.append(s)
        heads.append(bits[at : at + length])
        at += length
        if bits[at : at + 1] != "1":
            break
        at += 1
    for s, head in zip(widths[:-1], heads[:-1], strict=True):
        records: list[str] = []
        for record in _chunks(bits[at:], s, letters):
            at += len(record)
            records.append(record)
            if record[-1] == record[0] if s == 1 else records[-2:] != sorted(records[-2:]):
                records[-2:] = _marked(records[-2:], s)
                break
        yield head + "".join(records)
    yield heads[-1] + bits[at:]


register_kind("dfa", Composite.from_json)
