"""A clause: a kind of sentence, with letters in its places.

A task said in clauses: all of them hold, or one of several such lists.

Reading clauses: `reach y; no r before y; after b, no y until g`, or `(…) or (…)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from itertools import chain
from operator import attrgetter
from typing import Any, NoReturn

from demospec.errors import PointedError, TaskError
from demospec.limits import SENTENCE
from demospec.tasks import ltlf
from demospec.tasks.clauses.kind import CHAIN, LETTERS, MULTIPLE, TIMES, Kind, in_quotes, kinds
from demospec.tasks.dfa import DFA
from demospec.tasks.ltlf.syntax import RESERVED
from demospec.tasks.propositions import are_sets, atoms, extension, propositions_of
from demospec.tasks.task import Task
from demospec.tasks.text import Token, tokens_of, unquoted
from demospec.wording import nearest, unknown_letter

PLAIN = re.compile(r'[^\s,;()"]+')  # a letter that needs no quotes in a sentence
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_PART = re.compile(r"\{(\w+)\}|([^\s{},]+)|(,)")


@dataclass(frozen=True)
class Clause:
    """A sentence about letters: "no r before y". Its letters are those of single places, then the others.

    >>> from demospec.tasks.clauses.kind import VOCABULARY
    >>> clause = Clause(VOCABULARY[3], ("r", "y"))
    >>> clause.sentence, clause.formula
    ('no r before y', '!r W y')
    >>> clause.automaton(("r", "y"))
    DFA('>*0: r→1, y→2 | 1: | *2:')
    """

    kind: Kind
    letters: tuple[str, ...]
    number: int = 0  # where the kind takes one

    def __post_init__(self) -> None:
        if self.size < self.kind.fewest or not self.kind.allows(self.letters, self.size):
            raise TaskError(f'no clause "{self.kind.sentence}" has the letters {", ".join(self.letters)}')

    def __hash__(self) -> int:
        kept = self.__dict__  # a search asks for it hundreds of thousands of times
        if "_hash" not in kept:
            kept["_hash"] = hash((self.kind.name, self.letters, self.number))
        found: int = kept["_hash"]
        return found

    def __getstate__(self) -> dict[str, object]:
        # A hash of strings means nothing in another process.
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    @cached_property
    def size(self) -> int:
        """Return how many letters stand in the place for several, or the number."""
        return self.kind.size(len(self.letters), self.number)

    @cached_property
    def shape(self) -> tuple[str, int]:
        """Return what clauses share that differ in their letters alone: kind and size."""
        return self.kind.name, self.size

    @cached_property
    def sentence(self) -> str:
        said = [spelt(letter) for letter in self.letters]
        single = len(self.kind.places)
        places = dict(zip(self.kind.places, said[:single], strict=True))
        places[LETTERS], places[CHAIN] = " or ".join(said[single:]), ", then ".join(said[single:])
        places[TIMES] = {1: "once", 2: "twice"}.get(self.number, f"{self.number} times")
        even = self.number == 2
        places[MULTIPLE] = "an even number of times" if even else f"a multiple of {self.number} times"
        return self.kind.sentence.format(**places)

    @cached_property
    def formula(self) -> str | None:
        """Return the LTLf formula, where there is one."""
        return self.kind.filled(self.kind.formula, [proposition(one) for one in self.letters], self.number)

    @cached_property
    def in_full(self) -> tuple[Clause, ...]:
        """Return the clauses that this one is short for; itself where it is short for none."""
        if not self.kind.short_for:
            return (self,)

        places = {name: spelt(letter) for name, letter in zip(self.kind.places, self.letters, strict=True)}
        sentences = [one.format(**places) for one in self.kind.short_for]
        return parse("; ".join(sentences)).clauses

    def automaton(self, alphabet: tuple[str, ...]) -> DFA:
        """Return the minimal automaton over an alphabet."""
        return _automaton(self, alphabet)

    def __str__(self) -> str:
        return self.sentence

    @cached_property
    def order(self) -> tuple[int, int, tuple[str, ...]]:
        """Return the key by which the clauses of a task are sorted: by kind, by size, by letters."""
        known = [kind.name for kind in kinds()]
        return known.index(self.kind.name) if self.kind.name in known else len(known), self.size, self.letters


@lru_cache(maxsize=1 << 14)
def _automaton(clause: Clause, alphabet: tuple[str, ...]) -> DFA:
    if not are_sets(alphabet):
        return clause.kind.automaton(clause.letters, clause.number, alphabet)
    own = sorted(set(clause.letters))
    by_pattern = _over_sets(clause.kind, tuple(own.index(one) for one in clause.letters), clause.number)
    marks = [extension(atom, alphabet) for atom in own]
    columns = [sum(1 << k for k, mark in enumerate(marks) if letter in mark) for letter in alphabet]
    table = tuple(tuple(row[column] for column in columns) for row in by_pattern.table)
    return DFA(alphabet=alphabet, table=table, accepting=by_pattern.accepting, start=by_pattern.start).minimal


@lru_cache(maxsize=1 << 10)
def _over_sets(kind: Kind, where: tuple[int, ...], number: int) -> DFA:
    """Return the automaton of a clause whose atoms may hold together: in column c those of its bits do."""
    atoms_ = [f"p{place}" for place in range(max(where) + 1)]
    width = 1 << len(atoms_)
    letters = tuple(f"{column:04}" for column in range(width))
    seen = {
        letter: [atom for k, atom in enumerate(atoms_) if column >> k & 1]
        for column, letter in enumerate(letters)
    }
    formula = kind.filled(kind.formula, [atoms_[place] for place in where], number)
    if formula is not None:
        return ltlf.automaton_of(ltlf.parse_formula(formula), letters, propositions=seen)
    if len(atoms_) > 1:
        raise TaskError(f'the kind of clause "{kind.name}" has no formula: its letters cannot hold together')
    return kind.automaton([letters[1]], number, letters)


def instances(kind: Kind, size: int, alphabet: Sequence[str]) -> Iterator[Clause]:
    """Yield every clause of a kind and size, in order."""
    for rank in range(kind.count(size, len(alphabet))):
        yield instance(kind, size, rank, alphabet)


def instance(kind: Kind, size: int, rank: int, alphabet: Sequence[str]) -> Clause:
    """Return the clause with a number among those of its kind and size."""
    letters = tuple(alphabet[one] for one in kind.unrank(rank, size, len(alphabet)))
    return Clause(kind, letters, size if kind.several in (TIMES, MULTIPLE) else 0)


def rank(clause: Clause, alphabet: Sequence[str]) -> int:
    """Return the number of a clause among those of its kind and size."""
    return clause.kind.rank([alphabet.index(one) for one in clause.letters], clause.size, len(alphabet))


def spelt(letter: str) -> str:
    """Write a letter as it stands in a sentence: in quotes where it could be misread."""
    return letter if PLAIN.fullmatch(letter) and letter.lower() not in reserved() else in_quotes(letter)


def proposition(letter: str) -> str:
    """Write a letter as it stands in a formula."""
    several = propositions_of(letter)
    if len(several) > 1:
        return f"({' & '.join(map(proposition, several))})"
    plain = _IDENTIFIER.fullmatch(letter) and letter not in RESERVED
    return letter if plain else in_quotes(letter)


def sentence_parts(sentence: str) -> list[tuple[str, str]]:
    """Split a sentence with places into ("place", name) and ("word", word)."""
    return [("place", found[1]) if found[1] else ("word", found[0]) for found in _PART.finditer(sentence)]


def reserved() -> frozenset[str]:
    """Return the words of sentences, which are no letters unless they are quoted."""
    return _reserved(kinds())


@lru_cache(maxsize=8)
def _reserved(known: Iterable[Kind]) -> frozenset[str]:
    sentences = [sentence for kind in known for sentence in (kind.sentence, *kind.also)]
    words = [word for sentence in sentences for what, word in sentence_parts(sentence) if what == "word"]
    return frozenset([*words, "or", "then", "once", "twice", "times", "anything"])


# -- A task said in clauses ------------------------------------------------------------------------------

Conjunction = tuple[Clause, ...]
ANYTHING = "anything"  # how no clause at all is said
_ORDER = attrgetter("order")


@dataclass(frozen=True, eq=False, repr=False)
class Clauses(Task):
    """Clauses that must all hold, or one level of "or" between such lists. Made by `of`.

    Its size by the paper's code is that of its automaton: whoever scores `F y` and `reach y` finds the same.

    >>> from demospec.tasks.clauses.clause import parse
    >>> task = parse("reach y; never r", "bry")
    >>> task, task.automaton
    (Clauses('reach y; never r'), DFA('>0: r→1, y→2 | 1: | *2: r→1'))
    >>> str(parse("(reach y; never r) or (end with b)", "bry"))
    '(reach y; never r) or (end with b)'
    """

    alphabet: tuple[str, ...]
    alternatives: tuple[Conjunction, ...]  # at least one; each sorted, each once

    @classmethod
    def of(cls, alternatives: Iterable[Iterable[Clause]], alphabet: Iterable[str]) -> Clauses:
        """Make a task from lists of clauses; the order does not matter."""
        lists = [tuple(sorted(set(one), key=_ORDER)) for one in alternatives]
        if len(lists) > 1:
            lists = sorted(set(lists), key=lambda one: [clause.order for clause in one])
        return cls(tuple(sorted(alphabet)), tuple(lists))

    @cached_property
    def automaton(self) -> DFA:
        """Return the minimal automaton."""
        parts = [conjoined(one, self.alphabet) for one in self.alternatives]
        return reduce(lambda p, q: (p | q).minimal, parts)

    @property
    def size(self) -> int:
        """Return the length of the automaton's code in bits."""
        return self.automaton.size

    @property
    def key(self) -> tuple[DFA, int | str]:
        """Return the language and the text: two ways to say a language may have the same length."""
        return self.automaton, self._text

    @property
    def clauses(self) -> Conjunction:
        """Return every clause, of all alternatives."""
        return tuple(dict.fromkeys(chain(*self.alternatives)))

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        said = ["; ".join(clause.sentence for clause in one) or ANYTHING for one in self.alternatives]
        return said[0] if len(said) == 1 else " or ".join(f"({one})" for one in said)

    def __repr__(self) -> str:
        return f"Clauses({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clauses):
            return NotImplemented
        return (self.alphabet, self.alternatives) == (other.alphabet, other.alternatives)

    def with_automaton(self, known: DFA) -> Clauses:
        """Return the task, whose automaton was worked out already, beside many others."""
        self.__dict__["automaton"] = known
        return self

    def __hash__(self) -> int:
        return hash((self.alphabet, self.alternatives))

    def __getstate__(self) -> dict[str, object]:
        # The vocabulary that lengths were told by stays where it is.
        return {name: value for name, value in self.__dict__.items() if name != "_bits"}

    def to_json(self) -> dict[str, Any]:
        """Return the task file's object: the automaton's, with the clauses."""
        return {**self.automaton.to_json(), "clauses": str(self)}


def conjoined(clauses: Conjunction, alphabet: tuple[str, ...]) -> DFA:
    """Return the minimal automaton of clauses that all hold; of none, that of every word."""
    all_hold = None
    for part in [clause.automaton(alphabet) for clause in clauses]:
        all_hold = part if all_hold is None else (all_hold & part).minimal
    return DFA.constant(alphabet, True).minimal if all_hold is None else all_hold


# -- Reading clauses -------------------------------------------------------------------------------------

LARGEST = 100  # the number in "a at least 100 times"
EXAMPLE = "reach a; no b before a"
_TOKEN = re.compile(r'(?P<space>\s+)|(?P<piece>"(?:[^"\\]|\\.)*"|[,;()]|[^\s,;()"]+)')


@dataclass
class Misread:
    """How far the readings came that failed, and what they expected there."""

    position: int = -1  # a token's number
    expected: list[str] = field(default_factory=list)

    def at(self, position: int, expected: str) -> None:
        """Remember what was expected, if no reading came further."""
        if position > self.position:
            self.position, self.expected = position, []
        if position == self.position and expected not in self.expected:
            self.expected.append(expected)


def parse(text: str, alphabet: Iterable[str] | None = None) -> Clauses:
    """Read a task in clauses; without an alphabet its letters are those of the clauses.

    >>> parse("reach y; no r before y", "bgry")
    Clauses('reach y; no r before y')
    >>> parse("y at most twice", "bgry").clauses[0].formula
    '!(F (y & X[!] F (y & X[!] F y)))'
    """
    if len(text) > SENTENCE:
        raise TaskError(f"clauses of {len(text)} characters; at most {SENTENCE} are read")
    letters = None if alphabet is None else tuple(sorted(alphabet))
    said = None if letters is None else atoms(letters)

    def unreadable(rest: Token) -> NoReturn:
        raise PointedError("this quote is not closed", text=text, at=rest.at)

    *tokens, _ = tokens_of(text, _TOKEN, unreadable)
    alternatives = [
        [clause for sentence in _sentences(one, ";", text) for clause in _read_sentence(sentence, text, said)]
        for one in _bracketed(tokens, text)
    ]
    named = sorted({letter for one in alternatives for clause in one for letter in clause.letters})
    if letters is None and not named:
        raise TaskError(f'"{text.strip()}" names no letter, and no alphabet is given')
    return Clauses.of(alternatives, letters or named)


def _bracketed(tokens: Sequence[Token], text: str) -> Iterator[list[Token]]:
    """Yield the alternatives of `(…) or (…)`, or everything where nothing is in brackets."""
    if not tokens or tokens[0].text != "(":
        yield list(tokens)
        return
    position = 0
    while True:
        if position == len(tokens) or tokens[position].text != "(":
            raise PointedError('expected "("', text=text, at=_place_of(tokens, position, text))
        end = next((n for n in range(position, len(tokens)) if tokens[n].text == ")"), None)
        if end is None:
            raise PointedError("this bracket is not closed", text=text, at=tokens[position].at)
        yield list(tokens[position + 1 : end])
        position = end + 1
        if position == len(tokens):
            return
        if tokens[position].word != "or":
            raise PointedError(
                'expected "or" and another list in brackets', text=text, at=tokens[position].at
            )
        position += 1


def _place_of(tokens: Sequence[Token], position: int, text: str) -> int:
    """Return where a token stands, or where the text ends."""
    return tokens[position].at if position < len(tokens) else len(text.rstrip())


def _sentences(tokens: Sequence[Token], sign: str, text: str) -> Iterator[list[Token]]:
    """Yield the sentences between signs; an empty one is refused, but for one behind the last sign."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == sign:
            if not found[-1]:
                raise PointedError(f'expected a sentence before "{sign}"', text=text, at=token.at)
            found.append([])
        else:
            found[-1].append(token)
    if not found[0]:
        raise PointedError(f'expected a sentence, such as "{EXAMPLE}"', text=text, at=len(text.rstrip()))
    yield from (one for one in found if one)


def _read_sentence(tokens: Sequence[Token], text: str, letters: tuple[str, ...] | None) -> list[Clause]:
    """Return the clause that a sentence says; none for "anything"."""
    if [token.word for token in tokens] == [ANYTHING]:
        return []
    failure = Misread()
    for kind in kinds():
        for sentence in (kind.sentence, *kind.also):
            read = _match(kind, sentence_parts(sentence), tokens, letters, failure)
            if read is not None:
                return [read]
    raise _unread(tokens, text, letters, failure)


def _match(
    kind: Kind,
    pattern: Sequence[tuple[str, str]],
    tokens: Sequence[Token],
    letters: tuple[str, ...] | None,
    failure: Misread,
) -> Clause | None:
    """Read tokens by a pattern; None where they do not fit, and the failure remembers how far they did."""
    position, single, several, number = 0, dict[str, str](), list[str](), 0
    for what, name in pattern:
        here = tokens[position] if position < len(tokens) else None
        if what == "word":
            if here is None or here.word != name:
                failure.at(position, f'"{name}"')
                return None
            position += 1
        elif name in (TIMES, MULTIPLE):
            read = _number_at(name, tokens, position)
            if read is None:
                failure.at(position, '"twice" or "3 times"' if name == TIMES else '"an even number of times"')
                return None
            number, position = read
        else:
            first = _letter_said(here, letters)
            if first is None:
                failure.at(position, "a letter")
                return None
            position += 1
            if name not in (LETTERS, CHAIN):
                single[name] = first
                continue
            several.append(first)
            between = ["or"] if name == LETTERS else [",", "then"]
            while [token.word for token in tokens[position : position + len(between)]] == between:
                following = position + len(between)
                another = _letter_said(tokens[following] if following < len(tokens) else None, letters)
                if another is None:
                    failure.at(following, "a letter")
                    return None
                several.append(another)
                position = following + 1
    if position < len(tokens):
        failure.at(position, 'the end of the sentence, ";"')
        return None
    if kind.several == LETTERS:
        several = sorted(set(several))
    given = tuple([single[name] for name in kind.places] + several)
    size = kind.size(len(given), number)
    if size < kind.fewest:
        wanted = '", then" and another letter' if kind.several == CHAIN else f"at least {kind.fewest}"
        failure.at(position, wanted)
        return None
    if not kind.allows(given, size):
        failure.at(position, f'different letters in "{kind.sentence}"')
        return None
    return Clause(kind, given, number)


def _letter_said(token: Token | None, letters: tuple[str, ...] | None) -> str | None:
    """Return the letter that a token says, if it does."""
    if token is None or token.text in ",;()":
        return None
    if token.text.startswith('"'):
        try:
            read = unquoted(token.text)
        except TaskError:
            return None
    elif token.word in reserved():
        return None
    else:
        read = token.text
    return read if read and (letters is None or read in letters) else None


def _number_at(name: str, tokens: Sequence[Token], position: int) -> tuple[int, int] | None:
    """Read "once", "twice", "3 times", "an even number of times", "a multiple of 3 times"."""
    words = [token.word for token in tokens[position : position + 5]]
    if name == TIMES:
        if words[:1] in (["once"], ["twice"]):
            return (1 if words[0] == "once" else 2), position + 1
        if len(words) >= 2 and words[1] in ("times", "time") and _is_number(words[0]):
            return int(words[0]), position + 2
    elif words == ["an", "even", "number", "of", "times"]:
        return 2, position + 5
    elif words[:3] == ["a", "multiple", "of"] and words[4:] == ["times"] and _is_number(words[3]):
        return int(words[3]), position + 5
    return None


def _is_number(text: str) -> bool:
    """Say whether a word is a number that is not too large."""
    return text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= LARGEST


def _unread(
    tokens: Sequence[Token], text: str, letters: tuple[str, ...] | None, failure: Misread
) -> PointedError:
    """Return the error for a sentence that nobody understands: where, what was expected, what is nearest."""
    position = max(0, failure.position)
    at = _place_of(tokens, position, text) if position < len(tokens) else tokens[-1].at + len(tokens[-1].text)
    here = tokens[position].text if position < len(tokens) else None
    if position == 0 and len(tokens) > 1 and tokens[1].text != ",":
        first = [sentence_parts(sentence)[0] for kind in kinds() for sentence in (kind.sentence, *kind.also)]
        words = [word for what, word in first if what == "word"]
        hint = nearest(tokens[0].word, words) or f'; an example: "{EXAMPLE}"'
        return PointedError(f'no sentence begins with "{here}"{hint}', text=text, at=at)
    if here is not None and "a letter" in failure.expected and letters is not None and here not in ",;()":
        unknown = here.strip('"')
        if unknown not in letters and unknown.lower() not in reserved():
            return PointedError(unknown_letter(unknown, letters), text=text, at=at)
    found = "the sentence ends" if here is None else f'found "{here}"'
    closest = _nearest_sentence([token.text for token in tokens]) if here is not None else None
    hint = f'; did you mean "{closest}"?' if closest else ""
    return PointedError(f"{found}, expected {' or '.join(failure.expected)}{hint}", text=text, at=at)


def _nearest_sentence(words: Sequence[str]) -> str | None:
    """Return the sentence of the vocabulary that is nearest to some words."""
    import difflib  # which nobody needs who makes no mistake

    several = {LETTERS: "a or b", CHAIN: "b, then c", TIMES: "twice", MULTIPLE: "an even number of times"}
    known = [kind.sentence.format(**several, **{one: one for one in kind.places}) for kind in kinds()]
    close = difflib.get_close_matches(" ".join(words).lower(), known, n=1, cutoff=0.4)
    return close[0] if close else None


# -- Every clause that a search starts from, and what is near a clause ------------------------------------

LARGER = {LETTERS: 2, CHAIN: 1, TIMES: 1, MULTIPLE: 1}  # how much larger than the smallest of its kind
MOST_OF_A_SIZE = 2_000  # clauses of a size: over many letters, chains of three are left to the moves


def clause_library(alphabet: tuple[str, ...]) -> tuple[Clause, ...]:
    """Return the clauses of every kind over some letters, the smallest ones and those a little larger."""
    return _library(alphabet, kinds())


@lru_cache(maxsize=8)
def _library(alphabet: tuple[str, ...], known: tuple[Kind, ...]) -> tuple[Clause, ...]:
    said = atoms(alphabet)
    return tuple(
        clause
        for kind in known
        if kind.weight
        for size in range(kind.fewest, kind.fewest + LARGER.get(kind.several or "", 0) + 1)
        if size <= (kind.most(len(said)) or size) and kind.count(size, len(said)) <= MOST_OF_A_SIZE
        for clause in instances(kind, size, said)
    )


def neighbours(clause: Clause, alphabet: tuple[str, ...]) -> list[Clause]:
    """Return the clauses that say nearly the same: stronger, weaker, of another letter or another kind.

    One letter is another, one more or one less stands in a set or chain, the number is one up or down, or a
    kind with as many places says something of the same letters.
    """
    return [one for one in dict.fromkeys(_near(clause, alphabet)) if one != clause]


def _near(clause: Clause, alphabet: tuple[str, ...]) -> Iterator[Clause]:
    kind, letters, single = clause.kind, clause.letters, len(clause.kind.places)
    for position in range(len(letters)):
        for letter in atoms(alphabet):
            changed = (*letters[:position], letter, *letters[position + 1 :])
            yield from _possible(kind, changed, clause.number)
    if kind.several in (TIMES, MULTIPLE):
        yield from _possible(kind, letters, clause.number - 1)
        yield from _possible(kind, letters, clause.number + 1)
    elif kind.several is not None:
        for position in range(single, len(letters) + 1):
            yield from _possible(kind, (*letters[:position], *letters[position + 1 :]), 0)
            for letter in atoms(alphabet):
                yield from _possible(kind, (*letters[:position], letter, *letters[position:]), 0)
    for other in kinds():
        if other == kind or not other.weight:
            continue
        for said in dict.fromkeys([letters, letters[::-1]]):
            for shorter in dict.fromkeys([said, said[:1], said[-1:]]):
                yield from _possible(other, shorter, max(clause.number, other.fewest))


def _possible(kind: Kind, letters: tuple[str, ...], number: int) -> Iterator[Clause]:
    """Yield a clause if its letters may stand together, and nothing otherwise."""
    if kind.several == LETTERS:
        letters = tuple(sorted(set(letters)))
    size = kind.size(len(letters), number)
    if kind.fewest <= size <= LARGEST and kind.allows(letters, size):
        yield Clause(kind, letters, number if kind.several in (TIMES, MULTIPLE) else 0)
