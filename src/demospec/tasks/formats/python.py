"""A task as a Python module of its own: a monitor without dependencies."""

from __future__ import annotations

import re
from collections.abc import Mapping

from demospec.tasks.formats.names import printable_line, title_of, verdicts
from demospec.tasks.task import Task

TEMPLATE = '''\
"""A monitor of a task, which reads one letter at a time.

The task, as an automaton whose letters without an arrow change nothing:

@told@

Run as a script it reads words from standard input, one on each line: letters with blanks between, or a JSON
list. It prints whether each word is accepted, and the verdict.
"""

import json
import sys

LETTERS = @letters@
TABLE = (  # the state after each letter, state by state; the start is state 0
@table@
)
ACCEPTING = @accepting@
VERDICTS = @verdicts@


class Monitor:
    """Follows one run. `accepting` says whether it satisfies the task if it ends now."""

    def __init__(self):
        self.reset()

    def reset(self):
        """Begin again, before the first letter."""
        self.state = 0

    def step(self, letter):
        """Read a letter and return the verdict."""
        if letter not in LETTERS:
            raise ValueError(f"unknown letter {letter!r}; the task reads {', '.join(LETTERS)}")
        self.state = TABLE[self.state][LETTERS.index(letter)]
        return self.verdict

    @property
    def accepting(self):
        """Whether a run that ends here satisfies the task."""
        return ACCEPTING[self.state]

    @property
    def verdict(self):
        """The word "satisfied" or "violated" when nothing can change that any more, else "open"."""
        return VERDICTS[self.state]

    def explain(self):
        """Say in a sentence where the run stands, and which letters lead where."""
        if self.verdict != "open":
            return f"The task is {self.verdict}, whatever comes."
        told = [f"The task is {'' if self.accepting else 'not '}satisfied if the run ends now"]
        moves = {}
        for letter, target in zip(LETTERS, TABLE[self.state]):
            moves.setdefault(target, []).append(letter)
        for target, letters in moves.items():
            if target == self.state:
                where = "changes nothing" if len(letters) == 1 else "change nothing"
            else:
                mark = "satisfied" if ACCEPTING[target] else "not satisfied"
                settled = VERDICTS[target] != "open"
                there = f"{VERDICTS[target]} for good" if settled else f"state {target}, {mark}"
                where = f"{'leads' if len(letters) == 1 else 'lead'} to {there}"
            told.append(f"{', '.join(letters)} {where}")
        return "; ".join(told) + "."


def main():
    """Read words from standard input; 2 is the exit code where one cannot be read."""
    for number, line in enumerate(sys.stdin, start=1):
        monitor = Monitor()
        try:
            for letter in json.loads(line) if line.lstrip().startswith("[") else line.split():
                monitor.step(letter)
        except ValueError as error:
            print(f"line {number}: {error}", file=sys.stderr)
            return 2
        print("accepted" if monitor.accepting else "rejected", monitor.verdict)
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''


def to_python(task: Task) -> str:
    """Write a module with the class `Monitor`; it imports nothing but the standard library."""
    return filled(TEMPLATE, task)


def filled(template: str, task: Task) -> str:
    """Put a task's tables into a template."""
    dfa = task.automaton
    values = {
        "told": in_docstring(
            "\n".join(f"    {line}" for line in (title_of(task), "", *dfa.pretty().split("\n")))
        ),
        "letters": repr(dfa.alphabet),
        "table": "\n".join(f"    {row!r}," for row in dfa.table),
        "accepting": repr(dfa.accepting),
        "verdicts": repr(verdicts(dfa.table, zip(dfa.accepting))),
    }
    return put_in(template, values)


def put_in(template: str, values: Mapping[str, str]) -> str:
    """Fill the places of a template; those that have no value are left."""
    return re.sub(r"@(\w+)@", lambda place: values.get(place[1], place[0]), template)


def in_docstring(text: str) -> str:
    """Return text as it stands between three quotes."""
    lines = [printable_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return "\n".join(line.rstrip() for line in lines)
