"""Letters in quotes, as JSON writes strings: one way to read them for every text form of a task."""

from __future__ import annotations

import json

from demospec.errors import TaskError


def unquoted(text: str) -> str:
    r"""Read a letter in quotes; refuse what is no string, or holds half a character.

    >>> unquoted('"red door"')
    'red door'
    >>> unquoted(r'"\q"')
    Traceback (most recent call last):
    demospec.errors.TaskError: "\q" is not a letter in quotes (Invalid \escape); a backslash is written \\
    """
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        wrong = error.msg.removesuffix(" at").removesuffix(":")
        advice = "a line break is written \\n" if "control" in wrong else "a backslash is written \\\\"
        raise TaskError(f"{text} is not a letter in quotes ({wrong}); {advice}") from None
    if not isinstance(found, str):
        raise TaskError(f"{text} is not a letter in quotes")
    if any("\ud800" <= sign <= "\udfff" for sign in found):
        raise TaskError(f"{text} holds half a character; its other half is missing")
    return found
