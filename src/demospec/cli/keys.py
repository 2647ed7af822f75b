"""Single keys of a terminal, as they are pressed."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

UP, DOWN, LEFT, RIGHT = "up", "down", "left", "right"
ENTER, UNDO, QUIT, NEXT = "enter", "undo", "quit", "next"
NAMED = {"\r": ENTER, "\n": ENTER, "u": UNDO, "\x7f": UNDO, "\b": UNDO, "q": QUIT, "\x04": QUIT, "\t": NEXT}
ARROWS = {"A": UP, "B": DOWN, "C": RIGHT, "D": LEFT}
WINDOWS_ARROWS = {"H": UP, "P": DOWN, "M": RIGHT, "K": LEFT}
PATIENCE = 0.05  # seconds until an escape alone is the key, not the beginning of another
_KEY = re.compile(r"\x1b[\[O][0-9;]*(?P<last>[A-Za-z~])|\x1b(?![\[O])|(?P<plain>[^\x1b])", re.DOTALL)


def split(text: str) -> tuple[list[str], str]:
    """Cut what a terminal sent into keys, and return the beginning of a key that is not all there yet.

    >>> split("\\x1b[A1\\x1bOD\\r\\x1b[")
    (['up', '1', 'left', 'enter'], '\\x1b[')
    """
    keys, at = list[str](), 0
    while (found := _KEY.match(text, at)) is not None and not (
        found[0] == "\x1b" and found.end() == len(text)
    ):
        at = found.end()
        if found["plain"] is not None:
            keys.append(NAMED.get(found["plain"], found["plain"]))
        elif found["last"] in ARROWS:
            keys.append(ARROWS[found["last"]])
    return keys, text[at:]


def is_terminal() -> bool:
    """Say whether keys can be read and a screen be drawn."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdout, sys.stdin))


@contextmanager
def pressed() -> Iterator[Iterator[str]]:
    """Give keys as they are pressed; the terminal is as it was afterwards. They end when it is closed."""
    if sys.platform == "win32":
        yield _windows_keys()
        return
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)  # what was typed ahead is kept
        yield _posix_keys(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _posix_keys(terminal: int) -> Iterator[str]:
    import select

    decoder, rest = codecs.getincrementaldecoder("utf-8")("ignore"), ""
    while True:
        if rest and not select.select([terminal], [], [], PATIENCE)[0]:
            rest = ""  # a key that nobody asks for
        try:
            data = os.read(terminal, 1024)
        except OSError:  # the terminal is gone
            return
        if not data:
            return
        keys, rest = split(rest + decoder.decode(data))
        yield from keys


def _windows_keys() -> Iterator[str]:
    import importlib

    console = importlib.import_module("msvcrt")
    while True:
        sign = console.getwch()
        if sign == "\x03":
            raise KeyboardInterrupt
        if sign in ("\x00", "\xe0"):
            sign = console.getwch()
            if sign in WINDOWS_ARROWS:
                yield WINDOWS_ARROWS[sign]
        else:
            yield NAMED.get(sign, sign)
