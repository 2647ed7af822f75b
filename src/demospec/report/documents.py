"""Results as plain JSON documents: what other people's scripts rely on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import reduce
from operator import or_

from demospec.belief import possible_labels
from demospec.explain.score import Evaluation, Score
from demospec.identify import ImpliedBy
from demospec.identify.noise import Noisy
from demospec.plan.rationality import Agent, Competency, Fixed
from demospec.problem import Problem, accepted_demonstrations
from demospec.report.belief_document import belief_document
from demospec.report.json_text import dumps as dumps
from demospec.report.values import Document as Document
from demospec.report.values import finite as finite
from demospec.report.values import task_document as task_document
from demospec.report.why_document import why_document
from demospec.report.worlds import world_of
from demospec.runs.chains import Row
from demospec.runs.learn import Result
from demospec.search.pivot import Conjecture
from demospec.tasks import DFA, Word
from demospec.worlds.paths import Path, word_of
from demospec.worlds.prefix_tree import Player, PrefixTree


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
    tree, along = problem.tree, found.along
    marks = accepted_demonstrations(problem, found.score.task)
    return {
        **score_numbers(found.score),
        "prior_size": problem.prior_size,
        "environment_surprise": finite(tree.environment_surprise),
        "one_line": str(found.score.task),
        "demonstrations": [
            {
                "word": list(word),
                "complete": path.complete,
                "accepted": mark,
                "surprise": float(
                    -along.log_edge[[n for n in tree.nodes_of(path) if tree.chosen[n]]].sum() + 0.0
                ),
            }
            for word, path, mark in zip(problem.words, problem.demonstrations, marks, strict=True)
        ],
        "pivots": [
            pivot_document(tree, found, node) for node in range(len(tree)) if along.deviation[node] > 0
        ],
    }


def pivot_document(tree: PrefixTree, found: Evaluation, node: int) -> Document:
    """Return one pivot; `complete` marks the end of a complete demonstration."""
    return {
        "prefix": prefix_of(tree, node),
        "player": "agent" if tree.player[node] == Player.AGENT else "environment",
        "complete": bool(tree.player[node] == Player.NOBODY),
        "deviation_probability": float(found.along.deviation[node]),
        "pivot_value": finite(float(found.along.pivot_value[node])),
        "gradient": float(found.gradient[node]),
    }


def prefix_of(tree: PrefixTree, node: int) -> list[object]:
    """Return the path to a node in the problem file's form."""
    steps, chosen = tree.path_to(node)
    prefix = Path(steps, complete=False).to_file(tree.mdp)
    return prefix if chosen is None else [*prefix, tree.mdp.actions[tree.mdp.pair_action[chosen]]]


def path_document(problem: Problem, path: Path, task: DFA) -> Document:
    """Return a drawn demonstration, ready to paste into a problem file."""
    word = problem.word(path)
    return {
        "complete": path.complete,
        "path": problem.in_original(path).to_file(problem.original),
        "word": list(word),
        "accepted": task.accepts(word),
    }


def conjecture_document(tree: PrefixTree, found: Conjecture | None) -> Document | None:
    """Return a conjecture: the word, its new label, where its path left the demonstrations, and why."""
    if found is None:
        return None
    return {
        "word": list(found.word),
        "accept": found.label,
        "gradient": found.gradient,
        "pivot": prefix_of(tree, found.pivot),
        "path": found.path.to_file(tree.mdp),
    }


def trace_document(tree: PrefixTree, row: Row) -> Document:
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
        "conjecture": conjecture_document(tree, info.conjecture),
    }


def agent_document(agent: Agent) -> Document:
    """Return the agent model as the problem file writes it."""
    if isinstance(agent, Fixed):
        return {"rationality": agent.rationality}
    return {"competency": agent.competency if isinstance(agent, Competency) else "empirical"}


def settings_document(problem: Problem, seed: int) -> Document:
    """Return all that decided the result: seed, search settings, weights, agent."""
    settings = asdict(problem.settings)
    if math.isinf(settings["pivot_temperature"]):
        settings["pivot_temperature"] = "inf"
    return {
        "seed": seed,
        **settings,
        **asdict(problem.weights),
        **agent_document(problem.agent),
        "merge_repeats": problem.merge_repeats,
        **classes_document(problem),
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
    """Return the result of `learn`."""
    tree = result.problem.tree

    def ranked(scores: Iterable[tuple[Score, float]]) -> list[Document]:
        return [task_document(score.task, **score_numbers(score), weight=weight) for score, weight in scores]

    tasks = ranked((entry.score, entry.weight) for entry in result.ranked)
    return {
        "name": result.problem.name,
        "best": tasks[0],
        "ranked": tasks,
        "belief": belief_document(result.findings),
        "environment_surprise": finite(tree.environment_surprise),
        "prior_size": result.problem.prior_size,
        "settings": settings_document(result.problem, result.seed),
        "trace": [trace_document(tree, row) for row in result.trace],
        "ended": result.ended,
        "why": why_document(result),
        "seconds": result.seconds,
    }


def words_document(result: Result, words: Sequence[Word]) -> list[Document]:
    """Return how likely it is that words satisfy the task, and which labels are possible."""
    read = [word_of(word, merge_repeats=result.problem.merge_repeats) for word in words]
    return [
        {
            "word": list(word),
            "probability": result.belief.accepts(word),
            "possible": list(possible_labels(result.belief, word)),
            "accepted_by_best": result.best.task.accepts(word),
        }
        for word in read
    ]


def check_document(problem: Problem) -> Document:
    """Return what a problem file holds."""
    mdp = world_of(problem)
    return {
        "name": problem.name,
        "states": len(mdp.states),
        "actions": list(mdp.actions),
        "alphabet": list(problem.alphabet),
        "start": mdp.states[mdp.start],
        "terminal_states": int(mdp.terminal.sum()),
        "horizon": mdp.horizon,
        "end_probability": mdp.episode.end_probability,
        "agent": agent_document(problem.agent),
        "merge_repeats": problem.merge_repeats,
        "prior": None if problem.prior is None else task_document(problem.prior, size=problem.prior.size),
        **classes_document(problem),
        "examples": [{"word": list(word), "accept": label} for word, label in problem.given],
        "demonstrations": [
            {"steps": len(path.steps), "complete": path.complete, "word": list(word)}
            for path, word in zip(problem.demonstrations, problem.words, strict=True)
        ],
        "letters_never_seen": listing_unseen(problem),
        "merged": merged_document(problem),
    }


def merged_document(problem: Problem) -> Document | None:
    """Return how many states and state-action pairs are merged, and which states stand for which."""
    if problem.quotient is None:
        return None
    return {
        "states": problem.quotient.merged_states,
        "actions_of_states": problem.quotient.merged_pairs,
        "copies": [list(names) for names in problem.quotient.copies.values()],
    }


def listing_unseen(problem: Problem) -> list[str]:
    """Return the letters of the alphabet that no state carries."""
    return [letter for letter in problem.alphabet if letter not in world_of(problem).letters]
