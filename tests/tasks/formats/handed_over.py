"""Random automata, awkward letters, and interpreters of the forms in which tasks are handed over."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType

from demospec.tasks import DFA, Word

AWKWARD = (
    "a b",
    'say "hi"',
    "it's",
    "λ→μ",
    "true",
    "module",
    "F",
    "a,b",
    "a|b",
    "!x&y",
    "back\\slash",
    "line\nbreak",
    "[0-9]*",
    "(?#",
    "True",
    "letter_1",
    "@told@",
    '"""',
    "\x00",
    "#",
    "accepting",
    "红",
    "-",
    "task",
)
SIMPLE = ("a", "b", "c", "d")


def random_dfa(rng: random.Random, alphabet: Iterable[str], max_states: int = 8) -> DFA:
    letters, states = sorted(alphabet), rng.randint(1, max_states)
    stay = rng.random() * 0.8  # real tasks have many loops
    return DFA(
        alphabet=tuple(letters),
        table=tuple(
            tuple(q if rng.random() < stay else rng.randrange(states) for _ in letters) for q in range(states)
        ),
        accepting=tuple(rng.random() < 0.4 for _ in range(states)),
        start=rng.randrange(states),
    )


def many(count: int, seed: int = 0) -> Iterator[tuple[DFA, list[Word]]]:
    """Yield automata, half of them over plain letters, with words over their letters, the empty one first."""
    rng = random.Random(seed)
    for number in range(count):
        pool = SIMPLE if number % 2 else AWKWARD
        dfa = random_dfa(rng, rng.sample(pool, rng.randint(1, 4)))
        words = [()] + [tuple(rng.choices(dfa.alphabet, k=rng.randint(1, 12))) for _ in range(12)]
        yield dfa, words


def check_words(dfa: DFA, words: Iterable[Word], accepts: Callable[[Word], bool]) -> None:
    for word in words:
        assert accepts(word) == dfa.accepts(word), (dfa, word)


# -- interpreters, written from the formats' definitions -------------------------------------------------


def prism_reader(text: str, letters: Iterable[str]) -> Callable[[Word], dict[str, bool]]:
    """Return what tells the labels after a word, by following the commands of a module."""
    renamed = dict(re.findall(r"^//   \[(\w+)\] is (.*)$", text, re.MULTILINE))
    action = {shown: name for name, shown in renamed.items()}
    code = re.sub(r"//[^\n]*", "", text)
    (body,) = re.findall(r"\bmodule \w+\n(.*?)\bendmodule", code, re.DOTALL)
    ((variable, low, high, first),) = re.findall(r"(\w+) : \[(\d+)\.\.(\d+)\] init (\d+);", body)
    commands: dict[tuple[str, int], int] = {}
    for name, guarded, at, update in re.findall(r"\[(\w+)\] (\w+)=(\d+) -> ([^;]*);", body):
        assert guarded == variable
        target = re.fullmatch(rf"\({variable}'=(\d+)\)", update)
        assert target or update == "true"
        assert (name, int(at)) not in commands
        commands[name, int(at)] = int(target[1]) if target else int(at)
        assert int(low) <= commands[name, int(at)] <= int(high)
    labels = dict(re.findall(r'label "(\w+)" = ([^;]*);', code))

    def holds(condition: str, state: int) -> bool:
        return any(part.strip() == f"{variable}={state}" for part in condition.split("|"))

    def read(word: Word) -> dict[str, bool]:
        state = int(first)
        for letter in word:
            shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in letter)
            state = commands[action.get(shown, letter), state]
        return {name: holds(condition, state) for name, condition in labels.items()}

    return read


def hoa_reader(text: str) -> Callable[[Word], bool]:
    """Return what accepts words by a HOA text: labels are evaluated as Boolean formulas."""
    header, _, body = text.partition("--BODY--")
    listed = re.search(r"^AP: (\d+)((?: \"(?:[^\"\\]|\\.)*\")*)", header, re.MULTILINE | re.DOTALL)
    assert listed is not None
    strings = re.findall(r"\"(?:[^\"\\]|\\.)*\"", listed[2], re.DOTALL)
    letters = [re.sub(r"\\([\\\"])", r"\1", one[1:-1]) for one in strings]
    start = re.search(r"^Start: (\d+)", header, re.MULTILINE)
    assert start is not None
    marked, edges = set(), {}
    for state, mark, lines in re.findall(r"State: (\d+)( \{0\})?\n((?:\[.*\n)*)", body):
        edges[state] = re.findall(r"\[(.*)\] (\d+)", lines)
        if mark:
            marked.add(state)

    def passes(label: str, letter: int) -> bool:
        python = re.sub(r"\d+", lambda k: str(int(k[0]) == letter), label)
        return bool(eval(python.replace("!", " not ").replace("&", " and ").replace("|", " or ")))

    def accepts(word: Word) -> bool:
        state = start[1]
        for letter in word:
            (state,) = [to for label, to in edges[state] if passes(label, letters.index(letter))]
        return state in marked

    return accepts


def dot_reader(text: str) -> Callable[[Word], bool]:
    """Return what accepts words by a graph, of the shape that is written and with plain letters only."""
    accepting = set(re.findall(r"^  (\d+) \[shape=doublecircle\];", text, re.MULTILINE))
    edges = re.findall(r'^  (\d+) -> (\d+) \[label="([^"]*)"\];', text, re.MULTILINE)
    moves = {(source, letter): target for source, target, label in edges for letter in label.split(", ")}
    (start,) = re.findall(r"^  start -> (\d+);", text, re.MULTILINE)

    def accepts(word: Word) -> bool:
        state = start
        for letter in word:
            state = moves.get((state, letter), state)
        return state in accepting

    return accepts


def reward_machine_reader(text: str, dfa: DFA) -> Callable[[Word], float]:
    """Return what adds up the rewards along a word, as the program does that the form is for."""

    def fulfilled(formula: str, true: tuple[str, ...]) -> bool:
        if "|" in formula:
            return any(fulfilled(one, true) for one in formula.split("|"))
        if "&" in formula:
            return all(fulfilled(one, true) for one in formula.split("&"))
        if formula.startswith("!"):
            return not fulfilled(formula[1:], true)
        return formula == "True" or formula in true

    first, second, *rest = text.splitlines()
    start, terminal = (
        ast.literal_eval(first.partition("#")[0].strip()),
        set(ast.literal_eval(second.split("#")[0])),
    )
    letters = ast.literal_eval(first.partition("letters: ")[2])
    name = {a: n for n, a in letters.items()} if isinstance(letters, dict) else {a: a for a in letters}
    ways: dict[int, dict[str, tuple[int, int]]] = {}
    for line in rest:
        u, v, formula, reward = eval(line, {"ConstantRewardFunction": int})
        ways.setdefault(u, {})[formula] = v, reward

    def total(word: Word) -> float:
        state, found = start, 0
        for letter in (None, *word, None):  # steps without a letter change nothing
            if state in terminal:
                break
            true = () if letter is None else (name[letter],)
            ((state, reward),) = [way for formula, way in ways[state].items() if fulfilled(formula, true)]
            found += reward
        return found

    return total


def module_of(source: str, name: str = "handed_over_module") -> ModuleType:
    module = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    return module
