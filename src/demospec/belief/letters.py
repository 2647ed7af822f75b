"""What each letter means for the task, as far as the belief goes, and whether the worlds can tell.

By the languages of the tasks that are believed, a letter is *required* when no word without it is accepted,
*avoided* when no word with it is, *irrelevant* when it never changes anything. A task that accepts nothing
says nothing about a letter. As the first letter of a word it may *fail* the task (nothing is accepted any
more) or *fulfil* it (everything is).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.belief.distance import Agents
from demospec.belief.weights import Belief
from demospec.plan.columns import UNREACHABLE, depths
from demospec.tasks.side_by_side import Stack
from demospec.wording import percent
from demospec.worlds.mdp import MDP, Bools, Ints, spans

UNDETERMINED = "undetermined, avoided or not"


@dataclass(frozen=True)
class Letter:
    """A letter: where it can be seen, and what share of the belief says what about it."""

    name: str
    seen: str | None  # why it can never be read, or None
    required: float
    avoided: float
    irrelevant: float
    fails: float
    fulfils: float

    @property
    def sentence(self) -> str:
        """Tell what is known about the letter.

        >>> Letter("r", "no state of the world has it", 0, 0, 1, 0, 0).sentence
        'r: undetermined, avoided or not (no state of the world has it)'
        """
        if self.seen is not None:
            return f"{self.name}: {UNDETERMINED} ({self.seen})"
        names = ("required", "avoided", "irrelevant")
        shares = [(getattr(self, name), name) for name in names]
        first = [(self.fails, "fails the task when read first"), (self.fulfils, "fulfils it when read first")]
        told = [f"{name} {percent(share)}" for share, name in [*shares, *first] if share >= 0.005]
        other = 1.0 - sum(share for share, _ in shares)
        if other >= 0.005:
            told.insert(sum(share >= 0.005 for share, _ in shares), f"matters otherwise {percent(other)}")
        return f"{self.name}: {', '.join(told)}"


def why_unseen(agents: Agents, letter: str) -> str | None:
    """Say why a letter of the alphabet is never read in any of the worlds; None where it can be.

    A world that is not listed hides no letter that it has.
    """
    if not any(letter in world.letters for world in agents.worlds):
        return f"no state of {'the' if len(agents.worlds) == 1 else 'any'} world has it"
    if not agents.is_listed:
        return None
    seen = (label == letter for mdp in agents.listed for label in labels_read(mdp))
    return None if any(seen) else "cannot be reached within the episode"


def labels_read(mdp: MDP) -> set[str | None]:
    """Return the labels of the states that some episode reaches; None is white."""
    return {mdp.labels[state] for state in np.flatnonzero(reachable(mdp)).tolist()}


def reachable(mdp: MDP) -> Bools:
    """Return [S]: the states that some episode reaches, up to its last step.

    By depths, for which each state is left once: a walk would leave it in every layer of time.
    """
    depth = depths(mdp)  # of those from which it can go on
    found: Bools = depth != UNREACHABLE
    before = np.flatnonzero(found & ~mdp.terminal & (depth < mdp.horizon))
    pairs = spans(mdp.pair_offset, before)
    found[mdp.successor[spans(mdp.outcome_offset, pairs)]] = True
    return found


def letters_of(belief: Belief) -> list[Letter]:
    """Tell of every letter of the alphabet what is believed."""
    meanings, agents = meanings_of(belief.stack), Agents(belief.problem, [], [])
    return [
        Letter(
            name,
            why_unseen(agents, name),
            *(float((belief.weights * meaning[:, k]).sum()) for meaning in meanings),
        )
        for k, name in enumerate(belief.stack.alphabet)
    ]


def meanings_of(stack: Stack) -> tuple[Bools, Bools, Bools, Bools, Bools]:
    """Return [T, K] each: required, avoided, irrelevant, fails first, fulfils first; automata are minimal."""
    tasks, letters = len(stack.start), len(stack.alphabet)
    table, owner = stack.table[:, :letters], stack.owner
    live = reaches(table, stack.accepting)  # something is accepted from here
    total = ~reaches(table, ~stack.accepting)  # everything is
    accepts = live[stack.start][:, None]

    def holds_everywhere(marks: Bools) -> Bools:
        failing = np.bincount(owner, ~marks, minlength=tasks)
        return np.asarray(failing == 0)

    avoided = np.stack([holds_everywhere(~live[table[:, k]]) for k in range(letters)], axis=1)
    stays = table == np.arange(len(table))[:, None]
    irrelevant = np.stack([holds_everywhere(stays[:, k]) for k in range(letters)], axis=1)
    without = [np.delete(table, k, axis=1) for k in range(letters)]
    required = np.stack([~reaches(rest, stack.accepting)[stack.start] for rest in without], axis=1)
    first = table[stack.start]
    return (
        required & accepts,
        avoided & accepts,
        irrelevant,
        ~live[first] & accepts,
        total[first] & ~total[stack.start][:, None],
    )


def reaches(table: Ints, marks: Bools) -> Bools:
    """Return [N]: whether a marked state can be reached by the letters of the table [N, K]."""
    found = marks.copy()
    while True:
        more = found | found[table].any(axis=1)
        if (more == found).all():
            return found
        found = more
