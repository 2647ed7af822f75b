"""Numbers, states and paths in words: reports in text and on pages use the same."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def decimal(number: float | None, form: str = ".4f") -> str:
    """Write a number; documents have None for one that is not finite.

    >>> decimal(0.25), decimal(2, "+.1f"), decimal(None), decimal(-math.inf)
    ('0.2500', '+2.0', 'infinite', 'infinite')
    """
    return format(number, form) if number is not None and math.isfinite(number) else "infinite"


def state_text(state: object) -> str:
    """Write a state, or an action, of a problem file.

    >>> state_text([3, 1]), state_text("hall")
    ('(3, 1)', 'hall')
    """
    return f"({state[0]}, {state[1]})" if isinstance(state, list) else str(state)


def path_text(prefix: Sequence[object]) -> str:
    """Write a path of a problem file on one line.

    >>> path_text(["left", [4, 6], "wait"])
    'start left (4,6) wait'
    """
    parts = ["start"]
    for part in prefix:
        parts.append(f"({part[0]},{part[1]})" if isinstance(part, list) else str(part))
    return " ".join(parts)


def actions_text(actions: Mapping[str, float]) -> str:
    """Write what is chosen, the most likely first.

    >>> actions_text({"up": 0.25, "down": 0.75})
    'down 0.7500, up 0.2500'
    """
    order = sorted(actions.items(), key=lambda item: -item[1])
    return ", ".join(f"{action} {chance:.4f}" for action, chance in order)
