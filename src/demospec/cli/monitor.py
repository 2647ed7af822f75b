"""The command `monitor`: what the traces of a log make of a task, told as they come."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import cast

import click

from demospec.cli import Interrupted
from demospec.cli.group import cli
from demospec.cli.options import about, check_standard_input, json_option, read_letters, read_pairs
from demospec.cli.streams import say
from demospec.cli.termination import heeding
from demospec.errors import FileError, InputError
from demospec.files import load_task
from demospec.runs.progress_line import telling
from demospec.sources.logs.events import LOG_FORMATS, Log, LogFormat, TraceName, open_log
from demospec.tasks.monitoring import KINDS, Kind, Monitor, Verdict, Watch
from demospec.wording import count, listing, nearest

SAID: dict[Kind, str] = {
    "satisfied": "satisfied for good",
    "violated": "violated for good",
    "open-accepting": "open, accepted so far",
    "open-rejecting": "open, not accepted so far",
}
MOST_NAMES = 10_000  # events that are no letters, counted by name
TOGETHER = 500  # lines that are written at once where nobody waits for them


class VerdictPrinter:
    """A line or a JSON object for each trace, written at once if the log is a pipe; in the end a summary."""

    def __init__(self, log: Log, monitor: Monitor, *, as_json: bool) -> None:
        self.log, self.as_json, self.counts = log, as_json, Counter[Kind]()
        self._of_clauses = bool(monitor.clauses)
        self._began = False
        self._lines: list[str] = []
        self._together = 1 if log.lines.live else TOGETHER

    def __enter__(self) -> VerdictPrinter:
        return self

    def __exit__(self, *error: object) -> None:
        self._flush()

    def see(self, name: TraceName, watch: Watch, changes: bool) -> None:
        """Take note of a verdict that is new, of which every change is told, or the final one."""
        if watch.verdict.final:
            self.end(name, watch.verdict, silent=changes)
        if changes:
            self._say(name, watch.verdict, watch.events)

    def end(self, name: TraceName, verdict: Verdict, *, silent: bool = False) -> None:
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

    def _say(self, name: TraceName, verdict: Verdict, now: int | None = None) -> None:
        """Tell a verdict; `now` is the event after which it is told, where it is told at once."""
        if self.as_json:
            who = name if isinstance(name, int) else json.dumps(name, ensure_ascii=False)
            line = f'{"," if self._began else "["}\n  {{"trace": {who}, {verdict_json(verdict)}'
        else:
            who = f"trace {name if isinstance(name, int) else trace_text(name)}"
            if now is not None:
                when = f"event {now}" if now else "before the first event"
                who = when if self.log.shape == "one" else f"{who}, {when}"
            line = f"{who}: {verdict_words(verdict, now is None, self._of_clauses)}\n"
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
def verdict_json(verdict: Verdict) -> str:
    """Write a verdict as the rest of an object."""
    rest = {"verdict": verdict.kind, "at": verdict.at, "clause": verdict.clause}
    return json.dumps(rest, ensure_ascii=False)[1:]


@lru_cache(1 << 12)
def verdict_words(verdict: Verdict, with_event: bool, of_clauses: bool) -> str:
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


def trace_text(name: str) -> str:
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
            each = ", ".join(f"{trace_text(name)} ({number})" for name, number in often)
            others = ", …" if total > sum(number for _, number in often) else ""
            say(f"skipped {count(total, 'event')} that the task does not read: {each}{others}", err=True)


# -- The command `monitor` -------------------------------------------------------------------------------

FAILING: dict[str, tuple[Kind, ...]] = {"violated": ("violated",), "rejected": ("violated", "open-rejecting")}


def read_log_columns(context: click.Context, parameter: click.Parameter, text: str | None) -> dict[str, str]:
    """Read `event=activity,run=case,format=csv`."""
    keys = ("event", "run", "lifecycle", "format")
    found = {} if text is None else dict(read_pairs(text, keys, "--columns"))
    kind = found.get("format", LOG_FORMATS[0])
    if kind not in LOG_FORMATS:
        told = f'there is no format "{kind}"{nearest(kind, LOG_FORMATS)}; known: {listing(LOG_FORMATS)}'
        raise InputError(told, place="--columns")
    return found


@cli.command("monitor")
@click.argument("task_file", metavar="TASK")
@click.argument("log_file", metavar="LOG")
@click.option(
    "--columns",
    metavar="KEY=NAME,…",
    callback=read_log_columns,
    help="How LOG is read: event=NAME, the column or key of the events; run=NAME, of the trace that each "
    "belongs to; lifecycle=complete, of XES only events with this transition. format=lines: a trace on each "
    "line, events separated by blanks; events: one trace, an event on each line; csv: an event in each row; "
    "jsonl: a list of events, or an object, on each line; xes: an event log.  "
    "[default: the format by the file's ending and its first line]",
)
@click.option(
    "--alphabet", metavar="LETTERS", help='The letters, where TASK does not say: "b g y".  [default: its own]'
)
@click.option("--merge-repeats", is_flag=True, help="A letter twice in a row counts once.")
@click.option("--changes", is_flag=True, help="Of several traces too, tell every change of a verdict.")
@click.option("--strict", is_flag=True, help="Refuse events that are no letters of the task.")
@click.option(
    "--fail-on",
    type=click.Choice(list(FAILING)),
    help="Exit with 1 if a trace is violated for good; rejected: also if one ends without being accepted.",
)
@json_option
def monitor_command(
    task_file: str,
    log_file: str,
    columns: dict[str, str],
    alphabet: str | None,
    merge_repeats: bool,
    changes: bool,
    strict: bool,
    fail_on: str | None,
    as_json: bool,
) -> int:
    """Say of each trace in LOG whether it satisfies TASK, violates it, or leaves it open.

    For good means: whatever comes next. A verdict comes with the event that decided it, counted from 1, and
    with the clause that was broken, where the task is made of clauses. Events that are no letters of the task
    are skipped.

    LOG may be a pipe (-): each line is answered before the next is awaited. Ctrl-C ends it with the summary.
    """
    check_standard_input({"TASK": task_file, "LOG": log_file})
    task = load_task(task_file, read_letters(alphabet))
    with about(task_file):
        monitor = Monitor(task, merge_repeats=merge_repeats)
    log = open_log(
        log_file,
        log_format=cast(LogFormat | None, columns.get("format")),
        column=columns.get("event"),
        trace=columns.get("run"),
        lifecycle=columns.get("lifecycle"),
        alphabet=monitor.alphabet,
    )
    lines = log.lines
    # How far a file is read; not of a pipe, and not where the verdicts themselves scroll by.
    scrolls = lines.live or (sys.stdout is not None and sys.stdout.isatty())
    how_far = telling(lambda: f"{lines.name}: {lines.number} lines, {lines.share:.0%}")
    with (
        log,
        VerdictPrinter(log, monitor, as_json=as_json) as told,
        heeding(lambda *_: lines.stop()),  # between two lines, so that no verdict is half told
        nullcontext() if scrolls else how_far,
    ):
        skipped = Skipped(log, monitor.alphabet, strict=strict)
        watches: dict[TraceName, Watch] = {}
        changes = changes or (log.shape == "one" and not as_json)
        interrupted = False
        try:
            if log.shape == "whole":
                judge(log, monitor, told, skipped)
            else:
                follow(log, monitor, told, skipped, watches, changes=changes)
        except KeyboardInterrupt:
            interrupted = True
        for name, watch in watches.items():
            if not watch.verdict.final:
                told.end(name, watch.verdict, silent=changes)
        told.close()
        skipped.tell()
    if interrupted:
        raise Interrupted
    return int(fail_on is not None and any(told.counts[kind] for kind in FAILING[fail_on]))


def judge(log: Log, monitor: Monitor, told: VerdictPrinter, skipped: Skipped) -> None:
    """Tell the verdict on each trace of a log that holds them in one piece."""
    known = {*monitor.alphabet}
    for name, events in log.traces:
        if not known.issuperset(events):
            for event in events:
                if event not in known:
                    skipped.count(event)
        told.end(name, monitor.verdict(events))


def follow(
    log: Log,
    monitor: Monitor,
    told: VerdictPrinter,
    skipped: Skipped,
    watches: dict[TraceName, Watch],
    *,
    changes: bool,
) -> None:
    """Tell verdicts on traces whose events come in turns, once they are final, or whenever they change."""
    known = {*monitor.alphabet}
    if log.shape == "one":
        watches[1] = monitor.watch()
        told.see(1, watches[1], changes)
    for name, event in log.events:
        watch = watches.get(name)
        if watch is None:
            watch = watches[name] = monitor.watch()
            told.see(name, watch, changes)
        if event not in known:
            if event is None:
                continue
            skipped.count(event)
        before = watch.verdict
        verdict = watch.step(event)
        if verdict is not before and (changes or verdict.final):
            told.see(name, watch, changes)
