"""Try what is installed beside this Python: an example is printed, learned from, and its answer is compared.

python tools/try_installed.py             # any installation
python tools/try_installed.py --compiled  # as a released wheel: fails without the compiled library
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time

EXPECTED = "Never r; reach y with no b since g."


def demospec(*arguments: str, given: str = "") -> str:
    """Run a command of the installed program and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "demospec", *arguments],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"demospec {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def main() -> None:
    """Learn from the example and say what came of it in one line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--compiled", action="store_true", help="the compiled library must be there")
    args = parser.parse_args()
    ask = "from demospec.native import library; print(library() is not None)"
    compiled = subprocess.check_output([sys.executable, "-I", "-c", ask], text=True).strip() == "True"
    began = time.perf_counter()
    answer = json.loads(demospec("learn", "-", "--seed", "0", "--json", given=demospec("example", "robot")))
    seconds = time.perf_counter() - began
    sentence, probability = answer["answer"]["sentence"], answer["answer"]["probability"]
    print(
        f"Python {platform.python_version()}, {'compiled' if compiled else 'without the compiled library'}, "
        f"{seconds:.1f} s: {sentence} ({probability:.0%})"
    )
    if sentence != EXPECTED:
        raise SystemExit(f"expected: {EXPECTED}")
    if args.compiled and not compiled:
        raise SystemExit("the compiled library is missing")


if __name__ == "__main__":
    main()
