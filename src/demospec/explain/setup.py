"""What follows from a problem: agent, code, weights, planner as its method takes them; what is allowed.

A problem keeps what it is given. What is given may say nothing, or may not be the method's to take: the
paper's methods have the paper's code, and an agent whose rationality is known. That is worked out here, once
for each problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

from demospec.errors import InputError
from demospec.identify.allowed import Allowed
from demospec.plan.base import Planner
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.rationality import Agent, Empirical, Fixed, Learned
from demospec.plan.tabular import PLANNER
from demospec.problem import Code, Problem, Weights
from demospec.problem.problem import check_task_letters
from demospec.tasks import Task
from demospec.tasks.code import Words
from demospec.worlds.mdp import MDP
from demospec.worlds.world import World

PAPERS_RATIONALITY = 10.0  # of the agent in the paper's experiments


@dataclass(frozen=True, eq=False)
class Setup:
    """What a problem comes to under its method."""

    agent: Agent
    code: Code
    weights: Weights
    planner: Planner
    allowed: Allowed  # the tasks that are considered
    merge_repeats: bool

    @cached_property
    def words_code(self) -> Words:
        """Return the code in which what people say is short."""
        return Words(self.allowed.alphabet)

    def size_of(self, task: Task) -> int | float:
        """Return the bits of a task in the problem's code."""
        return task.size if self.code == "automaton" else self.words_code.bits(task)

    @cached_property
    def prior_size(self) -> int | float:
        """Return the bits that are known already; sizes in the energy are relative to them."""
        prior = self.allowed.prior
        return 0 if prior is None else self.size_of(prior)

    def monitor(self, task: Task) -> Monitor:
        """Return the monitor of a task under the problem's semantics."""
        lower, upper = self.allowed.bounds
        language = check_task_letters(task, self.allowed.alphabet).automaton
        return make_monitor(language, merge_repeats=self.merge_repeats, prior=upper, lower=lower)


RESOLVED: WeakKeyDictionary[Problem, Setup] = WeakKeyDictionary()


def resolve(problem: Problem) -> Setup:
    """Return what a problem comes to; refuse an agent or examples that contradict the rest of it."""
    if problem in RESOLVED:
        return RESOLVED[problem]
    paper = problem.settings.method != "explore"
    code: Code = "automaton" if paper else problem.code or "words"
    planner = problem.planner or PLANNER
    agent: Agent = problem.agent or (Fixed(PAPERS_RATIONALITY) if paper or problem.code else Learned())
    if isinstance(agent, Learned):
        if paper:
            agent = Fixed(agent.rationality or PAPERS_RATIONALITY)
        elif planner.abilities.many:  # it is told whether what steps cost can change what it does
            agent = replace(agent, felt=any(is_effort_felt(scene.world) for scene in problem.scenes))
        else:
            raise InputError(
                "an agent is learned only in worlds where many tasks can be planned for at once; "
                "set rationality in [agent], and neither effort nor mistakes"
            )
    if isinstance(agent, Empirical) and not any(path.complete for path in problem.demonstrations):
        raise InputError("an empirical competency needs at least one complete demonstration")
    allowed = Allowed(
        alphabet=problem.alphabet,
        prior=problem.prior,
        classes=problem.classes,
        parts=problem.parts,
        given=problem.given,
        max_states=problem.settings.max_states,
    )
    weights = problem.weights.for_demonstrations(len(problem.demonstrations), in_words=code == "words")
    found = RESOLVED[problem] = Setup(agent, code, weights, planner, allowed, problem.merge_repeats)
    return found


def is_effort_felt(world: World) -> bool:
    """Say whether what steps cost can change what an agent does: some cost less, or some end an episode.

    Where every episode takes its time whatever is done, and every step costs the same, nothing is saved.
    """
    if not isinstance(world, MDP):
        return True
    costs = world.unit_costs
    return bool(world.terminal.any()) or bool((costs != costs[:1]).any())
