"""Environments: how one is made from a name, what its actions are called, and what its state is."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from demospec.errors import InputError, WorldError, listing, nearest
from demospec.sources.calling import called
from demospec.worlds.simulator import state_of, whole
from demospec.worlds.world import State

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


class Reading(Protocol):
    """How the state of an environment is read."""

    @property
    def unwrapped(self) -> bool:
        """Say whether the innermost environment alone tells the state, whatever is observed."""
        ...

    def key(self, environment: Any, observation: Any) -> Hashable:
        """Return what the state is, as a value that can be compared."""
        ...

    def name(self, key: Any) -> State:
        """Return the name of a state."""
        ...

    def variables(self, environment: Any, key: Any) -> dict[str, int]:
        """Return what expressions can mention: true or false, and whole numbers."""
        ...


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
        return tuple(map(whole, observation)) if isinstance(observation, tuple) else whole(observation)

    def name(self, key: Any) -> State:
        """Return the observation as text."""
        return str(state_of(key))

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
        return super().key(environment, called(self.function, env=environment, observation=observation))


def missing(what: str, package: str, extra: str) -> InputError:
    """Return the refusal where an optional package is not there."""
    return InputError(f'{what} needs the package {package}: pip install "demospec[{extra}]"')


def gymnasium_package(what: str) -> Any:
    """Return the package, with MiniGrid's environments registered where that is installed too."""
    try:
        import gymnasium
    except ImportError as error:
        raise missing(what, "gymnasium", "gymnasium") from error
    return gymnasium


def make(id: str, kwargs: Mapping[str, Any]) -> Any:
    """Make a registered environment from its name: nothing is imported that the name would tell to import."""
    what = f'the environment "{id}"'
    gymnasium = gymnasium_package(what)
    if re.match("(MiniGrid|BabyAI)-", id):
        try:
            import minigrid  # noqa: F401  registers its environments
        except ImportError as error:
            raise missing(what, "minigrid", "minigrid") from error
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
