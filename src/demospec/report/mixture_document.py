"""What an agent that acts on a belief does, as plain JSON: what a policy says, and each answer's chance."""

from __future__ import annotations

from demospec.plan.policy import MixturePolicy, Situation, Where
from demospec.problem import Problem
from demospec.report.documents import Document, drawn_document
from demospec.report.policy_document import situation_document, words
from demospec.report.values import task_document
from demospec.report.words import sentence
from demospec.tasks.mixture import Mixture
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene


def mixture_policy_document(policy: MixturePolicy, situations: list[Document]) -> Document:
    """Return the result of the command `policy --belief`."""
    monitor, mixture = policy.monitor, policy.mixture
    return {
        "rationality": policy.plan.rationality,
        "satisfaction_probability": policy.plan.satisfaction_probability,
        "belief": mixture_document(policy),
        "monitor": [
            {"word": list(word), "reward": reward, "satisfied": list(marks)}
            for word, reward, marks in zip(
                words(policy), monitor.reward.tolist(), mixture.satisfied, strict=True
            )
        ],
        "situations": situations,
    }


def mixture_document(policy: MixturePolicy) -> Document:
    """Return the answers that are acted on, how often each is satisfied, and which were left out."""
    mixture = policy.mixture
    told = zip(mixture.tasks, mixture.weights, policy.satisfaction_probabilities, strict=True)
    return {
        "weight": mixture.whole,
        "answers": [
            task_document(
                task,
                one_line=str(task.as_dfa()),
                sentence=sentence(task),
                weight=weight,
                satisfaction_probability=chance,
            )
            for task, weight, chance in told
        ],
        "left_out": [{"one_line": str(task.as_dfa()), "weight": weight} for task, weight in mixture.left_out],
    }


def mixture_situation_document(policy: MixturePolicy, at: Situation, where: Where) -> Document:
    """Return what the agent does in a situation, and how likely each answer is to be satisfied from there."""
    found = situation_document(policy, at, where)
    del found["satisfied_so_far"]
    return {
        **found,
        "reward_so_far": policy.monitor.reward.item(at.monitor),
        "answers": list(policy.chances(where)),
    }


def mixture_path_document(problem: Problem, scene: Scene, path: Path, mixture: Mixture) -> Document:
    """Return a drawn demonstration, and which of the answers it satisfies."""
    drawn = drawn_document(problem, scene, path)
    state = mixture.after(drawn["word"])
    return {**drawn, "reward": mixture.reward[state], "satisfied": list(mixture.satisfied[state])}
