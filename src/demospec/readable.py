"""The one sanitizer of text for people: signs that would steer a terminal or hide are shown escaped."""

from __future__ import annotations

import re

# Control characters, marks that turn the direction of writing, what has no width, and halves of characters. A
# line break stays: text has lines. The joiners U+200C and U+200D stay too: scripts and emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def readable(text: str) -> str:
    r"""Return text as it may reach a terminal or a page.

    >>> readable("ring \x07, turn \u202e, name\n\x1b]0;x\x07")
    'ring \\x07, turn \\u202e, name\n\\x1b]0;x\\x07'
    """
    return text if text.isprintable() else _HIDDEN.sub(_escaped, text)


def on_one_line(text: str) -> str:
    r"""Return text as it may stand in a message: line breaks, and blanks around them, are one blank.

    >>> on_one_line(" one \n\n two\ttabs \r\n")
    'one two\\ttabs'
    """
    return readable(re.sub(r"[^\S\n]*\n\s*", " ", text.strip()))


def in_json(text: str) -> str:
    r"""Return JSON or TOML text of the same meaning, in which strings hold no hidden sign as it is.

    >>> in_json('["\x9b\u202e"]')
    '["\\u009b\\u202e"]'
    """
    return text if text.isprintable() else _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
