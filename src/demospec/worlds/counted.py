"""Worlds that were counted from a log, and what such a world cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from demospec.errors import WorldError, count
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.world import Episode, State, stops

Counts = Sequence[tuple[str, str, Mapping[str, int]]]  # state, action, how often it led where


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CountedMDP(MDP):
    """An MDP that was counted: an outcome's probability is its share, and a state's actions are those seen.

    In a world `by_events` an action is the next event, and surely leads to it.
    """

    counts: Floats  # [O]; a stop that ends an episode by choice counts 0
    source: str
    runs: int
    began: tuple[int, ...]  # by start state: how many runs
    left_out: int = 0  # runs that are not shown, because they take a choice that is too rare
    by_events: bool = False

    @classmethod
    def of(
        cls,
        counts: Counts,
        *,
        starts: Mapping[str, int],
        episode: Episode,
        labels: Mapping[str, str],
        source: str,
        runs: int,
        left_out: int = 0,
        by_events: bool = False,
        states: Sequence[str] = (),
        actions: Sequence[str] = (),
    ) -> CountedMDP:
        """Make a world from counts; a state in which nothing was done is terminal."""
        total = sum(starts.values())
        rows: list[tuple[State, str, dict[State, float]]] = []
        for state, action, outcomes in counts:
            tries = sum(outcomes.values())
            if tries < 1 or min(outcomes.values()) < 1:
                raise WorldError(f'state "{state}", action "{action}": a count is at least 1')
            rows.append((state, action, {reached: number / tries for reached, number in outcomes.items()}))
        acting = {state for state, _, _ in counts}
        found = [*states, *starts, *(reached for _, _, outcomes in counts for reached in outcomes)]
        made = MDP.build(
            rows,
            start={state: number / total for state, number in starts.items()},
            episode=episode,
            labels=dict(labels.items()),
            terminal=[state for state in dict.fromkeys(found) if state not in acting],
            states=states,
            actions=actions,
        )
        by_pair = {(state, action): outcomes for state, action, outcomes in counts}
        numbers = [
            by_pair.get((str(name), made.action(pair)), {}).get(str(made.name(reached)), 0)
            for state, name in enumerate(made.states)
            for pair in made.pairs(state)
            for reached, _ in made.outcomes(pair)
        ]
        parts: dict[str, Any] = {one.name: getattr(made, one.name) for one in fields(MDP)}
        return cls(
            **parts,
            counts=np.array(numbers, dtype=np.float64),
            source=source,
            runs=runs,
            began=tuple(starts[str(made.name(state))] for state, _ in made.starts),
            left_out=left_out,
            by_events=by_events,
        )

    def counted(self) -> list[tuple[str, str, dict[str, int]]]:
        """Return the counts that the world was made of."""
        return [
            (
                str(name),
                self.action(pair),
                {
                    str(self.name(reached)): int(self.counts[self.outcome_offset[pair] + k])
                    for k, (reached, _) in enumerate(self.outcomes(pair))
                },
            )
            for state, name in enumerate(self.states)
            for pair in self.pairs(state)
            if not stops(self, pair)
        ]

    def cautions(self) -> Iterator[str]:
        """Say what this world cannot tell."""
        yield (
            f"This world was counted from {count(self.runs, 'run')} of {self.source}: "
            "what nobody did there is taken to be impossible."
        )
        choosing = np.flatnonzero(~self.terminal)
        tries = np.add.reduceat(self.counts, self.outcome_offset[:-1])
        offered = np.diff(self.pair_offset)
        alone = choosing[offered[choosing] == 1]
        if len(alone):
            steps, all_steps = int(tries[self.pair_offset[alone]].sum()), int(tries.sum())
            yield (
                f"In {len(alone)} of {count(len(choosing), 'state')} only one action was ever taken: "
                f"what was done there ({steps} of {count(all_steps, 'step')}) says nothing about the task."
            )
        once = int((tries == 1).sum())
        if once and not self.by_events:
            yield (
                f"{once} of {count(int((tries > 0).sum()), 'choice')} were made only once: "
                "where else they may lead is not known."
            )
        if self.left_out:
            yield f"{count(self.left_out, 'run')} took a choice that is too rare, and are not learned from."
