"""Running the studio: a port on this machine alone, a token in the address, a browser that is opened."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable

from demospec.errors import InputError
from demospec.studio.limits import Limits
from demospec.studio.opening import Document

MISSING = 'the studio needs the packages starlette and uvicorn: pip install "demospec[studio]"'
HERE = "127.0.0.1"


def serve(
    *,
    port: int = 0,
    first: Document | None = None,
    limits: Limits | None = None,
    open_browser: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the studio until it is interrupted; `say` is told the address."""
    try:
        import uvicorn

        from demospec.studio.app import make_app
    except ImportError as error:
        if error.name and error.name.split(".")[0] in ("starlette", "uvicorn", "anyio"):
            raise InputError(MISSING) from None
        raise
    token = secrets.token_urlsafe(18)
    listener = listen(port)
    address = f"http://{HERE}:{listener.getsockname()[1]}/{token}/"
    config = uvicorn.Config(
        make_app(token, limits=limits, first=first),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        lifespan="on",
    )
    say(address)
    if open_browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    with listener:
        uvicorn.Server(config).run(sockets=[listener])


def listen(port: int) -> socket.socket:
    """Return a socket that only this machine can reach."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HERE, port))
        listener.listen()  # whoever reads the address may be faster than we are
    except OSError as error:
        listener.close()
        raise InputError(f"port {port} cannot be used: {error.strerror or error}", place="--port") from None
    return listener
