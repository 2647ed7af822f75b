"""A log as the source of a world, and of demonstrations in a world.

States, actions and outcomes are counted over all runs. The alternatives to what a run did in a state are what
other runs did there. What nobody did is not in the world at all, which is said with every answer that comes
from it. As demonstrations, runs are checked by kinds of step, each kind once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from os import PathLike, fspath
from typing import Any, Literal, NoReturn

import numpy as np

from demospec.errors import DemonstrationError, InputError, UnknownState, WorldError
from demospec.sources.logs.layout import Format, Layout
from demospec.sources.logs.runs import START, UNTOLD, LogRuns, Row, read_runs, runs_of_rows
from demospec.sources.logs.table import numbered
from demospec.wording import listing, nearest
from demospec.worlds.estimated import CountedMDP
from demospec.worlds.mdp import Bools, Ints
from demospec.worlds.paths import Path, ended, read_path, taken
from demospec.worlds.world import Episode, State, World, pairs_by_action, start_names

END = "(end)"  # in a world that was counted from a log: where a last action led that is not told
_CELL = re.compile(r"\s*[(\[]?\s*(-?\d{1,9})\s*[,;\s]\s*(-?\d{1,9})\s*[)\]]?\s*")


def demonstrations_of_runs(world: World, runs: LogRuns, first: int = 1) -> tuple[Path, ...]:
    """Return the paths of all runs in a world; `first` is the number of the first one, for messages.

    What the world cannot have produced is refused with its line.
    """
    return RunsInWorld(world, runs, first).paths()


def named_state(world: World, text: str) -> State | None:
    """Return the name of the state that a log writes so: as the world does, or a cell as (3, 1) or 3,1."""
    if world.find(text) is not None:
        return text
    cell = _CELL.fullmatch(text)
    if cell is None:
        return None
    name = (int(cell[1]), int(cell[2]))
    return None if world.find(name) is None else name


class RunsInWorld:
    """Runs that are being read in a world. Steps are told apart by the log's own numbers."""

    def __init__(self, world: World, runs: LogRuns, first: int) -> None:
        self.world, self.runs, self.first = world, runs, first

    @cached_property
    def names(self) -> list[State | None]:
        """Return the world's name of each state in the log; None where it has no such state."""
        used = np.unique(np.concatenate([self.runs.start, self.runs.reached]))
        names: list[State | None] = [None] * len(self.runs.states)
        for code in used[used != UNTOLD].tolist():
            names[code] = named_state(self.world, self.runs.states[code])
        return names

    @cached_property
    def begins(self) -> Ints:
        """Return [R]: the state in which a run begins, −1 where none can begin there."""
        starts = [state for state, _ in self.world.starts]
        only = starts[0] if len(starts) == 1 else -1
        number = [-1 if name is None else self.world.find(name) for name in self.names]
        here = np.array([state if state in starts else -1 for state in number] + [only], dtype=np.intp)
        return here[self.runs.start]  # untold is the last one

    def paths(self) -> tuple[Path, ...]:
        """Check all steps, and return the paths."""
        runs, world = self.runs, self.world
        before = runs.before()
        several = len(runs.states) + 1
        kind, at = numbered(
            (before + 1) * several * len(runs.actions) + runs.action * several + runs.reached + 1
        )
        pair, reached = np.full(len(at), -1, dtype=np.intp), np.full(len(at), -1, dtype=np.intp)
        for number, row in enumerate(at.tolist()):
            found = self.step(int(before[row]), int(runs.action[row]), int(runs.reached[row]))
            if found is not None:
                pair[number], reached[number] = found
        pairs, states = pair[kind], reached[kind]
        owner = np.repeat(np.arange(len(runs)), runs.steps)
        late = np.arange(len(owner)) - runs.offset[owner] >= world.episode.horizon  # of ends `step` knows
        wrong = np.union1d(owner[(pairs < 0) | late], np.flatnonzero(self.begins < 0))
        if len(wrong):
            self.refuse(int(wrong[0]))
        steps = list(zip(pairs.tolist(), states.tolist(), strict=True))
        offset = runs.offset.tolist()
        paths = []
        for run, begin in enumerate(self.begins.tolist()):
            shown = tuple(steps[offset[run] : offset[run + 1]])
            try:
                complete = runs.complete[run]
                number = self.first + run
                paths.append(ended(world, shown, begin, complete=complete, demonstration=number))
            except DemonstrationError as error:
                line = runs.reached_line[offset[run + 1] - 1] if shown else runs.start_line[run]
                runs.refuse(int(line), error.message, run)
        return tuple(paths)

    def step(self, before: int, action: int, reached: int) -> tuple[int, int] | None:
        """Return a kind of step by the world's numbers; None where it is not possible."""
        world = self.world
        name = world.name(world.starts[0][0]) if before == UNTOLD else self.names[before]
        state = None if name is None else world.find(name)
        if state is None or world.ends(state):
            return None
        if reached == UNTOLD:
            return self.untold(state, self.runs.actions[action])
        target = self.names[reached]
        if target is None:
            return None
        try:
            return taken(world, state, self.runs.actions[action], target, demonstration=self.first, step=1)
        except DemonstrationError:
            return None

    def untold(self, state: int, action: str) -> tuple[int, int] | None:
        """Return a run's last step, of which the log does not tell where it led, where that is sure."""
        pair = pairs_by_action(self.world, state).get(action)
        if pair is None:
            return None
        outcomes = [reached for reached, _ in self.world.outcomes(pair)]
        ends = [reached for reached in outcomes if self.world.name(reached) == END]
        return (pair, (ends or outcomes)[0]) if ends or len(outcomes) == 1 else None

    def refuse(self, run: int) -> NoReturn:
        """Say what is wrong with a run, and on which line."""
        runs, world = self.runs, self.world
        start, steps = int(runs.start[run]), range(int(runs.offset[run]), int(runs.offset[run + 1]))
        if start == UNTOLD and len(world.starts) > 1:
            several = f"the world has several start states ({start_names(world)})"
            advice = "begin each run with a row that has the state and no action"
            runs.refuse(int(runs.start_line[run]), f"{several}; {advice}", run)
        path: list[str | State] = []
        for step in steps:
            action, reached = runs.actions[runs.action[step]], int(runs.reached[step])
            path += [action, self.somewhere(run, path, action) if reached == UNTOLD else self.told(reached)]
        try:
            begin = None if start == UNTOLD else self.told(start)
            read_path(world, path, complete=None, demonstration=1, start=begin)
        except DemonstrationError as error:
            if error.step is None:
                runs.refuse(int(runs.start_line[run]), error.message, run)
            at = steps[error.step - 1]
            line = runs.reached_line[at] if isinstance(error, UnknownState) else runs.line[at]
            runs.refuse(int(line), error.message, run)
        runs.refuse(
            int(runs.line[steps[-1]]),
            f'the last action, "{path[-2]}", can lead to several states; '
            "end the run with a row that has the state reached and no action",
            run,
        )

    def told(self, code: int) -> State:
        """Return a state's name in the world, or what the log calls it."""
        name = self.names[code]
        return self.runs.states[code] if name is None else name

    def somewhere(self, run: int, path: list[str | State], action: str) -> State:
        """Return a state that an action can lead to after a path, for a message; any where it cannot."""
        state = self.world.find(path[-1]) if path else int(self.begins[run])
        if state is None or state < 0:
            return END
        pair = pairs_by_action(self.world, state).get(action)
        return self.world.name(state if pair is None else self.world.outcomes(pair)[0][0])


# -- A log as the source of a world ----------------------------------------------------------------------

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
    return demonstrations_of_runs(world, runs_from(log, log_format, columns))


def runs_from(log: Source, log_format: Format | None, columns: Mapping[str, Any]) -> LogRuns:
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
    runs: LogRuns, *, episode: Episode | None = None, labels: Labels = None, min_count: int = 1
) -> tuple[CountedMDP, LogRuns]:
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
    possible = np.ones(len(runs), dtype=np.bool_)
    possible[np.repeat(np.arange(len(runs)), runs.steps)[~common[first.reshape(-1)]]] = False
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
    seen = common_states(counts, begin_counts, len(runs.actions))
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


def outcomes_of(choice: Ints, of_step: Ints, reached: Ints, common: Bools) -> dict[int, dict[int, int]]:
    """Return how often each common choice led where, in the order of their numbers."""
    several = int(reached.max()) + 1
    found: dict[int, dict[int, int]] = {int(one): {} for one in choice[common]}
    for key, number in zip(*np.unique(of_step * several + reached, return_counts=True), strict=True):
        one, state = divmod(int(key), several)
        if common[one]:
            found[int(choice[one])][state] = int(number)
    return found


def common_states(counts: Mapping[int, Mapping[int, int]], starts: Iterable[int], actions: int) -> list[int]:
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


def letters(runs: LogRuns, labels: Labels, states: list[str]) -> dict[str, str]:
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


def usual_episode(runs: LogRuns, possible: Bools, acting: set[int], reached: Ints) -> Episode:
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
