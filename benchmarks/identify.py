"""Identification against `dfa-identify`: the same examples, side by side, in one run.

    make bench-identify

Each way to identify runs in a process of its own, one after the other; imports are not counted, and whoever
is over the time limit is ended. Ours are the compiled search, the same search in Python, and SAT. The orders
differ. Ours is by bits: an automaton with more states may come first, and all that is smaller in bits must be
ruled out before it; on random sets the order by states is measured as well. The peer's is by states, then by
transitions that leave their state, and it stops after the fewest states. What both find is compared: each
automaton must give every word its label, the peer's may not have fewer bits than our first one, nor other
than the fewest states.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import selectors
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from demospec.identify.counting import Order
from demospec.identify.decomposition import smallest_by_sat
from demospec.identify.exact import smallest
from demospec.tasks.dfa import size
from demospec.tasks.examples import Examples
from instances import PROBLEMS, Instance, random_instance, recorded, sample
from search import reference_python

HERE = Path(__file__).parent
CANDIDATES = 20  # as many as the search asks for
RECORDED_WAYS = {"ours": "demospec", "python": "in Python", "sat": "by SAT", "peer": "peer"}
RANDOM_WAYS = {
    "ours": "demospec",
    "by-states": "by states",
    "python": "in Python",
    "sat": "by SAT",
    "peer": "peer",
    "peer-no-clique": "peer without its clique",
}

Counts = tuple[int, int, int]  # states, accepting states, transitions that leave their state


@dataclass(frozen=True)
class Answer:
    """What one way found, and how soon; no seconds when it was over the limit."""

    seconds: float | None
    found: tuple[Counts, ...] = ()


def work(way: str) -> None:
    """Answer questions from standard input, as `reference/identify.py` does."""
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        began = time.perf_counter()
        examples = Examples.of(question["accept"], question["reject"])
        if way == "sat":
            answers = smallest_by_sat(examples, question["alphabet"])
        else:
            order: Order = "states" if way == "by-states" else "bits"
            answers = smallest(examples, question["alphabet"], order=order, expected=question["count"])
        found = list(islice(answers, question["count"]))
        seconds = time.perf_counter() - began
        counts = [(dfa.states, sum(dfa.accepting), len(list(dfa.changes()))) for dfa in found]
        right = all(examples.consistent(dfa) for dfa in found)
        print(json.dumps({"seconds": seconds, "found": counts, "right": right}), flush=True)


class Worker:
    """A process that identifies; ended when over the limit, and started again."""

    def __init__(self, command: Sequence[str | Path], limit: float, **environment: str) -> None:
        self.command, self.limit, self.environment = command, limit, environment
        self._process: subprocess.Popen[str] | None = None

    def ask(self, instance: Instance, count: int) -> Answer:
        question = {**vars(instance), "count": count}
        if self._process is None:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONHASHSEED": "0", **self.environment},
            )
            self._line(None)  # it has imported everything
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._line(self.limit)
        if line is None:
            self.close()
            return Answer(None)
        answer: dict[str, Any] = json.loads(line)
        if not answer["right"]:
            raise SystemExit(f"{self.command}: an automaton disagrees with a word of {instance}")
        return Answer(answer["seconds"], tuple((n, c, m) for n, c, m in answer["found"]))

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _line(self, limit: float | None) -> str | None:
        assert self._process is not None
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(limit):
                return None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.command} ended with exit code {self._process.wait()}")
        return line


def worker(way: str, limit: float) -> Worker:
    if way.startswith("peer"):
        script = HERE / "reference" / "identify.py"
        more = ["no-clique"] if way == "peer-no-clique" else []
        return Worker([reference_python(), "-W", "ignore", script, *more], limit)
    native = "0" if way == "python" else "1"
    return Worker([sys.executable, Path(__file__), "--way", way], limit, DEMOSPEC_NATIVE=native)


def bits(letters: int, counts: Counts) -> int:
    states, accepting, changes = counts
    return size(states, letters, accepting, changes)


def check(instance: Instance, by_bits: Answer, peer: Answer, fewest: int | None) -> None:
    """End with the numbers when the two sides contradict each other."""
    if not by_bits.found or not peer.found:
        return
    letters = len(instance.alphabet)
    ours, theirs = bits(letters, by_bits.found[0]), min(bits(letters, counts) for counts in peer.found)
    states = {n for n, _, _ in peer.found}
    if ours > theirs:
        raise SystemExit(f"the peer has an automaton of {theirs} bits, our first has {ours}: {instance}")
    if len(states) > 1 or (fewest is not None and states != {fewest}):
        raise SystemExit(f"fewest states: {fewest} here, {sorted(states)} for the peer: {instance}")
    if min(n for n, _, _ in by_bits.found) < min(states):
        raise SystemExit(f"the peer missed an automaton with fewer than {min(states)} states: {instance}")


def run_recorded(limit: float) -> list[dict[str, Any]]:
    """Ask for the first automata of example sets from searches."""
    runs = recorded()
    chosen = sample(runs)
    results: dict[tuple[int, int], dict[str, Any]] = {
        (r, position): {"problem": runs[r].problem, "seed": runs[r].seed, "set": position}
        for r, position in sorted(chosen)
    }
    for way in (*RECORDED_WAYS, "by-states"):
        print(f"recorded example sets: {way} …", file=sys.stderr)
        process = worker(way, limit)
        for (r, position), result in results.items():
            result[way] = process.ask(runs[r].sets[position], CANDIDATES)
        process.close()
    for (r, position), result in results.items():
        states = result.pop("by-states").found
        fewest = states[0][0] if states else None
        check(runs[r].sets[position], result["ours"], result["peer"], fewest)
    return list(results.values())


def run_random(sizes: Sequence[int], instances: int, limit: float) -> list[dict[str, Any]]:
    """Ask for the first automaton of random instances.

    Who is over the limit for most of one N is asked about one instance of each larger N.
    """
    data = {(n, i): random_instance(n, i) for n in sizes for i in range(instances)}
    results: dict[tuple[int, int], dict[str, Any]] = {(n, i): {"target": n, "instance": i} for n, i in data}
    for way in RANDOM_WAYS:
        process = worker(way, limit)
        asked = instances
        for n in sizes:
            over = 0
            for i in range(asked):
                answer = results[n, i][way] = process.ask(data[n, i], 1)
                over += answer.seconds is None
                seconds = f"over {limit:g} s" if answer.seconds is None else f"{answer.seconds:.3f} s"
                print(f"random, target {n} states, instance {i}: {way} {seconds}", file=sys.stderr)
                if 2 * over > instances:
                    break
            if 2 * over > asked:
                asked = 1
        process.close()
    for place, result in results.items():
        none = Answer(None)
        states = result.get("by-states", none).found
        fewest = states[0][0] if states else None
        for peer in ("peer", "peer-no-clique"):
            check(data[place], result.get("ours", none), result.get(peer, none), fewest)
    return list(results.values())


def print_recorded(results: list[dict[str, Any]], limit: float) -> None:
    print(f"\nexample sets of searches, first {CANDIDATES} automata, milliseconds: median, slowest")
    print("ratios to demospec: median, worst; over the limit counts as the limit")
    titles = [
        *RECORDED_WAYS.values(),
        *(f"{RECORDED_WAYS[way]}/demospec" for way in ("python", "sat", "peer")),
    ]
    print(f"{'':18} {'sets':>4} " + " ".join(f"{title:>18}" for title in titles))
    for problem in PROBLEMS:
        own = [result for result in results if result["problem"] == problem]
        seconds = {way: [result[way].seconds or limit for result in own] for way in RECORDED_WAYS}
        cells = [
            f"{1000 * statistics.median(values):.2f}, {1000 * max(values):.2f}" for values in seconds.values()
        ]
        for way in ("python", "sat", "peer"):
            ratios = [theirs / ours for theirs, ours in zip(seconds[way], seconds["ours"], strict=True)]
            cells.append(f"{statistics.median(ratios):.1f}, {min(ratios):.1f}")
        print(f"{problem:18} {len(own):4} " + " ".join(f"{cell:>18}" for cell in cells))
    short = sum(len(result["peer"].found) < CANDIDATES for result in results)
    over = sum(result[way].seconds is None for result in results for way in RECORDED_WAYS)
    print(f"the fewest states agree wherever both were within the limit; over it: {over}")
    print(f"the peer stops after the fewest states: {short} sets have fewer than {CANDIDATES} such automata")


def growth(points: Sequence[tuple[int, float]]) -> str:
    """Fit seconds ∝ Nᵖ through the medians."""
    if len(points) < 2:
        return "–"
    slope = statistics.linear_regression(
        [math.log(n) for n, _ in points], [math.log(seconds) for _, seconds in points]
    ).slope
    return f"N^{slope:.1f}"


def print_random(results: list[dict[str, Any]], sizes: Sequence[int], limit: float) -> None:
    print(f"\n50·N random words, first automaton, seconds: median (over {limit:g} s), states found")
    print("ratios: median, worst; over the limit counts as the limit")
    peers = ("sat", "peer", "peer-no-clique")
    titles = [*RANDOM_WAYS.values(), "by SAT/by states", "peer/by states", "without clique/by states"]
    print(f"{'N':>6} " + " ".join(f"{title:>24}" for title in titles))
    medians: dict[str, list[tuple[int, float]]] = {way: [] for way in RANDOM_WAYS}
    for n in sizes:
        own = [result for result in results if result["target"] == n]
        cells = []
        for way in RANDOM_WAYS:
            answers = [result[way] for result in own if way in result]
            over = sum(answer.seconds is None for answer in answers)
            if not answers:
                cells.append("–")
                continue
            median = statistics.median(math.inf if a.seconds is None else a.seconds for a in answers)
            if median < math.inf:
                medians[way].append((n, median))
            states = ",".join(str(a.found[0][0]) if a.found else "?" for a in answers)
            shown = f"{median:.3f}" if median < math.inf else f">{limit:g}"
            cells.append(f"{shown} ({over}/{len(answers)}) {states}")
        for peer in peers:
            both = [
                (result[peer].seconds, result["by-states"].seconds)
                for result in own
                if {peer, "by-states"} <= {*result}
            ]
            ratios = [(theirs or limit) / (ours or limit) for theirs, ours in both if theirs or ours]
            cells.append(f"{statistics.median(ratios):.2f}, {min(ratios):.2f}" if ratios else "–")
        print(f"{n:6} " + " ".join(f"{cell:>24}" for cell in cells))
    print(f"{'growth':>6} " + " ".join(f"{growth(points):>24}" for points in medians.values()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=30, help="seconds for each instance and side")
    parser.add_argument("--instances", type=int, default=3, help="random instances for each N")
    parser.add_argument("--most-states", type=int, default=10, help="the largest N")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way is not None:
        work(args.way)
        return
    sizes = range(4, args.most_states + 1)
    from_searches = run_recorded(args.limit)
    if not args.json:
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
        print_recorded(from_searches, args.limit)
    from_targets = run_random(sizes, args.instances, args.limit)
    if args.json:
        print(json.dumps({"recorded": from_searches, "random": from_targets}, default=asdict))
    else:
        print_random(from_targets, sizes, args.limit)


if __name__ == "__main__":
    main()
