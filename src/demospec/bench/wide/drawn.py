"""Tasks that are drawn from the prior itself: where the truth is such a one, probabilities must come true.

Random bits are read in the code of tasks, which gives every task with the probability that a learner gives it
beforehand. What the code never says (bits of a form that is not canonical), what has no aim, what is too
large, and what no world lets an agent pursue, is drawn again.
"""

from __future__ import annotations

import numpy as np

from demospec.bench.wide.worlds import world_for
from demospec.errors import InputError, TaskError
from demospec.tasks import Task
from demospec.tasks.code import Words
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Ends

BITS = 400  # that are drawn for a task: many more than one takes
MOST_STATES = 12  # of a task
MOST_DRAWS = 200


def draw(alphabet: str, kind: str, ends: Ends, rng: np.random.Generator) -> tuple[Task, MDP]:
    """Draw a task from the prior, and a world in which it can be pursued."""
    code = Words(tuple(alphabet))
    for _ in range(MOST_DRAWS):
        bits = "".join(map(str, rng.integers(2, size=BITS).tolist()))
        try:
            task = code.decode(bits)
            if 1 < task.automaton.states <= MOST_STATES:
                return task, world_for(kind, task.automaton, rng, ends, draws=10)
        except (TaskError, InputError):
            continue
    raise InputError(f'none of {MOST_DRAWS} tasks can be pursued in a world of the kind "{kind}"')
