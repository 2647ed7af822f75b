"""What was found of an environment: its states, what actions do, where episodes begin and end."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from demospec.errors import WorldError
from demospec.sources.environment import Reading
from demospec.worlds.events import Event
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, State

Key = Hashable
Outcome = tuple[Key, bool]  # the state reached, and whether the episode ends there
Rows = dict[Key, dict[str, dict[Outcome, float]]]
Rewards = dict[tuple[Key, str, Key], float]  # of a state, an action and the state reached

Happens = Callable[[State, str, State, float], tuple[str, ...]]


@dataclass
class Naming:
    """Names of states, each another."""

    reading: Reading
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
class Found:
    """Rows by state and action, and the probability of each start."""

    rows: Rows
    starts: Mapping[Key, float]
    naming: Naming
    rewards: Rewards = field(default_factory=dict)

    @property
    def keys(self) -> set[Key]:
        """Return all states, also those that no episode reaches."""
        return {*self.rows, *(key for row in self.rows.values() for out in row.values() for key, _ in out)}

    def ending(self, ends: Callable[[Key], bool]) -> Found:
        """Return the same with further states that end an episode."""
        rows = {
            key: {action: merged(out, ends) for action, out in row.items()} for key, row in self.rows.items()
        }
        return Found(rows, self.starts, self.naming, self.rewards)

    def reached(self) -> tuple[dict[Key, None], dict[Key, None]]:
        """Return the states in which episodes go on and those in which they end, as far as any comes."""
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
        return dict.fromkeys(sorted(going, key=order.__getitem__)), ended

    def names(self) -> tuple[dict[Key, State], dict[Key, State]]:
        """Return the names of states where episodes go on, and where they end.

        Where an episode ends in a state in which others go on, its end is named "… (end)".
        """
        going, ended = self.reached()
        at = {key: self.naming(key) for key in going}
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
        letters = {
            **labels,
            **{end: labels[n] for k, end in ended.items() if (n := self.naming(k)) in labels},
        }
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


def merged(outcomes: Mapping[Outcome, float], ends: Callable[[Key], bool]) -> dict[Outcome, float]:
    """Return outcomes of which some end an episode that did not before."""
    found: dict[Outcome, float] = {}
    for (key, ended), chance in outcomes.items():
        at = key, ended or ends(key)
        found[at] = found.get(at, 0.0) + chance
    return found
