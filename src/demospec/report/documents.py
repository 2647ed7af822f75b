"""Results as plain JSON documents: what other people's scripts rely on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import reduce
from operator import or_

from demospec.belief import possible_labels
from demospec.belief.belief import credible_labels
from demospec.errors import InputError, WorldError
from demospec.explain.score import Evaluation, Reading, Score
from demospec.explain.setup import resolve
from demospec.files.writing import agent_document, problem_document
from demospec.identify import ImpliedBy
from demospec.identify.noise import Noisy
from demospec.problem import Problem, accepted_demonstrations
from demospec.report.answer_report import answer_document
from demospec.report.belief_document import belief_document
from demospec.report.drawings import world_key
from demospec.report.json_text import dumps as dumps
from demospec.report.problem_report import choices_of, reach_document, telling_document
from demospec.report.values import Document as Document
from demospec.report.values import finite as finite
from demospec.report.values import task_document as task_document
from demospec.report.values import version
from demospec.report.why_document import why_document
from demospec.report.words import in_full, said_document
from demospec.runs.result import Result, Row
from demospec.search.diss import Conjecture
from demospec.tasks import DFA, Task, Word
from demospec.worlds.estimated import CountedMDP
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, file_state, word_of
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.scene import Scene
from demospec.worlds.world import World, is_stopped


def identified_document(answers: Sequence[DFA | Noisy], method: str, *, stopped: bool) -> Document:
    """Return the result of `identify`: automata in order, with what they flip where labels may be wrong."""
    return {
        "tasks": [
            noisy_document(answer) if isinstance(answer, Noisy) else task_document(answer, size=answer.size)
            for answer in answers
        ],
        "method": method,
        "exact": method != "merging",
        "stopped": stopped,
    }


def noisy_document(answer: Noisy) -> Document:
    """Return a task with the words that it gives the other label than the examples."""
    flipped = [{"word": list(word), "label": label} for word, label in answer.flipped]
    return task_document(
        answer.task, size=answer.task.size, flips=len(flipped), cost=answer.cost, flipped=flipped
    )


def score_numbers(score: Score) -> Document:
    """Return a score's numbers."""
    return {
        "size": score.size,
        "surprise": finite(score.surprise),
        "energy": finite(score.energy),
        "rationality": finite(score.rationality),
        "satisfaction_probability": finite(score.satisfaction_probability),
    }


def score_document(problem: Problem, found: Evaluation) -> Document:
    """Return how one task explains the demonstrations, and what the gradient says at each pivot."""
    marks = accepted_demonstrations(problem, found.score.task)
    readings = dict(zip(map(id, problem.scenes), found.readings, strict=True))

    def surprise(scene: Scene, path: Path) -> float:
        reading = readings[id(scene)]
        chosen = [node for node in reading.tree.nodes_of(path) if reading.tree.chosen[node]]
        return float(-reading.along.log_edge[chosen].sum() + 0.0)

    return {
        **score_numbers(found.score),
        "prior_size": resolve(problem).prior_size,
        "environment_surprise": environment_surprise(problem),
        "one_line": str(found.score.task.as_dfa()),
        **said_document(in_full(problem, found.score.task)),
        "demonstrations": [
            {
                **world_key(problem, scene),
                "word": list(word),
                "complete": path.complete,
                "accepted": mark,
                "surprise": surprise(scene, path),
            }
            for (_, scene, path), word, mark in zip(problem.shown, problem.words, marks, strict=True)
        ],
        "pivots": [
            {**world_key(problem, scene), **pivot_document(reading, node)}
            for scene, reading in zip(problem.scenes, found.readings, strict=True)
            for node in range(len(reading.tree))
            if reading.along.deviation[node] > 0
        ],
    }


def environment_surprise(problem: Problem) -> float | None:
    """Return the environment's share of the surprise; null where it is infinite."""
    return finite(math.fsum(scene.tree.environment_surprise for scene in problem.scenes))


def pivot_document(reading: Reading, node: int) -> Document:
    """Return one pivot; `complete` marks the end of a complete demonstration."""
    tree, along = reading.tree, reading.along
    return {
        "prefix": prefix_of(tree, node),
        "player": "agent" if tree.player[node] == Player.AGENT else "environment",
        "complete": bool(tree.player[node] == Player.NOBODY),
        "deviation_probability": float(along.deviation[node]),
        "pivot_value": finite(float(along.pivot_value[node])),
        "gradient": float(reading.gradient[node]),
    }


def prefix_of(tree: PrefixTree, node: int) -> list[object]:
    """Return the path to a node in the problem file's form."""
    path, chosen = tree.path_to(node)
    prefix = path.to_file(tree.world)
    return prefix if chosen is None else [*prefix, tree.world.action(chosen)]


def path_document(problem: Problem, scene: Scene, path: Path, task: Task) -> Document:
    """Return a drawn demonstration, in the world of the file, ready to paste into a problem file."""
    drawn = drawn_document(problem, scene, path)
    return {**drawn, "accepted": task.accepts(drawn["word"])}


def drawn_document(problem: Problem, scene: Scene, path: Path) -> Document:
    """Return a drawn demonstration without a verdict."""
    word = path.word(scene.original, merge_repeats=problem.merge_repeats)
    begin = {} if path.start is None else {"start": file_state(scene.original.name(path.start))}
    return {
        **world_key(problem, scene),
        **begin,
        "complete": path.complete,
        "path": path.to_file(scene.original),
        "word": list(word),
    }


def conjecture_document(problem: Problem, found: Conjecture | None) -> Document | None:
    """Return a conjecture: the word, its new label, where its path left the demonstrations, and why."""
    if found is None:
        return None
    scene = problem.scenes[found.scene]
    return {
        **world_key(problem, scene),
        "word": list(found.word),
        "accept": found.label,
        "gradient": found.gradient,
        "pivot": prefix_of(scene.tree, found.pivot),
        "path": found.path_in(scene.world).to_file(scene.world),
    }


def trace_document(problem: Problem, row: Row) -> Document:
    """Return one iteration of the trace."""
    info, score = row.info, row.info.candidate
    return {
        "iteration": info.iteration,
        "chain": row.chain,
        "energy": None if score is None else finite(score.energy),
        "size": None if score is None else score.size,
        "surprise": None if score is None else finite(score.surprise),
        "accepted": info.accepted,
        "reset": info.reset,
        "best_energy": None if row.best is None else finite(row.best.energy),
        "temperature": finite(info.temperature),
        "examples": len(info.examples),
        "task": None if score is None else str(score.task),
        "conjecture": conjecture_document(problem, info.conjecture),
    }


def settings_document(problem: Problem, seed: int) -> Document:
    """Return all that decided the result: seed, search settings, weights, agent."""
    settings = problem.settings.by_name
    if math.isinf(settings["pivot_temperature"]):
        settings["pivot_temperature"] = "inf"
    return {
        "seed": seed,
        **settings,
        **asdict(resolve(problem).weights),
        **agent_document(resolve(problem).agent),
        "merge_repeats": problem.merge_repeats,
        **classes_document(problem),
        **({"code": resolve(problem).code} if resolve(problem).code != "automaton" else {}),
    }


def classes_document(problem: Problem) -> Document:
    """Return what the task must be like, as the problem file writes it."""
    bounds = [one.lower for one in problem.classes if isinstance(one, ImpliedBy)]
    lower = reduce(or_, bounds).minimal if bounds else None
    return {
        "class": [one.name for one in problem.classes if not isinstance(one, ImpliedBy)],
        "implied_by": None if lower is None else task_document(lower, size=lower.size),
        "all_of": problem.parts.most if problem.parts and problem.parts.operator == "and" else None,
        "any_of": problem.parts.most if problem.parts and problem.parts.operator == "or" else None,
    }


def result_document(result: Result) -> Document:
    """Return the result of `learn`, with all that is needed to have it again: version, problem and seed."""
    problem = result.problem

    def ranked(scores: Iterable[tuple[Score, float]]) -> list[Document]:
        return [task_document(score.task, **score_numbers(score), weight=weight) for score, weight in scores]

    tasks = ranked((entry.score, entry.weight) for entry in result.ranked)
    return {
        "name": problem.name,
        "version": version(),
        "best": headline_document(result, tasks),
        **answer_document(result),
        "ranked": tasks,
        "belief": None if result.findings is None else belief_document(result.findings),
        "environment_surprise": environment_surprise(problem),
        "prior_size": resolve(problem).prior_size,
        "settings": settings_document(problem, result.seed),
        "problem": as_file(problem),
        "trace": [trace_document(problem, row) for row in result.trace],
        "ended": result.ended,
        "why": why_document(result),
        "seconds": result.seconds,
    }


def headline_document(result: Result, ranked: Sequence[Document]) -> Document:
    """Return the headline with its numbers: the first that is ranked, unless another answer is likelier."""
    best = result.best
    if best.language == result.ranked[0].score.language:
        return ranked[0]
    weight = next((one.weight for one in result.ranked if one.score.language == best.language), 0.0)
    return task_document(best.task, **score_numbers(best), weight=weight)


def as_file(problem: Problem) -> Document | None:
    """Return the problem as its file; null where no file can say it."""
    try:
        return problem_document(problem)
    except InputError:
        return None


def words_document(result: Result, words: Sequence[Word]) -> list[Document]:
    """Return how likely it is that words satisfy the task, and which labels are possible.

    Where sizes are bits of a prior, these are its credible labels, told with the probability that they have.
    """
    read = [word_of(word, merge_repeats=result.problem.merge_repeats) for word in words]
    return [
        {
            "word": list(word),
            "probability": result.belief.accepts(word),
            **labels_document(result, word),
            "accepted_by_best": result.best.task.accepts(word),
        }
        for word in read
    ]


def labels_document(result: Result, word: Word) -> Document:
    """Return which labels of a word are possible; where sizes are bits of a prior, with their probability."""
    belief = result.belief
    if resolve(result.problem).code != "words":
        return {"possible": list(possible_labels(belief, word))}
    rejects, accepts = credible_labels(belief, [word])[0].tolist()
    possible = [label for label, credible in ((True, accepts), (False, rejects)) if credible]
    accepted = min(belief.accepts(word), 1.0)
    chance = sum(accepted if label else 1.0 - accepted for label in possible)
    return {"possible": possible, "credible": chance}


def check_document(problem: Problem) -> Document:
    """Return what a problem file holds; of a single world without another list."""
    worlds = [world_document(scene) for scene in problem.scenes]
    several: Document = {"worlds": worlds}
    if len(worlds) == 1:
        several = {key: value for key, value in worlds[0].items() if key != "name"}
    telling = telling_document(problem, worlds)
    found = {letter for scene in problem.scenes for letter in scene.world.letters}
    return {
        "name": problem.name,
        **several,
        "alphabet": list(problem.alphabet),
        "agent": agent_document(resolve(problem).agent),
        "merge_repeats": problem.merge_repeats,
        "prior": None if problem.prior is None else task_document(problem.prior, size=problem.prior.size),
        **classes_document(problem),
        "examples": [{"word": list(word), "accept": label} for word, label in problem.given],
        "demonstrations": [
            {
                **world_key(problem, scene),
                "steps": len(path.without_stop(scene.world).steps),
                "complete": path.complete,
                **({"stopped": is_stopped(scene.world, last)} if scene.world.episode.by_choice else {}),
                "word": list(problem.word(path, scene)),
                "choices": choices_of(scene, path),
            }
            for _, scene, path in problem.shown
            for last in path.states(scene.world)[-1:]
        ],
        "letters_never_seen": [letter for letter in problem.alphabet if letter not in found],
        **telling,
    }


def world_document(scene: Scene) -> Document:
    """Return the size of a world, how its episodes go, and what was merged in it."""
    world, quotient = scene.world, scene.quotient
    found = (world.find(name) for name in list(world.names()))
    states = [state for state in found if state is not None and not is_stopped(world, state)]
    starts = [world.name(state) for state, _ in world.starts]
    merged = None
    if quotient is not None:
        merged = {
            "states": quotient.merged_states,
            "actions_of_states": quotient.merged_pairs,
            "copies": [list(names) for names in quotient.copies.values()],
        }
    return {
        "name": scene.name,
        "states": len(states) if (every := getattr(world, "state_count", None)) is None else every,
        "actions": list(world.actions),
        "start": starts[0] if len(starts) == 1 else starts,
        "terminal_states": sum(map(world.ends, states)),
        "horizon": world.episode.horizon,
        "end_probability": world.episode.end_probability,
        "ends": world.episode.ends,
        "costs": costs_of(world),
        "merged": merged,
        **({"cautions": list(world.cautions())} if isinstance(world, CountedMDP) else {}),
        **reach_document(scene),
        **({"origin": origin} if (origin := getattr(scene.original, "origin", "")) else {}),
    }


def costs_of(world: World) -> Document:
    """Return the costs of actions that are not 1; none where they depend on more than the action."""
    try:
        costs = world.action_costs if isinstance(world, MDP | FactoredWorld) else {}
    except WorldError:
        return {}
    return {action: cost for action, cost in costs.items() if cost != 1}
