"""One case of the fuzzer: a seed, spoiled by a number, run in this process, and judged."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import FrameType, SimpleNamespace
from typing import Any

from demospec.readable import readable
from demospec.testing.fuzzing.mutations import VARIABLES, spoiled, spoiled_arguments
from demospec.testing.fuzzing.seeds import Seed, seeds

SECONDS = 60  # of one case; on a busy machine too, the slowest take a few
MACHINE = ("export", "example", "sample")  # commands whose output other programs read
PICTURE = re.compile(r" *\^")


@dataclass(frozen=True)
class Case:
    """A command, the files that it finds, what it is piped, and what its environment says."""

    number: int
    seed: Seed
    environment: Mapping[str, str]
    as_json: bool = False  # whether JSON is asked for, and by arguments that are what they were


@dataclass(frozen=True)
class Ran:
    """What a case left behind."""

    code: int | None  # None where it was stopped
    out: str
    err: str


class Hanging(BaseException):
    """A case takes too long."""


def case_of(base: int, number: int) -> Case:
    """Return a case; the same numbers give the same one."""
    rng = Random(f"{base}/{number}")
    every = seeds()
    chosen = rng.choices(every, [one.weight for one in every])[0]
    environment: dict[str, str] = {}
    before = chosen.arguments
    files, what = dict(chosen.files), rng.random()
    if what < 0.05:
        name = rng.choice([*VARIABLES])
        environment[name] = rng.choice(VARIABLES[name]).encode("utf-8", "surrogateescape").decode()
    elif what < 0.3 or not (files or chosen.stdin):
        chosen = replace(chosen, arguments=spoiled_arguments(chosen.arguments, rng))
    elif chosen.stdin:
        chosen = replace(chosen, stdin=spoiled(chosen.stdin, rng))
    else:
        file = rng.choice([*files])
        files[file] = spoiled(files[file], rng)
    as_json = "--json" in before and chosen.arguments == before
    return Case(number, replace(chosen, files=files), environment, as_json)


def run(case: Case, folder: Path, seconds: float = SECONDS) -> Ran:
    """Run a case in an empty folder."""
    for name, data in case.seed.files.items():
        (folder / name).write_bytes(data)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    stdin: Any = SimpleNamespace(buffer=io.BytesIO(case.seed.stdin), closed=False, isatty=lambda: False)
    code: int | None = None
    with surroundings(folder, case.environment), limited(seconds):
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = stdin, out, err
        try:
            from demospec.cli import main

            main(list(case.seed.arguments))
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        except Hanging:
            pass
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
    texts = (one.buffer.getvalue().decode("utf-8", "replace") for one in (out, err))
    return Ran(code, *texts)


@contextmanager
def surroundings(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """Go to a folder with other environment variables, and come back."""
    where, before = Path.cwd(), dict(os.environ)
    os.chdir(folder)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.chdir(where)
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Stop what takes too long, where the system has timers."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Hanging

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def faults(case: Case, ran: Ran, folder: Path) -> Iterator[str]:
    """Yield what is wrong with how a case ended."""
    if ran.code is None:
        yield "hangs"
        return
    command = case.seed.arguments[0]
    text = ran.out + ran.err
    if "Traceback (most recent call last)" in text:
        yield "a traceback"
    failed = "--fail-on" in case.seed.arguments and ran.code == 1
    if ran.code not in (0, 2) and not failed:
        yield f"exit code {ran.code}"
    if readable(ran.err) != ran.err or (command not in MACHINE and readable(ran.out) != ran.out):
        yield "signs that steer a terminal"
    if ran.code == 2:
        yield from of_a_refusal(command, ran)
    yield from of_json(case, ran)
    yield from of_files(case, ran, folder)


def of_a_refusal(command: str, ran: Ran) -> Iterator[str]:
    """Yield what is wrong with a refusal: it is one message, the last thing that is said, and all of it."""
    lines = ran.err.splitlines()
    messages = [number for number, line in enumerate(lines) if line.startswith("demospec: ")]
    if len(messages) != 1 or not ran.err.endswith("\n"):
        yield f"{len(messages)} messages"
        return
    below = lines[messages[0] + 1 :]
    if below and not (len(below) == 2 and PICTURE.fullmatch(below[1])):
        yield "something is said after the message"
    if ran.out and command not in ("monitor", "ask"):  # which answer line by line
        yield "a result and a refusal"


def of_json(case: Case, ran: Ran) -> Iterator[str]:
    """Yield what is wrong with what should be JSON."""
    if ran.code == 0 and case.as_json:
        try:
            json.loads(ran.out)
        except ValueError:
            yield "not JSON"


def of_files(case: Case, ran: Ran, folder: Path) -> Iterator[str]:
    """Yield what is wrong with files: what was there is lost, or what was written is not whole."""
    written = {"--out", "resume", "ask"} & {*case.seed.arguments}
    for name, data in case.seed.files.items():
        path = folder / name
        lost = not path.is_file() or path.read_bytes() != data
        if lost and not (written and (ran.code == 0 or case.seed.arguments[0] in ("resume", "ask"))):
            yield f"{name} is lost"
    for path in folder.rglob("*"):
        if path.name.endswith((".partial", ".anew", ".lock")):
            yield f"{path.name} is left"
        elif path.suffix == ".json" and path.name not in case.seed.files and path.is_file():
            try:
                json.loads(path.read_bytes())
            except ValueError:
                yield f"{path.name} is not whole"
