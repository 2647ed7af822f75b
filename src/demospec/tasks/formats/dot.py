"""Graphviz text: a picture for `dot`, which can also be read back.

Letters without an arrow leave the state as it is, as in a task file. Accepting states have two circles; an
arrow from a point shows the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from demospec.errors import TaskError
from demospec.tasks.dfa import DFA
from demospec.tasks.formats.names import letter_list, read_letter_list, title_of, with_backslashes
from demospec.tasks.tables import by_target
from demospec.tasks.task import Task
from demospec.tasks.text import END, Cursor, Token, refuse_line, tokens_of


def to_dot(task: Task) -> str:
    """Write a task as a directed graph, state by state as in its minimal automaton."""
    dfa = task.automaton
    lines = [
        "digraph task {",
        f"  // {title_of(task)}",
        "  rankdir=LR;",
        f"  letters={with_backslashes(letter_list(dfa.alphabet))};  // one without an arrow changes nothing",
        "  node [shape=circle];",
        "  start [shape=point];",
        "  start -> 0;",
    ]
    for state, mark in enumerate(dfa.accepting):
        lines.append(f"  {state}{' [shape=doublecircle]' if mark else ''};")
    for state, row in enumerate(dfa.table):
        for target, letters in sorted(by_target(dfa.alphabet, row).items()):
            if target != state:
                lines.append(f"  {state} -> {target} [label={with_backslashes(letter_list(letters))}];")
    return "\n".join([*lines, "}", ""])


# -- reading back -----------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<name>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
    |(?P<sign>->|--|[][{};,=:<])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_POINTS = ("point", "none", "plain", "plaintext")


def from_dot(text: str, alphabet: Iterable[str] | None = None) -> DFA:
    """Read a graph whose edges are labelled with letters; refuse what is not a deterministic automaton.

    States with two circles accept. An edge without a label, from a node that is a point or is not drawn,
    shows the start. The letters are `alphabet`, or those of the graph's attribute `letters`, or those that
    occur; one without an edge leaves the state as it is.
    """
    tokens = tokens_of(
        text, _TOKEN, lambda rest: rest.refuse(f"expected Graphviz text; found {rest.text[:20]!r}")
    )
    graph = _GraphText(list(tokens))
    graph.read()
    points = {
        name
        for name, look in graph.nodes.items()
        if look.get("shape", "") in _POINTS or "invis" in look.get("style", "")
    }
    names = [name for name in graph.nodes if name not in points]
    number = {name: k for k, name in enumerate(names)}
    starts: dict[str, int] = {}
    transitions: list[tuple[int, str, int]] = []
    seen: dict[tuple[str, str], tuple[str, int]] = {}
    for source, target, look, line in graph.edges:
        if target in points:
            refuse_line(line, f'an edge leads to "{target}", which is not drawn as a state')
        if source in points:
            starts.setdefault(target, line)
            continue
        if not look.get("label", "").strip():
            refuse_line(
                line, f'the edge from "{source}" to "{target}" has no label; expected letters: label="b, g"'
            )
        try:
            read = read_letter_list(look["label"])
        except TaskError as error:
            raise error.within(f"line {line}") from None
        for letter in read:
            other, before = seen.setdefault((source, letter), (target, line))
            if other != target:
                refuse_line(
                    line,
                    f'state "{source}" has two edges for "{letter}": to "{other}" (line {before}) and to '
                    f'"{target}"; the automaton is not deterministic',
                )
            transitions.append((number[source], letter, number[target]))
    if len(starts) != 1:
        found = f"; found {len(starts)}" if starts else ""
        raise TaskError(f"expected one arrow from a node of shape point to the start state{found}")
    if alphabet is None and "letters" in graph.looks["graph"]:
        alphabet = read_letter_list(graph.looks["graph"]["letters"])
    letters = sorted({letter for _, letter, _ in transitions}) if alphabet is None else list(alphabet)
    if not letters:
        raise TaskError('a graph without edges does not tell its letters; expected letters="b, g"')
    accepting = [
        k
        for name, k in number.items()
        if graph.nodes[name].get("shape", "").startswith("double")
        or graph.nodes[name].get("peripheries") == "2"
    ]
    return DFA.build(
        alphabet=letters,
        states=len(names),
        start=number[next(iter(starts))],
        accepting=accepting,
        transitions=transitions,
    ).minimal


class _GraphText(Cursor):
    """A text, and what it says: nodes in order, edges with their lines, and the looks of all of a kind."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.nodes: dict[str, dict[str, str]] = {}
        self.edges: list[tuple[str, str, dict[str, str], int]] = []
        self.looks: dict[str, dict[str, str]] = {"graph": {}, "node": {}, "edge": {}}

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            self.now.refuse(f'expected "{sign}"; found "{self.now.value}"')

    def name(self, what: str) -> str:
        token = self.now
        if token.kind not in ("name", "string"):
            token.refuse(f'expected {what}; found "{token.value}"')
        self.at += 1
        return token.value

    def read(self) -> None:
        self.skip("strict")
        self.expect("digraph")
        if self.now.text != "{":
            self.name("the name of the graph")
        self.expect("{")
        while not self.skip("}"):
            self.statement()
            self.skip(";")
        if self.now.kind != END:
            self.now.refuse(f'expected nothing after the graph; found "{self.now.value}"')

    def statement(self) -> None:
        token = self.now
        if (token.kind, token.text) in (("name", "subgraph"), ("sign", "{")):
            token.refuse("a graph inside the graph is not read")
        first = self.name("a state, an edge or }")
        if token.kind == "name" and first in self.looks and self.now.text == "[":
            self.looks[first] |= self.attributes()
        elif self.skip("="):
            self.looks["graph"][first] = self.name("a value")
        else:
            chain = [first]
            while self.skip("->"):
                chain.append(self.name("a state"))
            if self.now.text in ("--", ":"):
                self.now.refuse(f'expected "->"; found "{self.now.text}"')
            looks = [self.nodes.setdefault(name, dict(self.looks["node"])) for name in chain]
            given = self.attributes()
            if len(chain) == 1:
                looks[0] |= given
            for source, target in pairwise(chain):
                self.edges.append((source, target, {**self.looks["edge"], **given}, token.line))

    def attributes(self) -> dict[str, str]:
        found = {}
        while self.skip("["):
            while not self.skip("]"):
                key = self.name("an attribute or ]")
                self.expect("=")
                found[key] = self.name("a value")
                if not self.skip(","):
                    self.skip(";")
        return found
