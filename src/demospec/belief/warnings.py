"""What speaks against an answer: each warning is a sentence, a code that scripts read, and what to do.

An answer is checked against what was shown before it is believed: does its agent succeed as often as the
demonstrations did, would it be surprised at them, did they have a choice at all?
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from demospec.explain.evidence import Evidence, Finding
from demospec.explain.score import Score
from demospec.plan.along_tree import along_tree
from demospec.plan.base import Plan
from demospec.plan.rationality import EFFORTS, RATIONALITIES, Learned, Point
from demospec.plan.sample import sample_path
from demospec.problem import Problem, accepted_demonstrations
from demospec.wording import count, listing
from demospec.work.stop import NEVER, Stop
from demospec.worlds.estimated import CountedMDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import PrefixTree

RARE = 0.005  # a result that is rarer, were the answer right, speaks against it
PROBABLY = 0.5  # a demonstration is named as a mistake above this
USUAL = 0.98  # of an agent's episodes are less surprising than what is worth a warning
DRAWS = 200  # episodes of the agent that a demonstration's surprise is compared with
LEEWAY = 3.0  # nats
FEW = 3  # complete demonstrations that a success rate needs at least


SERIOUS = (  # the answer should not be believed before these are looked at: they are told above it
    "no-choice",
    "prior-excludes",
    "succeeds-otherwise",
    "surprising-demonstration",
    "nearly-aimless",
)


@dataclass(frozen=True)
class Caution:
    """Something that the reader of an answer should know first."""

    code: str
    message: str
    advice: str

    @property
    def serious(self) -> bool:
        """Say whether it is told above the answer, not below it."""
        return self.code in SERIOUS

    def to_json(self) -> dict[str, str]:
        """Return the object of a result's JSON."""
        return {"code": self.code, "message": self.message, "advice": self.advice}


def warnings_of(problem: Problem, best: Score, stop: Stop = NEVER) -> list[Caution]:
    """Return what speaks against an answer, the gravest first."""
    finding = finding_of(problem, best, stop)
    strays = () if finding is None else finding.strays
    stop.check()
    return [
        *counted_worlds(problem),
        *without_choice(problem),
        *excluded(problem),
        *unseen_letters(problem),
        *other_success(problem, best),
        *not_explained(problem, best, strays, stop),
        *at_the_edge(problem, best),
    ]


def cut_short(by: str) -> Caution:
    """Warn that a search was ended before it was done."""
    return Caution(
        "search-cut-short",
        f"The search was not done: {by}. A likelier task may not have been scored.",
        "Allow more with --max-seconds or --max-evaluations.",
    )


def finding_of(problem: Problem, best: Score, stop: Stop = NEVER) -> Finding | None:
    """Return what is known of a task over the grid, where the agent is learned."""
    if not isinstance(problem.agent, Learned):
        return None
    evidence = Evidence(problem, problem.planner.until(stop), problem.agent)
    likeliest = Point(best.rationality, best.effort, best.haste)
    return evidence.around([best.language], likeliest, with_strays=True)[0]


def counted_worlds(problem: Problem) -> Iterator[Caution]:
    """Warn of worlds that were counted from a log: what nobody did is not in them."""
    for scene in problem.scenes:
        if isinstance(scene.original, CountedMDP):
            yield Caution(
                "counted-world",
                " ".join(scene.original.cautions()),
                "Give a world that is known, or a log of more runs.",
            )


def without_choice(problem: Problem) -> Iterator[Caution]:
    """Warn where the steps that were shown had no alternative: they carry no information."""
    steps = alone = 0
    for scene in problem.scenes:
        for path in scene.demonstrations:
            state = path.first(scene.world)
            for _, reached in path.steps:
                steps += 1
                alone += len(scene.world.pairs(state)) == 1
                state = reached
    if steps and alone == steps:
        yield Caution(
            "no-choice",
            "No step of any demonstration had an alternative: what was shown says nothing about the task.",
            "Give the world the actions that were possible but not taken.",
        )
    elif steps and alone > 0.8 * steps:
        yield Caution(
            "few-choices",
            f"{alone} of {steps} steps had no alternative, and say nothing about the task.",
            "Give the world the actions that were possible but not taken.",
        )


def excluded(problem: Problem) -> Iterator[Caution]:
    """Warn where what is assumed of the task excludes what was shown."""
    if problem.prior is None:
        return
    rejected = [
        number
        for (number, _, path), word in zip(problem.shown, problem.words, strict=True)
        if path.complete and not problem.prior.accepts(word)
    ]
    if rejected:
        which = "demonstration" if len(rejected) == 1 else "demonstrations"
        yield Caution(
            "prior-excludes",
            f"What the task must imply does not hold in {which} {listing(rejected)}.",
            "Check the key implies, or whether these runs were meant to succeed.",
        )


def unseen_letters(problem: Problem) -> Iterator[Caution]:
    """Warn of letters that no state of any world has."""
    seen = {letter for scene in problem.scenes for letter in scene.world.letters}
    never = [letter for letter in problem.alphabet if letter not in seen]
    if never:
        yield Caution(
            "letter-never-occurs",
            f"No state has the label {listing(never)}: nothing can be learned about it.",
            "Check the labels, or leave the letter out of the alphabet.",
        )


def other_success(problem: Problem, best: Score) -> Iterator[Caution]:
    """Warn where the answer's agent would succeed much more or less often than was shown."""
    marks = accepted_demonstrations(problem, best.task)
    complete = [mark for mark, path in zip(marks, problem.demonstrations, strict=True) if path.complete]
    runs, good, chance = len(complete), sum(complete), best.satisfaction_probability
    if runs < FEW:
        return
    if tail(runs, good, chance) < RARE:
        yield Caution(
            "succeeds-otherwise",
            f"{good} of {count(runs, 'complete demonstration')} satisfy the answer, "
            f"but its agent would in {chance:.1%} of episodes.",
            "The model does not explain this success: check the world's probabilities and labels, "
            "or show more runs.",
        )


def tail(runs: int, good: int, chance: float) -> float:
    """Return how likely a number of successes is that is at least as far off, on the side it is on.

    >>> round(tail(6, 6, 0.5), 4), round(tail(6, 3, 0.5), 4)
    (0.0156, 0.6562)
    """
    chance = min(max(chance, 1e-12), 1 - 1e-12)
    terms = [math.comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(runs + 1)]
    return min(1.0, math.fsum(terms[good:]), math.fsum(terms[: good + 1]))


def not_explained(problem: Problem, best: Score, strays: tuple[float, ...], stop: Stop) -> Iterator[Caution]:
    """Warn of demonstrations that the answer's agent would hardly show: mistakes, or a sign of another task.

    They are compared with episodes of that agent itself.
    """
    if not problem.planner.abilities.listed:
        return
    rng = np.random.default_rng(11)
    numbers = iter(range(1, len(problem.demonstrations) + 1))
    mistaken, surprising = [], []
    for scene in problem.scenes:
        if not scene.demonstrations:
            continue
        world = scene.felt_by(best)
        plan = problem.planner.until(stop).plan(world, problem.monitor(best.task), best.rationality)
        drawn = [sample_path(plan, rng) for _ in range(DRAWS)]
        stop.check()
        usual = float(np.quantile(surprises(PrefixTree.build(scene.world, drawn), drawn, plan), USUAL))
        for nats in surprises(scene.tree, scene.demonstrations, plan):
            number = next(numbers)
            if strays and strays[number - 1] > PROBABLY and nats > usual:
                mistaken.append(f"{number} ({strays[number - 1]:.0%})")
            elif nats > usual + LEEWAY:
                surprising.append(number)
    if mistaken:
        yield Caution(
            "stray-demonstration",
            f"Probably a mistake, since no plan for the answer fits: {demonstrations(mistaken)}.",
            "Look at what was shown; take it out if it was not meant.",
        )
    if surprising:
        yield Caution(
            "surprising-demonstration",
            f"More surprising under the answer than {USUAL:.0%} of its own agent's episodes: "
            f"{demonstrations(surprising)}.",
            "The answer does not explain this: there may be mistakes, or another task was meant.",
        )


def demonstrations(named: Sequence[object]) -> str:
    """Write which demonstrations.

    >>> demonstrations([3]), demonstrations([3, 5])
    ('demonstration 3', 'demonstrations 3, 5')
    """
    return f"demonstration{'' if len(named) == 1 else 's'} {listing(named)}"


def surprises(tree: PrefixTree, paths: Sequence[Path], plan: Plan) -> list[float]:
    """Return the surprise of each path of a tree."""
    nats = np.where(tree.chosen, -along_tree(tree, plan).log_edge, 0.0)
    return [float(nats[tree.nodes_of(path)].sum()) for path in paths]


def at_the_edge(problem: Problem, best: Score) -> Iterator[Caution]:
    """Warn where the likeliest agent is at the edge of what was considered."""
    agent = problem.agent
    if not isinstance(agent, Learned) or best.language.states == 1:  # without an aim there is none to tell
        return
    if agent.rationality is None and best.rationality <= RATIONALITIES[0]:
        yield Caution(
            "nearly-aimless",
            "The demonstrations look nearly aimless: the likeliest rationality is the least considered.",
            "Show more runs, or runs that are to the point.",
        )
    if agent.felt and agent.effort is None and best.effort >= EFFORTS[-1]:
        yield Caution(
            "effort-at-the-edge",
            f"The likeliest effort, {best.effort:g} nats a step, is the most that is considered.",
            "Set effort in [agent] if steps cost more.",
        )
