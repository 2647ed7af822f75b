"""The command line: a thin layer over the library."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from demospec.later import while_loading

if TYPE_CHECKING:
    import click

__all__ = ["Interrupted", "main"]

LONGEST = 2000  # characters of a message: what it quotes may be a whole file
UNWRITTEN = (errno.ENOSPC, errno.EPIPE, errno.EIO, errno.EBADF, errno.EFBIG, errno.EINVAL)
ALLOCATED = 200_000  # objects between two looks for cycles that nobody can reach
REPORT = "Please report it with the command and its files; DEMOSPEC_DEBUG=1 shows where it happened"


class Interrupted(Exception):
    """The run was stopped by Ctrl-C or a signal, and what it had has been saved."""


def main(arguments: Sequence[str] | None = None, command: click.Command | None = None) -> NoReturn:
    """Run a command and exit: 2 for input that is refused, 130 for Ctrl-C, both without a traceback.

    An error that nobody expected is told in one line too, with exit code 1. A benchmark is another
    `command`, which ends in the same ways.
    """
    gc.set_threshold(ALLOCATED)  # a command keeps most of what it makes, and makes few cycles
    # Matrices are small here: threads that wait for pieces of them take more time than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded
    with while_loading():
        from demospec.cli.group import cli
        from demospec.cli.streams import standard_streams
    with standard_streams():
        try:
            name = "demospec" if command is None else command.name
            code = (command or cli).main(arguments, prog_name=name, standalone_mode=False)
            if sys.stdout is not None:
                sys.stdout.flush()  # a full disk is told here, not when nobody listens any more
        except Exception as error:
            refuse(error)
        except KeyboardInterrupt:
            leave(130, "interrupted")
        sys.exit(code if isinstance(code, int) else 0)


def refuse(error: Exception) -> NoReturn:
    """Exit with what an error says, if it was raised on purpose, and else with where to report it."""
    import click

    from demospec.cli.streams import give_up
    from demospec.errors import DemospecError, PointedError

    if isinstance(error, DemospecError):
        leave(2, str(error), error.picture if isinstance(error, PointedError) else "")
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        command = "demospec" if context is None else context.command_path
        leave(2, f"{error.format_message().rstrip('.')} (see {command} --help)")
    if isinstance(error, MemoryError):
        leave(2, "out of memory: a plan takes up to 4 GiB, the world itself about 300 bytes for each state")
    if isinstance(error, click.Abort | Interrupted):
        leave(130, "interrupted")
    if isinstance(error, OSError) and error.filename is not None:  # a name that is too long, say
        leave(2, f"{os.fsdecode(error.filename)}: {error.strerror or error}")
    if isinstance(error, OSError) and error.errno in UNWRITTEN:  # standard output: a full disk, a closed pipe
        give_up(1)  # what is still buffered has nowhere to go
        leave(1, f"the result cannot be written: {error.strerror or error}")
    if os.environ.get("DEMOSPEC_DEBUG", "0") not in ("", "0"):
        raise error
    what = f"{type(error).__name__}: {error}".removesuffix(": ")
    leave(1, f"{what}. This is a mistake in demospec, not yours. {REPORT}")


def leave(code: int, message: str, picture: str = "") -> NoReturn:
    """Exit with one line on standard error, and perhaps a picture of the place below it."""
    from demospec.readable import on_one_line, readable

    line = on_one_line(message)
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    print(f"demospec: {line}", *([readable(picture)] if picture else []), sep="\n", file=sys.stderr)
    sys.exit(code)
