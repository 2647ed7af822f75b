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
    from demospec.errors import DemospecError as DemospecError, InputError as InputError
    from demospec.explain.pursuing import belief_policy as belief_policy, policy as policy, sample as sample
    from demospec.explain.score import Evaluation as Evaluation, Score as Score, evaluate as evaluate
    from demospec.files import (
        load as load,
        load_belief as load_belief,
        load_example as load_example,
        load_task as load_task,
    )
    from demospec.identify.exact import smallest as smallest
    from demospec.plan.policy import Policy as Policy, Situation as Situation
    from demospec.plan.rationality import (
        Competency as Competency,
        Empirical as Empirical,
        Fixed as Fixed,
        Learned as Learned,
    )
    from demospec.problem import Problem as Problem, Settings as Settings, Weights as Weights
    from demospec.runs.result import Ranked as Ranked, Result as Result, Row as Row
    from demospec.runs.session import Session as Session, iterate as iterate, learn as learn
    from demospec.search.best_first import Explorer as Explorer
    from demospec.search.diss import Search as Search, State as State
    from demospec.search.engine import Info as Info
    from demospec.sources.arrays import from_arrays as from_arrays, from_function as from_function
    from demospec.sources.explicit import from_explicit as from_explicit
    from demospec.sources.gymnasium import from_gymnasium as from_gymnasium
    from demospec.sources.log_world import (
        demonstrations_from_log as demonstrations_from_log,
        world_from_log as world_from_log,
    )
    from demospec.sources.minari import from_minari as from_minari, to_minari as to_minari
    from demospec.sources.prism import from_jani as from_jani, from_prism as from_prism
    from demospec.sources.recorder import Recorder as Recorder
    from demospec.sources.umb import from_umb as from_umb, to_umb as to_umb
    from demospec.tasks import DFA as DFA, Task as Task
    from demospec.tasks.examples import Examples as Examples
    from demospec.worlds.gridworld import Wind as Wind, gridworld as gridworld
    from demospec.worlds.mdp import MDP as MDP
    from demospec.worlds.paths import Path as Path
    from demospec.worlds.world import Episode as Episode

__version__ = "0.1.0"

PUBLIC = {  # by the module that has it, which is loaded when something of it is asked for
    "demospec.errors": "DemospecError InputError",
    "demospec.explain.pursuing": "belief_policy policy sample",
    "demospec.explain.score": "Evaluation Score evaluate",
    "demospec.files": "load load_belief load_example load_task",
    "demospec.identify.exact": "smallest",
    "demospec.plan.policy": "Policy Situation",
    "demospec.plan.rationality": "Competency Empirical Fixed Learned",
    "demospec.problem": "Problem Settings Weights",
    "demospec.runs.result": "Ranked Result Row",
    "demospec.runs.session": "Session iterate learn",
    "demospec.search.best_first": "Explorer",
    "demospec.search.diss": "Search State",
    "demospec.search.engine": "Info",
    "demospec.sources.arrays": "from_arrays from_function",
    "demospec.sources.explicit": "from_explicit",
    "demospec.sources.gymnasium": "from_gymnasium",
    "demospec.sources.log_world": "demonstrations_from_log world_from_log",
    "demospec.sources.minari": "from_minari to_minari",
    "demospec.sources.prism": "from_jani from_prism",
    "demospec.sources.recorder": "Recorder",
    "demospec.sources.umb": "from_umb to_umb",
    "demospec.tasks": "DFA Task",
    "demospec.tasks.examples": "Examples",
    "demospec.worlds.gridworld": "Wind gridworld",
    "demospec.worlds.mdp": "MDP",
    "demospec.worlds.paths": "Path",
    "demospec.worlds.world": "Episode",
}
__all__ = sorted(["score", *(name for names in PUBLIC.values() for name in names.split())])

if not TYPE_CHECKING:  # type checkers are told above
    __getattr__ = loading(__name__, {module: names.split() for module, names in PUBLIC.items()})


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def score(problem: Problem, task: Task) -> Score:
    """Return how well one task explains the demonstrations."""
    from demospec.explain.score import evaluate
    from demospec.search.moves.shortening import shortest_way

    return evaluate(problem, shortest_way(problem, problem.check_task(task))).score
