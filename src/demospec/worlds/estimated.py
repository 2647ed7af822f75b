"""Worlds whose probabilities are shares of counts, of samples or of a log; what such worlds cannot tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.errors import WorldError
from demospec.wording import count
from demospec.worlds.mdp import MDP, Bools, Floats, as_world_kind
from demospec.worlds.world import Episode, State, stops


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class EstimatedMDP(MDP):
    """An MDP that was sampled: an outcome's probability is its share of the pair's counts.

    A state-action pair that was never tried stays where it is, with count 0.
    """

    counts: Floats  # [O]

    @cached_property
    def tries(self) -> Floats:
        """Return [P]: how often each state-action pair was tried."""
        return np.asarray(np.add.reduceat(self.counts, self.outcome_offset[:-1]))

    @cached_property
    def known(self) -> Bools:
        """Return [S]: whether every action of a state was tried."""
        known = np.ones(len(self.states), dtype=np.bool_)
        owner = np.repeat(np.arange(len(self.states)), np.diff(self.pair_offset))
        known[owner[self.tries == 0]] = False
        return known

    @cached_property
    def unseen(self) -> float:
        """Return what a pair's outcomes that were not seen count, beside those that were.

        By Good and Turing: as many as were seen once, on average over pairs; and one more in all of them.
        """
        return float(np.sum(self.counts == 1) + 1) / max(1, int(np.sum(self.tries > 0)))

    def redrawn(self, rng: np.random.Generator) -> MDP:
        """Draw a world that could have given these counts: a pair's outcomes by Dirichlet(counts, unseen).

        The last share goes to a state drawn from all of them, if the pair has not led there so far. A pair
        that was never tried leads there for sure.
        """
        states, pairs = len(self.states), len(self.pair_action)
        elsewhere = rng.integers(states, size=pairs)
        pair = np.repeat(np.arange(pairs), np.diff(self.outcome_offset))
        seen = (pair * states + self.successor)[self.counts > 0]
        new = ~np.isin(np.arange(pairs) * states + elsewhere, seen)

        # Each pair's outcomes, and behind them the one that was not seen.
        ends = self.outcome_offset[1:]
        offset = self.outcome_offset + np.arange(pairs + 1)
        weight = rng.standard_gamma(np.insert(self.counts, ends, np.where(new, self.unseen, 0.0)))
        weight[offset[1:][self.tries == 0] - 1] = 1.0
        total = np.add.reduceat(weight, offset[:-1])
        probability = weight / np.repeat(total, np.diff(offset))
        possible = probability > 0
        return MDP(
            states=self.states,
            actions=self.actions,
            starts=self.starts,
            labels=self.labels,
            terminal=self.terminal,
            pair_offset=self.pair_offset,
            pair_action=self.pair_action,
            outcome_offset=np.concatenate([[0], np.cumsum(possible)])[offset],
            successor=np.insert(self.successor, ends, elsewhere)[possible],
            probability=probability[possible],
            episode=self.episode,
            costs=self.costs,
        )


# -- Worlds that were counted from a log, and what such a world cannot tell ------------------------------

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
        return as_world_kind(
            made,
            cls,
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
