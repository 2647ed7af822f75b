"""Learn the task behind a demonstration.

>>> import demospec
>>> problem = demospec.load_example("robot-paper")
>>> score = demospec.score(problem, demospec.DFA.parse(">0: y→1, r→2 | *1: r→2 | 2:", "bgry"))
>>> round(score.surprise, 3)
20.536

Modules are loaded when something of them is asked for, so that a command waits for what it uses alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from demospec.later import loading

if TYPE_CHECKING:
    from demospec.errors import DemospecError, InputError
    from demospec.explain.acting import belief_policy, policy, sample
    from demospec.explain.score import Evaluation, Score, evaluate
    from demospec.files import load, load_belief, load_example, load_task
    from demospec.identify import smallest
    from demospec.plan.policy import Policy, Situation
    from demospec.plan.rationality import Competency, Empirical, Fixed, Learned
    from demospec.problem import Problem, Settings, Weights
    from demospec.runs.result import Ranked, Result, Row
    from demospec.runs.session import Session, iterate, learn
    from demospec.search.diss import Info, Search, State
    from demospec.sources.arrays import from_arrays, from_function
    from demospec.sources.explicit import from_explicit
    from demospec.sources.gymnasium import from_gymnasium
    from demospec.sources.log_world import demonstrations_from_log, world_from_log
    from demospec.sources.minari import from_minari, to_minari
    from demospec.sources.prism import from_jani, from_prism
    from demospec.sources.recorder import Recorder
    from demospec.sources.umb import from_umb, to_umb
    from demospec.tasks import DFA, Task
    from demospec.tasks.examples import Examples
    from demospec.worlds.gridworld import Wind, gridworld
    from demospec.worlds.mdp import MDP
    from demospec.worlds.paths import Path
    from demospec.worlds.world import Episode

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
    "demonstrations_from_log",
    "evaluate",
    "from_arrays",
    "from_explicit",
    "from_function",
    "from_gymnasium",
    "from_jani",
    "from_minari",
    "from_prism",
    "from_umb",
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
    "to_umb",
    "world_from_log",
]

if not TYPE_CHECKING:
    __getattr__ = loading(
        __name__,
        {
            "demospec.errors": ("DemospecError", "InputError"),
            "demospec.explain.acting": ("belief_policy", "policy", "sample"),
            "demospec.explain.score": ("Evaluation", "Score", "evaluate"),
            "demospec.files": ("load", "load_belief", "load_example", "load_task"),
            "demospec.identify": ("smallest",),
            "demospec.plan.policy": ("Policy", "Situation"),
            "demospec.plan.rationality": ("Competency", "Empirical", "Fixed", "Learned"),
            "demospec.problem": ("Problem", "Settings", "Weights"),
            "demospec.runs.result": ("Ranked", "Result", "Row"),
            "demospec.runs.session": ("Session", "iterate", "learn"),
            "demospec.search.diss": ("Info", "Search", "State"),
            "demospec.sources.arrays": ("from_arrays", "from_function"),
            "demospec.sources.explicit": ("from_explicit",),
            "demospec.sources.gymnasium": ("from_gymnasium",),
            "demospec.sources.log_world": ("demonstrations_from_log", "world_from_log"),
            "demospec.sources.minari": ("from_minari", "to_minari"),
            "demospec.sources.prism": ("from_jani", "from_prism"),
            "demospec.sources.recorder": ("Recorder",),
            "demospec.sources.umb": ("from_umb", "to_umb"),
            "demospec.tasks": ("DFA", "Task"),
            "demospec.tasks.examples": ("Examples",),
            "demospec.worlds.gridworld": ("Wind", "gridworld"),
            "demospec.worlds.mdp": ("MDP",),
            "demospec.worlds.paths": ("Path",),
            "demospec.worlds.world": ("Episode",),
        },
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def score(problem: Problem, task: Task) -> Score:
    """Return how well one task explains the demonstrations."""
    from demospec.explain.score import evaluate

    return evaluate(problem, problem.shortest_way(problem.check_task(task))).score
