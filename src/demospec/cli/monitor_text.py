"""What `monitor` prints: verdicts as they come, in words or as JSON, a summary, and what was skipped."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from types import TracebackType

from demospec.cli.streams import say
from demospec.errors import FileError, count, listing, nearest
from demospec.files.logs import Log, Name
from demospec.tasks.monitoring import KINDS, Kind, Monitor, Verdict, Watch

SAID: dict[Kind, str] = {
    "satisfied": "satisfied for good",
    "violated": "violated for good",
    "open-accepting": "open, accepted so far",
    "open-rejecting": "open, not accepted so far",
}
MOST_NAMES = 10_000  # events that are no letters, counted by name
TOGETHER = 500  # lines that are written at once where nobody waits for them


class Told:
    """A line or a JSON object for each trace, written at once if the log is a pipe; in the end a summary."""

    def __init__(self, log: Log, monitor: Monitor, *, as_json: bool) -> None:
        self.log, self.as_json, self.counts = log, as_json, Counter[Kind]()
        self._of_clauses = bool(monitor.clauses)
        self._began = False
        self._lines: list[str] = []
        self._together = 1 if log.lines.live else TOGETHER

    def __enter__(self) -> Told:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._flush()

    def see(self, name: Name, watch: Watch, changes: bool) -> None:
        """Take note of a verdict that is new."""
        verdict = watch.verdict
        if verdict.final:
            self.counts[verdict.kind] += 1
        if changes:
            self._say(name, verdict, watch.events)
        elif verdict.final:
            self._say(name, verdict)

    def end(self, name: Name, verdict: Verdict, *, silent: bool = False) -> None:
        """Take note of the verdict on a trace that has ended; `silent` if it has been told."""
        self.counts[verdict.kind] += 1
        if not silent:
            self._say(name, verdict)

    def close(self) -> None:
        """Print what comes last: the summary, or the end of the list."""
        if self.as_json:
            self._lines.append("\n]\n" if self._began else "[]\n")
        else:
            self._lines.append(f"{summary(self.counts)}\n")
        self._flush()

    def _say(self, name: Name, verdict: Verdict, now: int | None = None) -> None:
        """Tell a verdict; `now` is the event after which it is told, where it is told at once."""
        if self.as_json:
            who = name if isinstance(name, int) else json.dumps(name, ensure_ascii=False)
            line = f'{"," if self._began else "["}\n  {{"trace": {who}, {in_json(verdict)}'
        else:
            who = f"trace {name if isinstance(name, int) else printable(name)}"
            if now is not None:
                when = f"event {now}" if now else "before the first event"
                who = when if self.log.shape == "one" else f"{who}, {when}"
            line = f"{who}: {in_words(verdict, now is None, self._of_clauses)}\n"
        self._lines.append(line)
        self._began = True
        if len(self._lines) >= self._together:
            self._flush()

    def _flush(self) -> None:
        lines, self._lines = self._lines, []
        if lines and sys.stdout is not None:  # closed by who started us
            sys.stdout.write("".join(lines))
            sys.stdout.flush()


@lru_cache(1 << 12)
def in_json(verdict: Verdict) -> str:
    """Write a verdict as the rest of an object."""
    rest = {"verdict": verdict.kind, "at": verdict.at, "clause": verdict.clause}
    return json.dumps(rest, ensure_ascii=False)[1:]


@lru_cache(1 << 12)
def in_words(verdict: Verdict, with_event: bool, of_clauses: bool) -> str:
    """Say a verdict, with the event that decided it, and with what was broken if the task has clauses."""
    said = SAID[verdict.kind]
    if with_event and verdict.at is not None:
        said += f" at event {verdict.at}" if verdict.at else " before the first event"
    if verdict.clause is not None:
        said += f": {verdict.clause}"
    elif verdict.kind == "violated" and of_clauses:
        said += ": its clauses cannot all be met any more"
    return said


def summary(counts: Counter[Kind]) -> str:
    """Say how many traces there were of each kind.

    >>> summary(Counter({"satisfied": 9, "open-accepting": 3}))
    '12 traces: 9 satisfied, 3 open (accepted so far)'
    """
    words: dict[Kind, str] = {
        "open-accepting": "open (accepted so far)",
        "open-rejecting": "open (not accepted so far)",
    }
    each = ", ".join(f"{counts[kind]} {words.get(kind, kind)}" for kind in KINDS if counts[kind])
    return f"{count(counts.total(), 'trace')}: {each}" if each else "0 traces"


def printable(name: str) -> str:
    """Write a trace's name for a terminal; one that would not show is quoted."""
    return name if name.strip() and name.isprintable() else json.dumps(name)


class Skipped:
    """The events that are no letters of the task: counted, or refused."""

    def __init__(self, log: Log, alphabet: Sequence[str], *, strict: bool) -> None:
        self._log, self._alphabet, self._strict = log, alphabet, strict
        self._names, self._more = Counter[str](), 0

    def count(self, event: str) -> None:
        """Count an event; of one without a name there is nothing to tell."""
        if self._strict and event:
            told = f'event "{event}" is no letter of the task: {listing(self._alphabet)}'
            raise FileError(f"{told}{nearest(event, self._alphabet)}", place=self._log.lines.place)
        if event in self._names or len(self._names) < MOST_NAMES:
            self._names[event] += 1
        else:
            self._more += 1

    def tell(self) -> None:
        """Say how many were skipped, and which most often."""
        del self._names[""]
        total = self._names.total() + self._more
        if total:
            often = self._names.most_common(5)
            each = ", ".join(f"{printable(name)} ({number})" for name, number in often)
            others = ", …" if total > sum(number for _, number in often) else ""
            say(
                f"skipped {count(total, 'event')} that the task does not read: {each}{others}",
                err=True,
            )
