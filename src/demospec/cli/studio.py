"""The command `studio`: the page in the browser on which worlds are drawn and tasks are learned."""

from __future__ import annotations

import click

from demospec.cli.group import cli
from demospec.errors import InputError
from demospec.files.reading import read_text
from demospec.studio.opening import Limits, open_link, open_text
from demospec.wording import file_name


@cli.command("studio")
@click.argument("source", metavar="[PROBLEM]", required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="By default one that is free.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open nothing.")
def studio_command(source: str | None, port: int, no_browser: bool) -> None:
    """Open a page in the browser: draw a world, show runs, watch the task appear.

    PROBLEM is a problem file of grid worlds to begin with, or a link that the page gave out. The page is for
    this machine alone, and its address holds a token. Ctrl-C ends it.
    """
    try:
        from demospec.studio.app import serve
    except ImportError as error:
        if (error.name or "").split(".")[0] in ("starlette", "uvicorn", "anyio"):
            raise InputError(
                'the studio needs the packages starlette and uvicorn: pip install "demospec[studio]"'
            ) from None
        raise

    first = None
    if source is not None:
        linked = "#p=" in source
        first = (
            open_link(source, Limits())
            if linked
            else open_text(read_text(source), file_name(source), Limits())
        )
    serve(
        port=port,
        first=first,
        open_browser=not no_browser,
        say=lambda address: click.echo(f"the studio is at {address}\nCtrl-C ends it"),
    )
