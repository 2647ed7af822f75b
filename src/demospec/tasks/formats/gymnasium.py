"""A task, or a belief over several, as a Gymnasium wrapper: one file that needs Gymnasium and numpy alone."""

from __future__ import annotations

from demospec.tasks.formats.names import title_of, verdicts
from demospec.tasks.formats.python import filled, in_docstring, put_in
from demospec.tasks.mixture import Mixture
from demospec.tasks.task import Task

LETTER = '"letter": letter'
TEMPLATE = '''\
"""A Gymnasium wrapper that adds a task's state to what is observed, and gives the task's reward.

@told@

Where observations are numbers (Discrete), so are the wrapper's: observation * STATES + state of the task,
with which a table of values can be indexed. Otherwise an observation becomes a dict of "observation" and
"task".

@reward@

    env = TaskWrapper(gymnasium.make("FrozenLake-v1"), label={5: "hole", 15: "goal"})
"""

from collections.abc import Mapping

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

LETTERS = @letters@
TABLE = (  # the state after each letter, state by state; the start is state 0
@table@
)
@marks@
VERDICTS = @verdicts@
STATES = len(TABLE)


class TaskWrapper(gymnasium.Wrapper, RecordConstructorArgs):
    """Follows the task along each episode; `info["task"]` tells its state, verdict, and the letter read.

    label: which letter, if any, is read in a situation: a mapping from observations, or a function of
        (observation, info). None, or an observation that is not in the mapping, is read as nothing. The
        situation after `reset` is read too.
    merge_repeats: a letter that is read twice in a row, also with nothing between, counts once.
    end_when_settled: end the episode as soon as the task is satisfied or violated for good.
    keep_reward: add the environment's own reward to the task's.
    """

    def __init__(self, env, label, *, merge_repeats=False, end_when_settled=True, keep_reward=False):
        RecordConstructorArgs.__init__(
            self,
            label=label,
            merge_repeats=merge_repeats,
            end_when_settled=end_when_settled,
            keep_reward=keep_reward,
        )
        gymnasium.Wrapper.__init__(self, env)
        self.label = label
        self.merge_repeats = merge_repeats
        self.end_when_settled = end_when_settled
        self.keep_reward = keep_reward
        self.task_state, self.last_letter = 0, None
        seen = env.observation_space
        if isinstance(seen, spaces.Discrete):
            self.observation_space = spaces.Discrete(int(seen.n) * STATES)
        else:
            self.observation_space = spaces.Dict({"observation": seen, "task": spaces.Discrete(STATES)})

    def reset(self, *, seed=None, options=None):
        """Begin an episode, and read where it begins."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.task_state, self.last_letter = 0, None
        letter = self._read(observation, info)
        return self._observed(observation), {**info, "task": self._told(letter)}

    def step(self, action):
        """Take a step in the environment, and read where it leads."""
        observation, own_reward, terminated, truncated, info = self.env.step(action)
        before = @worth@[self.task_state]
        letter = self._read(observation, info)
        reward = float(@worth@[self.task_state]) - float(before)
        if self.keep_reward:
            reward += float(own_reward)
        if self.end_when_settled and VERDICTS[self.task_state] != "open":
            terminated = True
        info = {**info, "task": self._told(letter)}
        return self._observed(observation), reward, terminated, truncated, info

    def parts(self, observation):
        """Return the environment's own observation, and the state of the task, that one is made of."""
        if isinstance(self.env.observation_space, spaces.Discrete):
            own, state = divmod(int(observation), STATES)
            return own + int(self.env.observation_space.start), state
        return observation["observation"], int(observation["task"])

    def _read(self, observation, info):
        if isinstance(self.label, Mapping):
            letter = self.label.get(observation)
        else:
            letter = self.label(observation, info)
        if letter is None:
            return None
        if letter not in LETTERS:
            raise ValueError(f"unknown letter {letter!r}; the task reads {', '.join(LETTERS)}")
        if not (self.merge_repeats and letter == self.last_letter):
            self.task_state = TABLE[self.task_state][LETTERS.index(letter)]
        self.last_letter = letter
        return letter

    def _observed(self, observation):
        if isinstance(self.env.observation_space, spaces.Discrete):
            own = int(observation) - int(self.env.observation_space.start)
            return np.int64(own * STATES + self.task_state)
        return {"observation": observation, "task": np.int64(self.task_state)}

    def _told(self, letter):
        return {"state": self.task_state, "verdict": VERDICTS[self.task_state], "letter": letter}
'''


ONE_TASK = {
    "told": """\
The task, as an automaton whose letters without an arrow change nothing:

@told@""",
    "reward": """\
The reward is 1 when the task becomes satisfied, -1 when it no longer is, else 0. Without a discount it adds
up to 1 when an episode ends satisfied, unless that was so before the first step.""",
    "marks": "ACCEPTING = @accepting@",
    "worth": "ACCEPTING",
}
BELIEF = {
    "told": """\
It is not known which of these tasks is meant; each has a share of the belief. They are read side by side:

@told@""",
    "reward": """\
The reward of a step is how much the share that is satisfied grows. Without a discount it adds up to the share
that is satisfied when an episode ends, less that before the first step: the chance that what was done is what
was meant. Who maximises it acts on the belief, not on its likeliest task. `info["task"]["satisfied"]` has a
mark for each task.""",
    "marks": "REWARD = @rewards@\nSATISFIED = @satisfied@",
    "worth": "REWARD",
}


def to_gymnasium(task: Task) -> str:
    """Write a module with the class `TaskWrapper`."""
    return filled(put_in(TEMPLATE, ONE_TASK), task)


def belief_to_gymnasium(mixture: Mixture) -> str:
    """Write the same module for several tasks with weights, of which one is meant.

    The mixture must not merge repeats: the wrapper does, where it is told to.
    """
    shares = zip(mixture.shares, mixture.tasks, strict=True)
    values = {
        "told": in_docstring("\n".join(f"    {share:.4f}  {title_of(task)}" for share, task in shares)),
        "letters": repr(mixture.alphabet),
        "table": "\n".join(f"    {row!r}," for row in mixture.table),
        "rewards": repr(mixture.reward),
        "satisfied": repr(mixture.satisfied),
        "verdicts": repr(verdicts(mixture.table, mixture.satisfied)),
    }
    whole = put_in(TEMPLATE, BELIEF).replace(LETTER, f'{LETTER}, "satisfied": SATISFIED[self.task_state]')
    return put_in(whole, values)
