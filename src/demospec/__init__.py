"""Learn the task behind a demonstration.

>>> import demospec
>>> problem = demospec.load_example("robot-paper")
>>> score = demospec.score(problem, demospec.DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", "bgry"))
>>> round(score.surprise, 3)
20.536
"""

from typing import TYPE_CHECKING, Any

import demospec.report.notebook  # noqa: F401  lets objects show themselves
from demospec.errors import DemospecError, InputError
from demospec.explain.acting import belief_policy, policy, sample
from demospec.explain.score import Evaluation, Score, evaluate
from demospec.files import load, load_belief, load_example, load_task
from demospec.identify import smallest
from demospec.plan.policy import Policy, Situation
from demospec.plan.rationality import Competency, Empirical, Fixed, Learned
from demospec.problem import Problem, Settings, Weights
from demospec.runs.learn import learn
from demospec.runs.position import Row
from demospec.runs.result import Ranked, Result
from demospec.runs.session import Session, iterate
from demospec.search.diss import Info, Search, State
from demospec.sources.gymnasium import from_gymnasium
from demospec.sources.minari import from_minari, to_minari
from demospec.tasks import DFA, Task
from demospec.tasks.examples import Examples
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.world import Episode

if TYPE_CHECKING:
    from demospec.sources.recorder import Recorder

__version__ = "0.1.0"

__all__ = [
    "DFA",
    "MDP",
    "Competency",
    "DemospecError",
    "Empirical",
    "Episode",
    "Evaluation",
    "Examples",
    "Fixed",
    "Info",
    "InputError",
    "Learned",
    "Path",
    "Policy",
    "Problem",
    "Ranked",
    "Recorder",
    "Result",
    "Row",
    "Score",
    "Search",
    "Session",
    "Settings",
    "Situation",
    "State",
    "Task",
    "Weights",
    "Wind",
    "belief_policy",
    "evaluate",
    "from_gymnasium",
    "from_minari",
    "gridworld",
    "iterate",
    "learn",
    "load",
    "load_belief",
    "load_example",
    "load_task",
    "policy",
    "sample",
    "score",
    "smallest",
    "to_minari",
]


def __getattr__(name: str) -> Any:
    if name == "Recorder":  # it is a Gymnasium wrapper: the package is imported when it is used
        from demospec.sources.recorder import Recorder

        return Recorder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def score(problem: Problem, task: Task) -> Score:
    """Return how well one task explains the demonstrations."""
    return evaluate(problem, problem.shortest_way(problem.check_task(task))).score
