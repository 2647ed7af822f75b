"""Paths as people type them: actions, with the states that they lead to where that is not certain."""

from __future__ import annotations

import json
import re

from demospec.errors import DemonstrationError, InputError
from demospec.wording import shown_value
from demospec.worlds.paths import Path, read_path, read_start, start_of
from demospec.worlds.world import State, World, pairs_by_action, show

END = "$"
_PART = re.compile(
    r"""(?P<quoted>"(?:[^"\\]|\\.)*")|'(?P<literal>[^']*)'"""
    r"""|[\[(]?\s*(?P<column>\d{1,9})\s*,\s*(?P<row>\d{1,9})\s*[\])]?"""
    r"""|(?P<word>[^\s,"'\[\]()]+)"""
)
_WORD = re.compile(r"""[^\s,"'\[\]()\d×$][^\s,"'\[\]()]*""")
_BETWEEN = re.compile(r"[\s,\[\]]*")
_ENDED = re.compile(r"(?:^|(?<=[\s,]))\$\s*$")
_TIMES = re.compile(r"[×x](\d{1,6})")


def read_typed(world: World, text: str) -> Path:
    """Read a path and check it against the world.

    `left left up` where every outcome is certain, elsewhere `left (4, 6) left (3, 6)`, or the list that a
    problem file writes: `["left", [4, 6]]`. `left ×3` is three steps. A state before the first action is
    where the path begins. `$` at the end tells that the episode ended there, where it could have gone on.
    """
    ended = _ENDED.search(text)
    parts = typed_parts(text[: ended.start()] if ended else text)
    listed = re.match(r"""\s*\[\s*["']""", text) is not None
    start = parts.pop(0) if parts and names_state(world, parts[0]) else None
    try:
        state, flat = read_start(world, start, 1), list[str | State]()
        while parts:
            action = parts.pop(0)
            step = len(flat) // 2 + 1
            if not isinstance(action, str):
                raise InputError(f"expected an action, found {show(action)}", place=f"step {step}")
            if parts and (listed or names_state(world, parts[0])):
                target = parts.pop(0)
            else:
                offered = pairs_by_action(world, state)
                outcomes = world.outcomes(offered[action]) if action in offered else [(state, 1.0)]
                if len(outcomes) > 1:
                    names = [show(world.name(reached)) for reached, _ in outcomes]
                    raise InputError(
                        f'action "{action}" in state {show(world.name(state))} can lead to '
                        f"{' or '.join(names)}: say where, as in {action} {names[0]}",
                        place=f"step {step}",
                    )
                target = world.name(outcomes[0][0])
                repeat = _TIMES.fullmatch(parts[0]) if parts and isinstance(parts[0], str) else None
                if repeat is not None and parts[0] not in world.actions:
                    parts[:1] = [action] * (int(repeat[1]) - 1)
            flat += [action, target]
            reached = world.find(target)
            if reached is None or action not in pairs_by_action(world, state):
                break  # checking the path tells what is wrong
            state = reached
        if not flat and not (ended and world.episode.by_choice):
            raise InputError("a demonstration takes at least one step")
        return read_path(world, flat, complete=True if ended else None, start=start)
    except DemonstrationError as error:
        raise InputError(error.message, place="" if error.step is None else f"step {error.step}") from None


def typed_parts(text: str) -> list[State]:
    """Cut what was typed into names and cells.

    >>> typed_parts('left, up (4, 6) "the hall" 3,1')
    ['left', 'up', (4, 6), 'the hall', (3, 1)]
    """
    found: list[State] = []
    at = _BETWEEN.match(text).end()  # type: ignore[union-attr]
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            raise InputError(f"cannot be read from {shown_value(text[at:])} on")
        if part["column"] is not None:
            found.append((int(part["column"]), int(part["row"])))
        elif part["quoted"] is not None:
            try:
                found.append(str(json.loads(part["quoted"])))
            except ValueError:
                raise InputError(f"{part['quoted']} is not a string") from None
        else:
            found.append(part["literal"] if part["word"] is None else part["word"])
        at = _BETWEEN.match(text, part.end()).end()  # type: ignore[union-attr]
    return found


def names_state(world: World, part: State) -> bool:
    """Say whether a part of what was typed tells a state; a name that an action has too is the action."""
    return not isinstance(part, str) or (part not in world.actions and world.find(part) is not None)


def typed(world: World, path: Path) -> str:
    """Write a path as it can be typed: what is read from it is the same path."""
    state = path.first(world)
    several = start_of(world, state) is not None
    parts = [typed_name(world.name(state))] if several else []
    for pair, reached in path.steps:
        action = world.action(pair)
        parts.append(typed_name(action))
        if len(world.outcomes(pair)) > 1:
            parts.append(typed_name(world.name(reached)))
    state = path.states(world)[-1]
    if path.complete and world.end_chance(state, len(path.steps)) < 1:
        parts.append(END)
    return " ".join(parts)


def typed_name(name: State) -> str:
    """Write an action or a state as it can be typed.

    >>> typed_name((3, 1)), typed_name("up"), typed_name("the hall")
    ('(3, 1)', 'up', '"the hall"')
    """
    if not isinstance(name, str):
        return show(name)
    return name if _WORD.fullmatch(name) else json.dumps(name, ensure_ascii=False)
