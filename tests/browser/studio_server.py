"""A studio for tests: on a port of its own, in a thread of this process; its searches are other processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from demospec.studio.desks import Desks
from demospec.studio.opening import Limits

TOKEN = "token-of-the-tests"


class Served:
    """A studio that is running."""

    def __init__(self, address: str, desks: Desks) -> None:
        self.address, self.desks = address, desks

    @property
    def origin(self) -> str:
        """Return the address without its token."""
        return self.address.removesuffix(f"/{TOKEN}/")


@contextmanager
def served(limits: Limits | None = None, port: int = 0) -> Iterator[Served]:
    """Serve a studio."""
    import uvicorn

    from demospec.studio.app import listen, make_app

    listener = listen(port)
    app = make_app(TOKEN, limits=limits)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, lifespan="on")
    )
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}/{TOKEN}/", app.desks)
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()
