"""Gymnasium environments: how one is made, what its states, actions and labels are, what was found of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from demospec.errors import InputError, WorldError, missing_package
from demospec.tasks.propositions import letter_of
from demospec.wording import listing, nearest
from demospec.worlds.expressions import Variable, bit, integer
from demospec.worlds.formulas import Names, parse_formula
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, Event, State

OTHER_NAMES = {"environment": "env", "obs": "observation"}


def called_by_name(function: Callable[..., Any], **offered: Any) -> Any:
    """Call a function with those of the offered values that it has parameters for.

    >>> called_by_name(lambda env: env + 1, env=1, state="a")
    2
    """
    found = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]
    for name in found:
        if OTHER_NAMES.get(name, name) not in offered:
            raise InputError(
                f'a function asks for "{name}"; its parameters are called by what they are given: '
                f"{listing(offered)}"
            )
    if not found:
        raise InputError(f"a function has no parameter; it is given one of {listing(offered)}, by name")
    return function(*(offered[OTHER_NAMES.get(name, name)] for name in found))


# -- Environments ----------------------------------------------------------------------------------------

LONGEST_ARRAY = 64  # numbers in an observation that can be a state
OLD = ("GymV21Environment-v0", "GymV26Environment-v0")  # they make environments of any module
HARMLESS = {  # wrappers that neither change what actions do nor what is observed
    "DataCollector",
    "HumanRendering",
    "OrderEnforcing",
    "PassiveEnvChecker",
    "PositionBonus",
    "ActionBonus",
    "RecordEpisodeStatistics",
    "RecordVideo",
    "Recorder",
    "RenderCollection",
    "TimeLimit",
}


class StateReading(Protocol):
    """How the state of an environment is read."""

    @property
    def unwrapped(self) -> bool:
        """Say whether the innermost environment alone tells the state, whatever is observed."""

    def key(self, environment: Any, observation: Any) -> Hashable:
        """Return what the state is, as a value that can be compared."""

    def name(self, key: Any) -> State: ...

    def variables(self, environment: Any, key: Any) -> dict[str, int]:
        """Return what expressions can mention: true or false, and whole numbers."""


def plain_number(number: object) -> object:
    """Return a NumPy integer as Python's own; anything else as it is."""
    return int(number) if isinstance(number, np.integer) else number


@dataclass(frozen=True)
class ByObservation:
    """The observation is the state."""

    unwrapped: bool = False

    def key(self, environment: Any, observation: Any) -> Hashable:
        """Return the observation as plain numbers."""
        if isinstance(observation, np.ndarray):
            if not np.issubdtype(observation.dtype, np.integer) or observation.size > LONGEST_ARRAY:
                raise WorldError(
                    f"an observation is an array of {observation.size} numbers ({observation.dtype}); give "
                    "`state`, a function of the environment or the observation that tells the state"
                )
            return tuple(observation.ravel().tolist())
        if not isinstance(observation, Hashable):
            raise WorldError(
                f"an observation is a {type(observation).__name__}, not a value; give `state`, a function of "
                "the environment or the observation that tells the state"
            )
        if isinstance(observation, tuple):
            return tuple(map(plain_number, observation))
        return plain_number(observation)

    def name(self, key: Any) -> State:
        """Return the observation as text."""
        return str(key)

    def variables(self, environment: Any, key: Any) -> dict[str, int]:
        """Return the observation's numbers: `state`, or `observation[0]`, `observation[1]`, …"""
        if isinstance(key, tuple):
            return {f"observation{n}": part for n, part in enumerate(key) if isinstance(part, int)}
        return {"state": key} if isinstance(key, int) else {}


@dataclass(frozen=True)
class ByFunction(ByObservation):
    """A function of the user's tells the state, by `env` or `observation`."""

    function: Callable[..., Any] = str

    def key(self, environment: Any, observation: Any) -> Hashable:
        """Return what the function says."""
        told = called_by_name(self.function, env=environment, observation=observation)
        return super().key(environment, told)


def gymnasium_package(what: str) -> Any:
    """Return the package, with MiniGrid's environments registered where that is installed too."""
    try:
        import gymnasium
    except ImportError as error:
        raise missing_package(what, "gymnasium", "gymnasium") from error
    return gymnasium


def make(id: str, kwargs: Mapping[str, Any]) -> Any:
    """Make a registered environment from its name: nothing is imported that the name would tell to import."""
    what = f'the environment "{id}"'
    gymnasium = gymnasium_package(what)
    if re.match("(MiniGrid|BabyAI)-", id):
        try:
            import minigrid  # noqa: F401  registers its environments
        except ImportError as error:
            raise missing_package(what, "minigrid", "minigrid") from error
    if ":" in id or id in OLD:
        raise InputError(
            f"{what} would import a module by its name; only environments that are registered already can be "
            "named in a file. In Python, make it yourself and use `from_gymnasium`"
        )
    if id not in gymnasium.registry:
        raise InputError(
            f"Gymnasium has no environment with the name {id!r}{nearest(id, gymnasium.registry)}"
        )
    if kwargs.get("render_mode") == "human":
        raise InputError(f"{what} would open a window; leave render_mode out")
    try:
        return gymnasium.make(id, **kwargs)
    except Exception as error:  # what an environment's constructor may raise is anything
        raise InputError(f"{what} cannot be made: {type(error).__name__}: {error}") from error


def layers(environment: Any) -> list[Any]:
    """Return the wrappers around an environment, the outermost first, and the environment itself."""
    found = [environment]
    while found[-1] is not found[-1].unwrapped:
        found.append(found[-1].env)
    return found


def changing_wrappers(environment: Any) -> list[str]:
    """Return the names of wrappers that may change what actions do."""
    gymnasium = gymnasium_package("an environment")
    tame = (gymnasium.ObservationWrapper, gymnasium.RewardWrapper)
    return [
        type(layer).__name__
        for layer in layers(environment)[:-1]
        if not isinstance(layer, tame) and type(layer).__name__ not in HARMLESS
    ]


def action_names(
    environment: Any, given: Sequence[str] | Mapping[int, str] | None, known: Sequence[str]
) -> dict[int, str]:
    """Return the number and the name of each action that the world is to have.

    `given` are names for all of them, some of the `known` names, or names by number.
    """
    space = environment.action_space
    if not hasattr(space, "n"):
        raise WorldError(
            f"the environment's actions are {space}; only a finite number of them can be planned for"
        )
    first = int(getattr(space, "start", 0))
    numbers = list(range(first, first + int(space.n)))
    names = list(known) if len(known) == len(numbers) else list(map(str, numbers))
    usual = dict(zip(numbers, names, strict=True))
    if given is None:
        return usual
    if isinstance(given, Mapping):
        if unknown := [number for number in given if number not in usual]:
            raise WorldError(f"the environment has no action {unknown[0]}; it has {listing(numbers)}")
        chosen = dict(sorted(given.items()))
    elif set(given) <= set(names):
        chosen = {number: name for number, name in usual.items() if name in given}
    elif len(given) == len(numbers):
        chosen = dict(zip(numbers, given, strict=True))
    else:
        unknown_names = [name for name in given if name not in names]
        raise WorldError(
            f'the environment has no action "{unknown_names[0]}"{nearest(unknown_names[0], names)}; it has '
            f"{listing(names)}"
        )
    if len(set(chosen.values())) < len(chosen) or not chosen:
        raise WorldError(f"the names of actions must differ; found {listing(chosen.values())}")
    return chosen


# -- Labels of states that are read from an environment --------------------------------------------------

Told = str | Iterable[str] | None
Labels = Mapping[Any, Told] | Callable[..., Told]
Feature = str | Callable[..., Any]


class Labelling:
    """Collects what is known of each state while the environment is in it, and tells the letters at the end.

    `labels` are a table by state, or a function; `features` are propositions, each with the condition where
    it holds: a function, or an expression over the variables of the environment. A state has the letter of
    all propositions that hold there.
    """

    def __init__(
        self, labels: Labels | None, features: Mapping[str, Feature] | None, reading: StateReading
    ) -> None:
        self.labels, self.features, self.reading = labels, dict(features or {}), reading
        self.expressions = {name: text for name, text in self.features.items() if isinstance(text, str)}
        self.held: dict[State, set[str]] = {}
        self.values: dict[State, dict[str, int]] = {}
        for name in self.features:
            if not name or "&" in name:
                raise InputError(f'"{name}" cannot be the name of a feature: it is empty, or has & in it')

    def see(self, name: State, key: Hashable, environment: Any, observation: Any) -> None:
        """Take down what holds in the state in which the environment is now."""
        offered = {"env": environment.unwrapped, "observation": observation, "state": name}
        held = self.held.setdefault(name, set())
        if callable(self.labels):
            held |= label_propositions(called_by_name(self.labels, **offered), name)
        held |= {
            feature
            for feature, condition in self.features.items()
            if callable(condition) and called_by_name(condition, **offered)
        }
        if self.expressions:
            self.values[name] = self.reading.variables(environment.unwrapped, key)

    def letters(self, names: Mapping[Hashable, State], known: Iterable[Hashable] = ()) -> dict[State, str]:
        """Return the letter of each state that has one; `known` are states that no episode reaches."""
        variables = self.names
        for name, text in self.expressions.items():
            try:
                where = parse_formula(text, variables, coins=False)
            except InputError as error:
                known_here = f"variables here: {listing(variables.known, 40)}"
                raise InputError(f"{error}; {known_here}", place=f'feature "{name}"') from None
            for state, values in self.values.items():
                if where.at(values):
                    self.held[state].add(name)
        if isinstance(self.labels, Mapping):
            # A state is told by its name, or by what the environment calls it.
            spare = {str(self.reading.name(key)) for key in known} | set(map(str, known))
            by_text = {str(key): state for key, state in names.items()}
            by_text |= {str(state): state for state in names.values()}
            for told, label in self.labels.items():
                if str(told) in by_text:
                    state = by_text[str(told)]
                    self.held.setdefault(state, set()).update(label_propositions(label, state))
                elif str(told) not in spare:
                    raise WorldError(
                        f'labelled state "{told}" is not a state of this world'
                        f"{nearest(str(told), by_text)}; states: {listing(names.values())}"
                    )
        reached = set(names.values())
        found = {state: letter_of(held) for state, held in self.held.items() if state in reached}
        return {state: letter for state, letter in found.items() if letter is not None}

    @property
    def names(self) -> Names:
        """Return the variables of the environment, with the values that occur."""
        occur: dict[str, set[int]] = {}
        for values in self.values.values():
            for name, value in values.items():
                occur.setdefault(name, set()).add(value)
        variables: dict[str, Variable] = {}
        for name, found in occur.items():
            is_bit = all(isinstance(value, bool) for value in found)
            variables[name] = bit(name) if is_bit else integer(name, min(found), max(found))
            for values in self.values.values():  # what is not there, such as a door that a box hid, is false
                values.setdefault(name, False if is_bit else min(found))
        seen = [name for name in variables if name.startswith("observation")]
        arrays = {"observation": tuple(variables[name] for name in seen)} if seen else {}
        return Names(variables, arrays)


def label_propositions(told: Told, state: State) -> set[str]:
    """Return the propositions of a label: nothing, a text, or several texts."""
    if told is None:
        return set()
    found = set(told.split("&")) if isinstance(told, str) else set(told)
    if not all(isinstance(one, str) and one for one in found):
        raise WorldError(f'the label of state "{state}" is {told!r}; expected a text, several texts, or None')
    return found


# -- What was found of an environment --------------------------------------------------------------------

Key = Hashable
Outcome = tuple[Key, bool]  # the state reached, and whether the episode ends there
Rows = dict[Key, dict[str, dict[Outcome, float]]]
Rewards = dict[tuple[Key, str, Key], float]  # of a state, an action and the state reached

Happens = Callable[[State, str, State, float], tuple[str, ...]]


@dataclass
class Naming:
    """Names of states, each another."""

    reading: StateReading
    names: dict[Key, State] = field(default_factory=dict)
    taken: set[State] = field(default_factory=set)

    def __call__(self, key: Key) -> State:
        """Return a state's name; where another state has it already, with a number behind it."""
        if key not in self.names:
            plain = name = self.reading.name(key)
            number = 1
            while name in self.taken:
                number += 1
                name = f"{plain} #{number}"
            self.names[key] = name
            self.taken.add(name)
        return self.names[key]


@dataclass(frozen=True)
class FoundWorld:
    """Rows by state and action, and the probability of each start."""

    rows: Rows
    starts: Mapping[Key, float]
    naming: Naming
    rewards: Rewards = field(default_factory=dict)

    @property
    def keys(self) -> set[Key]:
        """Return all states, also those that no episode reaches."""
        return {*self.rows, *(key for row in self.rows.values() for out in row.values() for key, _ in out)}

    def ending(self, ends: Set[Key]) -> FoundWorld:
        """Return the same with further states that end an episode."""
        rows: Rows = {key: {action: {} for action in row} for key, row in self.rows.items()}
        for key, row in self.rows.items():
            for action, outcomes in row.items():
                found = rows[key][action]
                for (reached, ended), chance in outcomes.items():
                    at = reached, ended or reached in ends
                    found[at] = found.get(at, 0.0) + chance
        return replace(self, rows=rows)

    def names(self) -> tuple[dict[Key, State], dict[Key, State]]:
        """Return the names of states where episodes go on, and where they end, as far as any comes.

        Where an episode ends in a state in which others go on, its end is named "… (end)".
        """
        going: dict[Key, None] = dict.fromkeys(self.starts)
        ended: dict[Key, None] = {}
        left = list(going)
        while left:
            for outcomes in self.rows[left.pop()].values():
                for key, ends in outcomes:
                    if ends:
                        ended[key] = None
                    elif key not in going:
                        going[key] = None
                        left.append(key)
        order = {key: number for number, key in enumerate(self.rows)}
        at = {key: self.naming(key) for key in sorted(going, key=order.__getitem__)}
        after = {key: f"{self.naming(key)} (end)" if key in at else self.naming(key) for key in ended}
        if both := set(at.values()) & set(after.values()):
            raise WorldError(f'"{min(map(str, both))}" is the name of a state, and of the end in another one')
        return at, after

    def world(
        self,
        episode: Episode,
        labels: Mapping[State, str],
        actions: Iterable[str],
        happens: Happens | None = None,
    ) -> MDP:
        """Return the listed world; the end of an episode in a state has that state's label.

        `happens` says of a step, told by names and with its reward, which events it is.
        """
        going, ended = self.names()
        rows: list[tuple[State, str, dict[State, float]]] = []
        events: dict[Event, tuple[str, ...]] = {}
        for key, name in going.items():
            for action, outcomes in self.rows[key].items():
                named = {(ended if ends else going)[out]: chance for (out, ends), chance in outcomes.items()}
                rows.append((name, action, named))
                for (out, _), to in zip(outcomes, named, strict=True):
                    reward = self.rewards.get((key, action, out), 0.0)
                    told = () if happens is None else happens(name, action, self.naming(out), reward)
                    if told:
                        events[name, action, to] = told
        at_ends = {end: labels[n] for k, end in ended.items() if (n := self.naming(k)) in labels}
        letters = {**labels, **at_ends}
        here = {*going.values(), *ended.values()}
        return MDP.build(
            rows,
            start={going[key]: chance for key, chance in self.starts.items()},
            episode=episode,
            labels={state: letter for state, letter in letters.items() if state in here},
            terminal=list(ended.values()),
            states=[*going.values(), *ended.values()],
            actions=list(actions),
            events=events,
        )
