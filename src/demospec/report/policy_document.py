"""What a policy says, as plain JSON: situations along a history, and all states at a glance."""

from __future__ import annotations

from collections.abc import Iterator

from demospec.plan.policy import Policy, Situation, Where, Worth
from demospec.report.documents import Document
from demospec.tasks import DFA, Word
from demospec.worlds.paths import file_state
from demospec.worlds.world import is_stopped, stops

MOST_WORK = 10**9  # moves to be followed for the probability of ever visiting each state


def read_as(policy: Policy) -> DFA:
    """Return the task as it is read along a run: repeats merged where the problem says so."""
    monitor = policy.monitor
    return DFA.from_canonical(monitor.alphabet, monitor.table, tuple(monitor.accepting.tolist()))


def words(policy: Policy) -> list[Word]:
    """Return, for each monitor state, a shortest word that leads to it."""
    monitor = policy.monitor
    found: dict[int, Word] = {0: ()}
    queue = [0]
    for state in queue:  # grows while we walk
        for letter, target in zip(monitor.alphabet, monitor.table[state], strict=True):
            if target not in found:
                found[target] = (*found[state], letter)
                queue.append(target)
    return [found[state] for state in range(monitor.states)]


def situation_document(policy: Policy, at: Situation, where: Where) -> Document:
    """Return what the agent does in a situation; `where` is what the policy is asked about."""
    over = policy.is_over(where)
    return {
        "time": at.time,
        "state": file_state(at.state),
        "monitor": at.monitor,
        "satisfied_so_far": bool(policy.monitor.accepting[at.monitor]),
        "over": over,
        "value": policy.value(where),
        "satisfaction_probability": policy.satisfaction(where),
        "actions": {} if over else policy.action_probabilities(where),
    }


def policy_document(policy: Policy, situations: list[Document]) -> Document:
    """Return the result of the command `policy`."""
    return {
        "rationality": policy.plan.rationality,
        "satisfaction_probability": policy.plan.satisfaction_probability,
        "reads": str(read_as(policy)),
        "monitor": monitor_document(policy),
        "situations": situations,
    }


def monitor_document(policy: Policy) -> list[Document]:
    """Return the states of the task as it is read: a word that leads there, and whether it satisfies."""
    marks = policy.monitor.accepting.tolist()
    return [{"word": list(word), "accepting": mark} for word, mark in zip(words(policy), marks, strict=True)]


def overview_document(policy: Policy, worth: Worth) -> Document:
    """Return every state of the world: how often the agent is there, what it does, what that is worth."""
    return {
        "reads": str(read_as(policy)),
        "monitor": monitor_document(policy),
        "time": worth.time,
        "expected_steps": policy.occupancy.steps - stopping(policy),
        "states": list(state_documents(policy, worth)),
    }


def stopping(policy: Policy) -> float:
    """Return the probability that the agent stops an episode, which is no step that it takes."""
    mdp = policy.world.listed()
    stopped = [state for state in range(len(mdp.states)) if is_stopped(mdp, state)]
    return float(policy.occupancy.visits[stopped].sum())


def state_documents(policy: Policy, worth: Worth) -> Iterator[Document]:
    """Yield what is known of each state; lists go by monitor state, before the state is read.

    `ever` is null where working it out would take too long.
    """
    mdp, occupancy = policy.world.listed(), policy.occupancy
    visited = int((occupancy.visits > 0).sum())
    ever = occupancy.ever().tolist() if occupancy.moves * visited <= MOST_WORK else [None] * len(mdp.states)
    for number, state in enumerate(mdp.states):
        if is_stopped(mdp, number):
            continue
        ends = occupancy.ended[:, number].sum()
        ends += sum(occupancy.chosen[:, pair].sum() for pair in mdp.pairs(number) if stops(mdp, pair))
        yield {
            "state": file_state(state),
            "label": mdp.labels[number],
            "visits": float(occupancy.visits[number]),
            "ever": ever[number],
            "ends": float(ends),
            "actions": mean_choice(policy, number),
            "visits_by_monitor": occupancy.entered[:, number].tolist(),
            "actions_by_monitor": [mean_choice(policy, number, m) for m in range(policy.monitor.states)],
            "value": worth.value[:, number].tolist(),
            "satisfaction_probability": worth.satisfaction[:, number].tolist(),
        }


def mean_choice(policy: Policy, state: int, monitor: int | None = None) -> dict[str, float]:
    """Return how often each action is chosen in a state, over all visits; empty without any."""
    mdp, chosen = policy.world.listed(), policy.occupancy.chosen
    pairs = mdp.pairs(state)
    counts = chosen[:, pairs].sum(axis=0) if monitor is None else chosen[monitor, pairs]
    total = float(counts.sum())
    if total <= 0:
        return {}
    return dict(zip(mdp.available(state), (counts / total).tolist(), strict=True))
