"""Reward machines in the text form of Toro Icarte's `reward_machines`, both ways.

The first line is the start state, the second the list of terminal states, and each further one
`(from, to, 'formula', ConstantRewardFunction(r))`, where the formula is a disjunction of conjunctions of
propositions and their negations. Where no formula holds, that program ends the episode with reward 0.

A task gives reward 1 when it becomes satisfied and −1 when it no longer is. Rewards without a discount then
add up to 1 when an episode ends satisfied, else to 0; to 0 and −1 where it was satisfied at the start. States
in which the task is satisfied or violated for good are terminal. Steps without a letter change nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from demospec.errors import TaskError
from demospec.tasks.dfa import DFA
from demospec.tasks.formats.names import identifiers
from demospec.tasks.tables import Table, by_target, explore, never_left
from demospec.tasks.task import Task
from demospec.tasks.text import refuse_line

_PLAIN = re.compile(r"""(?!(?:True|False)\Z)[^\s&|!'"\\#()]+""")  # a letter that can stand in a formula
LOST = -1  # the state that the program is in when no formula holds


def to_reward_machine(task: Task) -> str:
    """Write a task as a reward machine; at most one letter holds at a time.

    Letters that cannot stand in a formula have other names, which the first line's comment tells.
    """
    dfa = task.automaton
    odd = [a for a in dfa.alphabet if not a.isprintable() or not _PLAIN.fullmatch(a)]
    name = identifiers(dfa.alphabet, taken={"True", "False"}) if odd else {a: a for a in dfa.alphabet}
    letters = {name[a]: a for a in dfa.alphabet} if odd else list(dfa.alphabet)
    settled = [stays and state != 0 for state, stays in enumerate(never_left(dfa.table))]
    first = (
        f"initial state, {'accepting' if dfa.accepting[0] else 'rejecting'}; letters: {json.dumps(letters)}"
    )
    lines = [f"0 # {first}", f"{[state for state, last in enumerate(settled) if last]} # terminal states"]
    for state, row in enumerate(dfa.table):
        if settled[state]:
            continue
        letters_of = by_target([name[a] for a in dfa.alphabet], row)
        moving = [name[a] for a, target in zip(dfa.alphabet, row, strict=True) if target != state]
        for target in (state, *sorted(set(row) - {state})):
            stays = "&".join(f"!{a}" for a in moving) or "True"
            formula = stays if target == state else "|".join(letters_of[target])
            reward = int(dfa.accepting[target]) - int(dfa.accepting[state])
            lines.append(f"({state},{target},{formula!r},ConstantRewardFunction({reward}))")
    return "\n".join([*lines, ""])


# -- reading back -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """One transition: `holds` are the letters with which it is taken, by number; white is the last one."""

    target: int
    holds: frozenset[int]
    reward: int
    line: int


_TRANSITION = re.compile(
    r"""\(\s*(-?\d{1,9})\s*,\s*(-?\d{1,9})\s*,\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*,
    \s*(\w+)\(\s*([^()]*)\s*\)\s*\)\s*(?:\#.*)?""",
    re.VERBOSE,
)
_STATE = r"-?\d{1,9}"
_LETTERS = re.compile(r"letters: (\[.*\]|\{.*\})\s*$")


def from_reward_machine(text: str, alphabet: Iterable[str] | None = None) -> DFA:
    """Read a reward machine whose rewards say when a task is satisfied: a word is, when they add up to 1.

    The letters are `alphabet`, or those that the first line's comment lists, or those in the formulas. A
    machine that rewards more than once, or that moves on steps without a letter, is not a task, and refused.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) < 2:
        raise TaskError("expected a start state, a list of terminal states, and transitions")
    (first, head), (second, ends), *rest = lines
    (start,) = _states(head, first, _STATE, "a start state, such as 0")
    last = _states(
        ends, second, rf"\[\s*({_STATE}\s*(,\s*{_STATE}\s*)*,?)?\s*\]", "terminal states, such as [2, 3]"
    )
    comment = head.partition("#")[2]
    rows = [
        (number, *_transition(line, number)) for number, line in rest if not line.lstrip().startswith("#")
    ]
    names = _names(comment, first)
    if names is None:
        used = {name for _, _, _, formula, _ in rows for name in re.findall(r"[^&|!\s]+", formula)}
        given = used - {"True", "False"} if alphabet is None else alphabet
        names = {letter: letter for letter in sorted(given)}
    if not names:
        raise TaskError("the machine reads no letter")
    column = {name: k for k, name in enumerate(names)}
    ways: dict[int, list[_Line]] = {}
    for number, source, target, formula, reward in rows:
        holds = _holds(formula, column, number)
        ways.setdefault(source, []).append(_Line(target, holds, reward, number))
    machine = _Machine(tuple(names), ways, frozenset(last))
    says = re.match(r"\s*initial state, (accepting|rejecting)\b", comment)
    nodes, table = machine.explored(start, None if says is None else says[1] == "accepting")
    letters = list(names.values())
    return DFA.build(
        alphabet=letters,
        states=len(nodes),
        accepting=[k for k, (_, satisfied) in enumerate(nodes) if satisfied],
        transitions=[
            (state, letter, target)
            for state, row in enumerate(table)
            for letter, target in zip(letters, row, strict=True)
        ],
    ).minimal


@dataclass(frozen=True)
class _Machine:
    names: tuple[str, ...]
    ways: dict[int, list[_Line]]
    terminal: frozenset[int]

    def explored(self, start: int, satisfied: bool | None) -> tuple[list[tuple[int, bool]], Table]:
        """Return what can be reached: states with whether the rewards so far say that it is satisfied.

        Where it is not said whether the task is satisfied at the start, it is not, unless rewards need that.
        """
        if satisfied is not None:
            return explore((start, satisfied), len(self.names), self.step)
        try:
            return self.explored(start, False)
        except TaskError as refused:
            try:
                return self.explored(start, True)
            except TaskError:
                raise refused from None

    def step(self, node: tuple[int, bool], letter: int) -> tuple[int, bool]:
        state, satisfied = node
        if state in self.terminal or state == LOST:
            return node
        self.check_white(state)
        found = [way for way in self.ways.get(state, []) if letter in way.holds]
        for way in found[1:]:
            if (way.target, way.reward) != (found[0].target, found[0].reward):
                refuse_line(
                    way.line,
                    f'state {state} has two ways for "{self.names[letter]}": here and on line '
                    f"{found[0].line}; the machine is not deterministic",
                )
        if not found:
            return LOST, satisfied
        way = found[0]
        total = int(satisfied) + way.reward
        if total not in (0, 1):
            was = "is satisfied already" if satisfied else "is not satisfied"
            refuse_line(
                way.line,
                f"a reward of {way.reward} where the task {was}; expected 1 when it becomes satisfied, "
                "−1 when it no longer is, else 0",
            )
        return way.target, bool(total)

    def check_white(self, state: int) -> None:
        """Refuse a state that a step without a letter leaves, or rewards."""
        white = [way for way in self.ways.get(state, []) if len(self.names) in way.holds]
        if not white:
            raise TaskError(f"state {state}: no formula holds on a step without a letter; expected a loop")
        for way in white:
            if way.target != state or way.reward:
                refuse_line(way.line, f"state {state}: a step without a letter must change nothing in a task")


def _states(text: str, line: int, pattern: str, expected: str) -> list[int]:
    given = text.partition("#")[0].strip()
    if not re.fullmatch(pattern, given):
        refuse_line(line, f"expected {expected}; found {text.strip()[:60]!r}")
    return [int(state) for state in re.findall(r"-?\d+", given)]


def _transition(text: str, line: int) -> tuple[int, int, str, int]:
    found = _TRANSITION.fullmatch(text.strip())
    if found is None:
        refuse_line(line, f"expected (0,1,'a&!b',ConstantRewardFunction(0)); found {text.strip()[:60]!r}")
    if found[4] != "ConstantRewardFunction":
        refuse_line(line, f"a reward by {found[4]}; a task gives constant ones")
    if not re.fullmatch(r"[+-]?[01](\.0*)?", found[5].strip()):
        refuse_line(line, f"a reward of {found[5].strip() or 'nothing'}; expected 1, 0 or −1")
    return int(found[1]), int(found[2]), re.sub(r"\\(.)", r"\1", found[3][1:-1]), int(float(found[5]))


def _names(comment: str, line: int) -> dict[str, str] | None:
    """Return the letters that a comment lists, by their names in formulas; None where it lists none."""
    found = _LETTERS.search(comment)
    if found is None:
        return None
    try:
        listed = json.loads(found[1])
    except ValueError:
        refuse_line(line, f"the letters {found[1][:60]} are not JSON")
    names = listed if isinstance(listed, dict) else dict(zip(listed, listed, strict=True))
    if not all(isinstance(one, str) for pair in names.items() for one in pair):
        refuse_line(line, "letters are strings")
    return names


def _holds(formula: str, column: dict[str, int], line: int) -> frozenset[int]:
    """Return the letters with which a formula holds, each alone; white is the number after the last."""
    everything, found = frozenset(range(len(column) + 1)), set[int]()
    for conjunction in formula.split("|"):
        lets = everything
        for literal in conjunction.split("&"):
            name = literal.strip()
            turned = len(name) - len(name.lstrip("!"))
            name = name.lstrip("!").strip()
            if name not in column and name not in ("True", "False"):
                refuse_line(line, f'"{name}" is not a letter; known: {", ".join(column)}')
            one = everything if name == "True" else frozenset({column[name]} if name in column else ())
            lets &= everything - one if turned % 2 else one
        found |= lets
    return frozenset(found)
