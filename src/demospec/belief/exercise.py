"""Transitions that no world exercises, and those that the worlds leave open.

A transition is *impossible* when no path of any world takes it, whatever the agent does; it is *idle* when
the task's own agent takes it less than once in a million episodes. It is *light* when it could as well lead
to success for good or to failure for good: in no world makes that a difference that a thousand episodes of
the agent would show. What a rational agent avoids is idle, but not light: had it led to success, it would be
taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.belief.answers import MOST_WORK, SAME, cells
from demospec.belief.distance import Agents
from demospec.belief.words import Words, per_transition
from demospec.explain.score import Score
from demospec.plan.base import Plan
from demospec.plan.monitor import Monitor
from demospec.plan.policy import Occupancy
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.side_by_side import Product
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools, Floats

IDLE = 1e-6  # times in an episode
Transition = tuple[int, str, int]


@dataclass(frozen=True, eq=False)
class Use:
    """What the worlds do with the transitions of a task of Q states over K letters."""

    task: DFA
    possible: Bools  # [Q, K], in some world
    taken: Floats  # [Q, K], how often in an episode, on average over worlds by their shares
    light: Bools  # [Q, K], in all worlds
    tried: bool  # False: the worlds are too large to try every transition, only impossible ones are light

    @property
    def idle(self) -> Bools:
        """Return [Q, K]: what the agent practically never takes, though some path does."""
        found: Bools = self.possible & (self.taken < IDLE)
        return found

    def light_transitions(self) -> list[Transition]:
        """Return the transitions that pictures draw light, loops included."""
        return [
            (q, letter, target)
            for q, row in enumerate(self.task.table)
            for k, (letter, target) in enumerate(zip(self.task.alphabet, row, strict=True))
            if self.light[q, k]
        ]


def use_of(problem: Problem, score: Score, words: Words, stop: Stop = NEVER) -> Use:
    """Follow the task's agent, and try every transition; `words` are those of the task alone."""
    task, reader = score.task.automaton, words.reader
    agents = Agents(problem, [task], [score.rationality], stop, score.effort)
    possible = per_transition(reader, task.states, words.taken.astype(np.float64)) > 0
    monitor, counts = reading_monitor(task, reader), np.zeros(reader.reads.shape)
    for world, share in zip(agents.worlds, problem.shares, strict=True):
        if share:
            counts += share * readings(agents.planner.plan(world, monitor, score.rationality), stop)
    taken = per_transition(reader, task.states, counts)
    work = 4 * task.states * len(task.alphabet) * 2 * task.states
    tried = work * cells(agents) <= MOST_WORK
    light = ~possible
    if tried:
        at = np.argwhere(possible)
        light[possible] = makes_no_difference(problem, score, at.tolist(), stop)
    return Use(task, possible, taken, light, tried)


def reading_monitor(task: DFA, reader: Product) -> Monitor:
    """Return the monitor of a task that keeps every node of a reader apart."""
    rows = tuple(tuple(row[:-1]) for row in reader.table.tolist())
    marks = np.array(task.accepting, dtype=np.bool_)[reader.states(0)]
    return Monitor(task.alphabet, rows, marks, ~marks, marks)


def readings(plan: Plan, stop: Stop = NEVER) -> Floats:
    """Return [N, K + 1]: how often an episode reads each letter, or white, in each monitor state."""
    alphabet, entered = plan.monitor.alphabet, Occupancy.of(plan, stop).entered
    found = np.zeros((plan.monitor.states, len(alphabet) + 1))
    np.add.at(found.T, plan.world.listed().letter_numbers(alphabet), entered.T)
    return found


def makes_no_difference(
    problem: Problem, score: Score, transitions: list[list[int]], stop: Stop = NEVER
) -> list[bool]:
    """Say of each (state, letter number) whether it may lead to success or failure for good as well.

    The agent is as rational with the changed task as with the task itself.
    """
    task = score.task.automaton
    changed = [redirected(task, q, k, mark) for q, k in transitions for mark in (True, False)]
    rationalities = [score.rationality] * (1 + len(changed))
    agents = Agents(problem, [task, *changed], rationalities, stop, score.effort)
    same = agents.alike(0, range(1, 1 + len(changed)), SAME)
    return [same[2 * k] and same[2 * k + 1] for k in range(len(transitions))]


def redirected(task: DFA, state: int, letter: int, mark: bool) -> DFA:
    """Return the task with one transition led to a new state where all is accepted, or nothing."""
    rows = [list(row) for row in task.table]
    rows[state][letter] = task.states
    rows.append([task.states] * len(task.alphabet))
    return DFA(
        alphabet=task.alphabet,
        table=tuple(map(tuple, rows)),
        accepting=(*task.accepting, mark),
        start=task.start,
    ).minimal
