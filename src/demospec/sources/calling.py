"""Functions of the user's own, called with what their parameters ask for by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from demospec.errors import InputError, listing

OTHER_NAMES = {"environment": "env", "obs": "observation"}


def called(function: Callable[..., Any], **offered: Any) -> Any:
    """Call a function with those of the offered values that it has parameters for.

    >>> called(lambda env: env + 1, env=1, state="a")
    2
    """
    return function(*(offered[OTHER_NAMES.get(name, name)] for name in parameters(function, offered)))


def parameters(function: Callable[..., Any], offered: dict[str, Any]) -> list[str]:
    """Return the names of a function's parameters; refuse one that is asked for but not offered."""
    found = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    ]
    for name in found:
        if OTHER_NAMES.get(name, name) not in offered:
            raise InputError(
                f'a function asks for "{name}"; its parameters are called by what they are given: '
                f"{listing(offered)}"
            )
    if not found:
        raise InputError(f"a function has no parameter; it is given one of {listing(offered)}, by name")
    return found
