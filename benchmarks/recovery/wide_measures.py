"""What an answer is worth where the truth is known: acting on it, and how far it behaves as the truth.

Who is in haste plans as if every step might be the last. What it foresees is not what happens, so that the
sum of ln π along an episode does not telescope as in `belief/distance.py`. Over whole episodes,

    KL(π₁ ‖ π₂) = Σₜ Σ_{m,s} Pr₁(t, m, s, goes on)·D(t, m, s)
    D(t, m, s) = Σₐ π₁(a | t, m₁, s)·(ln π₁(a | t, m₁, s) − ln π₂(a | t, m₂, s))

where m = (m₁, m₂) is what the monitors of both tasks remember, the state read; ln π = Q − V is that of plans
made in haste, and Pr₁ is what happens in the world when agent 1 acts. `HastyAgents` follow what they do
forward in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief import Belief
from demospec.belief.answers import Answer, Answers, Credible
from demospec.belief.belief import credible_labels
from demospec.belief.distance import Agents
from demospec.plan.base import ACCEPTED, LABELS, Plan
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.policy import MixtureMonitor, log_policy
from demospec.plan.rationality import AgentPoint
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.mixture import Mixture
from demospec.tasks.side_by_side import Product, product
from demospec.worlds.mdp import MDP, Bools, Floats
from demospec.worlds.walk import PathWalk
from recovery.measures import Bin, reliability


class HastyAgents:
    """The agents of T tasks in the W worlds of a problem, alike in all but their tasks, to be compared."""

    def __init__(self, problem: Problem, tasks: Sequence[DFA], agent: AgentPoint) -> None:
        monitors = [make_monitor(task, merge_repeats=problem.merge_repeats) for task in tasks]
        asked = [(monitor, agent.rationality) for monitor in monitors]
        worlds = [scene.felt_by(agent) for scene in problem.scenes]
        self.plans = [PLANNER.for_labels(ACCEPTED).plans(world, asked) for world in worlds]  # [W][T]

    def divergences(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return for each pair (i, j) the largest KL(πᵢ ‖ πⱼ) of all worlds: what an episode of i tells."""
        return np.array([max(divergence(plans[i], plans[j]) for plans in self.plans) for i, j in pairs])


def divergence(first: Plan, second: Plan) -> float:
    """Return KL(π₁ ‖ π₂), the nats that an episode of the first plan's agent tells against the second's."""
    both = Product.of([first.monitor, second.monitor], merge_repeats=False)
    mine, other = both.states(0), both.states(1)
    walk = PathWalk(first.world.listed(), both)
    arrived, nats = walk.begin, 0.0
    for layer in walk:
        present = (1.0 - layer.ends) * arrived
        own = log_policy(first, layer, mine[layer.node])
        chosen = present[layer.source[layer.first]] * np.exp(own)
        nats += float(chosen @ (own - log_policy(second, layer, other[layer.node])))
        arrived = layer.gather(chosen[layer.choice] * layer.chance)
    return max(nats, 0.0)  # rounding may take it below


TOLD_ANSWERS = 0.01  # the share from which on an answer counts in the calibration
BEHAVES = 0.01  # nats an episode: a hundred episodes tell less than one nat
MOST_ANSWERS = 150  # that are compared with the truth, likeliest first


def truth_satisfied(world: MDP, mixture: Mixture, rationality: float, truth: DFA) -> float:
    """Return how often somebody who acts on a mixture of tasks satisfies the truth; repeats are merged."""
    monitor = make_monitor(truth, merge_repeats=True)
    return plan_reading(world, mixture, rationality, monitor).expected_chance(len(LABELS))


def plan_reading(world: MDP, mixture: Mixture, rationality: float, other: Monitor) -> Plan:
    """Plan for a mixture of tasks with another task read along: its mark is the first label of its own.

    The plan is that of the mixture alone: the other task is read, and earns nothing.
    """
    own = MixtureMonitor.of(mixture)
    nodes, table = product([own.table, other.table])
    mine, read = np.array(nodes, dtype=np.intp).T
    never = np.zeros(len(nodes), dtype=np.bool_)
    marks = other.accepting[read][None, :]
    both = MixtureMonitor(own.alphabet, table, own.accepting[mine], never, never, marks, own.weighed[mine])
    return PLANNER.plan(world, both, rationality)


def only(task: DFA) -> Mixture:
    """Return one task as a mixture."""
    return Mixture.of([(task, 1.0)], merge_repeats=True)


@dataclass(frozen=True)
class Nearness:
    """How near answers are to the truth, to agents that are as the demonstrator."""

    nats: float  # KL(truth ‖ the named answer), nats an episode
    alike: tuple[bool, ...]  # [A], which answers behave as the truth: both ways
    shown: tuple[bool, ...]  # [A], which explain what the truth's agent shows as well as the truth: one way


def nearness(
    problem: Problem,
    answers: Sequence[Answer],
    named: int,
    truth: DFA,
    rationality: float,
    effort: float,
    haste: float = 0.0,
) -> Nearness:
    """Compare the likeliest task of each answer with the truth, pursued by the same agent.

    One way, by what an episode of the truth's agent tells against the answer; and both ways. An answer that
    holds the truth itself behaves as it does.
    """
    some = answers[: max(MOST_ANSWERS, named + 1)]
    leaders = [answer.members[0] for answer in some]
    tasks = [truth, *(one.language for one in leaders)]
    agents: Agents | HastyAgents
    if haste:
        agents = HastyAgents(problem, tasks, AgentPoint(rationality, effort, haste))
    else:
        agents = Agents(problem, tasks, [rationality] * len(tasks), effort=effort)
    nats = agents.divergences([(0, k) for k in range(1, len(tasks))])
    shown = nats < BEHAVES
    alike = shown.copy()
    back = np.flatnonzero(shown).tolist()
    alike[back] = agents.divergences([(k + 1, 0) for k in back]) < BEHAVES
    for number, answer in enumerate(some):
        if any(one.language.minimal == truth.minimal for one in answer.members):
            shown[number] = alike[number] = True
    rest = (False,) * (len(answers) - len(some))
    return Nearness(float(nats[named]), (*alike.tolist(), *rest), (*shown.tolist(), *rest))


@dataclass(frozen=True)
class CredibleMarks:
    """What the credible set of answers and the credible labels of words are worth."""

    holds: bool  # one of the answers behaves as the truth, or is the truth
    labels_hold: bool  # the true labels of all words are possible at once
    covers: float  # the share of words whose true label is possible
    excludes: bool  # one of the words has only one possible label


def credible_marks(
    belief: Belief, answers: Answers, alike: Sequence[bool], truth: DFA, words: Sequence[Word], labels: Bools
) -> CredibleMarks:
    """Measure the credible set of answers, and the credible labels of words with the truth's labels.

    The set also has tasks that were not compared with others: the truth is looked for among them.
    """
    credible = Credible.set_of(belief, answers)
    number = {id(score): place for place, score in enumerate(belief.scores)}
    true_ones = {
        number.get(id(score))
        for answer, same in zip(answers.all, alike, strict=True)
        if same
        for score in answer.members
    }
    true_ones |= {belief.find(truth)}
    held = any(place in true_ones for group in credible.answers for place in group)
    given = credible_labels(belief, words)  # [W, 2]
    covered = given[np.arange(len(words)), labels.astype(np.intp)]
    return CredibleMarks(held, bool(covered.all()), float(covered.mean()), not bool(given.all()))


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Return the expected calibration error: how far what was predicted is from what came, on average.

    >>> calibration_error([Bin(3, 0.6, 0), Bin(1, 0.9, 1)])
    0.175
    """
    total = sum(one.count for one in bins)
    return sum(abs(one.predicted - one.accepted) for one in bins) / total if total else None


def labels_of(truth: DFA, words: Sequence[Word]) -> Bools:
    """Return which words the truth accepts."""
    return np.array([truth.accepts(word) for word in words], dtype=np.bool_)


def shares_of(answers: Sequence[Answer]) -> Floats:
    """Return the probabilities of answers; sums may exceed 1 by rounding."""
    return np.array([min(max(answer.share, 0.0), 1.0) for answer in answers])


def true_share(shares: Floats, alike: Sequence[bool]) -> float:
    """Return the probability of all answers that are marked: those that behave as the truth."""
    return min(float(shares[np.array(alike)].sum()), 1.0)


def answer_bins(shares: Floats, alike: Sequence[bool]) -> tuple[Bin, ...]:
    """Return how often answers came true, by their probabilities; those that behave as the truth are one."""
    others = shares[~np.array(alike)].tolist()
    chances = np.array([*others, true_share(shares, alike)])
    came = np.array([False] * len(others) + [True])
    told = chances >= TOLD_ANSWERS
    return reliability(chances[told], came[told])
