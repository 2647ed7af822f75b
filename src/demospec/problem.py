"""A problem: the world, what was shown in it, and what is assumed about agent and task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from demospec.errors import InputError, TaskError, listing, nearest, word_text
from demospec.identify import AutomatonClass, ExactIdentifier, Identifier, smallest
from demospec.identify.base import check_class, forced, joined
from demospec.identify.closures import of_words
from demospec.identify.decomposition import DecomposingIdentifier, check_form, smallest_decompositions
from demospec.identify.merging import MergingIdentifier
from demospec.plan.base import Planner
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.rationality import Agent, Empirical, Fixed
from demospec.tasks import DFA, Operator, Word
from demospec.tasks.examples import Examples
from demospec.tasks.showing import html_of, short
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.quotient import Quotient, quotient

METHODS = ("explore", "paper", "random-pivots", "enumeration")
IDENTIFIERS = ("exact", "merging")
INGREDIENTS = (
    "guesses",
    "edits",
    "detours",
    "products",
    "restarts",
    "conjectures",
    "exchange",
    "adaptation",
)  # of `explore`; each can be left out


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Energy = size_weight · size (bits) + surprise_weight · surprise (nats).

    The belief prices a bit with `belief_size_weight` instead: see docs/weights.md. `by_rule` tells that the
    size's weight was not given, but follows from the number of demonstrations.
    """

    size_weight: float = 0.02
    surprise_weight: float = 1.0
    belief_size_weight: float = 0.3
    by_rule: bool = False

    def __post_init__(self) -> None:
        for name in ("size_weight", "surprise_weight", "belief_size_weight"):
            weight = getattr(self, name)
            if not (0 <= weight < math.inf):
                raise InputError(f"{name} must be a finite number of at least 0; found {weight:g}")

    def for_demonstrations(self, count: int) -> Weights:
        """Return the weights for so many demonstrations: by rule, 0.02·√n nats for a bit, at most ln 2.

        >>> round(Weights(by_rule=True).for_demonstrations(20).size_weight, 4)
        0.0894
        """
        if not self.by_rule:
            return self
        return replace(self, size_weight=min(0.02 * math.sqrt(max(1, count)), math.log(2)))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to search; the defaults are the paper's where the paper has them."""

    method: Literal["explore", "paper", "random-pivots", "enumeration"] = "explore"
    without: tuple[str, ...] = ()  # ingredients of `explore` that are left out
    identifier: Literal["exact", "merging"] = "exact"  # merging is quicker on many words, not exact
    iterations: int = 100
    chains: int = 1
    pivot_temperature: float = 0.002  # β; inf = random pivots
    overrule_after: int = 4  # pivots tried before a conjecture may overrule an earlier one
    reset_period: int = 10  # κ
    candidates: int = 20  # the first so many consistent tasks by size
    max_states: int = 10  # larger automata are not considered
    initial_temperature: float = 100.0  # T_t = initial · (1 − t / N) + final over N iterations
    final_temperature: float = 1.0
    refine: bool = False  # conjecture one path for each class of actions that no visited task tells apart
    max_evaluations: int | None = None  # tasks scored, over all chains
    max_seconds: float | None = None  # the result then depends on the machine

    def __post_init__(self) -> None:
        object.__setattr__(self, "without", tuple(dict.fromkeys(self.without)))
        for name in self.without:
            if name not in INGREDIENTS:
                raise InputError(
                    f'without "{name}": known are {listing(INGREDIENTS)}{nearest(name, INGREDIENTS)}'
                )
        if self.without and self.method != "explore":
            raise InputError(f'"without" leaves out parts of the method "explore", not of "{self.method}"')
        if self.max_evaluations is not None and self.max_evaluations < 1:
            raise InputError(f"max_evaluations must be at least 1; found {self.max_evaluations}")
        if self.max_seconds is not None and not 0 < self.max_seconds < math.inf:
            raise InputError(f"max_seconds must be a finite number above 0; found {self.max_seconds:g}")
        if self.method not in METHODS:
            raise InputError(
                f'method "{self.method}" is none of {listing(METHODS)}{nearest(self.method, METHODS)}'
            )
        if self.identifier not in IDENTIFIERS:
            raise InputError(
                f'identifier "{self.identifier}" is none of {listing(IDENTIFIERS)}'
                f"{nearest(self.identifier, IDENTIFIERS)}"
            )
        if self.method == "enumeration" and self.identifier != "exact":
            raise InputError(f'the method "enumeration" lists tasks by size; "{self.identifier}" does not')
        for name in ("iterations", "chains", "overrule_after", "reset_period", "candidates", "max_states"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1; found {getattr(self, name)}")
        if not self.pivot_temperature > 0:
            raise InputError(f"pivot_temperature must be above 0; found {self.pivot_temperature:g}")
        if not (0 <= self.initial_temperature < math.inf and 0 < self.final_temperature < math.inf):
            raise InputError(
                "initial_temperature must be at least 0 and final_temperature above 0; "
                f"found {self.initial_temperature:g} and {self.final_temperature:g}"
            )


@dataclass(frozen=True)
class Parts:
    """A task may be made of so many automata, all of which ("and") or one of which ("or") must accept."""

    operator: Operator
    most: int

    def __post_init__(self) -> None:
        check_form(self.operator, self.most, None)

    @classmethod
    def of(cls, all_of: int | None, any_of: int | None) -> Parts | None:
        """Return what a file or a command line asks for."""
        if all_of is not None and any_of is not None:
            raise InputError("give all_of or any_of, not both")
        if all_of is not None:
            return cls("and", all_of)
        return None if any_of is None else cls("or", any_of)


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """Everything that `learn` needs.

    The task is looked for among those that imply the prior and are in all of `classes`; the prior's bits
    are free, those of a class are not. With `parts`, it may be made of several automata, each of which is
    in all classes. Plans are made by `planner`, or by the one for listed worlds. `grid` keeps a map's rows
    where the world came from one: pictures use it, nothing else does. `quotient` and `shown` tell from
    what `merged` made the problem: the world, and by their images the paths that were shown in it.
    """

    mdp: MDP
    demonstrations: tuple[Path, ...]
    name: str = "problem"
    alphabet: tuple[str, ...] = ()  # empty: the world's labels
    agent: Agent = field(default_factory=lambda: Fixed(10.0))
    weights: Weights = field(default_factory=lambda: Weights(by_rule=True))
    merge_repeats: bool = False
    prior: DFA | None = None
    classes: tuple[AutomatonClass, ...] = ()
    parts: Parts | None = None
    given: Examples = field(default_factory=Examples)
    settings: Settings = field(default_factory=Settings)
    planner: Planner | None = None
    grid: tuple[str, ...] | None = None
    quotient: Quotient | None = None
    shown: Mapping[Path, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        letters = tuple(sorted(set(self.alphabet))) or self.mdp.letters
        object.__setattr__(self, "alphabet", letters)
        object.__setattr__(self, "weights", self.weights.for_demonstrations(len(self.demonstrations)))
        if not letters:
            raise InputError("no state of the world has a label, so no task can be told from another")
        for label in self.mdp.letters:
            if label not in letters:
                states = zip(self.mdp.states, self.mdp.labels, strict=True)
                place = next((f"state {name}" for name, own in states if own == label), "the world")
                raise InputError(
                    f'{place} has the label "{label}", which is not in the alphabet '
                    f"{listing(letters)}{nearest(label, letters)}"
                )
        if self.prior is not None and self.prior.alphabet != letters:
            raise TaskError(
                f"the prior reads the letters {listing(self.prior.alphabet)}, "
                f"but the problem's are {listing(letters)}"
            )
        if isinstance(self.agent, Empirical) and not any(path.complete for path in self.demonstrations):
            raise InputError("an empirical competency needs at least one complete demonstration")
        object.__setattr__(self, "classes", joined(None, self.classes))
        if self.parts is not None and self.settings.identifier != "exact":
            raise InputError(f'the identifier "{self.settings.identifier}" finds no tasks made of parts')
        check_class(self.given, letters, self.prior, self.classes)

    def __repr__(self) -> str:
        shown = [
            f"demonstration {number}: {len(path.steps)} steps, "
            f"{'complete' if path.complete else 'unfinished'}, word {word_text(word)}"
            for number, (path, word) in enumerate(zip(self.demonstrations, self.words, strict=True), start=1)
        ]
        return short([f"Problem {self.name!r}, agent {self.agent!r}", repr(self.mdp), *shown])

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @cached_property
    def tree(self) -> PrefixTree:
        """Return the prefix tree of the demonstrations."""
        if not self.demonstrations:
            raise InputError("there are no demonstrations to learn from")
        return PrefixTree.build(self.mdp, self.demonstrations)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Return the word of each demonstration."""
        return tuple(self.word(path) for path in self.demonstrations)

    @property
    def prior_size(self) -> int:
        """Return the bits that are known already; sizes in the energy are relative to them."""
        return 0 if self.prior is None else self.prior.size

    @cached_property
    def bounds(self) -> tuple[DFA | None, DFA | None]:
        """Return a language that every task of the class contains, and one that every task is within.

        None where they say nothing. Words between the two are accepted by some tasks and not by others, as
        far as the classes tell.
        """
        members = joined(self.prior, self.classes)
        nothing = DFA.constant(self.alphabet, False)
        lower, outside = forced(members, nothing, True), forced(members, nothing, False)
        return None if lower == nothing else lower, None if outside == nothing else ~outside

    @cached_property
    def certain(self) -> dict[bool, DFA]:
        """Return, by label, the words that have it in every task of the class that agrees with `given`."""
        members = joined(self.prior, self.classes)
        labelled = {label: [word for word, own in self.given if own == label] for label in (True, False)}
        return {
            label: forced(members, of_words(words, self.alphabet), label) for label, words in labelled.items()
        }

    @property
    def _class(self) -> dict[str, Any]:
        """Return what identifiers are told about the class."""
        known = {"prior": self.prior, "classes": self.classes, "max_states": self.settings.max_states}
        parts = {} if self.parts is None else {"operator": self.parts.operator, "most_parts": self.parts.most}
        return {**known, **parts}

    def identifier(self) -> Identifier:
        """Return what finds small tasks of the class for labelled words."""
        if self.settings.identifier == "merging":
            return MergingIdentifier(self.alphabet, prior=self.prior, classes=self.classes)
        make = ExactIdentifier if self.parts is None else DecomposingIdentifier
        return make(self.alphabet, **self._class)

    def smallest(self, examples: Examples) -> Iterator[DFA]:
        """Yield the tasks of the class that agree with labelled words, by size."""
        by_size = smallest if self.parts is None else smallest_decompositions
        return by_size(examples, self.alphabet, **self._class)

    def word(self, path: Path) -> Word:
        """Return the word that a task reads along a path."""
        return path.word(self.mdp, merge_repeats=self.merge_repeats)

    def monitor(self, task: DFA) -> Monitor:
        """Return the monitor of a task under this problem's semantics."""
        lower, upper = self.bounds
        return make_monitor(self.check_task(task), merge_repeats=self.merge_repeats, prior=upper, lower=lower)

    def check_task(self, task: DFA) -> DFA:
        """Refuse a task over other letters."""
        if task.alphabet != self.alphabet:
            raise TaskError(
                f"the task reads the letters {listing(task.alphabet)}, "
                f"but the problem's are {listing(self.alphabet)}"
            )
        return task

    def merged(self) -> Problem:
        """Return the problem in the smallest world that behaves alike, copies of actions and states merged.

        Demonstrations are the same ones, told by the actions and states that stand for theirs.
        """
        if self.quotient is not None:
            return self
        found = quotient(self.mdp)
        images = tuple([replace(path, steps=found.steps(path.steps)) for path in self.demonstrations])
        shown: dict[Path, Path] = {}
        for image, path in zip(images, self.demonstrations, strict=True):
            shown.setdefault(image, path)
        return replace(self, mdp=found.mdp, demonstrations=images, quotient=found, shown=shown)

    @property
    def original(self) -> MDP:
        """Return the world before copies were merged."""
        return self.mdp if self.quotient is None else self.quotient.original

    def from_original(self, path: Path) -> Path:
        """Return the path that stands for a path of the original world."""
        return path if self.quotient is None else replace(path, steps=self.quotient.steps(path.steps))

    def in_original(self, path: Path) -> Path:
        """Return the path of the original world that a path stands for: the one that was shown, or any."""
        if self.quotient is None:
            return path
        return self.shown.get(path) or replace(path, steps=self.quotient.lifted(path.steps))

    def with_settings(self, **changes: object) -> Problem:
        """Return the problem with some search settings changed; None leaves a setting as it is."""
        given = {name: value for name, value in changes.items() if value is not None}
        return replace(self, settings=replace(self.settings, **given)) if given else self  # type: ignore[arg-type]


def accepted_demonstrations(problem: Problem, task: DFA) -> Sequence[bool]:
    """Say of each demonstration whether its word, as far as it goes, is accepted."""
    return [task.accepts(word) for word in problem.words]
