"""The 1,300 sets of DFAMiner's authors: the fewest states that agree with each, and how soon they are found.

    make bench-dfaminer DATA=FOLDER

FOLDER holds `dfaminer.tar.xz`, or the sets as files (`4/res4-1.txt` to `16/res16-100.txt`, as in
`DFA_Miner_dataset/dataset` of https://github.com/liyong31/DFAMiner, which also has the authors' logs). A set
has 50·N words over two letters, labelled by a random automaton with N states.

Each answer is one line of a file that only grows; a run that was killed goes on where it stopped. The tables
are made from that file alone. An answer is checked: it must give every word its label and have at most N
states; the tables compare its number of states with the authors' logs, where they say it. Sparse sets are the
first words of the same sets, in an order drawn with a fixed seed. `--peer 8` also asks DFA-Inductor
(dfainductor on PyPI, with CaDiCaL) about the whole sets with up to 8 states, on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from demospec.files.task_text import parse_abbadingo
from demospec.files.values import build_examples
from demospec.identify.exact import smallest
from demospec.tasks.examples import Examples
from demospec.work.stop import Stop, Stopped

HERE = Path(__file__).parent
OURS, PEER = "demospec", "dfainductor"
PEER_FOLDER = HERE.parent / ".cache" / "dfainductor"
PEER_PACKAGES = ("dfainductor==0.1.3", "python-sat==1.9.dev17", "click==8.5.1", "six==1.17.0")
SIZES = range(4, 17)
WHOLE = 50  # words for each state of the target
SPARSE = (20, 12, 8, 6)
SPARSE_INSTANCES = 3
SHARED_LOGS = HERE / "data" / "dfaminer_logs.json"
SOLVED_BY_AUTHORS = {"DFAMiner": 1116, "DFA-Inductor": 1053, "dfa-identify": 1008}  # 1,200 s each
NAME = re.compile(r"(?:^|/)res(\d+)-(\d+)\.txt$")
LOG = re.compile(r"(?:^|/)s?dfaminres(\d+)-(\d+)\.txt$")
FOUND = re.compile(r"Found a DFA with size (\d+)")
ELAPSED = re.compile(r"Elapsed time in miner: ([\d.]+)")

PEER_FOUND = re.compile(r"The DFA with (\d+) states is found")

Key = tuple[int, int, int, str]  # states of the target, number of the set, words for each state, tool


@dataclass(frozen=True)
class Row:
    """What came of one set; no states when the limit was reached."""

    target: int
    instance: int
    words_per_state: int
    words: int
    states: int | None
    seconds: float  # of processor time, reading included
    wall: float
    limit: float  # of processor time; for the peer, of wall-clock time
    tool: str = OURS

    @property
    def key(self) -> Key:
        return self.target, self.instance, self.words_per_state, self.tool


@dataclass(frozen=True)
class Log:
    """What the authors' tool found, and after how many seconds."""

    states: int
    seconds: float


def read_sets(folder: Path) -> dict[tuple[int, int], str]:
    """Return the texts of all sets by (N, number)."""
    archive = folder if folder.is_file() else folder / "dfaminer.tar.xz"
    texts: dict[tuple[int, int], str] = {}
    if archive.is_file():
        with tarfile.open(archive) as tar:
            for member in tar:
                found = NAME.search(member.name)
                stream = tar.extractfile(member) if found else None
                if found and stream is not None:
                    texts[int(found[1]), int(found[2])] = stream.read().decode("utf-8")
    else:
        for path in folder.rglob("res*.txt"):
            if found := NAME.search(path.as_posix()):
                texts[int(found[1]), int(found[2])] = path.read_text(encoding="utf-8")
    if not texts:
        raise SystemExit(
            f"{folder}: neither dfaminer.tar.xz nor files like 4/res4-1.txt; they are in "
            "DFA_Miner_dataset/dataset of https://github.com/liyong31/DFAMiner"
        )
    return texts


def read_logs(folder: Path) -> tuple[dict[tuple[int, int], Log], bool]:
    """Return what the authors' logs say, and whether all are there, or only those that are kept here."""
    logs: dict[tuple[int, int], Log] = {}
    for path in sorted(folder.rglob("*dfaminres*.txt")) if folder.is_dir() else ():
        text = path.read_text(encoding="utf-8", errors="replace")
        name, states, seconds = LOG.search(path.as_posix()), FOUND.search(text), ELAPSED.search(text)
        if name and states and seconds:
            key, log = (int(name[1]), int(name[2])), Log(int(states[1]), float(seconds[1]))
            if key in logs and logs[key].states != log.states:
                raise SystemExit(f"{path}: {log.states} states, {logs[key].states} in another log")
            logs[key] = min(log, logs.get(key, log), key=lambda one: one.seconds)
    if logs:
        return logs, True
    kept = json.loads(SHARED_LOGS.read_text(encoding="utf-8")) if SHARED_LOGS.is_file() else {"logs": []}
    return {(n, i): Log(states, seconds) for n, i, states, seconds in kept["logs"]}, False


def thinned(examples: Examples, key: Key) -> Examples:
    """Return the first words of a set, in an order that depends on nothing but the key."""
    target, instance, per_state, _ = key
    if per_state >= WHOLE:
        return examples
    order = np.random.default_rng((target, instance)).permutation(len(examples))
    kept = sorted(order[: per_state * target].tolist())
    return Examples(tuple(examples.labels[index] for index in kept))


def peer_command() -> Path:
    """Install DFA-Inductor in an environment of its own, once, and return its command."""
    command, ready = PEER_FOLDER / "bin" / "dfainductor", PEER_FOLDER / ".ready"
    if not ready.exists():
        print(f"installing dfainductor into {PEER_FOLDER} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", PEER_FOLDER], check=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([PEER_FOLDER / "bin" / "python", *install, *PEER_PACKAGES], check=True)
        ready.touch()
    return command


def peer_answer(text: str, key: Key, limit: float) -> Row:
    """Ask the peer about one set; its seconds have its start in them."""
    target, instance, _, _ = key
    program = peer_command()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "words.txt"
        file.write_text(text, encoding="utf-8")
        command = [str(program), "--input", str(file), "--solver", "cadical153"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
            printed = done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            printed = ""
    wall = time.perf_counter() - began
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    found = PEER_FOUND.search(printed)
    if not found and wall < limit:
        raise SystemExit(f"dfainductor on res{target}-{instance}.txt: {printed[-500:]}")
    return Row(
        *(target, instance, WHOLE, int(text.split()[0]), int(found[1]) if found else None),
        *(round(seconds, 4), round(wall, 4), limit, PEER),
    )


@contextmanager
def stopping_after(limit: float) -> Iterator[Stop]:
    """Give a flag that is set after so many seconds of processor time: a busy machine takes none of them."""
    stop, over = Stop(), threading.Event()
    until = time.process_time() + limit

    def watch() -> None:
        while not over.wait(0.05):
            if time.process_time() > until:
                stop.set("seconds")

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield stop
    finally:
        over.set()
        watcher.join()


def answer(text: str, key: Key, limit: float) -> Row:
    """Identify one set."""
    target, instance, per_state, tool = key
    if tool == PEER:
        return peer_answer(text, key, limit)
    began, worked = time.perf_counter(), time.process_time()
    read, alphabet = build_examples(parse_abbadingo(text, f"res{target}-{instance}.txt"))
    examples = thinned(read, key)
    try:
        with stopping_after(limit) as stop:
            found = next(smallest(examples, alphabet, order="states", expected=1, stop=stop))
    except Stopped:
        found = None
    seconds, wall = time.process_time() - worked, time.perf_counter() - began
    if found is not None and not examples.consistent(found):
        raise SystemExit(f"res{target}-{instance}.txt: {found} gives a word another label")
    if found is not None and found.states > target:
        raise SystemExit(
            f"res{target}-{instance}.txt: {found.states} states, more than the {target} of its target"
        )
    states = None if found is None else found.states
    return Row(target, instance, per_state, len(examples), states, round(seconds, 4), round(wall, 4), limit)


class Rows:
    """A file to which lines are added; a line that was cut off when a run was killed is left out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[Key, Row] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for line in text.splitlines():
            try:
                row = Row(**json.loads(line))
            except (ValueError, TypeError):
                continue
            self.rows[row.key] = row
        if text and not text.endswith("\n"):
            self._append("\n")

    def _append(self, text: str) -> None:
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(text)

    def settled(self, key: Key, limit: float) -> bool:
        """Say whether a set need not be asked about: solved, or tried for as long before."""
        row = self.rows.get(key)
        return row is not None and (row.states is not None or row.limit >= limit)

    def add(self, row: Row) -> None:
        self._append(json.dumps(asdict(row)) + "\n")
        self.rows[row.key] = row


def keys(sizes: Iterable[int], instances: int, peer: int) -> Iterator[Key]:
    """Yield the sets in order: the whole ones, those for the peer, the sparse ones."""
    sizes, all_of_them = list(sizes), range(1, instances + 1)
    yield from ((n, i, WHOLE, OURS) for n in sizes for i in all_of_them)
    yield from ((n, i, WHOLE, PEER) for n in sizes if n <= peer for i in all_of_them)
    few = all_of_them[:SPARSE_INSTANCES]
    yield from ((n, i, per, OURS) for per in SPARSE for n in sizes for i in few)


def run(texts: dict[tuple[int, int], str], rows: Rows, wanted: Sequence[Key], limit: float) -> None:
    """Ask about every set that is not settled yet, and say how far it is."""
    left = [key for key in wanted if key[:2] in texts and not rows.settled(key, limit)]
    print(f"{len(wanted) - len(left)} sets are done, {len(left)} to do; {rows.path}", file=sys.stderr)
    began = told = time.monotonic()
    for done, key in enumerate(left):
        row = answer(texts[key[:2]], key, limit)
        rows.add(row)
        now = time.monotonic()
        if now - told > 10 or row.states is None:
            told = now
            rest = (now - began) / (done + 1) * (len(left) - done - 1) / 60
            found = f"over {limit:g} s" if row.states is None else f"{row.states} states"
            print(
                f"{done + 1}/{len(left)}: {key[3]}, N = {key[0]}, set {key[1]}, {row.words} words: {found}, "
                f"{row.seconds:.2f} s; about {rest:.0f} min left",
                file=sys.stderr,
            )


def quantile(values: Sequence[float], share: float) -> float:
    return float(np.quantile(np.array(values), share)) if values else float("nan")


def whole_table(rows: Sequence[Row], logs: dict[tuple[int, int], Log], all_logs: bool) -> Iterator[str]:
    """Yield the table of the whole sets, by the target's states."""
    theirs = ["their solved", "their median, s"] if all_logs else []
    titles = ["N", "solved", "median, s", "95 %, s", "most, s", "fewer than N", "as in the logs", *theirs]
    yield "| " + " | ".join(titles) + " |"
    yield "|" + "---|" * len(titles)
    agreed = compared = 0
    for n in [*sorted({row.target for row in rows}), None]:
        own = [row for row in rows if n in (row.target, None)]
        seconds = [row.seconds for row in own if row.states is not None]
        known = [(row.states, logs[row.key[:2]].states) for row in own if row.states and row.key[:2] in logs]
        same = sum(ours == their for ours, their in known)
        below = sum(row.states is not None and row.states < row.target for row in own)
        cells = [
            "all" if n is None else str(n),
            f"{len(seconds)} of {len(own)}",
            f"{quantile(seconds, 0.5):.3f}",
            f"{quantile(seconds, 0.95):.2f}",
            f"{max(seconds, default=float('nan')):.1f}",
            str(below),
            f"{same} of {len(known)}",
        ]
        if all_logs:
            times = [logs[row.key[:2]].seconds for row in own if row.key[:2] in logs]
            cells += [f"{len(times)} of {len(own)}", f"{statistics.median(times):.1f}" if times else "–"]
        yield "| " + " | ".join(cells) + " |"
        agreed, compared = same, len(known)
    if agreed < compared:
        yield f"{compared - agreed} sets have another number of states in the authors' logs!"


def peer_table(rows: Sequence[Row], peers: Sequence[Row]) -> Iterator[str]:
    """Yield the table of both tools on this machine, on the sets that the peer was asked about."""
    yield "| N | demospec: solved, median, s | dfainductor: solved, median, s | same number of states |"
    yield "|---|---|---|---|"
    ours = {row.key[:2]: row for row in rows}
    for n in sorted({row.target for row in peers}):
        pairs = [(ours[row.key[:2]], row) for row in peers if row.target == n and row.key[:2] in ours]
        both = [(one.states, other.states) for one, other in pairs if one.states and other.states]
        cells = []
        for side in zip(*pairs, strict=True):
            times = [row.seconds for row in side if row.states is not None]
            cells.append(f"{len(times)} of {len(side)}, {quantile(times, 0.5):.3f}")
        same = sum(one == other for one, other in both)
        yield f"| {n} | {' | '.join(cells)} | {same} of {len(both)} |"


def sparse_table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of the sparse sets: solved, and the median of what was solved."""
    sizes = sorted({row.target for row in rows})
    yield "| words | " + " | ".join(f"N = {n}" if n == sizes[0] else str(n) for n in sizes) + " |"
    yield "|" + "---|" * (len(sizes) + 1)
    for per in sorted({row.words_per_state for row in rows}, reverse=True):
        cells = []
        for n in sizes:
            own = [row for row in rows if (row.target, row.words_per_state) == (n, per)]
            seconds = [row.seconds for row in own if row.states is not None]
            median = f"{statistics.median(seconds):.2g} s" if seconds else "–"
            cells.append(f"{len(seconds)}/{len(own)}, {median}" if own else "not tried")
        yield f"| {per}·N | " + " | ".join(cells) + " |"


def tables(rows: Rows, logs: dict[tuple[int, int], Log], all_logs: bool) -> Iterator[str]:
    """Yield what is printed at the end, from the rows alone."""
    yield f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, one used"
    whole = [row for row in rows.rows.values() if row.words_per_state == WHOLE and row.tool == OURS]
    peers = [row for row in rows.rows.values() if row.tool == PEER]
    sparse = [row for row in rows.rows.values() if row.words_per_state < WHOLE]
    if whole:
        limits = ", ".join(f"{limit:g}" for limit in sorted({row.limit for row in whole}))
        yield f"\n50·N words, processor seconds, at most {limits} s each:\n"
        yield from whole_table(whole, logs, all_logs)
        authors = ", ".join(f"{name} {solved:,}" for name, solved in SOLVED_BY_AUTHORS.items())
        yield f"\nTheir figures, at most 1,200 s each on their machine, of 1,300: {authors}."
    if peers:
        yield "\nBoth on this machine, processor seconds (dfainductor's with its start, about 0.1 s):\n"
        yield from peer_table(whole, peers)
    if sparse:
        limits = ", ".join(f"{limit:g}" for limit in sorted({row.limit for row in sparse}))
        yield f"\nFewer words of the same sets: solved, median of the solved, at most {limits} s each:\n"
        yield from sparse_table(sparse)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with dfaminer.tar.xz or the sets")
    parser.add_argument("--rows", type=Path, default=Path("out/dfaminer/rows.jsonl"), help="file that grows")
    parser.add_argument("--limit", type=float, default=30, help="processor seconds for each set")
    parser.add_argument("--instances", type=int, default=100, help="sets of each N, from the first")
    parser.add_argument("--most-states", type=int, default=16, help="the largest N")
    parser.add_argument(
        "--peer", type=int, default=0, metavar="N", help="ask DFA-Inductor too, up to N states"
    )
    parser.add_argument("--table", action="store_true", help="print the tables of what is there; run nothing")
    args = parser.parse_args()
    rows = Rows(args.rows)
    logs, all_logs = read_logs(args.data)
    if not args.table:
        wanted = list(keys(range(4, args.most_states + 1), args.instances, args.peer))
        run(read_sets(args.data), rows, wanted, args.limit)
    for line in tables(rows, logs, all_logs):
        print(line)


if __name__ == "__main__":
    main()
