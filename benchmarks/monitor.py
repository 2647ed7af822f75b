"""How fast logs are read by `demospec monitor`, and how soon a line of a pipe is answered.

    make bench-monitor

Each format holds the same events. Told are events for each second of processor time: of the whole command,
with its start and its output, and of a naive loop, which reads with the standard library and `DFA.run`, and
only counts accepted traces. In the format of single events each change of the verdict is printed: many.

A pipe is asked line by line, each after the answer to the one before; that is told by the clock.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from demospec.tasks import DFA, Composite

LETTERS = "bgry"
OTHERS = ("idle", "turn")
# Neither is decided by what these logs hold (no r), so every event is read.
TASK = "(>*0: r→1 | 1:) and (>*0: b→1 | 1: g→0)"
LENGTH = 20  # events of a trace

Traces = list[list[str]]


def draw(events: int, rng: random.Random) -> Traces:
    names = [*"bgy" * 3, *OTHERS]
    return [rng.choices(names, k=LENGTH) for _ in range(events // LENGTH)]


def write_lines(traces: Traces, path: Path) -> list[str]:
    path.write_text("".join(f"{' '.join(trace)}\n" for trace in traces), encoding="utf-8")
    return ["--columns", "format=lines"]


def write_events(traces: Traces, path: Path) -> list[str]:
    path.write_text("".join(f"{event}\n" for trace in traces for event in trace), encoding="utf-8")
    return ["--columns", "format=events"]


def write_csv(traces: Traces, path: Path) -> list[str]:
    """Write traces in turns: the first events of a hundred, then their second ones."""
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["time", "case", "event"])
        for first in range(0, len(traces), 100):
            for step in range(LENGTH):
                for number, trace in enumerate(traces[first : first + 100], start=first):
                    out.writerow([step, f"case {number}", trace[step]])
    return ["--columns", "format=csv,run=case,event=event"]


def write_jsonl(traces: Traces, path: Path) -> list[str]:
    path.write_text("".join(f"{json.dumps(trace)}\n" for trace in traces), encoding="utf-8")
    return ["--columns", "format=jsonl"]


def write_objects(traces: Traces, path: Path) -> list[str]:
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, len(traces), 100):
            for step in range(LENGTH):
                for number, trace in enumerate(traces[first : first + 100], start=first):
                    file.write(json.dumps({"case": number, "event": trace[step]}) + "\n")
    return ["--columns", "format=jsonl,run=case,event=event"]


def naive_pairs(kind: str, path: Path) -> Iterator[tuple[object, str]]:
    """Yield the trace and the name of each event, with the standard library's readers."""
    with path.open(encoding="utf-8", newline="") as file:
        if kind.startswith("csv"):
            for row in csv.DictReader(file):
                yield row["case"], row["event"]
            return
        for number, line in enumerate(file):
            if kind == "events":
                yield 0, line.strip()
            elif kind == "lines":
                yield from ((number, event) for event in line.split())
            else:
                value = json.loads(line)
                if isinstance(value, dict):
                    yield value["case"], value["event"]
                else:
                    yield from ((number, event) for event in value)


def naive(kind: str, path: Path, task: DFA) -> int:
    """Read a log event by event, as one would first write it; return how many traces are accepted."""
    states: dict[object, int] = {}
    for trace, event in naive_pairs(kind, path):
        state = states.get(trace, task.start)
        states[trace] = task.run([event], state) if event in task.alphabet else state
    return sum(task.accepting[state] for state in states.values())


FORMATS: dict[str, Callable[[Traces, Path], list[str]]] = {
    "lines": write_lines,
    "events": write_events,
    "csv, in turns": write_csv,
    "jsonl, lists": write_jsonl,
    "jsonl, in turns": write_objects,
}


def command(path: str, *options: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "demospec",
        "monitor",
        TASK,
        path,
        "--alphabet",
        " ".join(LETTERS),
        *options,
    ]


def processor_time_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def throughput(traces: Traces, folder: Path) -> None:
    events = LENGTH * len(traces)
    task = Composite.parse(TASK, LETTERS).minimal
    print(f"{events:,} events, {len(traces):,} traces: thousand events for each second of processor time\n")
    print("| format | monitor | naive loop |\n| --- | --- | --- |")
    for kind, write in FORMATS.items():
        path = folder / "log"
        options = write(traces, path)
        began = processor_time_of_children()
        subprocess.run(
            command(str(path), *options), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        ours = processor_time_of_children() - began
        began = time.process_time()
        naive(kind, path, task)
        theirs = time.process_time() - began
        print(f"| {kind} | {events / ours / 1000:,.0f} | {events / theirs / 1000:,.0f} |", flush=True)


def latency(traces: Traces, lines: int) -> None:
    """Ask a pipe line by line."""
    waits = []
    with subprocess.Popen(
        command("-", "--columns", "format=lines"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(lines + 1):
            line = f"{' '.join(traces[number % len(traces)])}\n".encode()
            began = time.perf_counter()
            process.stdin.write(line)
            answer = b""
            while not answer.endswith(b"\n"):
                answer += process.stdout.read(4096) or b""
            waits.append(time.perf_counter() - began)
        process.stdin.close()
        process.stdout.read()
    waits = sorted(wait * 1e6 for wait in waits[1:])  # the first one waits for the start
    print(
        f"\na pipe, {lines:,} lines of {LENGTH} events, from the line to its answer: "
        f"median {statistics.median(waits):.0f} µs, 99th percentile {waits[int(0.99 * lines)]:.0f} µs, "
        f"longest {waits[-1]:.0f} µs"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--lines", type=int, default=20_000)
    args = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}")
    traces = draw(args.events, random.Random(0))
    with tempfile.TemporaryDirectory() as folder:
        throughput(traces, Path(folder))
    latency(traces, args.lines)


if __name__ == "__main__":
    main()
