"""A factored world as binary decision diagrams: what a step makes of the state, bit by bit.

One order of variables, in causal time: the bits of the state; for each step the bits of its action, its
coins, and whether the episode ends after it; last, two bits that tell the outcomes of episodes apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from operator import and_
from typing import TYPE_CHECKING

from demospec.errors import WorldError
from demospec.plan.diagrams.lifting import Lifting, Split, new_manager
from demospec.worlds.expressions import Constant, Value, Variable
from demospec.worlds.factored import FactoredWorld

if TYPE_CHECKING:
    from oxidd.bdd import BDDFunction, BDDSubstitution


class CodeTree:
    """The codes of some actions in bits, balanced; every string of bits begins with the code of one."""

    def __init__(self, actions: int) -> None:
        self.leaves = actions
        self.bits = (actions - 1).bit_length()  # of the longest code
        half = actions // 2
        self.below = (CodeTree(half), CodeTree(actions - half)) if half else None  # if true, if false

    def codes(self) -> Iterator[tuple[bool, ...]]:
        """Yield the actions' codes in order."""
        if self.below is None:
            yield ()
        else:
            for bit, tree in zip((False, True), reversed(self.below), strict=True):
                yield from ((bit, *rest) for rest in tree.codes())


class Symbolic:
    """The diagrams of one world.

    Levels: `width` bits of the state; then a block of `block` bits for each step, that of the k-th step from
    the end beginning at `first(k)`; from `bottom` on two bits for the outcome.
    """

    def __init__(self, world: FactoredWorld, nodes: int) -> None:
        self.world = world
        self.manager = new_manager(nodes)
        self.code = CodeTree(len(world.actions))
        sizes = [size_of(variable) for variable in world.variables]
        self.width = sum(sizes)
        firsts = (end - size for end, size in zip(itertools.accumulate(sizes), sizes, strict=True))
        self.first_bit = dict(zip(world.by_name, firsts, strict=True))
        self.block = self.code.bits + len(world.coins) + 1
        self.bottom = self.width + world.episode.horizon * self.block
        self.manager.add_vars(self.bottom + 2)
        self.outcomes = {self.outcome(*marks): marks for marks in itertools.product((False, True), repeat=2)}
        self.stopped = self.manager.var(self.bottom + 1)  # no outcome: a terminal state was reached
        self.unavailable = self.manager.not_var(self.bottom + 1)  # nor this: there is no such choice

        state = {variable.name: self.of_variable(variable) for variable in world.variables}
        read = Lifting(self.manager, state)
        self.labels = {
            label: read.holds(where, f'label "{label}"') for label, where in world.conditions.items()
        }
        self.terminal = read.holds(world.terminal_where, "terminal")
        offered = [
            read.holds(world.available_where.get(action, Constant(True)), f'where "{action}" is available')
            for action in world.actions
        ]
        deciding = reduce(and_, (read.union(split.values()) for split in state.values()), ~self.terminal)
        stuck = (deciding & ~read.union(offered)).pick_cube()
        if stuck is not None:
            raise WorldError(f'in state "{self.state_in(stuck)}" no action is available; is it terminal?')
        codes = [self.cube(self.first(world.episode.horizon), code) for code in self.code.codes()]
        self._allowed = read.union(map(and_, codes, offered))
        self._next: dict[int, BDDFunction] = {}
        for action, code, where in zip(world.actions, codes, offered, strict=True):
            self.add_action(action, code, deciding & where, state)
        self._steps: dict[int, tuple[BDDSubstitution, BDDFunction]] = {}
        self._bits: dict[int, list[bool]] = {}

    def first(self, k: int) -> int:
        """Return the level at which the block of the k-th step from the end begins."""
        return self.width + (self.world.episode.horizon - k) * self.block

    def cube(self, level: int, code: Iterable[Value]) -> BDDFunction:
        """Return where the bits from a level on have these values."""
        manager = self.manager
        literals = (manager.var(at) if bit else manager.not_var(at) for at, bit in enumerate(code, level))
        return reduce(and_, literals, manager.true())

    def outcome(self, accepted: bool, changeable: bool) -> BDDFunction:
        """Return what stands for an outcome; another task might give a changeable one the other label."""
        which, (true, false) = self.manager.var(self.bottom), (self.manager.true(), self.manager.false())
        return which.ite(true if changeable else false, true if accepted else false)

    def of_variable(self, variable: Variable) -> Split:
        """Return where a variable has which value."""
        first, size = self.first_bit[variable.name], size_of(variable)
        return {value: self.cube(first, digits(number, size)) for number, value in enumerate(variable.domain)}

    def add_action(
        self, action: str, code: BDDFunction, where: BDDFunction, state: Mapping[str, Split]
    ) -> None:
        """Add what an action makes of the state in the first step; ranges are checked `where` it is taken."""
        world, var = self.world, self.manager.var
        first_coin = self.first(world.episode.horizon) + self.code.bits
        coins: dict[str, Split] = {
            coin.name: {True: var(level), False: ~var(level)}
            for level, coin in enumerate(world.coins, first_coin)
        }
        now: dict[str, Split] = {**state, **coins}
        for effects in (world.effects[action], world.every_step):
            lifting = Lifting(self.manager, now)
            now = {**now, **{name: lifting.split(effect) for name, effect in effects.items()}}
        for name in {**world.effects[action], **world.every_step}:
            variable, size = world.by_name[name], size_of(world.by_name[name])
            for value, there in now[name].items():
                cube = None if variable.can_be(value) else (there & where).pick_cube()
                if cube is not None:
                    raise WorldError(
                        f'action "{action}" in state "{self.state_in(cube)}": "{name}" becomes {value}; '
                        f"expected {variable.expected}"
                    )
            for bit, level in enumerate(range(self.first_bit[name], self.first_bit[name] + size)):
                ones = [value for n, value in enumerate(variable.domain) if digits(n, size)[bit]]
                becomes = lifting.union(now[name][value] for value in ones if value in now[name])
                self._next[level] = code.ite(becomes, self._next.get(level, var(level)))

    def step(self, k: int) -> tuple[BDDSubstitution, BDDFunction]:
        """Return what the k-th step from the end makes of the state, and which of its choices there are."""
        if k not in self._steps:
            from oxidd.bdd import BDDFunction

            first, here = self.first(self.world.episode.horizon), self.first(k)
            renamed = BDDFunction.make_substitution(
                (first + bit, self.manager.var(here + bit)) for bit in range(self.block)
            )
            after = [(level, bit.substitute(renamed)) for level, bit in self._next.items()]
            self._steps[k] = BDDFunction.make_substitution(after), self._allowed.substitute(renamed)
        return self._steps[k]

    def ends(self, k: int) -> BDDFunction:
        """Return the bit that tells whether the episode ends after the k-th step from the end."""
        return self.manager.var(self.first(k) + self.block - 1)

    def bits(self, state: int) -> list[bool]:
        """Return the bits of one of the world's states."""
        found = self._bits.get(state)
        if found is None:
            values = self.world.values(state)
            found = self._bits[state] = [
                bit
                for name, variable in self.world.by_name.items()
                for bit in digits(variable.domain.index(values[name]), size_of(variable))
            ]
        return found

    def state_in(self, cube: Sequence[bool | None]) -> str:
        """Return the name of a state whose bits are as in a cube."""
        values = {}
        for name, variable in self.world.by_name.items():
            code = cube[self.first_bit[name] : self.first_bit[name] + size_of(variable)]
            values[name] = variable.domain[sum(2**at for at, bit in enumerate(reversed(code)) if bit)]
        return self.world.name_of(values)


def size_of(variable: Variable) -> int:
    """Return how many bits hold a variable."""
    return (len(variable.domain) - 1).bit_length()


def digits(number: int, size: int) -> list[bool]:
    """Return a number in bits, the most significant first.

    >>> digits(6, 4)
    [False, True, True, False]
    """
    return [bool(number >> at & 1) for at in reversed(range(size))]


@lru_cache(maxsize=4)
def symbolic_of(world: FactoredWorld, nodes: int) -> Symbolic:
    """Return a world's diagrams, made on first use."""
    return Symbolic(world, nodes)
