"""The command line: a thin layer over the library."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run a command; input that is refused exits with 2, Ctrl-C with 130, both without a traceback."""
    from demospec.cli.commands import Interrupted, cli
    from demospec.errors import DemospecError

    try:
        cli.main(standalone_mode=True)
    except DemospecError as error:
        print(f"demospec: {error}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, Interrupted):
        print("demospec: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
