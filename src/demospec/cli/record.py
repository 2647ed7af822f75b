"""The command `record`: drive a world with single keys of the terminal, and add the runs to the file."""

from __future__ import annotations

import codecs
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

from demospec.ask.saving import RunsFile, refuse_other_than_toml
from demospec.cli import Interrupted
from demospec.cli.group import cli
from demospec.cli.options import SEED, scene_of, world_option
from demospec.cli.streams import say
from demospec.errors import FileError, InputError
from demospec.files import load
from demospec.wording import count, word_text
from demospec.worlds.paths import Drive, word_of
from demospec.worlds.world import show

UP, DOWN, LEFT, RIGHT = "up", "down", "left", "right"
ENTER, UNDO, QUIT, NEXT = "enter", "undo", "quit", "next"
NAMED = {"\r": ENTER, "\n": ENTER, "u": UNDO, "\x7f": UNDO, "\b": UNDO, "q": QUIT, "\x04": QUIT, "\t": NEXT}
SENT_ARROWS = {"A": UP, "B": DOWN, "C": RIGHT, "D": LEFT}
WINDOWS_ARROWS = {"H": UP, "P": DOWN, "M": RIGHT, "K": LEFT}
ESCAPE = 0.05  # seconds until an escape alone is the key, not the beginning of another
_KEY = re.compile(r"\x1b[\[O][0-9;]*(?P<last>[A-Za-z~])|\x1b(?![\[O])|(?P<plain>[^\x1b])", re.DOTALL)


def split_keys(text: str) -> tuple[list[str], str]:
    """Cut what a terminal sent into keys, and return the beginning of a key that is not all there yet.

    >>> split_keys("\\x1b[A1\\x1bOD\\r\\x1b[")
    (['up', '1', 'left', 'enter'], '\\x1b[')
    """
    keys, at = list[str](), 0
    while (found := _KEY.match(text, at)) is not None and not (
        found[0] == "\x1b" and found.end() == len(text)
    ):
        at = found.end()
        if found["plain"] is not None:
            keys.append(NAMED.get(found["plain"], found["plain"]))
        elif found["last"] in SENT_ARROWS:
            keys.append(SENT_ARROWS[found["last"]])
    return keys, text[at:]


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
        if rest and not select.select([terminal], [], [], ESCAPE)[0]:
            rest = ""  # a key that nobody asks for
        try:
            data = os.read(terminal, 1024)
        except OSError:  # the terminal is gone
            return
        if not data:
            return
        keys, rest = split_keys(rest + decoder.decode(data))
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


# -- The command `record` --------------------------------------------------------------------------------

ARROWS = (UP, DOWN, LEFT, RIGHT)
CHOICES = "123456789abcdefghijklmnoprstvwxyz"  # for actions without an arrow; u undoes and q quits
HELP = "u undoes, enter finishes the run, q quits"


@cli.command("record")
@click.argument("problem_file", metavar="PROBLEM")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Draws what is left to chance.")
@world_option
def record_command(problem_file: str, seed: int, world_name: str | None) -> None:
    """Drive the world of PROBLEM with the arrow keys, and add the runs to the file as demonstrations.

    In worlds without directions, actions are numbered. Backspace or u takes a step back, enter finishes a
    run and adds it to the file at once, q quits.
    """
    refuse_other_than_toml(problem_file)
    problem = load(problem_file)
    scene = scene_of(problem, world_name)
    file = RunsFile.check(problem_file, problem, scene)
    if not all(stream is not None and stream.isatty() for stream in (sys.stdout, sys.stdin)):
        raise InputError("record reads keys and draws a map: it needs a terminal")
    recording = Recording(file, seed)
    old = signal.signal(signal.SIGTERM, _leave)
    try:
        with pressed() as keys:
            recording.listen(keys)
    finally:
        signal.signal(signal.SIGTERM, old)
        say(recording.farewell())


def _leave(number: int, frame: FrameType | None) -> None:
    raise Interrupted


class Recording:
    """The runs that are recorded, and the one that is under way."""

    def __init__(self, file: RunsFile, seed: int) -> None:
        self.file, self.seed = file, seed
        self.recorded, self.page, self.note = 0, 0, ""
        self.drive = self.begin()

    def begin(self) -> Drive:
        """Begin another run; its number counts those that the file had."""
        number = len(self.file.scene.demonstrations) + self.recorded + 1
        return Drive.begin(self.file.scene.original, seed=self.seed, run=number)

    def listen(self, keys: Iterator[str]) -> None:
        """Draw the world and follow keys until they end, or until one quits."""
        self.draw()
        for key in keys:
            if key == QUIT:
                return
            self.note = ""
            try:
                self.follow(key)
            except FileError:  # the run could not be added: `farewell` tells it
                raise
            except InputError as error:
                self.note = str(error)
            self.draw()

    def follow(self, key: str) -> None:
        """Do what a key says."""
        if key == ENTER:
            self.file.append(self.drive.path(finished=True))
            self.recorded += 1
            self.drive, self.page = self.begin(), 0
            self.note = f"{count(self.recorded, 'run')} added to {self.file.path}"
        elif key == UNDO:
            self.drive, self.page = self.drive.undone(), 0
        elif key == NEXT:
            self.page += 1
        elif action := self.choices().get(key) or (key if key in ARROWS else None):
            self.drive, self.page = self.drive.taken(action), 0
            world, (pair, reached) = self.drive.world, self.drive.steps[-1]
            chances = dict(world.outcomes(pair))
            if len(chances) > 1:  # it was left to chance
                led = f"{world.action(pair)} led to {show(world.name(reached))}"
                self.note = f"{led}, with probability {chances[reached]:.4g}"

    def choices(self) -> dict[str, str]:
        """Return the actions by their keys."""
        offered = [action for action in self.drive.offered if action not in ARROWS]
        first = self.page * len(CHOICES)
        if first >= len(offered):
            self.page = first = 0
        return dict(zip(CHOICES, offered[first:], strict=False))

    def draw(self) -> None:
        click.clear()
        say("\n".join(self.lines()))

    def lines(self) -> Iterator[str]:
        """Tell where the run is, the word so far, and what the keys do."""
        drive, world = self.drive, self.drive.world
        here, rows = world.name(drive.state), self.file.scene.grid
        steps = f"{len(drive.steps)} of at most {count(world.episode.horizon, 'step')}"
        yield f"{self.file.problem.name}, run {drive.run}: {steps}, in {show(here)}"
        yield ""
        if rows is not None:
            for number, row in enumerate(rows, start=1):
                cells = (f"[{c}]" if (k, number) == here else f" {c} " for k, c in enumerate(row, start=1))
                yield "".join(cells).rstrip()
            yield ""
        word = word_of(drive.labels, merge_repeats=self.file.problem.merge_repeats)
        yield f"word so far: {word_text(word)}"
        yield from [self.note] if self.note else []
        yield from ["the episode is over"] if drive.over else []
        yield ""
        choices = self.choices()
        yield from (f"{key}  {action}" for key, action in choices.items())
        offered = drive.offered
        if len(offered) - sum(action in ARROWS for action in offered) > len(choices):
            yield "tab shows more actions"
        yield (f"arrows move, {HELP}" if any(action in ARROWS for action in world.actions) else HELP)

    def farewell(self) -> str:
        """Tell what was added, and the run that was not finished, so that it is not lost."""
        told = f"\n{count(self.recorded, 'run')} added to {self.file.path}"
        if not self.drive.steps:
            return told
        begun = self.file.text(self.drive.path(finished=False))
        return f"{told}; this one was not finished, and is not in the file:\n\n{begun}"
