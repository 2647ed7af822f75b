"""Worlds from Gymnasium: the environment's own table, else by exploring it, else estimated from samples.

What such a world knows of its environment stays with it.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from demospec.errors import InputError, WorldError
from demospec.sources import familiar
from demospec.sources.environment import (
    ByFunction,
    ByObservation,
    Feature,
    FoundWorld,
    Key,
    Labelling,
    Labels,
    Naming,
    Outcome,
    Rewards,
    Rows,
    StateReading,
    action_names,
    called_by_name,
    changing_wrappers,
    layers,
    make,
)
from demospec.sources.familiar import Snapshot, is_minigrid, steps_as_minigrid
from demospec.wording import listing
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.mdp import MDP, as_world_kind
from demospec.worlds.simulator import Experience
from demospec.worlds.world import Ends, Episode, State

CHECKED = 200  # states that are met again, and whose every action is tried again


class Chance(Exception):
    """A step drew a random number: what comes of it cannot be told from one try."""


class Copies:
    """How an environment is brought back to where it was: here by deep copies."""

    how = "by cloning"

    def begun(self, environment: Any, seed: int) -> Any:
        """Keep where an environment is after a reset with a seed."""
        return deepcopy(environment)

    def after(self, kept: Any, action: int, environment: Any) -> Any:
        """Keep where an environment is that took an action from what was kept: what was loaded was a copy."""
        return environment

    def load(self, kept: Any) -> Any:
        """Return an environment that is where it was kept."""
        return deepcopy(kept)


@dataclass
class Snapshots(Copies):
    """Only what a step can change, put back into one environment."""

    environment: Any

    def begun(self, environment: Any, seed: int) -> Snapshot:
        return Snapshot.of(environment)

    def after(self, kept: Snapshot, action: int, environment: Any) -> Snapshot:
        return Snapshot.of(environment)

    def load(self, kept: Snapshot) -> Any:
        kept.restore(self.environment)
        return self.environment


@dataclass
class Replays(Copies):
    """The seed and the actions that lead there, taken again."""

    environment: Any
    how = "by replaying"

    def begun(self, environment: Any, seed: int) -> tuple[int, tuple[int, ...]]:
        return seed, ()

    def after(self, kept: tuple[int, tuple[int, ...]], action: int, environment: Any) -> Any:
        return kept[0], (*kept[1], action)

    def load(self, kept: tuple[int, tuple[int, ...]]) -> Any:
        seed, actions = kept
        self.environment.reset(seed=seed)
        for action in actions:
            self.environment.step(action)
        return self.environment


def keeping_of(environment: Any) -> Copies:
    """Return the quickest way to bring an environment back; it has been reset."""
    if environment is environment.unwrapped and is_minigrid(environment) and steps_as_minigrid(environment):
        return Snapshots(environment)
    try:
        deepcopy(environment)
    except Exception:  # a window, a handle of another library: whatever it is, it cannot be copied
        return Replays(environment)
    return Copies()


def played(environment: Any, reading: StateReading) -> Any:
    """Return the part of an environment that is enough to play: the innermost where it tells the state."""
    return environment.unwrapped if reading.unwrapped and not changing_wrappers(environment) else environment


def explore_environment(
    environment: Any,
    reading: StateReading,
    actions: Mapping[int, str],
    labelling: Labelling,
    *,
    seeds: Sequence[int],
    max_states: int,
    keeping: Copies | None = None,
) -> tuple[FoundWorld, str]:
    """Try every action in every state that can be reached; raise `Chance` where that is not enough."""
    inner = played(environment, reading)
    naming = Naming(reading)
    kept: dict[Key, Any] = {}
    again: dict[tuple[Key, bool], Any] = {}  # states that were met again: by staying there, or from elsewhere
    starts: dict[Key, float] = {}
    for seed in seeds:
        observation, _ = inner.reset(seed=seed)
        keeping = keeping or keeping_of(inner)
        key = reading.key(inner, observation)
        starts[key] = starts.get(key, 0.0) + 1 / len(seeds)
        if key not in kept:
            labelling.see(naming(key), key, inner, observation)
            kept[key] = keeping.begun(inner, seed)
    assert keeping is not None
    rows: Rows = {}
    rewards: Rewards = {}
    left = list(kept)
    for key in left:
        row = rows[key] = {}
        for number, name in actions.items():
            environment, observation, ended, reward = sure_step(keeping.load(kept[key]), number)
            reached = reading.key(environment, observation)
            rewards[key, name, reached] = reward
            row[name] = {(reached, ended): 1.0}
            if reached not in naming.names:
                labelling.see(naming(reached), reached, environment, observation)
            if ended:
                continue
            if reached in kept:
                once = reached, reached == key
                if once not in again and len(again) < CHECKED:
                    again[once] = keeping.after(kept[key], number, environment)
                continue
            if len(kept) >= max_states:
                raise WorldError(
                    f"more than {max_states:,} states were found; give a larger max_states, fewer actions, "
                    "or `state`, a function that tells only what matters"
                )
            kept[reached] = keeping.after(kept[key], number, environment)
            left.append(reached)
    check_alike(again, rows, reading, actions, keeping, naming)
    return FoundWorld(rows, starts, naming, rewards), f"explored: {len(naming.names):,} states {keeping.how}"


def sure_step(environment: Any, action: int) -> tuple[Any, Any, bool, float]:
    """Take an action that must not depend on chance; return what is observed, and whether that is the end."""
    before = generators(environment)
    observation, reward, ended, _, _ = environment.step(action)  # truncated is not terminal
    if generators(environment) != before:
        raise Chance
    return environment, observation, bool(ended), float(reward)


def generators(environment: Any) -> list[Any]:
    """Return the states of all random generators that an environment holds, and of the global ones."""
    shared: Any = np.random.get_state()  # noqa: NPY002  an environment may draw from it
    found: list[Any] = [random.getstate(), shared[2], shared[1].tobytes()]
    for layer in layers(environment):
        for value in vars(layer).values():
            if isinstance(value, np.random.Generator):
                found.append(str(value.bit_generator.state))
            elif isinstance(value, np.random.RandomState):
                found.append(str(value.get_state()))
            elif isinstance(value, random.Random):
                found.append(value.getstate())
    return found


def check_alike(
    again: Mapping[tuple[Key, bool], Any],
    rows: Rows,
    reading: StateReading,
    actions: Mapping[int, str],
    keeping: Copies,
    naming: Naming,
) -> None:
    """Refuse two situations that are called the same state, but in which an action does not do the same."""
    for (key, _), kept in again.items():
        for number, name in actions.items():
            environment, observation, ended, _ = sure_step(keeping.load(kept), number)
            now: Outcome = reading.key(environment, observation), ended
            (then,) = rows[key][name]
            if now != then:
                raise WorldError(
                    f'two situations are called the state "{naming(key)}", but after "{name}" one is in '
                    f"{outcome_text(naming, then)}, the other in {outcome_text(naming, now)}; give `state`, "
                    "a function of the environment or the observation that tells them apart"
                )


def outcome_text(naming: Naming, outcome: Outcome) -> str:
    """Write where a step led, for a message."""
    return f'"{naming(outcome[0])}"' + (" at the end" if outcome[1] else "")


# -- Environments with chance and without a table --------------------------------------------------------


class Played:
    """An environment as a simulator; what is known of a state is taken down when it is first met."""

    def __init__(self, asked: WorldRequest) -> None:
        self.environment, self.reading = played(asked.environment, asked.reading), asked.reading
        self.labelling, self.episode, self.max_states = asked.labelling, asked.episode, asked.max_states
        self.naming = Naming(asked.reading)
        self.going: dict[Key, State] = {}
        self.ended: dict[Key, State] = {}
        self._numbers = {name: number for number, name in asked.actions.items()}
        self._seed: int | None = asked.seeds[0]
        self._steps = 0

    def reset(self) -> State:
        """Begin an episode; the environment is seeded at the first."""
        observation, _ = self.environment.reset(seed=self._seed)
        self._seed, self._steps = None, 0
        return self._met(observation, ended=False)

    def step(self, action: str) -> tuple[State, bool]:
        observation, _, ended, cut, _ = self.environment.step(self._numbers[action])
        self._steps += 1
        wrapped = self.environment.unwrapped is not self.environment
        if cut and not ended and wrapped and self._steps < self.episode.horizon:
            raise WorldError(
                f"the environment stopped after {self._steps} steps; the horizon, {self.episode.horizon}, "
                "must not be above its limit"
            )
        return self._met(observation, ended=bool(ended)), bool(ended)

    def _met(self, observation: Any, *, ended: bool) -> State:
        key: Hashable = self.reading.key(self.environment, observation)
        if key not in self.naming.names:
            if len(self.naming.names) >= self.max_states:
                raise WorldError(
                    f"more than {self.max_states:,} states were found; give a larger max_states, or `state`, "
                    "a function that tells only what matters"
                )
            self.labelling.see(self.naming(key), key, self.environment, observation)
        (self.ended if ended else self.going)[key] = self.naming(key)
        return self.naming(key)

    def actions(self, state: State) -> Sequence[str]:
        """Return all actions: an environment takes any of them anywhere."""
        return tuple(self._numbers)

    def label(self, state: State) -> str | None:
        """Return nothing: letters are known at the end."""
        return None


# -- Environments that hold their own table, `env.unwrapped.P` -------------------------------------------

RESETS = 1_000  # to see where episodes begin, where the environment does not say it


def has_table(environment: Any) -> bool:
    """Say whether an environment has a table that tells all of what it does."""
    inner = environment.unwrapped
    table = getattr(inner, "P", None)
    fickle = getattr(inner, "fickle_passenger", False)  # who changes the destination beside the table
    return isinstance(table, Mapping) and bool(table) and not fickle


def read_table(
    environment: Any, reading: StateReading, actions: Mapping[int, str], labelling: Labelling, seed: int
) -> tuple[FoundWorld, str]:
    """Return what the table holds, and a sentence."""
    inner = environment.unwrapped
    rows: Rows = {}
    rewards: Rewards = {}
    for state, by_action in inner.P.items():
        row = rows[int(state)] = {}
        for number, name in actions.items():
            outcomes = row[name] = {}
            for chance, reached, reward, ended in by_action[number]:
                if chance > 0:
                    at = int(reached), bool(ended)
                    outcomes[at] = outcomes.get(at, 0.0) + float(chance)
                    rewards[int(state), name, int(reached)] = float(reward)
    starts, told = start_chances(environment, reading, seed)
    naming = Naming(reading)
    if callable(labelling.labels) or labelling.features:
        inner.reset(seed=0)
        if not hasattr(inner, "s"):
            raise WorldError(
                "labels and features ask for the environment, but it cannot be put into a state of its "
                "table; give labels as a table by state"
            )
        for state in map(int, inner.P):
            inner.s = state
            labelling.see(naming(state), state, environment, state)
        inner.reset(seed=0)
    return FoundWorld(rows, starts, naming, rewards), f"read from the table env.unwrapped.P{told}"


def start_chances(environment: Any, reading: StateReading, seed: int) -> tuple[dict[Any, float], str]:
    """Return where episodes begin, as the environment says it, or as resets show it."""
    told = getattr(environment.unwrapped, "initial_state_distrib", None)
    if told is not None:
        return {state: float(chance) for state, chance in enumerate(told) if chance > 0}, ""
    observation, _ = environment.reset(seed=seed)
    seen = Counter([reading.key(environment, observation)])
    for _ in range(RESETS - 1):
        seen[reading.key(environment, environment.reset()[0])] += 1
    starts = {key: times / RESETS for key, times in sorted(seen.items())}
    more = f"; start states by {RESETS:,} resets" if len(starts) > 1 else ""
    return starts, more


# -- Environments that are explored: every action is tried in every state ---------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class Link:
    """What a world knows of its environment: how it is made, and how its state is found in the world."""

    id: str | None  # under which `gymnasium.make` knows the environment
    kwargs: Mapping[str, Any]
    actions: Mapping[int, str]  # the environment's number of an action → its name in the world
    going: Mapping[Hashable, State]  # what is read → the state in which the episode goes on
    ended: Mapping[Hashable, State]  # … and in which it has ended
    seeds: Sequence[int]  # of the resets from which it was explored; none where every reset will do
    table: Mapping[str, Any] | None  # `[world]` of a file that names the environment; None: no file can
    reading: StateReading | None = None  # None: the world came from another process

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "reading": None}  # a function of the user's own need not be picklable

    def state(self, environment: Any, observation: Any, *, ended: bool = False) -> State:
        """Return the world's name of the state in which an environment is."""
        if self.reading is None:
            raise WorldError("the world was sent from another process: read it from the environment again")
        key = self.reading.key(environment, observation)
        names = self.ended if ended else self.going
        if key in names:
            return names[key]
        name = self.reading.name(key)
        if key in (self.going if ended else self.ended):
            says = "ends the episode" if ended else "does not end the episode"
            raise WorldError(f'the environment {says} in state "{name}"; the world says otherwise')
        seeds = f": reset it with the seed {listing(self.seeds)}" if self.seeds else ""
        raise WorldError(f'the environment is in state "{name}", which the world does not have{seeds}')

    def action(self, number: Any) -> str:
        """Return the world's name of an action of the environment."""
        if int(number) not in self.actions:
            offered = listing(f"{known} {name}" for known, name in self.actions.items())
            raise WorldError(f"the world has no action {int(number)}; it has {offered}")
        return self.actions[int(number)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GymnasiumWorld(MDP):
    """A listed world that came from an environment; `source`, which is its `origin`, says how."""

    link: Link

    @property
    def source(self) -> str:
        """Return a sentence that tells how the world was read."""
        return self.origin


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledGymnasiumWorld(GymnasiumWorld, EstimatedMDP):
    """A world that was estimated from steps of an environment."""


def link_of(world: object) -> Link:
    """Return what a world knows of its environment; refuse one that came from elsewhere."""
    if not isinstance(world, GymnasiumWorld):
        raise WorldError(
            f"runs of an environment are read in a world that `from_gymnasium` made; found a "
            f"{type(world).__name__}"
        )
    return world.link


# -- Worlds from Gymnasium -------------------------------------------------------------------------------

MAX_STATES = 100_000
SAMPLES = 100_000
SEED = 0


@dataclass(frozen=True, kw_only=True)
class WorldRequest:
    """What `from_gymnasium` was asked for, with its defaults filled in."""

    environment: Any
    reading: StateReading
    actions: Mapping[int, str]
    labelling: Labelling
    episode: Episode
    terminal: Sequence[State]
    seeds: Sequence[int]
    max_states: int
    samples: int | None
    table: Mapping[str, Any] | None
    events: Mapping[str, Callable[..., Any]]

    def happens(self, state: State, action: str, reached: State, reward: float) -> tuple[str, ...]:
        """Return the events that a step is."""
        offered = {"state": state, "action": action, "reached": reached, "reward": reward}
        return tuple(name for name, holds in self.events.items() if called_by_name(holds, **offered))


def from_gymnasium(
    env: Any,
    *,
    labels: Labels | None = None,
    features: Mapping[str, Feature] | None = None,
    events: Mapping[str, Callable[..., Any]] | None = None,
    horizon: int | None = None,
    ends: Ends = "by chance",
    end_probability: float = 0.0,
    terminal: Iterable[State] = (),
    actions: Sequence[str] | Mapping[int, str] | None = None,
    state: Callable[..., Any] | None = None,
    seed: int | Sequence[int] = SEED,
    max_states: int = MAX_STATES,
    samples: int | None = None,
) -> GymnasiumWorld:
    """Return the world of a Gymnasium environment; its `source` says how it was read.

    `env` is an environment, which is reset, or the name of a registered one. Where it holds a table
    (`env.unwrapped.P`), that is read; where its steps draw no random numbers, it is explored from a reset
    with `seed`, or with each of several seeds; otherwise, or with `samples`, it is played for so many steps,
    and estimated. What is `terminated` ends an episode; what is `truncated` does not.

    `labels` is a table by state, or a function of `env`, `observation` or `state`, by the names of its
    parameters, that returns a label, several propositions, or None. `features` are propositions with the
    condition of each: a function, or an expression over the environment's variables such as "row == 3 and not
    hole". `actions` are names for all actions, or those of some. `state` is a function that tells what the
    state is, where the observation does not. `events` are propositions of steps, each with a function of
    `state`, `action`, `reached` and `reward`, by the names of its parameters: `{"fell": lambda reward: reward
    <= -100}`.

    >>> world = from_gymnasium("FrozenLake-v1", horizon=20)
    >>> world.source, world.letters, world.actions
    ('read from the table env.unwrapped.P: 16 states', ('goal', 'hole'), ('left', 'down', 'right', 'up'))
    """
    environment, terminal = make(env, {}) if isinstance(env, str) else env, list(terminal)
    reading, known, usual = environment_reading(environment, state)
    if labels is None and features is None:
        if not usual:
            raise InputError("nothing says what states are labelled: give labels or features")
        features = usual
    told = environment, labels, features, actions, terminal, state, seed, max_states, samples
    asked = WorldRequest(
        environment=environment,
        reading=reading,
        actions=action_names(environment, actions, known),
        labelling=Labelling(labels, features, reading),
        episode=Episode(horizon=horizon_of(environment, horizon), ends=ends, end_probability=end_probability),
        terminal=terminal,
        seeds=[seed] if isinstance(seed, int) else list(seed),
        max_states=max_states,
        samples=samples,
        table=None if events else named_again(*told),
        events=events or {},
    )
    if not asked.seeds:
        raise InputError("give at least one seed")
    own = isinstance(reading, ByObservation) and not isinstance(reading, ByFunction)
    if samples is None and own and has_table(environment) and not changing_wrappers(environment):
        return listed_environment(
            asked, *read_table(environment, reading, asked.actions, asked.labelling, asked.seeds[0])
        )
    if samples is None:
        try:
            where = environment, reading, asked.actions, asked.labelling
            found = explore_environment(*where, seeds=asked.seeds, max_states=max_states)
            return listed_environment(asked, *found)
        except Chance:
            asked = replace(asked, labelling=Labelling(labels, features, reading))
    return sampled_environment(asked)


def environment_reading(
    environment: Any, state: Callable[..., Any] | None
) -> tuple[StateReading, Sequence[str], Mapping[str, str]]:
    """Return how a state is read, what actions are called, and what is labelled unless told otherwise."""
    grid = familiar.MiniGrid() if is_minigrid(environment) else None
    known = familiar.toy_reading(environment) or grid
    names = () if known is None else known.actions
    if known is None or state is not None:
        return ByObservation() if state is None else ByFunction(function=state), names, {}
    return known, names, known.features


def horizon_of(environment: Any, horizon: int | None) -> int:
    """Return how long an episode is at most: as told, else the environment's own limit."""
    if horizon is not None:
        return horizon
    limit = getattr(getattr(environment, "spec", None), "max_episode_steps", None)
    limit = limit or getattr(environment.unwrapped, "max_steps", None)
    if limit is None:
        raise WorldError("the environment has no limit on steps: give a horizon")
    return int(limit)


def listed_environment(asked: WorldRequest, found: FoundWorld, sentence: str) -> GymnasiumWorld:
    """Return the world of what was found, with its labels."""
    if told := {str(one) for one in asked.terminal}:  # by name, or by the environment's number
        known = {str(key): key for key in found.keys} | {str(found.naming(key)): key for key in found.keys}
        if unknown := sorted(told - known.keys()):
            raise WorldError(f'terminal state "{unknown[0]}" is not a state of this world')
        found = found.ending({known[one] for one in told})
    going, ended = found.names()
    here = {**ended, **going}
    names = {key: found.naming(key) for key in here}
    spare = [key for key in found.keys if key not in here]
    letters = asked.labelling.letters(names, spare)
    happens = asked.happens if asked.events else None
    world = found.world(asked.episode, letters, asked.actions.values(), happens)
    if "explored" not in sentence:
        sentence += f": {len(here):,} states"
    if spare:
        sentence += f", and {len(spare):,} that no episode reaches were left out"
    return as_world_kind(world, GymnasiumWorld, origin=sentence, link=link(asked, sentence, going, ended))


def sampled_environment(asked: WorldRequest) -> GymnasiumWorld:
    """Return the world that is estimated from samples, with its labels."""
    if asked.episode.by_choice:
        raise InputError("episodes of a world that is estimated from samples cannot end by choice")
    if asked.events:
        raise InputError("steps of a world that is estimated from samples cannot have labels")
    if asked.terminal:
        raise InputError(
            "a world that is estimated from samples ends where its environment does, not elsewhere"
        )
    player = Played(asked)
    experience, samples = Experience(player, several_starts=True), asked.samples or SAMPLES
    experience.explore(np.random.default_rng(asked.seeds[0]), samples)
    world = experience.world()
    sentence = f"estimated from {samples:,} samples: {len(player.naming.names):,} states"
    if untried := int((world.tries == 0).sum()):
        sentence += f"; {untried:,} of {len(world.tries):,} pairs of state and action were never tried"
    letters = asked.labelling.letters(player.naming.names)
    after = {key: f"{name} (end)" if key in player.going else name for key, name in player.ended.items()}
    letters |= {end: letters[n] for key, end in after.items() if (n := player.naming(key)) in letters}
    warnings.warn(
        f"the world was {sentence}; its probabilities are shares of counts, and what was not seen is missing",
        stacklevel=3,
    )
    named = replace(world, labels=tuple(letters.get(state) for state in world.states))
    about = link(asked, sentence, player.going, after)
    return as_world_kind(named, SampledGymnasiumWorld, origin=sentence, link=about)


def link(asked: WorldRequest, sentence: str, going: Mapping[Any, State], ended: Mapping[Any, State]) -> Link:
    """Return what the world is to know of its environment."""
    spec = getattr(asked.environment, "spec", None)
    return Link(
        id=None if spec is None else spec.id,
        kwargs={} if spec is None else dict(spec.kwargs),
        actions=dict(asked.actions),
        going=dict(going),
        ended=dict(ended),
        seeds=tuple(asked.seeds) if "explored" in sentence else (),
        table=asked.table,
        reading=asked.reading,
    )


def named_again(
    environment: Any,
    labels: Labels | None,
    features: Mapping[str, Feature] | None,
    actions: Sequence[str] | Mapping[int, str] | None,
    terminal: Sequence[State],
    state: Callable[..., Any] | None,
    seed: int | Sequence[int],
    max_states: int,
    samples: int | None,
) -> dict[str, Any] | None:
    """Return the table of a file that names the environment; None where no file can say all of this."""
    spec = getattr(environment, "spec", None)
    if spec is None or state is not None or callable(labels) or changing_wrappers(environment):
        return None
    told: dict[str, Any] = {"kind": "gymnasium", "id": spec.id, "kwargs": dict(spec.kwargs)}
    told["labels"] = {str(name): label for name, label in (labels or {}).items()}
    told |= {"features": dict(features or {}), "terminal": list(map(str, terminal))}
    told |= {"actions": None if actions is None else list(actions)}
    told |= {"seed": None if seed == SEED else seed if isinstance(seed, int) else list(seed)}
    told |= {"max_states": None if max_states == MAX_STATES else max_states, "samples": samples}
    table = {key: value for key, value in told.items() if value not in (None, {}, [])}
    return table if is_plain(table) and not isinstance(actions, Mapping) else None


def is_plain(value: object) -> bool:
    """Say whether a value can be written to a file."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and is_plain(one) for key, one in value.items())
    return all(map(is_plain, value)) if isinstance(value, list) else type(value) in (str, int, float, bool)
