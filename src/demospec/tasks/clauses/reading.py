"""Reading clauses: `reach y; no r before y; after b, no y until g`, or `(…) or (…)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from demospec.errors import PointedError, TaskError, listing, nearest
from demospec.limits import SENTENCE
from demospec.tasks.clauses.clause import Clause, parts, reserved
from demospec.tasks.clauses.kind import CHAIN, LETTERS, MULTIPLE, TIMES, Kind
from demospec.tasks.clauses.task import ANYTHING, Clauses
from demospec.tasks.clauses.vocabulary import kinds
from demospec.tasks.propositions import atoms
from demospec.tasks.quoting import unquoted

LARGEST = 100  # the number in "a at least 100 times"
EXAMPLE = "reach a; no b before a"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[,;()]|[^\s,;()"]+')


@dataclass(frozen=True)
class Token:
    """A word, a sign or a quoted letter, and where it stands."""

    text: str
    at: int

    @property
    def word(self) -> str:
        """Return the token in small letters: sentences may begin with a capital."""
        return self.text.lower()


@dataclass
class Failure:
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
    tokens = tokens_of(text)
    alternatives = [
        [clause for sentence in split(one, ";", text) for clause in read_sentence(sentence, text, said)]
        for one in bracketed(tokens, text)
    ]
    named = sorted({letter for one in alternatives for clause in one for letter in clause.letters})
    if letters is None and not named:
        raise TaskError(f'"{text.strip()}" names no letter, and no alphabet is given')
    return Clauses.of(alternatives, letters or named)


def tokens_of(text: str) -> list[Token]:
    """Split a text into tokens; a quote that is not closed is refused."""
    found = [Token(one[0], one.start()) for one in _TOKEN.finditer(text)]
    if '"' in (rest := _TOKEN.sub(lambda one: " " * len(one[0]), text)):
        raise PointedError("this quote is not closed", text=text, at=rest.index('"'))
    return found


def bracketed(tokens: Sequence[Token], text: str) -> Iterator[list[Token]]:
    """Yield the alternatives of `(…) or (…)`, or everything where nothing is in brackets."""
    if not tokens or tokens[0].text != "(":
        yield list(tokens)
        return
    position = 0
    while True:
        if position == len(tokens) or tokens[position].text != "(":
            raise PointedError('expected "("', text=text, at=place(tokens, position, text))
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


def place(tokens: Sequence[Token], position: int, text: str) -> int:
    """Return where a token stands, or where the text ends."""
    return tokens[position].at if position < len(tokens) else len(text.rstrip())


def split(tokens: Sequence[Token], sign: str, text: str) -> Iterator[list[Token]]:
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


def read_sentence(tokens: Sequence[Token], text: str, letters: tuple[str, ...] | None) -> list[Clause]:
    """Return the clause that a sentence says; none for "anything"."""
    if [token.word for token in tokens] == [ANYTHING]:
        return []
    failure = Failure()
    for kind in kinds():
        for sentence in (kind.sentence, *kind.also):
            read = match(kind, parts(sentence), tokens, letters, failure)
            if read is not None:
                return [read]
    raise refusal(tokens, text, letters, failure)


def match(
    kind: Kind,
    pattern: Sequence[tuple[str, str]],
    tokens: Sequence[Token],
    letters: tuple[str, ...] | None,
    failure: Failure,
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
            read = number_at(name, tokens, position)
            if read is None:
                failure.at(position, '"twice" or "3 times"' if name == TIMES else '"an even number of times"')
                return None
            number, position = read
        else:
            first = letter_of(here, letters)
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
                another = letter_of(tokens[following] if following < len(tokens) else None, letters)
                if another is None:
                    failure.at(following, "a letter")
                    return None
                several.append(another)
                position = following + 1
    if position < len(tokens):
        failure.at(position, 'the end of the sentence, ";"')
        return None
    return made(kind, single, several, number, len(tokens), failure)


def made(
    kind: Kind, single: dict[str, str], several: list[str], number: int, end: int, failure: Failure
) -> Clause | None:
    """Return the clause, if its letters may stand together."""
    if kind.several == LETTERS:
        several = sorted(set(several))
    given = tuple([single[name] for name in kind.places] + several)
    size = len(several) if kind.several in (LETTERS, CHAIN) else number if kind.several else kind.fewest
    if size < kind.fewest:
        failure.at(end, '", then" and another letter' if kind.several == CHAIN else f"at least {kind.fewest}")
        return None
    if not kind.allows(given, size):
        failure.at(end, f'different letters in "{kind.sentence}"')
        return None
    return Clause(kind, given, number)


def letter_of(token: Token | None, letters: tuple[str, ...] | None) -> str | None:
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


def number_at(name: str, tokens: Sequence[Token], position: int) -> tuple[int, int] | None:
    """Read "once", "twice", "3 times", "an even number of times", "a multiple of 3 times"."""
    words = [token.word for token in tokens[position : position + 5]]
    if name == TIMES:
        if words[:1] in (["once"], ["twice"]):
            return (1 if words[0] == "once" else 2), position + 1
        if len(words) >= 2 and words[1] in ("times", "time") and is_number(words[0]):
            return int(words[0]), position + 2
    elif words == ["an", "even", "number", "of", "times"]:
        return 2, position + 5
    elif words[:3] == ["a", "multiple", "of"] and words[4:] == ["times"] and is_number(words[3]):
        return int(words[3]), position + 5
    return None


def is_number(text: str) -> bool:
    """Say whether a word is a number that is not too large."""
    return text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= LARGEST


def refusal(
    tokens: Sequence[Token], text: str, letters: tuple[str, ...] | None, failure: Failure
) -> PointedError:
    """Return the error for a sentence that nobody understands: where, what was expected, what is nearest."""
    position = max(0, failure.position)
    at = place(tokens, position, text) if position < len(tokens) else tokens[-1].at + len(tokens[-1].text)
    here = tokens[position].text if position < len(tokens) else None
    closest = nearest_sentence([token.text for token in tokens])
    if position == 0 and len(tokens) > 1 and tokens[1].text != ",":
        hint = nearest(tokens[0].word, beginnings()) or f'; an example: "{EXAMPLE}"'
        return PointedError(f'no sentence begins with "{here}"{hint}', text=text, at=at)
    if here is not None and "a letter" in failure.expected and letters is not None and here not in ",;()":
        unknown = here.strip('"')
        if unknown not in letters and unknown.lower() not in reserved():
            return PointedError(
                f'letter "{unknown}" is not in the alphabet {listing(letters)}{nearest(unknown, letters)}',
                text=text,
                at=at,
            )
    found = "the sentence ends" if here is None else f'found "{here}"'
    closest = nearest_sentence([token.text for token in tokens])
    hint = f'; did you mean "{closest}"?' if closest and position < len(tokens) else ""
    return PointedError(f"{found}, expected {' or '.join(failure.expected)}{hint}", text=text, at=at)


def beginnings() -> list[str]:
    """Return the words that sentences begin with."""
    first = [parts(sentence)[0] for kind in kinds() for sentence in (kind.sentence, *kind.also)]
    return [word for what, word in first if what == "word"]


def nearest_sentence(words: Sequence[str]) -> str | None:
    """Return the sentence of the vocabulary that is nearest to some words."""
    known = {shown(kind): kind for kind in kinds()}
    import difflib  # which nobody needs who makes no mistake

    close = difflib.get_close_matches(" ".join(words).lower(), known, n=1, cutoff=0.4)
    return close[0] if close else None


def shown(kind: Kind) -> str:
    """Return a kind's sentence with letters in its places."""
    several = {LETTERS: "a or b", CHAIN: "b, then c", TIMES: "twice", MULTIPLE: "an even number of times"}
    return kind.sentence.format(**several, **{place: place for place in kind.places})
