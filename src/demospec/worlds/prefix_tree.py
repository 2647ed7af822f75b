"""Demonstrations as a prefix tree of arrays: where a path conforms to them, and where it can deviate.

Agent nodes (the paper's ego nodes) choose an action, environment nodes an outcome: the state reached and
whether the episode ends there. A complete demonstration ends in a leaf of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from demospec.tasks.showing import Displayed
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools, Floats, Ints
from demospec.worlds.paths import Path, start_of
from demospec.worlds.world import World


class Player(IntEnum):
    """Who moves at a node."""

    AGENT = 0
    ENVIRONMENT = 1
    NOBODY = 2  # the episode is over


@dataclass(frozen=True, eq=False)
class PrefixTree(Displayed):
    """The prefix tree 𝒯 of a multiset of demonstrations: N nodes, parents before children.

    There is a root for each start state in which a demonstration begins: where episodes begin is the
    environment's first move, on which no choice of the agent depends.

    `chance` is the probability of the edge into a node when the environment makes that move (else nan).
    The agent's alternatives are all pairs of all agent nodes in node order; the environment's are the
    outcomes that leave the tree, as (node, state reached, weight that the episode goes on, that it ends).
    """

    world: World
    player: Ints  # [N], a Player
    parent: Ints  # [N], −1 at a root
    count: Ints  # [N], demonstrations through the node: # of the edge into it
    time: Ints  # [N], steps taken before the node's move
    state: Ints  # [N], where the path stands
    pair: Ints  # [N], the state-action pair chosen at an environment node, else −1
    chance: Floats  # [N]
    choice_node: Ints  # [C], agent node of each alternative
    choice_pair: Ints  # [C]
    choice_child: Ints  # [C], the environment node that it leads to, −1 when it leaves the tree
    exit_node: Ints  # [E], environment node of each outcome that leaves the tree
    exit_state: Ints  # [E]
    exit_goes_on: Floats  # [E]
    exit_ends: Floats  # [E]

    @classmethod
    def build(cls, world: World, demonstrations: Sequence[Path], stop: Stop = NEVER) -> PrefixTree:
        """Make the tree; the order of the demonstrations does not matter but for the numbering."""
        rows: list[list[int]] = []
        chances: list[float] = []
        begin = dict(world.starts)
        children: dict[tuple[int, ...], int] = {}

        def child(key: tuple[int, ...], player: Player, time: int, state: int, pair: int, p: float) -> int:
            node = children.setdefault(key, len(rows))
            if node == len(rows):
                rows.append([player, key[0], 0, time, state, pair])
                chances.append(p)
            rows[node][2] += 1
            return node

        for path in demonstrations:
            stop.check()
            first = path.first(world)
            node = child((-1, first), Player.AGENT, 0, first, -1, begin[first])
            for step, (pair, reached) in enumerate(path.steps):
                at = rows[node][4]
                node = child((node, pair), Player.ENVIRONMENT, step, at, pair, np.nan)
                ends = path.complete and step + 1 == len(path.steps)
                over = world.end_chance(reached, step + 1)
                chance = dict(world.outcomes(pair))[reached] * (over if ends else 1 - over)
                player = Player.NOBODY if ends else Player.AGENT
                node = child((node, reached, int(ends)), player, step + 1, reached, -1, chance)

        choices: list[tuple[int, int, int]] = []
        exits: list[tuple[int, int, float, float]] = []
        for node, (who, _, _, time, state, pair) in enumerate(rows):
            if who == Player.AGENT:
                choices += [(node, option, children.get((node, option), -1)) for option in world.pairs(state)]
            elif who == Player.ENVIRONMENT:
                for reached, chance in world.outcomes(pair):
                    over = world.end_chance(reached, time + 1)
                    goes_on = 0.0 if (node, reached, 0) in children else chance * (1 - over)
                    ends_there = 0.0 if (node, reached, 1) in children else chance * over
                    if goes_on or ends_there:
                        exits.append((node, reached, goes_on, ends_there))
        left = np.array(exits, dtype=np.float64).reshape(-1, 4).T
        columns: list[Any] = [
            *np.array(rows, dtype=np.intp).reshape(-1, 6).T,
            np.array(chances, dtype=np.float64),
            *np.array(choices, dtype=np.intp).reshape(-1, 3).T,
            *left[:2].astype(np.intp),
            *left[2:],
        ]
        return cls(world, *columns)

    def __len__(self) -> int:
        return len(self.player)

    def __repr__(self) -> str:
        agent, environment, ends = (int((self.player == player).sum()) for player in Player)
        return (
            f"{type(self).__name__}: demonstrations {self.count[0]}, nodes {len(self)} "
            f"(agent {agent}, environment {environment}, ends {ends}), steps up to {self.time.max()}"
        )

    @cached_property
    def chosen(self) -> Bools:
        """Return [N]: whether the edge into a node is the agent's choice."""
        return np.asarray(self.player == Player.ENVIRONMENT)

    @cached_property
    def levels(self) -> list[tuple[Ints, Ints, Ints]]:
        """Return (nodes, the nodes whose monitor they continue, state newly read) from the root down.

        An environment node continues its parent and reads nothing new; every other node reads its state
        after what stood two edges above.
        """
        read = np.flatnonzero((self.parent >= 0) & (self.player != Player.ENVIRONMENT))
        read = read[np.argsort(self.time[read], kind="stable")]
        above, state = self.parent[self.parent[read]], self.state[read]
        cuts = np.flatnonzero(np.diff(self.time[read])) + 1
        return list(zip(*(np.split(part, cuts) for part in (read, above, state)), strict=True))

    @cached_property
    def roots(self) -> dict[int, int]:
        """Return the root for each start state in which a demonstration begins."""
        return {int(self.state[node]): int(node) for node in np.flatnonzero(self.parent < 0)}

    @cached_property
    def demonstrations(self) -> int:
        """Return how many demonstrations the tree holds."""
        return int(self.count[self.parent < 0].sum())

    @cached_property
    def environment_surprise(self) -> float:
        """Return the environment's share of the surprise, the same for every task: −Σ # ln chance."""
        return float(-(self.count @ self.log_chance) + 0.0)

    @cached_property
    def log_chance(self) -> Floats:
        """Return [N]: ln of the environment's edge into a node; 0 where the agent moves.

        Into a root it is that of beginning there. It is −inf where an outcome is so rare that floating-point
        numbers cannot hold its probability.
        """
        with np.errstate(divide="ignore"):
            return np.log(np.where(np.isnan(self.chance), 1.0, self.chance))

    @cached_property
    def exit_chance(self) -> Floats:
        """Return [N]: the probability of leaving the tree at an environment node, else 0."""
        out = np.bincount(self.exit_node, self.exit_goes_on + self.exit_ends, minlength=len(self))
        return out.astype(np.float64)

    @cached_property
    def leaving(self) -> dict[int, list[int]]:
        """Return the state-action pairs that leave the tree, for each agent node."""
        leaving: dict[int, list[int]] = {}
        for node, pair, child in zip(self.choice_node, self.choice_pair, self.choice_child, strict=True):
            leaving.setdefault(int(node), []).extend([int(pair)] if child < 0 else [])
        return leaving

    @cached_property
    def exits(self) -> dict[int, set[tuple[int, bool]]]:
        """Return the outcomes (state, ends there) that leave the tree, for each environment node."""
        exits: dict[int, set[tuple[int, bool]]] = {int(n): set() for n in np.flatnonzero(self.chosen)}
        columns = (self.exit_node, self.exit_state, self.exit_goes_on, self.exit_ends)
        for node, state, goes_on, ends in zip(*(column.tolist() for column in columns), strict=True):
            exits[node] |= {(state, False)} if goes_on else set()
            exits[node] |= {(state, True)} if ends else set()
        return exits

    def path_to(self, node: int) -> tuple[Path, int | None]:
        """Return the path to a node, and the pair already chosen at an environment node."""
        chosen = int(self.pair[node]) if self.player[node] == Player.ENVIRONMENT else None
        if chosen is not None:
            node = int(self.parent[node])
        steps: list[tuple[int, int]] = []
        while self.parent[node] >= 0:
            above = int(self.parent[node])
            steps.append((int(self.pair[above]), int(self.state[node])))
            node = int(self.parent[above])
        start = start_of(self.world, int(self.state[node]))
        return Path(tuple(reversed(steps)), complete=False, start=start), chosen

    def shown_node(self, node: int) -> int:
        """Return the node of the demonstrations that a node stands for: here itself."""
        return node

    def nodes_of(self, path: Path) -> list[int]:
        """Return the nodes that one of the demonstrations passes, from the root to its leaf."""
        nodes = [self.roots[path.first(self.world)]]
        for step, (pair, state) in enumerate(path.steps):
            nodes.append(self._child[nodes[-1], pair, 0])
            ends = path.complete and step + 1 == len(path.steps)
            nodes.append(self._child[nodes[-1], state, int(ends)])
        return nodes

    def left_by(self, path: Path) -> int:
        """Return the last node that a path passes: its pivot, where it deviates from the demonstrations."""
        node = self.roots[path.first(self.world)]
        for step, (pair, state) in enumerate(path.steps):
            ends = path.complete and step + 1 == len(path.steps)
            for below in ((pair, 0), (state, int(ends))):
                if (node, *below) not in self._child:
                    return node
                node = self._child[node, *below]
        return node

    @cached_property
    def _child(self) -> dict[tuple[int, int, int], int]:
        rows = zip(
            self.parent.tolist(), self.player.tolist(), self.pair.tolist(), self.state.tolist(), strict=True
        )
        return {
            (parent, pair if player == Player.ENVIRONMENT else state, int(player == Player.NOBODY)): node
            for node, (parent, player, pair, state) in enumerate(rows)
        }
