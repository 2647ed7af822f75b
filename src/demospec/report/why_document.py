"""Why a result is what it is, as a plain JSON document."""

from __future__ import annotations

from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.report.drawings import world_key
from demospec.report.values import Document, finite
from demospec.runs.result import Result
from demospec.runs.why import Move, NotTaken, Shown, explain
from demospec.worlds.prefix_tree import Player
from demospec.worlds.world import World, is_stopped

GAINS = 5  # steps told for each demonstration
CONJECTURES = 20  # told


def why_document(result: Result) -> Document:
    """Return each demonstration's surprise, the conjectures that helped most, and the best task's origin."""
    why, problem = explain(result), result.problem
    return {
        "surprise": finite(why.best.surprise),
        "prior_guess": {"task": str(why.prior_guess.task), "surprise": finite(why.prior_guess.surprise)},
        "demonstrations": [shown_document(problem, shown) for shown in why.demonstrations],
        "conjectures_tried": sum(one.times for one in why.conjectures),
        "conjectures": [not_taken_document(problem, one) for one in why.conjectures[:CONJECTURES]],
        "origin": None
        if why.origin is None
        else {
            "ingredient": why.origin.ingredient,
            "chain": why.origin.chain,
            "iteration": why.origin.iteration,
        },
    }


def shown_document(problem: Problem, shown: Shown) -> Document:
    """Return one demonstration; `steps` are those with the largest gains."""
    world = shown.scene.world
    return {
        "demonstration": shown.number,
        **world_key(problem, shown.scene),
        "word": list(shown.word),
        "complete": shown.complete,
        "accepted": shown.accepted,
        "surprise": finite(shown.surprise),
        "prior_surprise": finite(shown.prior_surprise),
        "gain": finite(shown.gain),
        "steps": [
            {
                "step": step.number,
                "state": world.name(step.state),
                "action": world.action(step.pair),
                "surprise": finite(step.surprise),
                "prior_surprise": finite(step.prior_surprise),
                "gain": finite(step.gain),
            }
            for step in shown.largest_gains(GAINS)
        ],
    }


def move_document(world: World, move: Move) -> Document:
    """Return an action and what came of it; a run that stops reaches nothing more."""
    return {
        "action": world.action(move.pair),
        "reached": None if is_stopped(world, move.state) else world.name(move.state),
        "ends": move.ends,
    }


def not_taken_document(problem: Problem, one: NotTaken) -> Document:
    """Return a conjecture that was tried: the path not taken, where it leaves, and what it changed."""
    tested, world = one.tested, one.scene.world
    return {
        **world_key(problem, one.scene),
        "word": list(tested.conjecture.word),
        "accept": tested.conjecture.label,
        "path": tested.conjecture.path_in(world).to_file(world),
        "player": {Player.AGENT: "agent", Player.ENVIRONMENT: "environment"}.get(one.player),
        "demonstrations": list(one.demonstrations),
        "step": one.step,
        "state": world.name(one.state),
        "taken": [move_document(world, move) for move in one.taken],
        "instead": move_document(world, one.instead),
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
