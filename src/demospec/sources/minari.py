"""Minari datasets: runs that were recorded elsewhere, read as demonstrations; and recorded ones, written."""

from __future__ import annotations

import string
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from demospec.errors import DemonstrationError, InputError, WorldError, missing_package, told_within
from demospec.sources.environment import ByFunction, ByObservation
from demospec.sources.gymnasium import GymnasiumWorld, Link, link_of
from demospec.wording import listing, nearest
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import State, pairs_by_action, start_names

if TYPE_CHECKING:
    from demospec.sources.recorder import RecordedEpisode, Recorder

STATE, STOPPED = "demospec_state", "demospec_stopped"  # what the recorder adds to each step's information


def minari_package() -> Any:
    try:
        import h5py  # noqa: F401  in which datasets are stored
        import minari
    except ImportError as error:
        raise missing_package("a Minari dataset", "minari", "minari") from error
    return minari


# -- in ------------------------------------------------------------------------------------------------------


def from_minari(dataset: Any, world: GymnasiumWorld, *, episodes: Iterable[int] | None = None) -> list[Path]:
    """Return the episodes of a dataset as demonstrations in a world that `from_gymnasium` made.

    `dataset` is a Minari dataset, or the name of one on this machine; nothing is downloaded. States are those
    that demospec's recorder took down, else what the observations tell, else, where nothing is left to
    chance, where the actions lead. A truncated episode is an unfinished demonstration.
    """
    loaded = load_dataset(dataset) if isinstance(dataset, str) else dataset
    link = link_of(world)
    with told_within(f'dataset "{loaded.spec.dataset_id}"'):
        check_environment(loaded.spec.env_spec, link)
        known = [int(number) for number in loaded.episode_indices]
        chosen = known if episodes is None else list(episodes)
        if unknown := [number for number in chosen if number not in known]:
            raise InputError(f"there is no episode {unknown[0]}; there are {len(known)}, counted from 0")
        return [
            read_episode(episode, world, link, number)
            for number, episode in enumerate(loaded.iterate_episodes(chosen), start=1)
        ]


def load_dataset(name: str) -> Any:
    """Return a dataset of this machine by its name."""
    minari = minari_package()
    try:
        return minari.load_dataset(name)
    except (FileNotFoundError, ValueError, TypeError) as error:
        known = list(minari.list_local_datasets())
        raise InputError(
            f'there is no Minari dataset with the name "{name}" on this machine{nearest(name, known)}; '
            f"there are: {listing(known)}"
        ) from error


def check_environment(spec: Any, link: Link) -> None:
    """Refuse a dataset of another environment, or of the same with other settings."""
    if spec is None or link.id is None:
        return  # every step is checked against the world all the same
    if spec.id != link.id:
        told = f'it was recorded in the environment "{spec.id}", but the world is that of "{link.id}"'
        raise InputError(told)
    for key in sorted({*spec.kwargs, *link.kwargs}):
        theirs, ours = spec.kwargs.get(key), link.kwargs.get(key)
        if theirs != ours and key != "render_mode":
            raise InputError(f"it was recorded with {key} = {theirs!r}, but the world has {key} = {ours!r}")


def read_episode(episode: Any, world: GymnasiumWorld, link: Link, number: int) -> Path:
    """Return one episode as a demonstration; refuse one that breaks off."""
    place = f"episode {episode.id}"
    actions, steps = list(episode.actions), len(episode.rewards)
    observed = observation_count(episode.observations)
    if not steps:
        raise DemonstrationError(f"{place} has no step", demonstration=number)
    if observed != steps + 1 or len(actions) != steps:
        raise DemonstrationError(
            f"{place} has {steps} steps, {len(actions)} actions and {observed} observations; it should have "
            "one observation more than steps: its last step is missing",
            demonstration=number,
        )
    ended, cut = bool(episode.terminations[-1]), bool(episode.truncations[-1])
    if not ended and not cut:
        raise DemonstrationError(
            f"{place} breaks off after {steps} steps: the last one neither terminates nor truncates it",
            demonstration=number,
            step=steps,
        )
    if early := [k for k in range(1, steps) if episode.terminations[k - 1] or episode.truncations[k - 1]]:
        raise DemonstrationError(f"{place} goes on after it was over", demonstration=number, step=early[0])
    infos = episode.infos or {}
    try:
        names = [link.action(action) for action in actions]
        states = episode_states(episode, infos, names, world, ended=ended)
    except WorldError as error:
        raise DemonstrationError(f"{place}: {error.message}", demonstration=number) from None
    stopped = bool(STOPPED in infos and infos[STOPPED][-1])
    path: list[str | State] = [part for step in zip(names, states[1:], strict=True) for part in step]
    complete = True if ended or stopped else None
    return read_path(world, path, complete=complete, demonstration=number, start=states[0])


def observation_count(observations: Any) -> int:
    """Return how many observations an episode has, whatever they are made of."""
    if isinstance(observations, dict):
        return min(map(observation_count, observations.values()))
    return min(map(observation_count, observations)) if isinstance(observations, tuple) else len(observations)


def observation_at(observations: Any, time: int) -> Any:
    """Return one observation of an episode."""
    if isinstance(observations, dict):
        return {key: observation_at(part, time) for key, part in observations.items()}
    if isinstance(observations, tuple):
        return tuple(observation_at(part, time) for part in observations)
    return observations[time]


def episode_states(
    episode: Any, infos: dict[str, Any], names: Sequence[str], world: GymnasiumWorld, *, ended: bool
) -> list[State]:
    """Return the states of an episode: as taken down, as observed, or where the actions lead."""
    steps = len(names)
    if STATE in infos:
        return [name.decode() if isinstance(name, bytes) else str(name) for name in infos[STATE]]
    if isinstance(world.link.reading, ByObservation) and not isinstance(world.link.reading, ByFunction):
        found: list[State] = []
        for time in range(steps + 1):
            key = ByObservation().key(None, observation_at(episode.observations, time))
            over = ended and time == steps
            states = world.link.ended if over else world.link.going
            if key not in states:
                where = " that ends an episode" if over else ""
                raise WorldError(f"the observation {key} is no state of the world{where}")
            found.append(states[key])
        return found
    return led_states(names, world)


def led_states(names: Sequence[str], world: GymnasiumWorld) -> list[State]:
    """Return the states that actions lead to, where nothing is left to chance."""
    if len(world.starts) > 1:
        raise WorldError(
            f"its observations do not tell the state, and episodes begin in several: {start_names(world)}"
        )
    at = world.start
    states = [world.name(at)]
    for name in names:
        offered = pairs_by_action(world, at)
        outcomes = world.outcomes(offered[name]) if name in offered else []
        if len(outcomes) != 1:
            why = f'"{name}" is left to chance' if outcomes else "the episode is over"
            raise WorldError(f'its observations do not tell the state, and in state "{states[-1]}" {why}')
        at = outcomes[0][0]
        states.append(world.name(at))
    return states


# -- out -----------------------------------------------------------------------------------------------------


def to_minari(recorder: Recorder, dataset: str, **metadata: Any) -> Any:
    """Write what was recorded as a Minari dataset, and return it.

    `from_minari` reads the same demonstrations from it. `metadata` is what Minari's
    `create_dataset_from_buffers` takes: author, algorithm_name and the like.
    """
    minari = minari_package()
    from minari.data_collector.episode_buffer import EpisodeBuffer

    if not recorder.recordings:
        raise InputError("nothing was recorded yet")
    assert recorder.demonstrations is not None  # refuse what the world cannot have produced
    space = storable(recorder.env.observation_space)
    buffers = [
        EpisodeBuffer(
            id=number,
            seed=run.seed,
            observations=stacked_observations(run.observations),
            actions=run.actions,
            rewards=run.rewards,
            terminations=run.terminations,
            truncations=[*run.truncations[:-1], run.truncations[-1] or not run.terminations[-1]],
            infos=infos_of(run),
        )
        for number, run in enumerate(recorder.recordings)
    ]
    given = {"description": recorder.world.source, "jpeg_encoding": False, **metadata}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # Minari asks for an author and the like
        try:
            return minari.create_dataset_from_buffers(
                dataset, buffers, env=recorder.unwrapped, observation_space=space, **given
            )
        except ValueError as error:
            raise InputError(f'the dataset "{dataset}" cannot be written: {error}') from error


def infos_of(run: RecordedEpisode) -> dict[str, Any]:
    """Return what is added to each observation: the state, and whether the episode was stopped there."""
    stopped = [False] * len(run.names) + [run.stopped]
    return {STATE: list(map(str, run.states)), STOPPED: stopped}


def stacked_observations(observations: Sequence[Any]) -> Any:
    """Return observations as Minari holds them: dictionaries and tuples outside, lists inside."""
    first = observations[0]
    if isinstance(first, dict):
        return {key: stacked_observations([one[key] for one in observations]) for key in first}
    if isinstance(first, tuple):
        return tuple(stacked_observations([one[at] for one in observations]) for at in range(len(first)))
    return list(observations)


def storable(space: Any) -> Any:
    """Return a space as Minari can store it: MiniGrid's missions are texts."""
    from gymnasium import spaces

    if isinstance(space, spaces.Dict):
        return spaces.Dict({key: storable(part) for key, part in space.spaces.items()})
    if type(space).__name__ == "MissionSpace":
        return spaces.Text(1_000, charset=string.printable)
    return space
