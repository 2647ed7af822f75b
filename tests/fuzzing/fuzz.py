"""The fuzzer: valid inputs of every format, spoiled, and given to every command; what fails is kept.

make fuzz
python tests/fuzzing/fuzz.py --seed 1 --again 4047
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import FrameType, SimpleNamespace
from typing import Any

from mutations import VARIABLES, spoiled, spoiled_arguments
from seeds import Seed, seeds

from demospec.readable import readable

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


MEMORY = 8 << 30  # bytes; what asks for more is refused, as on a smaller machine


def main() -> None:
    """Run the cases that the command line asks for; exit with 1 if one of them fails."""
    options = arguments()
    limit_memory()
    numbers = range(options.first, options.first + options.cases)
    if options.again is not None:
        numbers = range(options.again, options.again + 1)
    began, codes, failed, slowest = time.monotonic(), Counter[str](), 0, (0.0, 0)
    for number in numbers:
        case = case_of(options.seed, number)
        with TemporaryDirectory() as made:
            folder = Path(made)
            start = time.monotonic()
            ran = run(case, folder, options.seconds)
            slowest = max(slowest, (time.monotonic() - start, number))
            found = list(faults(case, ran, folder))
        codes["stopped" if ran.code is None else f"exit {ran.code}"] += 1
        if found:
            failed += 1
            keep(options.out, options.seed, case, ran, found)
            print(f"case {number} ({case.seed.name}): {'; '.join(found)}", flush=True)
        if options.again is not None:
            print(f"{' '.join(case.seed.arguments)}\n{ran.out}{ran.err}exit {ran.code}")
    ends = ", ".join(f"{name}: {count:,}" for name, count in sorted(codes.items()))
    seconds = time.monotonic() - began
    slow = f"slowest {slowest[0]:.1f} s (case {slowest[1]})"
    print(f"{len(numbers):,} cases in {seconds:.0f} s: {ends}; {slow}")
    print(f"failures: {failed}" + (f", kept in {options.out}" if failed else ""))
    sys.exit(int(failed > 0))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python tests/fuzzing/fuzz.py", description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000, help="how many [1000]")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case [0]")
    parser.add_argument("--seed", type=int, default=0, help="one seed, the same cases [0]")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for one case [{SECONDS}]")
    parser.add_argument("--again", type=int, metavar="N", help="run case N alone, and print what it says")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"), help="for failures [out/fuzz]")
    return parser.parse_args()


def limit_memory() -> None:
    """Let requests for all of the memory fail, where the system can do that."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def keep(out: Path, seed: int, case: Case, ran: Ran, found: list[str]) -> None:
    """Write a failing case to a folder of its own: its files, its command, what it said."""
    folder = out / f"{seed}-{case.number}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in case.seed.files.items():
        (folder / name).write_bytes(data)
    (folder / "stdin").write_bytes(case.seed.stdin)
    told = {
        "faults": found,
        "again": f"python tests/fuzzing/fuzz.py --seed {seed} --again {case.number}",
        "arguments": case.seed.arguments,
        "environment": dict(case.environment),
        "code": ran.code,
        "out": ran.out[-4000:],
        "err": ran.err[-4000:],
    }
    (folder / "case.json").write_text(json.dumps(told, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
