"""Environments whose states are known here: MiniGrid's, and FrozenLake, CliffWalking and Taxi."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from demospec.sources.environment import ByObservation

FACING = ("right", "down", "left", "up")
STILL = frozenset({"wall", "goal", "lava", "floor"})  # what no action changes or moves
LABELLED = {"key": "carrying_key", "door": "door_open", "goal": "on_goal", "lava": "on_lava"}
Look = tuple[Hashable, ...]  # of an object: its type, its colour, a door's state or what is in a box


def minigrid_propositions(env: Any) -> set[str]:
    """Return what holds of "key" (it is carried), "door" (one is open), "goal" and "lava" (it is there).

    >>> from types import SimpleNamespace as Thing
    >>> grid = Thing(grid=[None, Thing(type="door", is_open=True)], get=lambda x, y: Thing(type="goal"))
    >>> sorted(minigrid_propositions(Thing(grid=grid, carrying=None, agent_pos=(1, 1))))
    ['door', 'goal']
    """
    here = env.grid.get(*env.agent_pos)
    held = {here.type} & {"goal", "lava"} if here is not None else set()
    if env.carrying is not None and env.carrying.type == "key":
        held.add("key")
    if any(thing is not None and thing.type == "door" and thing.is_open for thing in env.grid.grid):
        held.add("door")
    return held


def milestone(env: Any) -> str | None:
    """Return one label alone, the furthest of what holds: "goal" or "lava", then "door", then "key"."""
    held = minigrid_propositions(env)
    return next((name for name in ("goal", "lava", "door", "key") if name in held), None)


def is_minigrid(environment: Any) -> bool:
    """Say whether an environment is one of MiniGrid's; the package is imported only if it already was."""
    return any(kind.__name__ == "MiniGridEnv" for kind in type(environment.unwrapped).__mro__)


@dataclass(frozen=True)
class MiniGrid:
    """The state is the grid with all that is in it, where the agent is and looks, and what it carries.

    MiniGrid's own hash leaves out what is carried, and differs for equal places of the agent.
    """

    unwrapped: bool = True
    actions: Sequence[str] = ("left", "right", "forward", "pickup", "drop", "toggle", "done")
    features: Mapping[str, str] = field(default_factory=lambda: dict(LABELLED))

    def key(self, environment: Any, observation: Any) -> Hashable:
        """Return the state as plain values."""
        env = environment.unwrapped
        column, row = env.agent_pos
        cells = tuple([None if thing is None else look(thing) for thing in env.grid.grid])
        carried = None if env.carrying is None else look(env.carrying)
        return (int(column), int(row)), int(env.agent_dir), carried, env.grid.width, cells

    def name(self, key: Any) -> str:
        """Return the state in words: where the agent is and looks, what it carries, where things are."""
        (column, row), facing, carried, width, cells = key
        parts = [f"({column}, {row}) {FACING[facing]}"]
        if carried is not None:
            parts.append(f"carrying {thing_text(carried)}")
        things = [
            (thing, (at % width, at // width))
            for at, thing in enumerate(cells)
            if thing is not None and thing[0] not in STILL
        ]
        doors = [thing[:2] for thing, _ in things if thing[0] == "door"]
        for thing, place in things:
            if thing[0] != "door":
                parts.append(f"{thing_text(thing)} at {place}")
            else:
                where = f" at {place}" if doors.count(thing[:2]) > 1 else ""
                parts.append(f"{thing[1]} door{where} {thing[2]}")
        return ", ".join(parts)

    def variables(self, environment: Any, key: Any) -> dict[str, int]:
        """Return `x`, `y`, `facing`, `carrying_key`, `carrying_yellow_key`, `door_open`, `on_goal`, …"""
        (column, row), facing, carried, width, cells = key
        here = cells[row * width + column]
        found: dict[str, int] = {"x": column, "y": row, "facing": facing}
        for kind in ("goal", "lava"):
            found[f"on_{kind}"] = here is not None and here[0] == kind
        for kind in ("key", "ball", "box"):
            found[f"carrying_{kind}"] = carried is not None and carried[0] == kind
        found["door_open"] = False
        for thing in filter(None, (*cells, carried)):
            if thing[0] == "door":
                for name in ("door_open", f"{thing[1]}_door_open"):
                    found[name] = bool(found.get(name)) or thing[2] == "open"
            elif thing[0] in ("key", "ball", "box"):
                name = f"carrying_{thing[1]}_{thing[0]}"
                found[name] = carried is not None and carried[:2] == thing[:2]
        return found


def look(thing: Any) -> Look:
    """Return what tells an object from others."""
    kind: str = thing.type
    if kind == "wall":
        return ("wall",)
    if kind == "door":
        return kind, thing.color, "open" if thing.is_open else "locked" if thing.is_locked else "closed"
    if kind == "box":
        return kind, thing.color, None if thing.contains is None else look(thing.contains)
    return kind, thing.color


def thing_text(thing: Look) -> str:
    """Return an object in words.

    >>> thing_text(("box", "red", ("key", "blue")))
    'red box with blue key'
    """
    inside = thing[2] if len(thing) > 2 else None
    return f"{thing[1]} {thing[0]}" + (f" with {thing_text(inside)}" if isinstance(inside, tuple) else "")


# -- copies without copying -------------------------------------------------------------------------------


def steps_as_minigrid(environment: Any) -> bool:
    """Say whether an environment's steps are MiniGrid's own, which change the grid and the agent alone."""
    kinds = type(environment).__mro__
    base: Any = next(kind for kind in kinds if kind.__name__ == "MiniGridEnv")
    return type(environment).step is base.step and not hasattr(environment, "instrs")


@dataclass(frozen=True)
class Snapshot:
    """All that a step of MiniGrid's own can change: quicker than a deep copy, and the same."""

    own: dict[str, Any]
    cells: list[Any]
    things: list[tuple[Any, dict[str, Any]]]

    @classmethod
    def of(cls, environment: Any) -> Snapshot:
        things = [(thing, dict(vars(thing))) for thing in movable(environment)]
        return cls(dict(vars(environment)), list(environment.grid.grid), things)

    def restore(self, environment: Any) -> None:
        """Put the environment back."""
        vars(environment).clear()
        vars(environment).update(self.own)
        environment.grid.grid[:] = self.cells
        for thing, was in self.things:
            vars(thing).clear()
            vars(thing).update(was)


def movable(environment: Any) -> Iterator[Any]:
    """Yield the objects that actions move or change, those in boxes and in hand too."""
    left = [*environment.grid.grid, environment.carrying]
    while left:
        thing = left.pop()
        if thing is not None and thing.type not in STILL:
            yield thing
            left.append(getattr(thing, "contains", None))


# -- Gymnasium's small environments with a table ---------------------------------------------------------

PLACES = {"R": (0, 0), "G": (0, 4), "Y": (4, 0), "B": (4, 3)}  # of the taxi, by row and column
PASSENGER = ("at R", "at G", "at Y", "at B", "aboard")


@dataclass(frozen=True)
class ToyText(ByObservation):
    """An environment whose state is the number `s`; rows and columns count from 0, as in Gymnasium."""

    unwrapped: bool = True
    actions: Sequence[str] = ()
    features: Mapping[str, str] = field(default_factory=dict)  # what is labelled unless told otherwise

    def key(self, environment: Any, observation: Any) -> int:
        return int(environment.unwrapped.s)


class FrozenLake(ToyText):
    """A lake: `row`, `column`, and whether the cell is a `hole`, the `goal` or the `start`."""

    def variables(self, environment: Any, key: int) -> dict[str, int]:
        """Return the cell's place and kind."""
        row, column = divmod(key, environment.ncol)
        kind = bytes(environment.desc[row, column])
        kinds = {"hole": kind == b"H", "goal": kind == b"G", "start": kind == b"S"}
        return {"state": key, "row": row, "column": column, **kinds}


class CliffWalking(ToyText):
    """A cliff: `row`, `column`, and whether the cell is the `goal` or the `start`."""

    def variables(self, environment: Any, key: int) -> dict[str, int]:
        row, column = divmod(key, environment.shape[1])
        last = environment.shape[0] * environment.shape[1] - 1
        begins = key == int(environment.start_state_index)
        return {"state": key, "row": row, "column": column, "goal": key == last, "start": begins}


class Taxi(ToyText):
    """A taxi: `row`, `column`, `passenger` and `destination` (0 to 3: R, G, Y, B), `aboard`, `at_R`, …"""

    def name(self, key: int) -> str:
        """Return the state in words.

        >>> Taxi().name(328)
        '(3, 1), passenger at Y, to R'
        """
        row, column, passenger, destination = taxi_parts(key)
        return f"({row}, {column}), passenger {PASSENGER[passenger]}, to {'RGYB'[destination]}"

    def variables(self, environment: Any, key: int) -> dict[str, int]:
        """Return what the number of the state says."""
        row, column, passenger, destination = taxi_parts(key)
        found = {"row": row, "column": column, "passenger": passenger, "destination": destination}
        places = {f"at_{place}": (row, column) == cell for place, cell in PLACES.items()}
        return {"state": key, **found, "aboard": passenger == 4, **places}


def taxi_parts(key: int) -> tuple[int, int, int, int]:
    """Return row, column, passenger and destination of a taxi's state."""
    rest, destination = divmod(key, 4)
    rest, passenger = divmod(rest, 5)
    return *divmod(rest, 5), passenger, destination


KNOWN: dict[str, ToyText] = {
    "FrozenLakeEnv": FrozenLake(
        actions=("left", "down", "right", "up"), features={"hole": "hole", "goal": "goal"}
    ),
    "CliffWalkingEnv": CliffWalking(actions=("up", "right", "down", "left"), features={"goal": "goal"}),
    "TaxiEnv": Taxi(
        actions=("south", "north", "east", "west", "pickup", "dropoff"),
        features={"aboard": "aboard", **{place: f"at_{place}" for place in PLACES}},
    ),
}


def toy_reading(environment: Any) -> ToyText | None:
    """Return how one of these environments is read; None for any other."""
    inner = type(environment.unwrapped)
    known = KNOWN.get(inner.__name__)
    return known if inner.__module__.startswith("gymnasium.envs.toy_text") else None
