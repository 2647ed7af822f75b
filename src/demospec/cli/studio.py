"""The command `studio`: the page in the browser on which worlds are drawn and tasks are learned."""

from __future__ import annotations

import click

from demospec.cli.group import cli
from demospec.errors import InputError
from demospec.files.reading import read_text
from demospec.studio.opening import Document, Limits, open_link, open_text
from demospec.wording import file_name

EXTRA = ("starlette", "uvicorn", "anyio")


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
        if (error.name or "").split(".")[0] in EXTRA:
            raise InputError(
                'the studio needs the packages starlette and uvicorn: pip install "demospec[studio]"'
            ) from None
        raise

    def tell(address: str) -> None:
        click.echo(f"the studio is at {address}\nCtrl-C ends it")

    serve(port=port, first=read_first(source), open_browser=not no_browser, say=tell)


def read_first(source: str | None) -> Document | None:
    """Read what the page begins with: a file, or a link."""
    if source is None:
        return None
    if "#p=" in source:
        return open_link(source, Limits())
    return open_text(read_text(source), file_name(source), Limits())
