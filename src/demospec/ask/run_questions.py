"""Questions for runs: show a demonstration from another start state, or after an edit of a map.

Each is asked in a scene of its own, like one of the problem's but for the start or one cell, or in a scene of
the problem where that is the same world. They are ranked by what a demonstration is expected to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import count

import numpy as np

from demospec.ask.information import (
    EACH_ROUND,
    LIKELIEST,
    MOST_PATHS,
    Information,
    count_paths,
    of_all_paths,
    of_drawn_paths,
    plans_in,
    ranked,
)
from demospec.belief import Belief
from demospec.errors import InputError
from demospec.plan.policy import Occupancy
from demospec.problem import Problem
from demospec.work.stop import NEVER, Stop
from demospec.worlds.gridworld import GridWorld, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import STOP, State, show

MOST_STARTS = 16  # start states that are compared, over all worlds
MOST_CELLS = 12  # whose letter may be changed, over all worlds: those that likely agents visit most


@dataclass(frozen=True)
class Start:
    """Begin in another state."""

    state: State

    def __str__(self) -> str:
        return f"from {show(self.state)}"


@dataclass(frozen=True)
class Edit:
    """Give a cell another letter; None is white."""

    cell: tuple[int, int]
    before: str | None
    letter: str | None

    def __str__(self) -> str:
        return f"with {show(self.cell)} {self.letter or 'white'} instead of {self.before or 'white'}"


@dataclass(frozen=True, eq=False)
class RunQuestion:
    """Show a run in this scene: the world with the name `like`, but for a change.

    The scene is one of the problem's where that has this world already. `information` is what a demonstration
    there is expected to tell.
    """

    scene: Scene
    like: str
    change: Start | Edit
    information: Information

    def __str__(self) -> str:
        return f"a run {self.change}"

    @property
    def nats(self) -> float:
        """Return what the run is expected to tell."""
        return self.information.nats

    @property
    def worth(self) -> float:
        """Return the same: what showing a run costs somebody is not known."""
        return self.nats

    def expected(self, given: bool | Path) -> float:
        """Return how likely a run is: too little for any to be no news."""
        return 0.0

    def apply(self, problem: Problem, given: bool | Path) -> Problem:
        """Return the problem with the run, a path of the original world of the scene."""
        if not isinstance(given, Path):
            raise InputError("a run is asked for, not a label")
        return with_demonstration(problem, self.scene, given)


def with_demonstration(problem: Problem, scene: Scene, path: Path) -> Problem:
    """Return the problem with one more demonstration, in its scene of that name or in a new one.

    The path is one of the scene's original world.
    """
    scene = next((own for own in problem.scenes if own.name == scene.name), scene)
    image = scene.from_original(path)
    shown = scene.shown if scene.quotient is None else {image: path, **scene.shown}
    longer = replace(scene, demonstrations=(*scene.demonstrations, image), shown=shown)
    if scene in problem.scenes:
        return replace(problem, scenes=tuple(longer if own is scene else own for own in problem.scenes))
    return replace(problem, scenes=(*problem.scenes, longer))


def offered_starts(
    belief: Belief,
    *,
    seed: int = 0,
    most: int = MOST_STARTS,
    most_paths: int = MOST_PATHS,
    each_round: int = EACH_ROUND,
    stop: Stop = NEVER,
) -> list[RunQuestion]:
    """Return start states by what a demonstration from there is expected to tell, the best first.

    In large worlds so many states, spread evenly; those that episodes begin in are always among them.
    """
    check_starts(belief.problem)
    candidates: list[Candidate] = []
    groups = but_for_starts(belief.problem)
    for group in groups:
        first = group[0]
        mdp = first.mdp
        there = {scene.world.starts[0][0]: scene for scene in group if len(scene.world.starts) == 1}
        own = list(dict.fromkeys(state for scene in group for state, _ in scene.world.starts))
        others = [k for k in range(len(mdp.states)) if not mdp.terminal[k] and k not in own]
        for state in (*own, *evenly(others, max(0, max(1, most // len(groups)) - len(own)))):
            scene = there.get(state) or beginning_in(belief.problem, first, state)
            candidates.append((scene, first.name, Start(mdp.states[state])))
    return ranked_runs(belief, candidates, seed, most_paths, each_round, stop)


def offered_edits(
    belief: Belief,
    *,
    seed: int = 0,
    most: int = MOST_CELLS,
    most_paths: int = MOST_PATHS,
    each_round: int = EACH_ROUND,
    stop: Stop = NEVER,
) -> list[RunQuestion]:
    """Return changes of one cell's letter by what a demonstration in the changed world is expected to tell.

    Tried are the cells that agents with the likeliest tasks visit most, each with every other letter.
    """
    check_maps(belief.problem)
    letters = (None, *belief.problem.alphabet)
    maps = [
        (scene, world) for scene in belief.problem.scenes if isinstance(world := scene.original, GridWorld)
    ]
    known = {map_key(world): scene for scene, world in maps}
    candidates: dict[object, Candidate] = {}
    for scene, world in maps:
        for cell in visited_cells(belief, scene, stop)[: max(1, most // len(maps))]:
            before = world.labels[world.number[cell]]
            if world.terrain.has_role(world.rows[cell[1] - 1][cell[0] - 1]):
                continue  # another letter there would change something else
            for letter in letters:
                if world.terrain.character(letter) is None:
                    continue
                changed = world if letter == before else with_letter(world, cell, letter)
                key = map_key(changed)
                if letter != before and key not in candidates:
                    place = known.get(key) or changed_scene(belief.problem, scene, changed)
                    candidates[key] = place, scene.name, Edit(cell, before, letter)
    return ranked_runs(belief, list(candidates.values()), seed, most_paths, each_round, stop)


def check_starts(problem: Problem) -> None:
    """Refuse to look for start states where none can be listed."""
    if not any(isinstance(scene.world, MDP) for scene in problem.scenes):
        raise InputError(
            "start states can be compared only in a world whose states are listed; ask for a label"
        )


def check_maps(problem: Problem) -> None:
    """Refuse to edit maps where there are none."""
    if all(scene.grid is None for scene in problem.scenes):
        raise InputError("only a gridworld's map can be edited; ask for a label or a start state")


# -- candidates -------------------------------------------------------------------------------------------

Candidate = tuple[Scene, str, Start | Edit]


def ranked_runs(
    belief: Belief,
    candidates: Sequence[Candidate],
    seed: int,
    most_paths: int,
    each_round: int,
    stop: Stop,
) -> list[RunQuestion]:
    """Rank candidates; where all paths can be enumerated, they are."""
    audience = belief.likeliest(LIKELIEST)
    few = cache(lambda number: count_paths(candidates[number][0].mdp, most_paths) <= most_paths)

    def estimating(number: int, draws: int, luck: tuple[int, ...]) -> Information:
        stop.check()
        mdp = candidates[number][0].mdp
        if few(number):
            return of_all_paths(audience, mdp, stop)
        return of_drawn_paths(audience, mdp, draws, np.random.default_rng(luck), stop)

    found = ranked(len(candidates), estimating, seed=seed, each_round=each_round)
    return [RunQuestion(*candidates[number], expected) for number, expected in found]


def but_for_starts(problem: Problem) -> list[list[Scene]]:
    """Return the scenes in listed worlds, those together whose worlds differ in nothing but the start."""
    groups: list[list[Scene]] = []
    for scene in problem.scenes:
        if isinstance(scene.world, MDP):
            known = next((group for group in groups if in_same_world(group[0], scene)), None)
            if known is None:
                groups.append(known := [])
            known.append(scene)
    return groups


def in_same_world(one: Scene, other: Scene) -> bool:
    """Say whether two scenes are in the same listed world, wherever episodes begin."""
    first, second = one.original, other.original
    return (
        type(first) is type(second)
        and (one.quotient is None) == (other.quotient is None)
        and all(
            np.array_equal(mine, others)
            if isinstance(mine, np.ndarray) or isinstance(others, np.ndarray)
            else mine == others
            for name in (field.name for field in fields(first) if field.name != "starts")  # type: ignore[arg-type]
            for mine, others in [(getattr(first, name), getattr(second, name))]
        )
    )


def beginning_in(problem: Problem, scene: Scene, state: int) -> Scene:
    """Return the scene in which episodes begin in one state of a scene's world; nothing was shown there.

    Which states are copies of each other does not depend on where episodes begin.
    """
    mdp, whole = scene.mdp, scene.original.listed()
    state_name = mdp.states[state]
    begin = replace(mdp, starts=((state, 1.0),))
    merged = scene.quotient
    if merged is not None:
        there = replace(whole, starts=((whole.number[state_name], 1.0),))
        merged = replace(merged, original=there, mdp=begin)
    told = state_name if isinstance(state_name, str) else show(state_name)
    return Scene(world=begin, quotient=merged, name=unused(problem, f"{scene.name} from {told}"))


def changed_scene(problem: Problem, scene: Scene, world: GridWorld) -> Scene:
    """Return the scene in a changed world; copies are merged where they are in the scene that it is like.

    It is named after the first scene that is like it but for letters.
    """
    first, cells = scene, different_cells(scene, world)
    for own in problem.scenes:
        if found := different_cells(own, world):
            first, cells = own, found
            break
    changes = ", ".join(f"{world.labels[world.number[cell]] or 'white'} at {cell}" for cell in cells)
    changed = Scene(world=world, name=unused(problem, f"{first.name} with {changes}"))
    return changed if scene.quotient is None else changed.merged()


def different_cells(scene: Scene, world: GridWorld) -> list[tuple[int, int]]:
    """Return the cells in which a scene's map has another letter; none where it differs in more than that."""
    one = scene.original
    if not isinstance(one, GridWorld) or map_key(replace(one, rows=())) != map_key(replace(world, rows=())):
        return []
    letters = zip(one.states, one.labels, world.labels, strict=True)
    return [cell for cell, mine, other in letters if mine != other and isinstance(cell, tuple)]


def unused(problem: Problem, name: str) -> str:
    """Return a name that no scene of the problem has."""
    taken = {scene.name for scene in problem.scenes}
    return next(new for k in count(1) if (new := name if k == 1 else f"{name}, {k}") not in taken)


def with_letter(world: GridWorld, cell: tuple[int, int], letter: str | None) -> GridWorld:
    """Return the world of the map in which a cell has another letter."""
    column, row = cell
    rows = list(world.rows)
    sign = world.terrain.character(letter)
    if sign is None:
        raise InputError(f'the map has no character for "{letter}"')
    rows[row - 1] = rows[row - 1][: column - 1] + sign + rows[row - 1][column:]
    return gridworld(
        rows,
        start={
            begin: chance for state, chance in world.starts if isinstance(begin := world.states[state], tuple)
        },
        episode=world.episode,
        wind=world.wind,
        blocked=world.blocked,
        terminal=[
            end for state in world.terminal.nonzero()[0] if isinstance(end := world.states[state], tuple)
        ],
        costs={action: cost for action, cost in world.action_costs.items() if action != STOP},
        terrain=world.terrain,
    )


def map_key(world: GridWorld) -> object:
    """Return what two gridworlds must share to be the same."""
    ends, costs = tuple(world.terminal.tolist()), tuple(world.action_costs.items())
    begin, ground = tuple(sorted(world.starts)), repr(world.terrain)
    return world.rows, begin, world.wind, world.blocked, world.episode, ends, costs, ground


def visited_cells(belief: Belief, scene: Scene, stop: Stop) -> list[tuple[int, int]]:
    """Return the cells of a map that likely agents visit, most visited first; where they begin is none."""
    audience, mdp = belief.likeliest(LIKELIEST), scene.mdp
    visits = np.zeros(len(mdp.states))
    for weight, plan in zip(audience.weights.tolist(), plans_in(audience, mdp, stop), strict=True):
        stop.check()
        visits += weight * Occupancy.of(plan).visits
    visits[[state for state, _ in mdp.starts]] = 0.0
    order = np.argsort(-visits, kind="stable").tolist()
    cells = (mdp.states[state] for state in order if visits[state] > 0)
    return [cell for cell in cells if isinstance(cell, tuple)]


def evenly(items: Sequence[int], most: int) -> Sequence[int]:
    """Return at most so many items, evenly spread.

    >>> list(evenly(range(10), 4)), list(evenly([1, 2], 4)), list(evenly([1, 2], 0))
    ([0, 3, 6, 9], [1, 2], [])
    """
    if len(items) <= most:
        return items
    if most <= 1:
        return items[:most]
    return [items[round(k * (len(items) - 1) / (most - 1))] for k in range(most)]
