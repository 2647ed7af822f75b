"""Why a result is what it is, as a plain JSON document."""

from __future__ import annotations

from demospec.explain.score import Score
from demospec.report.values import Document, finite
from demospec.report.worlds import world_of
from demospec.runs.learn import Result
from demospec.runs.why import Move, NotTaken, Shown, explain
from demospec.worlds.mdp import MDP
from demospec.worlds.prefix_tree import Player

GAINS = 5  # steps told for each demonstration
CONJECTURES = 20  # told


def why_document(result: Result) -> Document:
    """Return each demonstration's surprise, the conjectures that helped most, and the best task's origin."""
    why, mdp = explain(result), world_of(result.problem)
    return {
        "surprise": finite(why.best.surprise),
        "prior_guess": {"task": str(why.prior_guess.task), "surprise": finite(why.prior_guess.surprise)},
        "demonstrations": [shown_document(mdp, shown) for shown in why.demonstrations],
        "conjectures_tried": sum(one.times for one in why.conjectures),
        "conjectures": [not_taken_document(mdp, one) for one in why.conjectures[:CONJECTURES]],
        "origin": None
        if why.origin is None
        else {
            "ingredient": why.origin.ingredient,
            "chain": why.origin.chain,
            "iteration": why.origin.iteration,
        },
    }


def shown_document(mdp: MDP, shown: Shown) -> Document:
    """Return one demonstration; `steps` are those with the largest gains."""
    return {
        "demonstration": shown.number,
        "word": list(shown.word),
        "complete": shown.complete,
        "accepted": shown.accepted,
        "surprise": finite(shown.surprise),
        "prior_surprise": finite(shown.prior_surprise),
        "gain": finite(shown.gain),
        "steps": [
            {
                "step": step.number,
                "state": mdp.states[step.state],
                "action": mdp.actions[mdp.pair_action[step.pair]],
                "surprise": finite(step.surprise),
                "prior_surprise": finite(step.prior_surprise),
                "gain": finite(step.gain),
            }
            for step in shown.largest_gains(GAINS)
        ],
    }


def move_document(mdp: MDP, move: Move) -> Document:
    """Return an action and what came of it."""
    return {
        "action": mdp.actions[mdp.pair_action[move.pair]],
        "reached": mdp.states[move.state],
        "ends": move.ends,
    }


def not_taken_document(mdp: MDP, one: NotTaken) -> Document:
    """Return a conjecture that was tried: the path not taken, where it leaves, and what it changed."""
    tested = one.tested
    return {
        "word": list(tested.conjecture.word),
        "accept": tested.conjecture.label,
        "path": tested.conjecture.path.to_file(mdp),
        "player": {Player.AGENT: "agent", Player.ENVIRONMENT: "environment"}.get(one.player),
        "demonstrations": list(one.demonstrations),
        "step": one.step,
        "state": mdp.states[one.state],
        "taken": [move_document(mdp, move) for move in one.taken],
        "instead": move_document(mdp, one.instead),
        "gradient": tested.conjecture.gradient,
        "before": numbers(tested.before),
        "after": None if tested.after is None else numbers(tested.after),
        "gain": finite(one.gain),
        "accepted": tested.accepted,
        "best_task_agrees": one.kept,
        "times": one.times,
        "chain": one.chain,
        "iteration": one.iteration,
    }


def numbers(score: Score) -> Document:
    """Return a task with what its energy is made of."""
    return {
        "task": str(score.task),
        "energy": finite(score.energy),
        "size": score.size,
        "surprise": finite(score.surprise),
    }
