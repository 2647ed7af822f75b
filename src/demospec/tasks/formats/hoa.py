"""Hanoi omega-automata text, version 1: the form that Spot, Owl and their relatives read.

Each letter is an atomic proposition, and exactly one holds at a time. A finite word is accepted when its run
ends in a marked state; the marks are those of state-based Büchi acceptance.

So a label that is read is the set of the letters that it lets pass. Where no edge lets a letter pass, the run
is lost, and no continuation is accepted.
"""

from __future__ import annotations

import re

from demospec.errors import TaskError
from demospec.limits import STATES
from demospec.tasks.dfa import DFA
from demospec.tasks.formats.names import title_of, with_backslashes
from demospec.tasks.tables import by_target
from demospec.tasks.task import Task
from demospec.tasks.text import END, Cursor, Token, refuse_line, tokens_of


def to_hoa(task: Task) -> str:
    """Write a task as a HOA automaton, state by state as in its minimal automaton."""
    dfa = task.automaton
    lines = [
        "HOA: v1",
        f"name: {with_backslashes(title_of(task))}",
        'tool: "demospec"',
        f"States: {dfa.states}",
        "Start: 0",
        f"AP: {len(dfa.alphabet)} {' '.join(map(with_backslashes, dfa.alphabet))}",
        "acc-name: Buchi",
        "Acceptance: 1 Inf(0)",
        # It is not complete: no edge tells of a step on which no letter holds, or two.
        "properties: trans-labels explicit-labels state-acc deterministic",
        "/* One letter holds at a time; a finite word is accepted when its run ends in a marked state. */",
        "--BODY--",
    ]
    every = range(len(dfa.alphabet))  # a label says that one letter holds and no other
    only = ["&".join(str(k) if k == letter else f"!{k}" for k in every) for letter in every]
    for state, row in enumerate(dfa.table):
        lines.append(f"State: {state}" + (" {0}" if dfa.accepting[state] else ""))
        for target, labels in sorted(by_target(only, row).items()):
            lines.append(f"[{' | '.join(labels)}] {target}")
    return "\n".join([*lines, "--END--", ""])


# -- Reading Hanoi omega-automata text as a finite-word task ---------------------------------------------

Letters = frozenset[int]  # those of the propositions, by number, that a label lets pass

DEEPEST = 100  # parentheses
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>/\*)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<mark>--(?:BODY|END|ABORT)--)
    |(?P<header>[A-Za-z_][\w-]*:)
    |(?P<name>[A-Za-z_][\w.-]*)
    |(?P<alias>@[\w-]+)
    |(?P<number>[0-9]+)
    |(?P<sign>[][{}()!&|])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def from_hoa(text: str) -> DFA:
    """Read a deterministic automaton with one start and marks on its states; refuse what is another kind."""
    ends = {"comment": lambda token: _comment_end(text, token)}
    tokens = tokens_of(
        text, _TOKEN, lambda rest: rest.refuse(f"expected HOA text; found {rest.text[:20]!r}"), ends
    )
    return _HoaText(list(tokens)).automaton()


def _comment_end(text: str, begin: Token) -> int:
    """Return where a comment ends; comments may hold comments."""
    depth = 0
    for found in re.compile(r"/\*|\*/").finditer(text, begin.at):
        depth += 1 if found[0] == "/*" else -1
        if depth == 0:
            return found.end()
    raise TaskError("a comment begins here and does not end", place=f"line {begin.line}")


class _HoaText(Cursor):
    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.depth = 0  # of parentheses
        self.states: int | None = None
        self.start: int | None = None
        self.letters: list[str] | None = None
        self.marks: bool | None = None  # whether states are marked; else the same is true of all of them
        self.every = False
        self.aliases: dict[str, Letters] = {}
        self.accepting: set[int] = set()
        self.edges: dict[int, dict[int, tuple[int, int]]] = {}  # letter to target and line

    def take(self, kind: str, expected: str) -> Token:
        token = self.now
        if token.kind != kind:
            token.refuse(f"expected {expected}; found {token.text}")
        self.at += 1
        return token

    def number(self, what: str) -> int:
        token = self.take("number", what)
        if len(token.text) > 9:
            token.refuse(f"{what}: {token.text} is too large")
        return int(token.text)

    def state(self) -> int:
        line, state = self.now.line, self.number("the number of a state")
        if self.states is not None and state >= self.states:
            refuse_line(line, f"state {state} is not among the states 0 to {self.states - 1}")
        if state >= STATES:
            refuse_line(line, f"state {state}: at most {STATES} states are read")
        return state

    # -- header -----------------------------------------------------------------------------------

    def automaton(self) -> DFA:
        if self.now.text != "HOA:":
            self.now.refuse(f'expected "HOA: v1"; found {self.now.text}')
        while self.now.kind == "header":
            self.header()
        token = self.take("mark", "a header or --BODY--")
        for header, given in (("AP:", self.letters), ("Start:", self.start), ("Acceptance:", self.marks)):
            if given is None:
                token.refuse(f'the header "{header}" is missing')
        if token.text != "--BODY--":
            token.refuse(f"expected --BODY--; found {token.text}")
        while self.now.text == "State:":
            self.body_state()
        if self.take("mark", 'an edge, "State:" or --END--').text != "--END--":
            token.refuse("the automaton was aborted: it is not complete")
        if self.now.kind != END:
            self.now.refuse("a second automaton begins here; a task is one")
        return self.made()

    def header(self) -> None:
        token = self.take("header", "a header")
        if token.text == "HOA:":
            if self.take("name", "v1").text != "v1":
                token.refuse("only version v1 is read")
        elif token.text == "States:":
            self.states = self.number("the number of states")
            if not 0 < self.states <= STATES:
                token.refuse(f"expected 1 to {STATES} states; found {self.states}")
        elif token.text == "Start:":
            if self.start is not None:
                token.refuse("a second start state: the automaton is not deterministic")
            self.start = self.state()
            self.no_conjunction()
        elif token.text == "AP:":
            self.propositions(token)
        elif token.text == "Alias:":
            name = self.take("alias", "a name such as @a")
            if name.text in self.aliases:
                name.refuse(f"{name.text} is defined twice")
            self.aliases[name.text] = self.label()
        elif token.text == "Acceptance:":
            begin = self.at
            self.skip_values()
            condition = "".join(one.text for one in self.tokens[begin : self.at])
            if condition not in ("1Inf(0)", "0t", "0f"):
                token.refuse(
                    f"the acceptance {condition} is not Büchi's; expected marks on the states in which a "
                    "word may end: 1 Inf(0)"
                )
            self.marks, self.every = condition == "1Inf(0)", condition == "0t"
        elif token.text[0].isupper():
            token.refuse(f'the header "{token.text}" may change what the automaton means; not read')
        else:
            self.skip_values()

    def skip_values(self) -> None:
        while self.now.kind not in ("header", "mark", END):
            self.at += 1

    def propositions(self, token: Token) -> None:
        if self.letters is not None:
            token.refuse('"AP:" is there twice')
        count, self.letters = self.number("the number of propositions"), []
        while self.now.kind == "string":
            letter = self.now.value
            if letter in self.letters or not letter:
                self.now.refuse(f'the proposition "{letter}" is {"there twice" if letter else "empty"}')
            self.letters.append(letter)
            self.at += 1
        if count != len(self.letters):
            token.refuse(f"{count} propositions are announced, {len(self.letters)} are listed")
        if not count:
            token.refuse("there is no proposition; each letter is one")

    def no_conjunction(self) -> None:
        if self.now.text == "&":
            self.now.refuse("two states at once: the automaton is alternating, not deterministic")

    # -- labels -----------------------------------------------------------------------------------

    def label(self) -> Letters:
        """Read a disjunction of conjunctions of literals and parentheses."""
        found: Letters = frozenset()
        while True:
            passed = self.literal()
            while self.skip("&"):
                passed &= self.literal()
            found |= passed
            if not self.skip("|"):
                return found

    def literal(self) -> Letters:
        if self.letters is None:
            self.now.refuse('"AP:" must come before the first label')
        everything = frozenset(range(len(self.letters)))
        turned = False
        while self.skip("!"):
            turned = not turned
        token = self.now
        self.at += 1
        if token.kind == "number":
            if len(token.text) > 9 or int(token.text) not in everything:
                token.refuse(f"proposition {token.text} is not among 0 to {len(self.letters) - 1}")
            found = frozenset([int(token.text)])
        elif token.text in ("t", "f"):
            found = everything if token.text == "t" else frozenset()
        elif token.kind == "alias":
            if token.text not in self.aliases:
                token.refuse(f"{token.text} is not defined")
            found = self.aliases[token.text]
        elif token.text == "(":
            self.depth += 1
            if self.depth > DEEPEST:
                token.refuse("the label is nested too deeply")
            found = self.label()
            self.depth -= 1
            if not self.skip(")"):
                self.now.refuse(f'expected ")"; found {self.now.text}')
        else:
            token.refuse(f"expected a proposition's number, t, f, an alias, ! or (; found {token.text}")
        return everything - found if turned else found

    def bracketed(self) -> Letters | None:
        if not self.skip("["):
            return None
        found = self.label()
        if not self.skip("]"):
            self.now.refuse(f'expected "]"; found {self.now.text}')
        return found

    # -- body -------------------------------------------------------------------------------------

    def body_state(self) -> None:
        self.at += 1
        shared = self.bracketed()
        line, state = self.now.line, self.state()
        if state in self.edges:
            refuse_line(line, f"state {state} is there twice")
        if self.now.kind == "string":
            self.at += 1
        if self.skip("{"):
            while not self.skip("}"):
                line, mark = self.now.line, self.number("a mark's number or }")
                if mark != 0 or not self.marks:
                    refuse_line(line, f"the mark {mark} is not in the acceptance")
                self.accepting.add(state)
        ways: dict[int, tuple[int, int]] = {}
        self.edges[state] = ways
        while self.now.kind == "number" or self.now.text == "[":
            line, own = self.now.line, self.bracketed()
            if own is not None and shared is not None:
                refuse_line(line, f"state {state} has a label, and so has its edge")
            letters = own if own is not None else shared
            if letters is None:
                refuse_line(line, "an edge without a label: implicit labels are not read")
            target = self.state()
            self.no_conjunction()
            if self.now.text == "{":
                refuse_line(line, "a mark on an edge; expected marks on states")
            for k in letters:
                if ways.setdefault(k, (target, line))[0] != target:
                    assert self.letters is not None
                    refuse_line(
                        line,
                        f'state {state} has two edges for "{self.letters[k]}": to {ways[k][0]} (line '
                        f"{ways[k][1]}) and to {target}; the automaton is not deterministic",
                    )

    def made(self) -> DFA:
        assert self.letters is not None
        assert self.start is not None
        targets = [target for ways in self.edges.values() for target, _ in ways.values()]
        states = self.states or 1 + max([self.start, *self.edges, *targets])
        lost = states  # where no edge lets a letter pass
        transitions = [
            (state, letter, self.edges.get(state, {}).get(k, (lost, 0))[0])
            for state in range(states)
            for k, letter in enumerate(self.letters)
        ]
        return DFA.build(
            alphabet=self.letters,
            states=states + 1,
            start=self.start,
            accepting=self.accepting if self.marks else range(states) if self.every else [],
            transitions=transitions,
        ).minimal
