"""What a problem can tell before anything is learned: where runs can get, and what was there to choose."""

from __future__ import annotations

from collections.abc import Iterator

from demospec.problem import Problem
from demospec.report.values import Document
from demospec.report.worlds import in_world
from demospec.wording import count
from demospec.worlds.gridworld import GridWorld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.walk import Prospects


def choices_of(scene: Scene, path: Path) -> int:
    """Return how many steps of a demonstration could have been another action."""
    world = scene.world
    steps = zip(path.states(world), path.without_stop(world).steps, strict=False)
    return sum(len(world.pairs(state)) > 1 for state, _ in steps)


def reach_document(scene: Scene) -> Document:
    """Return where runs can get in a world; nulls where it is not listed."""
    if not isinstance(scene.world, MDP):
        return {"reachable_states": None, "letters_reachable": None, "aimless_steps": None}
    found = Prospects.of(scene.world)
    return {
        "reachable_states": int(found.reachable.sum()),
        "letters_reachable": list(found.letters),
        "aimless_steps": found.aimless_steps,
    }


def telling_document(problem: Problem, worlds: list[Document]) -> Document:
    """Return what was there to choose, which letters can be read and which were, and what follows."""
    known = [world["letters_reachable"] for world in worlds]
    within: list[str] | None = None
    if all(letters is not None for letters in known):
        within = sorted({letter for letters in known for letter in letters})
    shown = {
        letter
        for scene in problem.scenes
        for path in scene.demonstrations
        for state in path.states(scene.world)
        if (letter := scene.world.label(state)) is not None
    }
    found: Document = {
        "choices": {
            "steps": sum(len(path.without_stop(scene.world).steps) for _, scene, path in problem.shown),
            "with_alternatives": sum(choices_of(scene, path) for _, scene, path in problem.shown),
        },
        "letters_reachable": within,
        "letters_shown": sorted(shown),
        "letters_never_reached": None
        if within is None
        else [letter for letter in problem.alphabet if letter not in within],
        "letters_never_shown": [letter for letter in problem.alphabet if letter not in shown],
    }
    return {**found, "remarks": list(remarks(problem, found))}


def remarks(problem: Problem, found: Document) -> Iterator[str]:
    """Say what keeps a problem from telling more."""
    choices = found["choices"]
    if not problem.demonstrations:
        yield "nothing was demonstrated: nothing can be learned yet"
    elif not choices["with_alternatives"]:
        yield "no step had an alternative: the demonstrations tell nothing about what was wanted"
    for scene in problem.scenes:
        if isinstance(grid := scene.original, GridWorld):
            yield from (f"{one}{in_world(problem, scene)}" for one in grid.terrain.remarks(grid.rows))
    if gone := found["letters_never_reached"]:
        yield f"no run reads {', '.join(gone)}: the demonstrations cannot tell whether a task reads it"


def reach_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell where runs can get in a world."""
    if (reached := document["reachable_states"]) is not None:
        yield "reachable", f"{reached} of {count(document['states'], 'state')}"
    if (steps := document["aimless_steps"]) is not None:
        yield "aimless", f"a run that takes any action as likely as another has {steps:.1f} steps on average"


def telling_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell what was there to choose, and what follows."""
    choices, without = document["choices"], document["letters_never_shown"]
    if choices["steps"]:
        yield (
            "choices",
            f"{choices['with_alternatives']} of {count(choices['steps'], 'step')} had an alternative",
        )
        yield "shown", ", ".join(document["letters_shown"]) or "no letter"
        if without:
            yield "not shown", ", ".join(without)
    for remark in document["remarks"]:
        yield "remark", remark
