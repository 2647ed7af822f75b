"""The search against the authors' package: the paper's monolithic experiment, 100 iterations each.

    make bench

Both run here, one after the other, in one process each and on their own; imports are not counted on
either side. The authors' package gets an environment of its own under `.cache/`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import demospec
from demospec.explain.evaluator import Evaluator
from demospec.identify.exact import ExactIdentifier

HERE = Path(__file__).parent
CACHE = HERE.parent / ".cache" / "reference"


def reference_python() -> Path:
    """Make the environment of the authors' package, once."""
    python = CACHE / "bin" / "python"
    ready = CACHE / ".ready"
    if not ready.exists():
        print(f"installing the authors' package into {CACHE} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", CACHE], check=True)
        install = ["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "-r"]
        subprocess.run([python, *install, HERE / "reference" / "requirements.txt"], check=True)
        ready.touch()
    return python


def run_reference(iterations: int) -> dict[str, Any]:
    print(
        f"running the authors' package: {iterations} iterations, this takes a minute or two …",
        file=sys.stderr,
    )
    done = subprocess.run(
        [reference_python(), "-W", "ignore", HERE / "reference" / "run.py", str(iterations)],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def timed(parts: dict[str, float], part: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter()
        result = function(*args, **kwargs)
        parts[part] += time.perf_counter() - began
        return result

    return wrapper


def run_ours(iterations: int, seed: int, method: str) -> dict[str, Any]:
    """Time a whole run from the problem's text to the ranked result, and two of its parts."""
    parts = {"identify": 0.0, "plan": 0.0}
    originals = ExactIdentifier.candidates, Evaluator.evaluation
    ExactIdentifier.candidates = timed(parts, "identify", originals[0])  # type: ignore[method-assign]
    Evaluator.evaluation = timed(parts, "plan", originals[1])  # type: ignore[method-assign]
    try:
        began = time.perf_counter()
        problem = demospec.load_example("robot-paper").with_settings(method=method, iterations=iterations)
        result = demospec.learn(problem, seed=seed)
        total = time.perf_counter() - began
    finally:
        ExactIdentifier.candidates, Evaluator.evaluation = originals  # type: ignore[method-assign]
    return {"seconds": {**parts, "total": total}, "minimum_energy": result.best.energy}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    theirs = run_reference(args.iterations)
    ours = [run_ours(args.iterations, seed, "paper") for seed in range(args.seeds)]
    explore = [run_ours(args.iterations, seed, "explore") for seed in range(args.seeds)]
    if args.json:
        print(json.dumps({"reference": theirs, "demospec": ours, "explore": explore}))
        return
    print(
        f"monolithic experiment, {args.iterations} iterations; Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, {platform.machine()}"
    )
    print(f"{'seconds':>10} {'the authors':>12} {'demospec':>10} {'slowest':>10} {'ratio':>8}")
    for part in ("identify", "plan", "total"):
        mine = sorted(run["seconds"][part] for run in ours)
        median = statistics.median(mine)
        other = theirs["seconds"][part]
        print(f"{part:>10} {other:12.2f} {median:10.4f} {mine[-1]:10.4f} {f'1/{other / median:.0f}':>8}")
    for name, runs in (("the paper's method", ours), ("explore, the default", explore)):
        energies = [run["minimum_energy"] for run in runs]
        seconds = sorted(run["seconds"]["total"] for run in runs)
        print(
            f"demospec, {name}: seeds 0-{args.seeds - 1} take {statistics.median(seconds):.3f} s (median), "
            f"at most {seconds[-1]:.3f} s; they end at energies {min(energies):.4f} to {max(energies):.4f}"
        )


if __name__ == "__main__":
    main()
