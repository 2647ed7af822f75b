"""Tasks and labelled words as plain text.

A task is a line: an automaton, a formula, or clauses; which of them, the text tells. Words are an Abbadingo
file, or stand one on each line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from demospec.errors import Contradiction, FileError, InputError, PointedError
from demospec.files.tables import ExamplesDocument
from demospec.limits import DIGITS, LETTERS, whole
from demospec.tasks import DFA, Composite, Task, clauses
from demospec.wording import word_text

_AUTOMATON = re.compile(r"[(>*\s]*\d+\s*:")
_FILE = re.compile(r"[^\s;&|!]*(?:[/\\]|\.(?:json|toml|txt|task|hoa|dot|ltlf)$)[^\s;&|!]*", re.IGNORECASE)


def is_automaton(text: str) -> bool:
    """Say whether a text begins as an automaton's one-line form does.

    >>> is_automaton(">0: y→1 | *1:"), is_automaton("(>*0: r->1 | 1:) and (>0:)"), is_automaton("F y")
    (True, True, False)
    """
    return _AUTOMATON.match(text) is not None or "→" in text


def is_file_name(text: str) -> bool:
    """Say whether a text is meant as a file's name, not as a task: it has an ending or a folder in it.

    >>> [is_file_name(text) for text in ("tasks/dry.json", "-", "reach y", "G(a -> F b)")]
    [True, True, False, False]
    """
    return text == "-" or _FILE.fullmatch(text) is not None


def read_task_line(text: str, alphabet: Sequence[str] | None = None) -> Task:
    """Read a task from one line.

    >>> read_task_line("reach y; never r", "ry").automaton == read_task_line("F y & G !r", "ry")
    True
    """
    if half := re.search("[\ud800-\udfff]", text):
        raise PointedError("this is half a character, or no UTF-8", text=text, at=half.start())
    if is_automaton(text):
        return Composite.parse(text, alphabet)
    refusals: list[PointedError] = []
    for read in (clauses.parse, DFA.from_formula):
        try:
            return read(text, alphabet)
        except PointedError as error:
            refusals.append(error)
    said, formula = refusals
    # whoever came further is what was meant; at the same place, whose words are there
    signs = ";" not in text and re.search(r"[!&|~]|->|\b[FGXUWRM]\b", text) is not None
    raise formula if formula.at > said.at or (formula.at == said.at and signs) else said


# -- Labelled words as plain text ------------------------------------------------------------------------

_HEADER = re.compile(r"\s*[0-9][0-9 \t]*(?:[\r\n]|\Z)")
_COUNT = re.compile(rf"[0-9]{{1,{DIGITS}}}")
_LABELS = {"1": True, "0": False, "-1": None}


def is_abbadingo(text: str) -> bool:
    """Say whether a text begins like an Abbadingo file: a line of numbers.

    >>> is_abbadingo("2 2\\n1 1 0\\n0 0\\n"), is_abbadingo('{"alphabet": []}')
    (True, False)
    """
    return _HEADER.match(text) is not None


def is_word_list(text: str) -> bool:
    """Say whether a text is a list of words: each line begins with + or −.

    >>> is_word_list("+ a b\\n- b\\n"), is_word_list("1 2")
    (True, False)
    """
    return text.lstrip()[:1] in ("+", "-")


def parse_abbadingo(text: str, name: str) -> ExamplesDocument:
    """Read an Abbadingo file: "label length letter …" lines after the header; label −1 is unknown.

    Letters are the numbers from 0, as text.

    >>> parse_abbadingo("2 2\\n1 2 0 1\\n0 0\\n", "x").accept
    [['0', '1']]
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    (first, header), *rows = lines
    if len(header) != 2:
        what = f"expected two numbers, of words and of letters; found {len(header)}"
        raise FileError(what, place=f"{name}: line {first}")
    try:
        promised, letters = whole(header[0], what="the number of words"), header[1]
        alphabet = [str(letter) for letter in range(whole(letters, LETTERS, "the number of letters"))]
    except InputError as error:
        raise FileError(str(error), place=f"{name}: line {first}") from None
    if len(rows) != promised:
        raise FileError(f"the header promises {promised} words, but {len(rows)} follow", place=name)
    labelled: dict[bool, list[list[str]]] = {True: [], False: []}
    known = frozenset(alphabet)
    for number, (label, *rest) in rows:
        place = f"{name}: line {number}"
        if label not in _LABELS:
            raise FileError(f'label "{label}" is none of 1, 0 and -1', place=place)
        if not rest or not _COUNT.fullmatch(rest[0]) or int(rest[0]) != len(rest) - 1:
            claimed = rest[0] if rest else "nothing"
            raise FileError(
                f"the length is given as {claimed}, but {len(rest[1:])} letters follow", place=place
            )
        for letter in rest[1:]:
            if letter not in known:
                raise FileError(f'letter "{letter}" is not among 0 to {len(alphabet) - 1}', place=place)
        accepted = _LABELS[label]
        if accepted is not None:
            labelled[accepted].append(rest[1:])
    return ExamplesDocument(alphabet=alphabet, accept=labelled[True], reject=labelled[False])


def parse_word_list(text: str, name: str) -> ExamplesDocument:
    """Read one word on each line, letters separated by blanks: `+ a b` is accepted, `- b` rejected.

    The letters are those that occur. A line with the sign alone is the empty word; # begins a comment.

    >>> parse_word_list("+ a b  # first a, then b\\n-\\n", "x").reject
    [[]]
    """
    labelled: dict[str, dict[tuple[str, ...], None]] = {"+": {}, "-": {}}
    for number, line in enumerate(text.splitlines(), start=1):
        parts = line.split("#")[0].split()
        if not parts:
            continue
        sign, word = parts[0][0], (*filter(None, [parts[0][1:]]), *parts[1:])
        if sign not in labelled:
            raise FileError(
                f'expected + or - before the word, found "{parts[0]}"', place=f"{name}: line {number}"
            )
        if word in labelled["-" if sign == "+" else "+"]:
            raise Contradiction(f'"{word_text(word)}" is accepted and rejected', words=[word]).within(
                f"{name}: line {number}"
            )
        labelled[sign][word] = None
    letters = sorted({letter for words in labelled.values() for word in words for letter in word})
    accept, reject = ([list(word) for word in labelled[sign]] for sign in "+-")
    return ExamplesDocument(alphabet=letters, accept=accept, reject=reject)
