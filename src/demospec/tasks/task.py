"""What a task is: a language, and a way to say it.

The language is an automaton, in its canonical form; how well a task explains anything depends on that alone.
The way to say it has a length in bits, a text, a JSON object, and perhaps parts. An automaton says itself. A
conjunction of automata, a formula or a sentence says the same language in other words, and at another length.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from demospec.errors import TaskError
from demospec.wording import listing, nearest

if TYPE_CHECKING:
    from demospec.tasks.dfa import DFA
    from demospec.tasks.words import Description

# What a task offers as a method and only a module above it can do, by name: `demospec.tasks` hands it in.
ABOVE: dict[str, Callable[..., Any]] = {}


@dataclass(frozen=True)
class Format:
    """A way to write a task as text; `told` says in a line what it is for."""

    name: str
    told: str
    ending: str  # of a file's name
    write: Callable[[Task], str]
    read: Callable[..., DFA] | None = None
    begins: str = ""  # a pattern that texts begin with, where the format can be told by that


FORMATS: dict[str, Format] = {}


def register(one: Format) -> None:
    """Let a format be known by its name."""
    FORMATS[one.name] = one


def format_named(name: str) -> Format:
    """Return a format by its name."""
    if name not in FORMATS:
        raise TaskError(f'there is no format "{name}"{nearest(name, FORMATS)}; known: {listing(FORMATS, 20)}')
    return FORMATS[name]


class Task(ABC):
    """What can be learned. A task of one's own says its automaton, its size, its text and its JSON object.

    Two tasks are the same when they say the same language at the same length: that is their `key`.
    """

    alphabet: tuple[str, ...]  # the letters that the task reads, sorted

    @property
    @abstractmethod
    def automaton(self) -> DFA:
        """Return the language: the minimal automaton, numbered breadth first."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Return the length of the task's code in bits."""

    @abstractmethod
    def __str__(self) -> str: ...

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the task file's object; its `kind` tells `task_from_json` who reads it."""

    def as_dfa(self) -> DFA:
        """Return the task where an automaton must stand: itself if it is one, else its automaton."""
        return self.automaton

    @property
    def key(self) -> tuple[DFA, int | str]:
        """Return what tells this task from others: the language, and the length of its code or its text."""
        return self.automaton, self.size

    @property
    def parts(self) -> tuple[Task, ...]:
        """Return what the task is made of: itself, where it is made of nothing else."""
        return (self,)

    @property
    def joined_by(self) -> str:
        """Return what joins the parts, such as "and"; nothing where there is one."""
        return ""

    def accepts(self, word: Iterable[str]) -> bool:
        """Say whether a word satisfies the task."""
        return self.automaton.accepts(word)

    def pretty(self) -> str:
        """Return the many-line text form for terminals."""
        return self.automaton.pretty()

    def describe(self) -> Description:
        """Say the task in words: see `demospec.tasks.words`. What was said once is kept."""
        said: Description = ABOVE["describe"](self)
        return said

    # -- handed over in forms that other programs read -------------------------------------------

    def to_dot(self) -> str:
        """Return the task as a graph for Graphviz; `DFA.from_dot` reads it back."""
        return format_named("dot").write(self)

    def to_hoa(self) -> str:
        """Return the task in the Hanoi omega-automata format; `DFA.from_hoa` reads it back.

        One proposition holds at a time; a finite word is accepted when its run ends in a marked state.
        """
        return format_named("hoa").write(self)

    def to_prism(self) -> str:
        """Return the task as a module for PRISM and Storm."""
        return format_named("prism").write(self)

    def to_python(self) -> str:
        """Return the task as a Python module with a class `Monitor`."""
        return format_named("python").write(self)

    def to_gymnasium(self) -> str:
        """Return the task as a Python module with a Gymnasium wrapper, `TaskWrapper`."""
        return format_named("gymnasium").write(self)

    def to_reward_machine(self) -> str:
        """Return the task in the text form of reward machines; `DFA.from_reward_machine` reads it back."""
        return format_named("reward-machine").write(self)

    def to_ltlf(self) -> str:
        """Return a formula; refuse where none is found that is short."""
        return format_named("ltlf").write(self).removesuffix("\n")

    def to_regex(self) -> str:
        """Return a regular expression; refuse where it would be long."""
        return format_named("regex").write(self).removesuffix("\n")


_KINDS: dict[str, Callable[[Mapping[str, Any]], Task]] = {}


def register_kind(kind: str, read: Callable[[Mapping[str, Any]], Task]) -> None:
    """Tell how tasks of a kind are read from their JSON object."""
    _KINDS[kind] = read


def task_from_json(document: Mapping[str, Any]) -> Task:
    """Make a task from a task file's object, by its kind; its types have been checked."""
    kind = str(document.get("kind", "dfa"))
    if kind not in _KINDS:
        raise TaskError(f'there is no kind of task "{kind}"{nearest(kind, _KINDS)}; known: {listing(_KINDS)}')
    return _KINDS[kind](document)
