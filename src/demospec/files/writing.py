"""A problem as the file that describes it: what is read back is the same problem."""

from __future__ import annotations

import math
from dataclasses import asdict
from functools import reduce
from operator import or_
from typing import Any

from demospec.errors import InputError
from demospec.explain.setup import resolve
from demospec.files.factored_table import factored_document
from demospec.files.log_table import counted_document
from demospec.files.tables import build_planner
from demospec.files.worlds import terrain_document
from demospec.identify.classes import ImpliedBy
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.rationality import Agent, Competency, Fixed, Learned
from demospec.plan.sampled import SampledPlanner
from demospec.plan.tabular import TabularPlanner
from demospec.problem import Code, Problem, Settings, Weights
from demospec.sources.gymnasium import GymnasiumWorld
from demospec.worlds.estimated import CountedMDP, EstimatedMDP
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.gridworld import GridWorld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, file_state
from demospec.worlds.scene import Scene
from demospec.worlds.world import STOP, World, check_costs, is_stopped, stops

Document = dict[str, Any]


def problem_document(problem: Problem) -> Document:
    """Return the file of a problem as plain values; refuse what no file can say.

    What has its default is left out, but for the settings of the search: a default may change one day.
    """
    scenes = [scene_document(scene) for scene in problem.scenes]
    document: Document = {"name": problem.name, "alphabet": list(problem.alphabet)}
    if len(scenes) == 1 and problem.scenes[0].name == Scene(world=problem.scenes[0].world).name:
        (only,) = scenes
        episode, shown = only.pop("episode"), only.pop("demonstrations")
        del only["name"]
        document |= {"world": only, "episode": episode}
    else:
        shown = []
        document |= {"worlds": scenes}
    document |= {
        "agent": agent_to_say(problem) | planner_key(problem) | cost_key(problem),
        "energy": energy_document(problem.weights),
        "task": task_table(problem),
        "search": search_document(problem.settings),
        "examples": [{"word": list(word), "accept": label} for word, label in problem.given],
        "demonstrations": shown,
    }
    return {key: value for key, value in document.items() if value != [] and value != {}}


def scene_document(scene: Scene) -> Document:
    """Return one of `[[worlds]]`: the world before copies were merged, and what was shown in it."""
    world, episode = scene.original, scene.original.episode
    table = world_table(world)
    if scene.quotient is not None:
        table["merge_redundant"] = True
    return {
        "name": scene.name,
        **table,
        "episode": {"horizon": episode.horizon}
        | ({"ends": episode.ends} if episode.by_choice else {"end_probability": episode.end_probability}),
        "demonstrations": [
            demonstration_table(world, scene.in_original(path)) for path in scene.demonstrations
        ],
    }


def world_table(world: World) -> Document:
    """Return the table of a world."""
    match world:
        case FactoredWorld():
            return factored_document(world)
        case GymnasiumWorld(link=link) if link.table is not None:
            return dict(link.table)
        case GridWorld():
            return grid_table(world)
        case MDP():
            return listed_document(world)
    raise InputError(f"a world of kind {type(world).__name__} cannot be written to a file")


def grid_table(world: GridWorld) -> Document:
    """Return the table of a world that came from a map."""
    cells = {world.states[state]: chance for state, chance in world.starts}
    start: Document = {"start": [*next(iter(cells))]}
    if len(cells) > 1:
        start = {"starts": [{"cell": [*cell], "probability": chance} for cell, chance in cells.items()]}
    table: Document = {"kind": "gridworld", "map": "\n".join(world.rows), **start, "blocked": world.blocked}
    if world.wind is not None:
        table["wind"] = asdict(world.wind)
    if ends := own_terminals(world):
        table["terminal"] = [[*world.states[state]] for state in ends]
    return table | terrain_document(world.terrain)


def own_terminals(world: MDP) -> list[int]:
    """Return the terminal states that a file lists: the one of stopped episodes is not told."""
    return [state for state in world.terminal.nonzero()[0].tolist() if not is_stopped(world, state)]


def listed_document(world: MDP) -> Document:
    """Return the table of a world that is written out."""
    if isinstance(world, CountedMDP):
        own = [str(name) for state, name in enumerate(world.states) if not is_stopped(world, state)]
        return counted_document(world, own, own_actions(world))
    if isinstance(world, EstimatedMDP):
        raise InputError("a world that was sampled cannot be written to a file: its counts would be lost")
    states = [state for state in range(len(world.states)) if not is_stopped(world, state)]
    names = {state: name for state in states if isinstance(name := world.states[state], str)}
    if len(names) < len(states):
        raise InputError("a world whose states are cells, but which has no map, cannot be written to a file")
    starts = {names[state]: chance for state, chance in world.starts}
    return {
        "kind": "mdp",
        "start": next(iter(starts)) if len(starts) == 1 else starts,
        "states": list(names.values()),
        "actions": own_actions(world),
        "labels": {name: label for state, name in names.items() if (label := world.label(state)) is not None},
        "terminal": [names[state] for state in own_terminals(world)],
        "transitions": [
            [name, world.action(pair), {names[reached]: chance for reached, chance in world.outcomes(pair)}]
            for state, name in names.items()
            for pair in world.pairs(state)
            if not stops(world, pair)
        ],
    }


def own_actions(world: MDP) -> list[str]:
    """Return the actions that a file lists: to stop is told by how episodes end."""
    return [action for action in world.actions if not (world.episode.by_choice and action == STOP)]


def demonstration_table(world: World, path: Path) -> Document:
    """Return one of `[[demonstrations]]`."""
    start = {} if path.start is None else {"start": file_state(world.name(path.start))}
    return {**start, "complete": path.complete, "path": path.to_file(world)}


def agent_to_say(problem: Problem) -> Document:
    """Return `[agent]`; nothing where none is given and a file that says nothing means the same."""
    if problem.agent is not None:
        return agent_document(problem.agent)
    if code_to_say(problem) != "words":
        return {}
    return agent_document(resolve(problem.with_settings(method="explore")).agent)


def agent_document(agent: Agent) -> Document:
    """Return `[agent]`."""
    if isinstance(agent, Fixed):
        return {"rationality": agent.rationality}
    if isinstance(agent, Learned):
        values = {name: getattr(agent, name) for name in ("rationality", "effort", "haste", "mistakes")}
        return {name: "learned" if value is None else value for name, value in values.items()}
    return {"competency": agent.competency if isinstance(agent, Competency) else "empirical"}


def planner_key(problem: Problem) -> Document:
    """Return what `[agent]` says of the planner; nothing where it follows from the worlds."""
    usual = build_planner(None, [scene.original for scene in problem.scenes])
    match problem.planner:
        case None:
            return {}
        case planner if planner == usual:
            return {}
        case TabularPlanner():
            return {"planner": {"kind": "tabular"}}
        case DiagramPlanner(most_nodes=most):
            return {"planner": {"kind": "diagrams", "most_nodes": most}}
        case SampledPlanner(steps=steps, draws=draws, seed=seed):
            return {"planner": {"kind": "sampled", "steps": steps, "draws": draws, "seed": seed}}
        case other:
            raise InputError(f"the planner {type(other).__name__} cannot be written to a file")


def cost_key(problem: Problem) -> Document:
    """Return what `[agent]` says of costs; nothing where all are usual. Refuse what no file can say."""
    worlds = [world for scene in problem.scenes if isinstance(world := scene.original, MDP | FactoredWorld)]
    costs: dict[str, float] = {}
    for world in worlds:
        usual = world.usual_costs
        costs |= {action: cost for action, cost in world.action_costs.items() if cost != usual[action]}
    for world in worlds:
        check_costs({STOP: costs[STOP]} if STOP in costs else {}, [STOP], by_choice=world.episode.by_choice)
        for action, cost in world.action_costs.items():
            if (told := costs.get(action, cost)) != cost:
                raise InputError(
                    f'the action "{action}" costs {cost:g} in one world and {told:g} in another: '
                    "no file can say that"
                )
    return {"cost": costs} if costs else {}


def energy_document(weights: Weights) -> Document:
    """Return `[energy]`, where weights are given, but for a size's that follows from how much is shown."""
    table = asdict(weights)
    if table.pop("by_rule"):
        del table["size_weight"]
    return {} if weights == Weights(by_rule=True) else table


def task_table(problem: Problem) -> Document:
    """Return `[task]`."""
    table: Document = {"merge_repeats": True} if problem.merge_repeats else {}
    if problem.prior is not None:
        table["implies"] = problem.prior.to_json()
    if bounds := [one.task for one in problem.classes if isinstance(one, ImpliedBy)]:
        table["implied_by"] = reduce(or_, bounds).minimal.to_json()
    if names := [one.name for one in problem.classes if not isinstance(one, ImpliedBy)]:
        table["class"] = names
    if problem.parts is not None:
        table["all_of" if problem.parts.operator == "and" else "any_of"] = problem.parts.most
    if code := code_to_say(problem):
        table["code"] = code
    return table


def code_to_say(problem: Problem) -> Code | None:
    """Return the code that is given; a file with weights or parts and no code ranks by the paper's energy."""
    other = problem.parts is not None or energy_document(problem.weights)
    return problem.code or ("words" if other else None)


def search_document(settings: Settings) -> Document:
    """Return `[search]`, in it `[search.paper]`."""
    table, paper = asdict(settings), asdict(settings.paper)
    if math.isinf(paper["pivot_temperature"]):
        paper["pivot_temperature"] = "inf"
    table |= {"without": list(settings.without), "paper": paper}
    return {name: value for name, value in table.items() if value is not None and value != []}
