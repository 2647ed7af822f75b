"""The lines of a model's file, one at a time, and refusals that name the file and the line."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path as FilePath
from typing import NoReturn

from demospec.errors import FileError
from demospec.limits import DIGITS, LINE


class Lines:
    """The lines of a file that are not empty, without their ends; `number` is that of the last one."""

    def __init__(self, path: FilePath) -> None:
        self.path = path
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        try:
            with open(self.path, encoding="utf-8-sig") as stream:
                while line := stream.readline(LINE + 1):
                    self.number += 1
                    if len(line) > LINE:
                        self.refuse(f"is longer than {LINE:,} characters")
                    if text := line.strip():
                        yield text
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", place=str(self.path)) from None
        except UnicodeDecodeError:
            raise FileError(f"is not UTF-8 text after line {self.number}", place=str(self.path)) from None

    def refuse(self, message: str) -> NoReturn:
        """Refuse the last line."""
        if not self.number:
            raise FileError("is empty", place=str(self.path))
        raise FileError(message, place=f"{self.path}: line {self.number}")

    def whole(self, text: str, what: str, below: int | None = None) -> int:
        """Return a number that counts from 0, below another where one is given."""
        if not (text.isascii() and text.isdigit()):
            self.refuse(f'expected the number of a {what}, found "{text}"')
        if len(text) > DIGITS:
            self.refuse(f"the number of a {what} has {len(text)} digits; at most {DIGITS} are read")
        number = int(text)
        if below is not None and number >= below:
            self.refuse(f"there is no {what} {number}: they are numbered from 0 to {below - 1}")
        return number

    def chance(self, text: str) -> float:
        """Return a probability: a number, or a fraction as exact tools write it."""
        if text.startswith("["):
            self.refuse(f'"{text}" is an interval; only models whose probabilities are numbers can be read')
        try:
            value = float(Fraction(text)) if "/" in text else float(text)
        except (ValueError, ZeroDivisionError):
            self.refuse(f'expected a probability, found "{text}"')
        if not 0 <= value <= 1:
            self.refuse(f"the probability {text} is not between 0 and 1")
        return value
