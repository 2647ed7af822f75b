"""A terminal of some size, in which tests run commands and read what they show."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def in_terminal(
    arguments: Sequence[str],
    folder: Path,
    *,
    columns: int = 100,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run demospec with a terminal as standard output, and return what it wrote there."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "demospec", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        env={**inherited, "TERM": "xterm-256color", **(environment or {})},
    )
    os.close(terminal)
    found = b""
    while part := read(reader):
        found += part
    os.close(reader)
    assert process.wait() == 0
    return found.decode("utf-8").replace("\r\n", "\n")


def read(reader: int) -> bytes:
    """Read what is there; nothing when the other side is closed, which Linux tells by an error."""
    try:
        return os.read(reader, 65536)
    except OSError:
        return b""


def plain(text: str) -> str:
    """Return a text without the codes that colour it."""
    return ESCAPE.sub("", text)
