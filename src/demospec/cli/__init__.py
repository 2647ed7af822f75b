"""The command line: a thin layer over the library."""

from __future__ import annotations

import gc
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

LONGEST = 2000  # characters of a message: what it quotes may be a whole file
ALLOCATED = 50_000  # objects between two looks for cycles that nobody can reach


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit: 2 for input that is refused, 130 for Ctrl-C, both without a traceback."""
    gc.set_threshold(ALLOCATED)  # a command keeps most of what it makes, and makes few cycles
    # Matrices are small here: threads that wait for pieces of them take more time than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is loaded, below
    import click

    from demospec.cli.commands import cli
    from demospec.cli.interrupt import Interrupted
    from demospec.errors import DemospecError, PointedError

    if not gc.get_freeze_count():
        gc.freeze()  # what is loaded stays
    # JSON and TOML are UTF-8 wherever they are written, whatever the terminal's language is.
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)
    try:
        code = cli.main(arguments, prog_name="demospec", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except DemospecError as error:
        leave(2, str(error), error.picture if isinstance(error, PointedError) else "")
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        command = "demospec" if context is None else context.command_path
        leave(2, f"{error.format_message().rstrip('.')} (see {command} --help)")
    except MemoryError:
        leave(2, "out of memory: a plan takes up to 4 GiB, the world itself about 300 bytes for each state")
    except (KeyboardInterrupt, click.Abort, Interrupted):
        leave(130, "interrupted")
    except OSError as error:  # standard output: a full disk, a closed pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered has nowhere to go
        leave(1, f"the result cannot be written: {error.strerror or error}")


def leave(code: int, message: str, picture: str = "") -> NoReturn:
    """Exit with one line on standard error, and perhaps a picture of the place below it."""
    line = re.sub(r"\s*\n\s*", " ", message.strip())
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    print(f"demospec: {line}", *([picture] if picture else []), sep="\n", file=sys.stderr)
    sys.exit(code)
