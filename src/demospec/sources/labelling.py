"""Labels of states that are read from an environment: by state, by a function, or by named features."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from demospec.errors import InputError, WorldError, listing, nearest
from demospec.sources.calling import called
from demospec.sources.environment import Reading
from demospec.tasks.propositions import letter_of
from demospec.worlds.expressions import Expression, Variable, bit, integer
from demospec.worlds.formulas import Names, parse
from demospec.worlds.world import State

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
        self, labels: Labels | None, features: Mapping[str, Feature] | None, reading: Reading
    ) -> None:
        self.labels, self.features, self.reading = labels, dict(features or {}), reading
        self.expressions = {name: text for name, text in self.features.items() if isinstance(text, str)}
        self.held: dict[State, set[str]] = {}
        self.values: dict[State, dict[str, int]] = {}
        for name in self.features:
            if not name or "&" in name:
                raise InputError(f'"{name}" cannot be the name of a feature: it is empty, or has & in it')

    @property
    def needs_environment(self) -> bool:
        """Say whether the environment must be in a state to tell its label."""
        return callable(self.labels) or bool(self.features)

    def see(self, name: State, key: Hashable, environment: Any, observation: Any) -> None:
        """Take down what holds in the state in which the environment is now."""
        offered = {"env": environment.unwrapped, "observation": observation, "state": name}
        held = self.held.setdefault(name, set())
        if callable(self.labels):
            held |= propositions(called(self.labels, **offered), name)
        held |= {
            feature
            for feature, condition in self.features.items()
            if callable(condition) and called(condition, **offered)
        }
        if self.expressions:
            self.values[name] = self.reading.variables(environment.unwrapped, key)

    def letters(self, names: Mapping[Hashable, State], known: Iterable[Hashable] = ()) -> dict[State, str]:
        """Return the letter of each state that has one; `known` are states that no episode reaches."""
        for name, text in self.expressions.items():
            where = self.condition(name, text)
            for state, values in self.values.items():
                if where.at(values):
                    self.held[state].add(name)
        if isinstance(self.labels, Mapping):
            spare = {str(self.reading.name(key)) for key in known} | set(map(str, known))
            self.add_table(self.labels, names, spare)
        reached = set(names.values())
        found = {state: letter_of(held) for state, held in self.held.items() if state in reached}
        return {state: letter for state, letter in found.items() if letter is not None}

    def add_table(self, table: Mapping[Any, Told], names: Mapping[Hashable, State], spare: set[str]) -> None:
        """Add labels by state: a state is told by its name, or by what the environment calls it."""
        by_text = {str(key): state for key, state in names.items()}
        by_text |= {str(state): state for state in names.values()}
        for told, label in table.items():
            if str(told) in by_text:
                state = by_text[str(told)]
                self.held.setdefault(state, set()).update(propositions(label, state))
            elif str(told) not in spare:
                raise WorldError(
                    f'labelled state "{told}" is not a state of this world{nearest(str(told), by_text)}; '
                    f"states: {listing(names.values())}"
                )

    def condition(self, name: str, text: str) -> Expression:
        """Read the expression of a feature."""
        names = self.names
        try:
            return parse(text, names, coins=False)
        except InputError as error:
            known = listing(names.known, 40)
            raise InputError(f"{error}; variables here: {known}", place=f'feature "{name}"') from None

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


def propositions(told: Told, state: State) -> set[str]:
    """Return the propositions of a label: nothing, a text, or several texts."""
    if told is None:
        return set()
    found = set(told.split("&")) if isinstance(told, str) else set(told)
    if not all(isinstance(one, str) and one for one in found):
        raise WorldError(f'the label of state "{state}" is {told!r}; expected a text, several texts, or None')
    return found
