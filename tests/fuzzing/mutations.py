"""Ways to spoil an input: bytes, words, numbers, lines, options, and what the environment says."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

# Texts that have broken readers: numbers at the edge of what fits, quotes, escapes, hidden signs, nesting.
NASTY = (
    *("0", "-1", "1e400", "-0.0", "nan", "inf", "1" + "0" * 23, "9" * 5000, "1" + "0" * 400),
    *("2147483648", "9223372036854775808", "18446744073709551616", "0x" + "f" * 300, "1e-400"),
    *("²", "٣", "½", "1_0", "é", "\x00", "\x1b]0;x\x07", "\x9b31m", "\u202e", "\ufeff", "\ud800"),
    *("\r", "\t", "\n", "\x85", "\u2028", '"', "'", '"\\q"', '"\\ud800"', '"a\nb"', "\\", '"""'),
    *("/*", "//", "#", "{", "}", "[", "]", "(", ")", "<", ">", "&", "|", "!", "→", "->", ":", ";"),
    *(",", "=", " ", " " * 3000, "(" * 500, "[" * 3000, '{"a":' * 1200, "a" * 3000, "letter " * 400),
    *("null", "true", "{}", "[]", '""', "/dev/zero", "/dev/null", ".", "..", "-", "--"),
)
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")
_WORD = re.compile(rb"[\w.]+|[^\w\s]")
VARIABLES = {
    "DEMOSPEC_THREADS": ("²", "0", "-1", "9" * 5000, "x", "2", ""),
    "DEMOSPEC_NATIVE": ("0", "", "²"),
    "NO_COLOR": ("1", ""),
    "COLUMNS": ("0", "-1", "x", "9" * 30, "1"),
    "TERM": ("dumb", "", "\x1b"),
}


def nasty(rng: Random) -> bytes:
    """Return a text that has broken readers."""
    return rng.choice(NASTY).encode("utf-8", "surrogatepass")


def flipped(data: bytes, rng: Random) -> bytes:
    """Change some bits."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def inserted(data: bytes, rng: Random) -> bytes:
    """Put something nasty somewhere."""
    at = rng.randint(0, len(data))
    return data[:at] + nasty(rng) + data[at:]


def cut(data: bytes, rng: Random) -> bytes:
    """End early."""
    return data[: rng.randint(0, len(data))]


def without_a_piece(data: bytes, rng: Random) -> bytes:
    """Leave something out."""
    first = rng.randint(0, len(data))
    return data[:first] + data[first + rng.randint(1, 40) :]


def repeated(data: bytes, rng: Random) -> bytes:
    """Write a piece twice, or a few times."""
    first = rng.randint(0, len(data))
    last = first + rng.randint(1, 60)
    return data[:last] + data[first:last] * rng.choice([1, 1, 2, 20]) + data[last:]


def another_number(data: bytes, rng: Random) -> bytes:
    """Put another number in the place of one: near it, or far beyond what anybody means.

    Numbers between are left out: they ask for much work, which is no mistake.
    """
    near = [b"0", b"1", b"2", b"3", b"-1", b"0.5", b"7.5", b"1e-9", b"nan", b"inf", b"-inf", b"1e400"]
    far = [b"1" + b"0" * zeros for zeros in (10, 18, 23, 400, 5000)]
    return in_the_place_of(_NUMBER, data, rng, rng.choice(near + far))


def another_word(data: bytes, rng: Random) -> bytes:
    """Put a word of the same input, or something nasty, in the place of a word."""
    words = _WORD.findall(data)
    new = rng.choice(words) if words and rng.random() < 0.6 else nasty(rng)
    return in_the_place_of(_WORD, data, rng, new)


def in_the_place_of(pattern: re.Pattern[bytes], data: bytes, rng: Random, new: bytes) -> bytes:
    """Put something in the place of one of the places where a pattern is found."""
    places = [found.span() for found in pattern.finditer(data)]
    if not places:
        return data + new
    first, last = rng.choice(places)
    return data[:first] + new + data[last:]


def lines_moved(data: bytes, rng: Random) -> bytes:
    """Swap, drop or repeat lines."""
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(3)
    if what == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif what == 1:
        del lines[one]
    else:
        lines.insert(other, lines[one])
    return b"\n".join(lines)


WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(flipped, inserted, cut, without_a_piece, repeated, another_number, another_number),
    *(another_word, another_word, lines_moved),
)


def spoiled(data: bytes, rng: Random) -> bytes:
    """Spoil an input in one to three ways."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        data = rng.choice(WAYS)(data, rng)
    return data


def spoiled_argument(text: str, rng: Random) -> str:
    """Spoil an argument; no program can be given one with a NUL."""
    data = spoiled(text.encode("utf-8", "surrogateescape"), rng)
    return data.replace(b"\0", b"").decode("utf-8", "surrogateescape")


def spoiled_arguments(arguments: tuple[str, ...], rng: Random) -> tuple[str, ...]:
    """Spoil, drop, repeat or swap what comes behind a command's name."""
    name, *rest = arguments
    if not rest:
        return arguments
    at, what = rng.randrange(len(rest)), rng.randrange(8)
    if what == 0:
        del rest[at]
    elif what == 1:
        rest.insert(rng.randrange(len(rest) + 1), rest[at])
    elif what == 2:
        options = ["--json", "--help", "--nothing", "-", "--", "--out", "--seed", "--world"]
        rest.insert(at, rng.choice(options))
    else:
        rest[at] = spoiled_argument(rest[at], rng)
    return (name, *rest)
