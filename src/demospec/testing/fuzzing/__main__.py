"""`python -m demospec.testing.fuzzing`: run many cases, keep those that fail, and run one of them again."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from demospec.testing.fuzzing.running import SECONDS, Case, Ran, case_of, faults, run

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
    parser = argparse.ArgumentParser(prog="python -m demospec.testing.fuzzing", description=__doc__)
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
        "again": f"python -m demospec.testing.fuzzing --seed {seed} --again {case.number}",
        "arguments": case.seed.arguments,
        "environment": dict(case.environment),
        "code": ran.code,
        "out": ran.out[-4000:],
        "err": ran.err[-4000:],
    }
    (folder / "case.json").write_text(json.dumps(told, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
