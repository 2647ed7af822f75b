"""One run of the wide suite: plant, learn, and measure what was learned against the truth.

A run depends on its case alone, apart from seconds, as long as it is not cut off by its limit.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from demospec.belief.answers import Answer, Answers
from demospec.explain.pursuing import room_in
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import MOST_RATIONAL
from demospec.plan.sample import sample_path
from demospec.plan.tabular import PLANNER
from demospec.problem import Problem
from demospec.runs.result import Result
from demospec.runs.session import learn
from demospec.tasks import DFA, Task, Word
from demospec.tasks.mixture import MOST_TASKS, Mixture
from demospec.worlds.mdp import MDP
from recovery.measures import Bin, reliability, share
from recovery.planted_run import CALIBRATION_WORDS, ENOUGH
from recovery.wide_cases import HURRY, WideCase
from recovery.wide_learners import learn_among, learn_reward, satisfaction
from recovery.wide_measures import (
    CredibleMarks,
    answer_bins,
    credible_marks,
    labels_of,
    nearness,
    only,
    shares_of,
    true_share,
    truth_satisfied,
)

CERTAIN = 0.9
AS_WELL_AS_IT_CAN = 100.0  # times its reward: then a policy without tasks is nearly greedy


@dataclass(frozen=True)
class Believed:
    """What was measured of a learner that has answers with probabilities."""

    answer: str
    probability: float  # of the answer
    right: bool  # the answer behaves as the truth
    truth_probability: float  # of the answers that behave as the truth
    shown_probability: float  # of those that explain what the truth's agent shows as well as the truth
    nats: float  # KL(truth ‖ answer), an episode
    word_bins: tuple[Bin, ...]
    answer_bins: tuple[Bin, ...]
    credible: CredibleMarks
    complete: bool  # answers were worked out before the time was up


@dataclass(frozen=True)
class WideRow:
    """What one run gave."""

    part: str
    number: int
    seed: int
    demonstrations: int
    learner: str
    world: str
    task: str
    kind: str
    letters: int
    demonstrator: str
    truth_satisfied: float  # by an agent with the truth, as rational as the demonstrator
    share: float  # of that, acting on the answer
    truth_best: float  # how often the truth is satisfied as well as one can
    share_well: float  # of that, acting on the answer as well as one can
    act_on_share: (
        float  # of that, acting as well as one can on what the learner says to act on; else the answer
    )
    act_on_enough: float | None  # how likely the learner says it is that this is enough
    act_on_added: int | None  # answers that it keeps to beside the likeliest
    rationality: float  # of the demonstrator
    belief_share: float  # acting on the belief as `policy` of a result does: as well as one can
    belief_share_alike: float  # acting on it as rationally as the demonstrator
    believed: Believed | None  # None: the learner has no answers
    seconds: float
    processor_seconds: float

    @property
    def harmful(self) -> bool | None:
        """Say whether it is certain of an answer whose agent falls short; None without probabilities."""
        if self.believed is None:
            return None
        return self.believed.probability > CERTAIN and self.share < ENOUGH


@dataclass(frozen=True)
class Acting:
    """How the demonstrator's equal acts: where, and how rationally."""

    world: MDP  # with what steps cost
    rationality: float
    effort: float
    truth: DFA
    haste: float = 0.0  # of the agents by which answers are compared with the truth

    def satisfied(self, mixture: Mixture, rationality: float) -> float:
        """Return how often the truth is satisfied by somebody who acts on a mixture."""
        return truth_satisfied(self.world, mixture, rationality, self.truth)

    @property
    def aimless(self) -> Acting:
        """Return how somebody acts who wants nothing and to whom steps cost nothing: evenly."""
        return replace(self, world=self.world.tolled(0.0), rationality=0.0, effort=0.0)

    def words(self, problem: Problem, task: DFA, rng: np.random.Generator) -> list[Word]:
        """Draw words of paths of an agent with a task."""
        plan = PLANNER.plan(self.world, make_monitor(task, merge_repeats=True), self.rationality)
        return [problem.word(sample_path(plan, rng)) for _ in range(CALIBRATION_WORDS)]


def run(limit: float, case: WideCase) -> WideRow:
    """Plant, learn and measure."""
    plain, problem = case.plant()
    who, truth = case.demonstrator, case.truth
    haste = HURRY if who.shortest else 0.0
    acting = Acting(plain.tolled(who.effort), case.rationality, who.effort, truth, haste)
    most, best_of_all = (acting.satisfied(only(truth), one) for one in (acting.rationality, MOST_RATIONAL))
    began, processor = time.perf_counter(), time.process_time()
    believed = None
    if case.learner == "irl":
        theta = learn_reward(plain, problem.alphabet, problem.demonstrations)
        seconds, busy = time.perf_counter() - began, time.process_time() - processor
        monitor = make_monitor(truth, merge_repeats=True)
        answer = satisfaction(plain, problem.alphabet, theta, monitor)
        belief, alike = satisfaction(plain, problem.alphabet, AS_WELL_AS_IT_CAN * theta, monitor), answer
        well, acted, enough, added = belief, belief, None, None
    else:
        result = None
        weighted: list[tuple[Task, float]]
        if case.learner == "oracle":
            weighted = list(learn_among(problem))
            best = act_on = weighted[0][0].automaton
            enough = added = None
        else:
            result = learn(problem.with_settings(max_seconds=limit), seed=case.seed)
            weighted = result.weighted_tasks  # with the answers, which take time as well
            best = act_on = result.best.language
            found = None if result.findings is None else result.findings.acting
            enough = added = None
            if found is not None:
                act_on, enough, added = found.task, found.enough, len(found.added)
        seconds, busy = time.perf_counter() - began, time.process_time() - processor
        mixture = Mixture.of(
            weighted, merge_repeats=True, most_states=room_in(problem, problem.scene(), MOST_TASKS)
        )
        answer, well = (acting.satisfied(only(best), one) for one in (acting.rationality, MOST_RATIONAL))
        acted = acting.satisfied(only(act_on), MOST_RATIONAL)
        belief, alike = (acting.satisfied(mixture, one) for one in (MOST_RATIONAL, acting.rationality))
        believed = None if result is None else measure(result, acting, case.rng(3))
    return WideRow(
        part=case.part,
        number=case.number,
        seed=case.seed,
        demonstrations=case.demonstrations,
        learner=case.learner,
        world=case.world,
        task=case.planted[0],
        kind=case.planted[1],
        letters=len(truth.alphabet),
        demonstrator=who.name,
        rationality=acting.rationality,
        truth_satisfied=most,
        share=share(answer, most),
        truth_best=best_of_all,
        share_well=share(well, best_of_all),
        act_on_share=share(acted, best_of_all),
        act_on_enough=enough,
        act_on_added=added,
        belief_share=share(belief, most),
        belief_share_alike=share(alike, most),
        believed=believed,
        seconds=seconds,
        processor_seconds=busy,
    )


def answers_in(result: Result) -> Answers:
    """Return the answers; where the time was up before they were worked out, every task is one."""
    if result.findings is not None:
        return result.findings.answers
    belief, best = result.belief, result.best
    pairs = zip(belief.scores, belief.weights.tolist(), strict=True)
    alone = [Answer((score,), weight, score.language == best.language) for score, weight in pairs]
    if not any(answer.is_named for answer in alone):
        alone.append(Answer((best,), 0.0, is_named=True))
    return Answers(tuple(alone), len(alone), 0.0)


def measure(result: Result, acting: Acting, rng: np.random.Generator) -> Believed:
    """Measure answers and probabilities against the truth."""
    problem, answers, truth = result.problem, answers_in(result), acting.truth
    at = answers.all.index(answers.answer)
    near = nearness(problem, answers.all, at, truth, acting.rationality, acting.effort, acting.haste)
    words = [word for task in (truth, result.best.language) for word in acting.words(problem, task, rng)]
    shares = shares_of(answers.all)
    labels = labels_of(truth, words)
    chances = np.clip(result.belief.acceptances(words), 0.0, 1.0)
    more = [*words, *acting.aimless.words(problem, truth, rng)]
    return Believed(
        answer=str(result.best.task),
        probability=float(shares[at]),
        right=near.alike[at],
        truth_probability=true_share(shares, near.alike),
        shown_probability=true_share(shares, near.shown),
        nats=near.nats,
        word_bins=reliability(chances, labels),
        answer_bins=answer_bins(shares, near.alike),
        credible=credible_marks(result.belief, answers, near.alike, truth, more, labels_of(truth, more)),
        complete=result.findings is not None,
    )
