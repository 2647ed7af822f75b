"""What each letter means for the task, as far as the belief goes, and whether the world can tell.

By the languages of the tasks that are believed, a letter is *required* when no word without it is accepted,
*avoided* when no word with it is, *irrelevant* when it never changes anything. A task that accepts nothing
says nothing about a letter. As the first letter of a word it may *fail* the task (nothing is accepted any
more) or *fulfil* it (everything is).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.belief.weights import Belief, Together
from demospec.plan.structure import UNREACHABLE, depths
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


def percent(share: float) -> str:
    """Write a share; what is rounded to nothing or all says so.

    >>> percent(0.123), percent(0.0001), percent(0.9999), percent(1.0)
    ('12 %', 'under 1 %', 'over 99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1 - 1e-9 else f"{100 * share:.0f} %"


def why_unseen(mdp: MDP, letter: str) -> str | None:
    """Say why a letter of the alphabet is never read in a listed world; None where it can be."""
    states = [state for state, label in enumerate(mdp.labels) if label == letter]
    if not states:
        return "no state of the world has it"
    return None if reachable(mdp)[states].any() else "cannot be reached within the episode"


def reachable(mdp: MDP) -> Bools:
    """Return [S]: the states that some episode reaches, up to its last step."""
    depth = depths(mdp)  # of those from which it can go on
    found: Bools = depth != UNREACHABLE
    before = np.flatnonzero(found & ~mdp.terminal & (depth < mdp.horizon))
    pairs = spans(mdp.pair_offset, before)
    found[mdp.successor[spans(mdp.outcome_offset, pairs)]] = True
    return found


def letters_of(belief: Belief, world: MDP, *, listed: bool = True) -> list[Letter]:
    """Tell of every letter of the alphabet what is believed; a world that is not listed hides no letter."""
    together = Together.of([task.minimal for task in belief.tasks])
    meanings = meanings_of(together)
    unlisted = {
        name: None if name in world.letters else "no state of the world has it" for name in together.alphabet
    }
    return [
        Letter(
            name,
            why_unseen(world, name) if listed else unlisted[name],
            *(float((belief.weights * meaning[:, k]).sum()) for meaning in meanings),
        )
        for k, name in enumerate(together.alphabet)
    ]


def meanings_of(together: Together) -> tuple[Bools, Bools, Bools, Bools, Bools]:
    """Return [T, K] each: required, avoided, irrelevant, fails first, fulfils first; automata are minimal."""
    tasks, letters = len(together.start), len(together.alphabet)
    table, owner = together.table[:, :letters], together.owner
    live = reaches(table, together.accepting)  # something is accepted from here
    total = ~reaches(table, ~together.accepting)  # everything is
    accepts = live[together.start][:, None]

    def holds_everywhere(marks: Bools) -> Bools:
        failing = np.bincount(owner, ~marks, minlength=tasks)
        return np.asarray(failing == 0)

    avoided = np.stack([holds_everywhere(~live[table[:, k]]) for k in range(letters)], axis=1)
    stays = table == np.arange(len(table))[:, None]
    irrelevant = np.stack([holds_everywhere(stays[:, k]) for k in range(letters)], axis=1)
    without = [np.delete(table, k, axis=1) for k in range(letters)]
    required = np.stack([~reaches(rest, together.accepting)[together.start] for rest in without], axis=1)
    first = table[together.start]
    return (
        required & accepts,
        avoided & accepts,
        irrelevant,
        ~live[first] & accepts,
        total[first] & ~total[together.start][:, None],
    )


def reaches(table: Ints, marks: Bools) -> Bools:
    """Return [N]: whether a marked state can be reached by the letters of the table [N, K]."""
    found = marks.copy()
    while True:
        more = found | found[table].any(axis=1)
        if (more == found).all():
            return found
        found = more
