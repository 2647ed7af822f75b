"""What a problem holds, and what it can tell before anything is learned: where runs get, what to choose."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Annotated, Any

import msgspec
from msgspec import UNSET

from demospec.errors import WorldError
from demospec.explain.setup import resolve
from demospec.files.writing import agent_document
from demospec.identify.classes import by_name
from demospec.problem import Problem
from demospec.report.blocks import Block, Facts, Heading, Section
from demospec.report.documents import (
    JSON,
    Document,
    Sometimes,
    TaskJSON,
    plain_value,
    task_document,
    world_key,
)
from demospec.report.drawings import in_world
from demospec.report.result_document import classes_document
from demospec.report.words import sentence, state_text
from demospec.tasks import DFA
from demospec.wording import count, word_text
from demospec.worlds.estimated import CountedMDP
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.gridworld import GridWorld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, file_state
from demospec.worlds.scene import Scene
from demospec.worlds.walk import Prospects
from demospec.worlds.world import World, is_stopped

MOST = 100  # demonstrations that are told one by one


def problem_blocks(document: Document) -> list[Block]:
    """Tell the result of `check`."""
    worlds, unseen = document.get("worlds", ()), document["letters_never_seen"]
    nowhere = f" (in no state: {', '.join(unseen)})" if unseen else ""
    agent = ", ".join(f"{key} {value}" for key, value in document["agent"].items())
    facts = [
        ("letters", ", ".join(document["alphabet"]) + nowhere),
        *(() if worlds else world_facts(document)),
        ("agent", agent),
        *task_facts(document),
    ]
    return [
        Heading(f"{document['name']}: {count(len(worlds), 'world') if worlds else size_text(document)}"),
        Facts(facts),
        *(Section(f"{one['name']}: {size_text(one)}", [Facts([*world_facts(one)])]) for one in worlds),
        Facts([*telling_facts(document)]),
        Facts([*shown_facts(document)]),
    ]


def size_text(document: Document) -> str:
    return f"{count(document['states'], 'state')}, actions {', '.join(document['actions'])}"


def world_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell how episodes of a world go, and where runs can get in it."""
    ends, terminal = document["end_probability"], document["terminal_states"]
    if origin := document.get("origin"):
        yield "world", origin
    if isinstance(document["start"], list) and isinstance(document["start"][0], (list, tuple, str)):
        yield "starts", ", ".join(map(state_text, document["start"]))
    yield (
        "episodes",
        f"at most {count(document['horizon'], 'step')}"
        + (f", each step ends one with probability {ends:g}" if ends else "")
        + (", or until the agent stops" if document["ends"] == "by choice" else "")
        + (f", {count(terminal, 'terminal state')}" if terminal else ""),
    )
    if costs := document["costs"]:
        others = ", other actions 1" if len(costs) < len(document["actions"]) else ""
        yield "costs", ", ".join(f"{action} {cost:g}" for action, cost in costs.items()) + others
    if merged := document["merged"]:
        gone = f"{count(merged['states'], 'state')} and {count(merged['actions_of_states'], 'action')}"
        yield "merged", f"{gone} of states, copies of those that are left"
    for caution in document.get("cautions", ()):
        yield "caution", caution
    if (reached := document["reachable_states"]) is not None:
        yield "reachable", f"{reached} of {count(document['states'], 'state')}"
    if (steps := document["aimless_steps"]) is not None:
        yield "aimless", f"a run that takes any action as likely as another has {steps:.1f} steps on average"


def task_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell what is known of the task beforehand."""
    if document["merge_repeats"]:
        yield "words", "a letter read twice in a row counts once"
    if prior := document["prior"]:
        yield "prior", f"{bound(prior)} ({count(prior['states'], 'state')}, {prior['size']} bits)"
    for key, told in ("all_of", "all of which must accept"), ("any_of", "one of which must accept"):
        if document[key]:
            yield "parts", f"up to {document[key]} automata, {told}"
    for name in document["class"]:
        yield "class", f"{name} – {by_name(name).sentence}"
    if lower := document["implied_by"]:
        yield "contains", f"{bound(lower)} ({count(lower['states'], 'state')}, {lower['size']} bits)"
    for example in document["examples"]:
        yield "given", f"{'accept' if example['accept'] else 'reject'} {word_text(example['word'])}"


def bound(document: Document) -> str:
    """Say in words what a task file's object says."""
    return sentence(DFA.from_json(document))


def shown_facts(document: Document) -> Iterator[tuple[str, str]]:
    shown = document["demonstrations"]
    for number, demo in enumerate(shown[:MOST], start=1):
        kind = "complete" if demo["complete"] else "unfinished"
        kind = "then stopped" if demo.get("stopped") else kind
        where = f" in world {demo['world']}" if "world" in demo else ""
        told = f"{count(demo['steps'], 'step')}, {kind}, word {word_text(demo['word'])}"
        filled = f"; filled in: {demo['filled_in']}" if demo.get("filled_in") else ""
        yield f"demonstration {number}{where}", told + filled
    if len(shown) > MOST:
        yield "demonstrations", f"{len(shown) - MOST} more, {len(shown)} in all"


def telling_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell what was there to choose, and what follows."""
    choices, without = document["choices"], document["letters_never_shown"]
    if choices["steps"]:
        steps = count(choices["steps"], "step")
        yield "choices", f"{choices['with_alternatives']} of {steps} had an alternative"
        yield "shown", ", ".join(document["letters_shown"]) or "no letter"
        if without:
            yield "not shown", ", ".join(without)
    for remark in document["remarks"]:
        yield "remark", remark


# -- JSON ------------------------------------------------------------------------------------------------


class _MergedJSON(JSON):
    states: Annotated[int, "How many states were copies."]
    actions_of_states: Annotated[int, "How many actions of states were copies."]
    copies: Annotated[list[list[Any]], "Lists of states that are one."]


class _WorldJSON(JSON, kw_only=True):
    name: Annotated[str, "The name."]
    states: Annotated[Sometimes[int], "How many states the world has."] = UNSET
    actions: Annotated[Sometimes[list[str]], "The actions."] = UNSET
    start: Annotated[Sometimes[str | list[Any]], "The start state, or a list of several."] = UNSET
    terminal_states: Annotated[Sometimes[int], "How many states end an episode."] = UNSET
    horizon: Annotated[Sometimes[int], "Steps after which an episode ends."] = UNSET
    end_probability: Annotated[Sometimes[float], "How often chance ends an episode after a step."] = UNSET
    ends: Annotated[Sometimes[str], "`by chance` or `by choice`."] = UNSET
    costs: Annotated[Sometimes[dict[str, float]], "Costs of actions that are not 1."] = UNSET
    merged: Annotated[Sometimes[_MergedJSON | None], "What was merged; null without `merge_redundant`."] = (
        UNSET
    )
    cautions: Annotated[Sometimes[list[str]], "For a world counted from a log: what it cannot tell."] = UNSET
    reachable_states: Annotated[Sometimes[int | None], "How many states an episode can get to."] = UNSET
    letters_reachable: Annotated[Sometimes[list[str] | None], "Letters that an episode can read."] = UNSET
    aimless_steps: Annotated[Sometimes[float | None], "How long an aimless run is on average."] = UNSET
    origin: Annotated[Sometimes[str], "Where the world was read from, if elsewhere."] = UNSET


class _GivenJSON(JSON):
    word: Annotated[list[str], "The word."]
    accept: Annotated[bool, "Its label."]


class _DemonstratedJSON(JSON, kw_only=True):
    world: Annotated[Sometimes[str], "With several worlds: the name of its world."] = UNSET
    steps: Annotated[int, "How many steps it has."]
    complete: Annotated[bool, "Whether it is complete."]
    stopped: Annotated[Sometimes[bool], "Where episodes end by choice: whether it was stopped."] = UNSET
    word: Annotated[list[str], "The letters that it reads."]
    choices: Annotated[int, "At how many steps there was an alternative."]
    filled_in: Annotated[
        Sometimes[str | None], "What was not written in the file and follows from the rest, or null."
    ] = UNSET


class _ChoicesJSON(JSON):
    steps: Annotated[int, "Steps of all demonstrations."]
    with_alternatives: Annotated[int, "Of these, how many had an alternative."]


class CheckJSON(_WorldJSON, kw_only=True):
    """With several worlds what is told of one is in `worlds`."""

    name: Annotated[str, "The name of the problem."]
    worlds: Annotated[Sometimes[list[_WorldJSON]], "With several worlds: a row for each."] = UNSET
    alphabet: Annotated[list[str], "The letters."]
    agent: Annotated[
        dict[str, Any],
        "What is known of the agent: `rationality`, `effort`, `haste`, `mistakes` or `competency`.",
    ]
    merge_repeats: Annotated[bool, "Whether a letter twice in a row counts once."]
    prior: Annotated[TaskJSON | None, "The task of `implies` as a task file, or null."]
    classes: Annotated[list[str], "The classes."] = msgspec.field(name="class")
    implied_by: Annotated[TaskJSON | None, "The task of `implied_by` as a task file, or null."]
    all_of: Annotated[int | None, "The number of parts, or null."]
    any_of: Annotated[int | None, "The number of parts, or null."]
    examples: Annotated[list[_GivenJSON], "The given words."]
    demonstrations: Annotated[list[_DemonstratedJSON], "A row for each demonstration."]
    letters_never_seen: Annotated[list[str], "Letters of the alphabet that no state has."]
    choices: Annotated[_ChoicesJSON, "What was there to choose."]
    letters_shown: Annotated[list[str], "Letters that a demonstration reads."]
    letters_never_reached: Annotated[list[str] | None, "Letters that no episode can read; null likewise."]
    letters_never_shown: Annotated[list[str], "Letters that no demonstration reads."]
    remarks: Annotated[list[str], "What keeps the problem from telling more."]


def check_document(problem: Problem) -> Document:
    """Return what a problem file holds, and what follows; of a single world without another list."""
    worlds = [world_document(scene) for scene in problem.scenes]
    world: Document = {"name": "", "worlds": worlds} if len(worlds) > 1 else worlds[0]
    demonstrations = [
        _DemonstratedJSON(
            world=world_key(problem, scene),
            steps=len(path.without_stop(scene.world).steps),
            complete=path.complete,
            stopped=is_stopped(scene.world, last) if scene.world.episode.by_choice else UNSET,
            word=[*problem.word(path, scene)],
            choices=choices_of(scene, path),
        )
        for _, scene, path in problem.shown
        for last in path.states(scene.world)[-1:]
    ]
    steps, choices = (sum(getattr(one, key) for one in demonstrations) for key in ("steps", "choices"))
    reachable = [one["letters_reachable"] for one in worlds]
    within = None if None in reachable else sorted({*chain(*reachable)})
    shown = {*chain(*problem.words)}
    there = {letter for scene in problem.scenes for letter in scene.world.letters}

    def without(letters: Collection[str]) -> list[str]:
        return [letter for letter in problem.alphabet if letter not in letters]

    never = None if within is None else without(within)
    told: Document = plain_value(
        {
            **world,
            "name": problem.name,
            "alphabet": problem.alphabet,
            "agent": agent_document(resolve(problem).agent),
            "merge_repeats": problem.merge_repeats,
            "prior": None if problem.prior is None else task_document(problem.prior, size=problem.prior.size),
            **classes_document(problem),
            "examples": [_GivenJSON(word=[*word], accept=label) for word, label in problem.given],
            "demonstrations": demonstrations,
            "letters_never_seen": without(there),
            "choices": _ChoicesJSON(steps=steps, with_alternatives=choices),
            "letters_reachable": within,
            "letters_shown": sorted(shown),
            "letters_never_reached": never,
            "letters_never_shown": without(shown),
            "remarks": [*remarks(problem, choices, never or ())],
        }
    )
    return told


def world_document(scene: Scene) -> Document:
    """Return the size of a world, how its episodes go, what was merged in it, and where runs can get."""
    world, quotient = scene.world, scene.quotient
    found = (world.find(name) for name in list(world.names()))
    states = [state for state in found if state is not None and not is_stopped(world, state)]
    starts = [world.name(state) for state, _ in world.starts]
    prospects = Prospects.of(world) if isinstance(world, MDP) else None
    merged = None
    if quotient is not None:
        copies: list[list[Any]] = [list(names) for names in quotient.copies.values()]
        merged = _MergedJSON(
            states=quotient.merged_states, actions_of_states=quotient.merged_pairs, copies=copies
        )
    return _WorldJSON(
        name=scene.name,
        states=getattr(world, "state_count", None) or len(states),
        actions=[*world.actions],
        start=file_state(starts[0]) if len(starts) == 1 else [*map(file_state, starts)],
        terminal_states=sum(map(world.ends, states)),
        horizon=world.episode.horizon,
        end_probability=world.episode.end_probability,
        ends=world.episode.ends,
        costs=costs_of(world),
        merged=merged,
        cautions=[*world.cautions()] if isinstance(world, CountedMDP) else UNSET,
        reachable_states=None if prospects is None else int(prospects.reachable.sum()),
        letters_reachable=None if prospects is None else [*prospects.letters],
        aimless_steps=None if prospects is None else prospects.aimless_steps,
        origin=getattr(scene.original, "origin", "") or UNSET,
    ).plain()


def costs_of(world: World) -> dict[str, float]:
    """Return the costs of actions that are not 1; none where they depend on more than the action."""
    try:
        costs = world.action_costs if isinstance(world, MDP | FactoredWorld) else {}
    except WorldError:
        return {}
    return {action: cost for action, cost in costs.items() if cost != 1}


def choices_of(scene: Scene, path: Path) -> int:
    """Return how many steps of a demonstration could have been another action."""
    world = scene.world
    steps = zip(path.states(world), path.without_stop(world).steps, strict=False)
    return sum(len(world.pairs(state)) > 1 for state, _ in steps)


def remarks(problem: Problem, alternatives: int, unreached: Sequence[str]) -> Iterator[str]:
    """Say what keeps a problem from telling more."""
    if not problem.demonstrations:
        yield "nothing was demonstrated: nothing can be learned yet"
    elif not alternatives:
        yield "no step had an alternative: the demonstrations tell nothing about what was wanted"
    for scene in problem.scenes:
        if isinstance(grid := scene.original, GridWorld):
            yield from (f"{one}{in_world(problem, scene)}" for one in grid.terrain.remarks(grid.rows))
    if unreached:
        yield f"no run reads {', '.join(unreached)}: the demonstrations cannot tell whether a task reads it"
