"""Worlds that came from a Gymnasium environment: what they know of it.

Worlds from Gymnasium: the environment's own table, else by exploring it, else estimated from samples.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from demospec.errors import InputError, WorldError
from demospec.sources import familiar
from demospec.sources.environment import (
    ByFunction,
    ByObservation,
    Feature,
    Found,
    Labelling,
    Labels,
    Reading,
    action_names,
    called,
    changing_wrappers,
    make,
)
from demospec.sources.exploring import Chance, Played, explore, has_table, read_table, sample_world
from demospec.wording import listing
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Ends, Episode, State


@dataclass(frozen=True, eq=False, kw_only=True)
class Link:
    """What a world knows of its environment: how it is made, and how its state is found in the world."""

    id: str | None  # under which `gymnasium.make` knows the environment
    kwargs: Mapping[str, Any]
    actions: Mapping[int, str]  # the environment's number of an action → its name in the world
    going: Mapping[
        Hashable, State
    ]  # what is read of the environment → the state in which the episode goes on
    ended: Mapping[Hashable, State]  # … and in which it has ended
    seeds: Sequence[int]  # of the resets from which it was explored; none where every reset will do
    table: Mapping[str, Any] | None  # `[world]` of a file that names the environment; None: no file can
    reading: Reading | None = None  # None: the world came from another process

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


Made = TypeVar("Made", bound=MDP)


def grown(world: MDP, kind: type[Made], **more: Any) -> Made:
    """Return a world as one of another kind, which knows more."""
    return kind(**{**{one.name: getattr(world, one.name) for one in fields(world)}, **more})


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
class Asked:
    """What `from_gymnasium` was asked for, with its defaults filled in."""

    environment: Any
    reading: Reading
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
        return tuple(name for name, holds in self.events.items() if called(holds, **offered))


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
    reading, known, usual = reading_of(environment, state)
    if labels is None and features is None:
        if not usual:
            raise InputError("nothing says what states are labelled: give labels or features")
        features = usual
    asked = Asked(
        environment=environment,
        reading=reading,
        actions=action_names(environment, actions, known),
        labelling=Labelling(labels, features, reading),
        episode=Episode(horizon=horizon_of(environment, horizon), ends=ends, end_probability=end_probability),
        terminal=terminal,
        seeds=[seed] if isinstance(seed, int) else list(seed),
        max_states=max_states,
        samples=samples,
        table=None
        if events
        else named_again(environment, labels, features, actions, terminal, state, seed, max_states, samples),
        events=events or {},
    )
    if not asked.seeds:
        raise InputError("give at least one seed")
    if samples is None and isinstance(reading, familiar.ToyText | ByObservation) and is_table(asked):
        return listed(
            asked, *read_table(environment, reading, asked.actions, asked.labelling, asked.seeds[0])
        )
    if samples is None:
        try:
            found = explore(
                environment,
                reading,
                asked.actions,
                asked.labelling,
                seeds=asked.seeds,
                max_states=max_states,
            )
        except Chance:
            pass
        else:
            return listed(asked, *found)
        asked = replace(asked, labelling=Labelling(labels, features, reading))
    return sampled(asked)


def is_table(asked: Asked) -> bool:
    """Say whether the environment's table can be read: no wrapper and no other state is in the way."""
    own = isinstance(asked.reading, ByFunction)
    return has_table(asked.environment) and not own and not changing_wrappers(asked.environment)


def reading_of(
    environment: Any, state: Callable[..., Any] | None
) -> tuple[Reading, Sequence[str], Mapping[str, str]]:
    """Return how a state is read, what actions are called, and what is labelled unless told otherwise."""
    toy = familiar.reading_of(environment)
    grid = familiar.MiniGrid() if familiar.is_minigrid(environment) else None
    known = toy or grid
    names = () if known is None else known.actions
    if state is not None:
        return ByFunction(function=state), names, {}
    if known is None:
        return ByObservation(), names, {}
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


def listed(asked: Asked, found: Found, sentence: str) -> GymnasiumWorld:
    """Return the world of what was found, with its labels."""
    ends = ending(asked, found)
    if ends is not None:
        found = found.ending(ends)
    going, ended = found.names()
    here = {**ended, **going}
    names = {key: found.naming(key) for key in here}
    spare = [key for key in found.keys if key not in here]
    letters = asked.labelling.letters(names, spare)
    happens = asked.happens if asked.events else None
    world = found.world(asked.episode, letters, asked.actions.values(), happens)
    if "explored" not in sentence:
        states = len(going) + sum(key not in going for key in ended)
        sentence += f": {states:,} states"
    if spare:
        sentence += f", and {len(spare):,} that no episode reaches were left out"
    return grown(world, GymnasiumWorld, origin=sentence, link=link(asked, sentence, going, ended))


def ending(asked: Asked, found: Found) -> Callable[[Any], bool] | None:
    """Return which further states end an episode: told by name, or by the environment's number."""
    told = {str(one) for one in asked.terminal}
    if not told:
        return None
    known = {str(key): key for key in found.keys} | {str(found.naming(key)): key for key in found.keys}
    if unknown := sorted(told - known.keys()):
        raise WorldError(f'terminal state "{unknown[0]}" is not a state of this world')
    return {known[one] for one in told}.__contains__


def sampled(asked: Asked) -> GymnasiumWorld:
    """Return the world that is estimated from samples, with its labels."""
    if asked.episode.by_choice:
        raise InputError("episodes of a world that is estimated from samples cannot end by choice")
    if asked.events:
        raise InputError("steps of a world that is estimated from samples cannot have labels")
    if asked.terminal:
        raise InputError(
            "a world that is estimated from samples ends where its environment does, not elsewhere"
        )
    player = Played(
        asked.environment,
        asked.reading,
        asked.actions,
        asked.labelling,
        episode=asked.episode,
        seed=asked.seeds[0],
        max_states=asked.max_states,
    )
    world, sentence = sample_world(player, asked.samples or SAMPLES, asked.seeds[0])
    letters = asked.labelling.letters(player.naming.names)
    after = {key: f"{name} (end)" if key in player.going else name for key, name in player.ended.items()}
    letters |= {end: letters[n] for key, end in after.items() if (n := player.naming(key)) in letters}
    warnings.warn(
        f"the world was {sentence}; its probabilities are shares of counts, and what was not seen is missing",
        stacklevel=3,
    )
    named = replace(world, labels=tuple(letters.get(state) for state in world.states))
    about = link(asked, sentence, player.going, after)
    return grown(named, SampledGymnasiumWorld, origin=sentence, link=about)


def link(asked: Asked, sentence: str, going: Mapping[Any, State], ended: Mapping[Any, State]) -> Link:
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
    told |= {"seed": SEED if seed == SEED else seed if isinstance(seed, int) else list(seed)}
    told |= {"max_states": max_states, "samples": samples}
    usual = {"seed": SEED, "max_states": MAX_STATES}
    table = {
        key: value
        for key, value in told.items()
        if value not in (None, {}, []) and not (key in usual and value == usual[key])
    }
    return table if is_plain(table) and not isinstance(actions, Mapping) else None


def is_plain(value: object) -> bool:
    """Say whether a value can be written to a file."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and is_plain(one) for key, one in value.items())
    return all(map(is_plain, value)) if isinstance(value, list) else type(value) in (str, int, float, bool)
