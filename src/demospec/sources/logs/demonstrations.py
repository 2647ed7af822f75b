"""The runs of a log as demonstrations in a world: each kind of step is checked once."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NoReturn

import numpy as np

from demospec.errors import DemonstrationError, UnknownState
from demospec.sources.logs.runs import UNTOLD, Runs
from demospec.sources.logs.table import numbered
from demospec.worlds.mdp import Bools, Ints
from demospec.worlds.paths import Path, ended, read_path, taken
from demospec.worlds.world import State, World, available, start_names

END = "(end)"  # in a world that was counted from a log: where a last action led that is not told
_CELL = re.compile(r"\s*[(\[]?\s*(-?\d{1,9})\s*[,;\s]\s*(-?\d{1,9})\s*[)\]]?\s*")


def demonstrations(world: World, runs: Runs, first: int = 1) -> tuple[Path, ...]:
    """Return the paths of all runs in a world; `first` is the number of the first one, for messages.

    What the world cannot have produced is refused with its line.
    """
    return Showing(world, runs, first).paths()


def named_state(world: World, text: str) -> State | None:
    """Return the name of the state that a log writes so: as the world does, or a cell as (3, 1) or 3,1."""
    if world.find(text) is not None:
        return text
    cell = _CELL.fullmatch(text)
    if cell is None:
        return None
    name = (int(cell[1]), int(cell[2]))
    return None if world.find(name) is None else name


class Showing:
    """Runs that are being read in a world. Steps are told apart by the log's own numbers."""

    def __init__(self, world: World, runs: Runs, first: int) -> None:
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
        self.refuse_if((pairs < 0) | self.is_over())
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
        pair = available(self.world, state).get(action)
        if pair is None:
            return None
        outcomes = [reached for reached, _ in self.world.outcomes(pair)]
        ends = [reached for reached in outcomes if self.world.name(reached) == END]
        return (pair, (ends or outcomes)[0]) if ends or len(outcomes) == 1 else None

    def is_over(self) -> Bools:
        """Return [N]: whether a step is taken after the horizon; of terminal states `step` knows."""
        time = np.arange(len(self.runs.action)) - np.repeat(self.runs.offset[:-1], self.runs.steps)
        return np.asarray(time >= self.world.episode.horizon)

    def refuse_if(self, bad: Bools) -> None:
        """Refuse the first run of which a step or the start is not possible."""
        owner = np.repeat(np.arange(len(self.runs)), self.runs.steps)
        wrong = np.zeros(len(self.runs), dtype=np.bool_)
        wrong[owner[bad]] = True
        wrong |= self.begins < 0
        if wrong.any():
            self.refuse(int(np.flatnonzero(wrong)[0]))

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
        pair = available(self.world, state).get(action)
        return self.world.name(state if pair is None else self.world.outcomes(pair)[0][0])
