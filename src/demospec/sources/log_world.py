"""A log as the source of a world: states, actions and outcomes are counted over all of its runs.

The alternatives to what a run did in a state are what other runs did there. What nobody did is not in the
world at all, which is said with every answer that comes from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from demospec.errors import InputError, WorldError, listing, nearest
from demospec.sources.logs.demonstrations import END, demonstrations
from demospec.sources.logs.layout import Format, Layout
from demospec.sources.logs.reading import Row, read_runs, runs_of_rows
from demospec.sources.logs.runs import UNTOLD, Runs
from demospec.sources.logs.states import START
from demospec.worlds.counted import CountedMDP
from demospec.worlds.mdp import Bools, Ints
from demospec.worlds.paths import Path
from demospec.worlds.world import Episode, World

Labels = Mapping[str, str] | Literal["states"] | None
Source = str | PathLike[str] | Iterable[Row]


def world_from_log(
    log: Source,
    /,
    *,
    episode: Episode | None = None,
    labels: Labels = None,
    min_count: int = 1,
    log_format: Format | None = None,
    **columns: Any,
) -> CountedMDP:
    """Count a world from a log: a file, or rows (run, state, action), or mappings from columns to values.

    `columns` and the conventions are those of `Layout`. Without an episode the horizon is the longest run's.

    >>> rows = [("a", "hall", "left"), ("a", "door", None), ("b", "hall", "right"), ("b", "room", None)]
    >>> world = world_from_log(rows, labels="states")
    >>> world.available(world.start), world.letters
    (('left', 'right'), ('door', 'hall', 'room'))
    """
    runs = runs_from(log, log_format, columns)
    return counted_world(runs, episode=episode, labels=labels, min_count=min_count)[0]


def demonstrations_from_log(
    world: World, log: Source, /, *, log_format: Format | None = None, **columns: Any
) -> tuple[Path, ...]:
    """Read the runs of a log as demonstrations in a world; `log` and `columns` as in `world_from_log`."""
    return demonstrations(world, runs_from(log, log_format, columns))


def runs_from(log: Source, log_format: Format | None, columns: Mapping[str, Any]) -> Runs:
    """Read runs from a file, or from rows in memory."""
    known = list(Layout.__dataclass_fields__)
    if unknown := [name for name in columns if name not in known]:
        raise InputError(
            f'unknown argument "{unknown[0]}"{nearest(unknown[0], known)}; known: {listing(known)}'
        )
    layout = Layout(**columns)
    if isinstance(log, str | PathLike):
        return read_runs(fspath(log), layout, log_format)
    return runs_of_rows(log, layout)


def counted_world(
    runs: Runs, *, episode: Episode | None = None, labels: Labels = None, min_count: int = 1
) -> tuple[CountedMDP, Runs]:
    """Count a world from runs, and return it with those of them that are possible there.

    A choice that was made fewer than `min_count` times is not in the world. Runs that take one count
    otherwise, but are not among those that are returned.
    """
    if min_count < 1:
        raise InputError(f"min_count must be at least 1; found {min_count}")
    ends, starts = len(runs.states), len(runs.states) + 1  # of what the log does not tell
    names = [*runs.states, END, START]
    before = np.where(runs.before() == UNTOLD, starts, runs.before())
    reached = np.where(runs.reached == UNTOLD, ends, runs.reached)
    begins = np.where(runs.start == UNTOLD, starts, runs.start)
    choice, first, tries = np.unique(
        before * len(runs.actions) + runs.action, return_inverse=True, return_counts=True
    )[:3]
    common = tries >= min_count
    possible = kept(runs, common[first.reshape(-1)])
    if not possible.any() or not len(choice):
        most = int(tries.max()) if len(tries) else 0
        raise WorldError(
            f"no run is left: a choice was made {most} times at most, and min_count is {min_count}"
        )
    counts = outcomes_of(choice, first.reshape(-1), reached, common)
    acting = {int(one) // len(runs.actions) for one in choice[common]}
    begin_counts = {
        int(state): int(number)
        for state, number in zip(*np.unique(begins, return_counts=True), strict=True)
        if int(state) in acting
    }
    seen = reachable(counts, begin_counts, len(runs.actions))
    told = letters(runs, labels, [names[state] for state in seen])
    world = CountedMDP.of(
        [
            (
                names[one // len(runs.actions)],
                runs.actions[one % len(runs.actions)],
                {names[state]: number for state, number in found.items()},
            )
            for one, found in counts.items()
            if one // len(runs.actions) in seen
        ],
        starts={names[state]: number for state, number in begin_counts.items()},
        episode=episode or usual_episode(runs, possible, acting, reached),
        labels=told,
        source=runs.source,
        runs=len(runs),
        left_out=int((~possible).sum()),
        by_events=runs.by_events,
        states=[names[state] for state in seen],
        actions=[action for action in runs.actions if action],
    )
    return world, runs.chosen(possible)


def kept(runs: Runs, common: Bools) -> Bools:
    """Return [R]: whether all choices of a run are common."""
    owner = np.repeat(np.arange(len(runs)), runs.steps)
    found = np.ones(len(runs), dtype=np.bool_)
    found[owner[~common]] = False
    return found


def outcomes_of(choice: Ints, of_step: Ints, reached: Ints, common: Bools) -> dict[int, dict[int, int]]:
    """Return how often each common choice led where, in the order of their numbers."""
    several = int(reached.max()) + 1
    found: dict[int, dict[int, int]] = {int(one): {} for one in choice[common]}
    for key, number in zip(*np.unique(of_step * several + reached, return_counts=True), strict=True):
        one, state = divmod(int(key), several)
        if common[one]:
            found[int(choice[one])][state] = int(number)
    return found


def reachable(counts: Mapping[int, Mapping[int, int]], starts: Iterable[int], actions: int) -> list[int]:
    """Return the states that runs can reach by common choices, in the order of their numbers."""
    led: dict[int, set[int]] = {}
    for one, found in counts.items():
        led.setdefault(one // actions, set()).update(found)
    seen, ahead = set(starts), list(starts)
    while ahead:
        new = led.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return sorted(seen)


def letters(runs: Runs, labels: Labels, states: list[str]) -> dict[str, str]:
    """Return the labels of states: those that are given, that the log tells, or their own names."""
    if labels is None and runs.labels is None:
        raise InputError(
            "nobody says which labels states have: name a column with label, or give labels, "
            'or labels = "states"'
        )
    if labels is not None and runs.labels is not None and not runs.by_events:
        raise InputError("give label or labels, not both")
    if labels == "states":
        return {state: state for state in states if state not in (START, END)}
    told = runs.labels if labels is None else labels
    assert told is not None
    for state in told:
        if state not in runs.states:
            raise InputError(f'labels: no run is ever in state "{state}"{nearest(state, runs.states)}')
    return {state: told[state] for state in states if state in told}


def usual_episode(runs: Runs, possible: Bools, acting: set[int], reached: Ints) -> Episode:
    """Return how episodes end unless told: with the longest run, or by choice where complete runs did so.

    They did where one that is told to be complete ended in a state in which others went on.
    """
    longest = max(1, int(runs.steps.max()))
    final = [
        int(reached[runs.offset[run + 1] - 1])
        for run in np.flatnonzero(possible).tolist()
        if runs.complete[run] and runs.steps[run]
    ]
    if any(state in acting for state in final):
        return Episode(horizon=longest + 1, ends="by choice")
    return Episode(horizon=longest)
