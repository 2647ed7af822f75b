"""The studio as a web application on this machine alone: pages and pictures out, documents in.

Who may talk to it: pages that it served itself, opened with the token that it printed. Another web page can
make a browser send requests to this machine. It knows neither the token nor has our origin, and a name that
it points here is not one of ours.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demospec.errors import DemospecError, InputError
from demospec.report.task_forms import told_formats
from demospec.studio import lessons
from demospec.studio.desks import Desk, Desks, Refused
from demospec.studio.drawing import board_document, letters_document, lines_document, moves_document
from demospec.studio.opening import Document, Limits, file_text, open_link, open_text, page_document

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
NO_TOKEN = (
    "This address has no token, or an old one. Open the address that demospec studio printed: "
    "it holds the token."
)


class Guard:
    """Lets requests pass that name this host, come from our own pages, and hold the token."""

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str], most: int, desks: Desks) -> None:
        self.app, self.token, self.hosts, self.most = app, token, frozenset(hosts), most
        self.desks = desks  # of the application behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on a request; whatever is sent has our headers."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self.refusal(scope)
        await (refusal or self.app)(scope, receive, with_headers)

    def refusal(self, scope: Scope) -> Response | None:
        """Return why a request is refused; None where it is not."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if name not in self.hosts:
            return refused(scope, f'the host "{host}" is not this machine', 421)
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return refused(scope, f'a page from "{origin}" may not use the studio', 403)
        site = headers.get("sec-fetch-site")
        if site not in (None, "same-origin", "none") and headers.get("sec-fetch-mode") != "navigate":
            return refused(scope, "another page may not use the studio", 403)
        given = scope["path"].split("/")[1] if scope["path"].count("/") else ""
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return refused(scope, NO_TOKEN, 403)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.most:
            return refused(scope, f"a request has at most {self.most} bytes", 413)
        return None


def refused(scope: Scope, message: str, status: int) -> Response:
    """Return a refusal: in words for a person, as JSON for a script."""
    if scope["method"] == "GET":
        return PlainTextResponse(f"demospec studio: {message}\n", status)
    return JSONResponse({"message": message}, status)


# -- The studio as a web application ---------------------------------------------------------------------

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
HOSTS = ("127.0.0.1", "localhost", "[::1]")
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)
Answer = Callable[[Document, Limits], Any]


def make_app(
    token: str, *, limits: Limits | None = None, first: Document | None = None, hosts: tuple[str, ...] = HOSTS
) -> Guard:
    """Return the application; its pages are under the token, and begin with a problem if one is given."""
    allowed = Limits() if limits is None else limits
    desks = Desks(allowed)

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        await desks.start()
        try:
            yield
        finally:
            await desks.end()

    studio = Studio(desks, allowed, first)
    app = Starlette(
        routes=[Mount(f"/{token}", routes=studio.routes())],
        lifespan=running,
        exception_handlers={DemospecError: tell_refusal, 404: tell_refusal},
    )
    return Guard(app, token, hosts, allowed.bytes, desks)


async def tell_refusal(request: Request, error: Exception) -> Response:
    """Turn a refusal into its message; where it is none of ours, there is nothing at the address."""
    if isinstance(error, DemospecError):
        return JSONResponse({"message": str(error)}, getattr(error, "status", 422))
    return JSONResponse({"message": "there is nothing at this address"}, 404)


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return the files of the page by name, read once: no path of a request is ever opened."""
    folders = (resources.files("demospec.studio") / "static", resources.files("demospec.report") / "live")
    files = (file for folder in folders for file in folder.iterdir())
    kinds = ((file, KINDS.get("." + file.name.rpartition(".")[2])) for file in files)
    return {file.name: (file.read_bytes(), kind) for file, kind in kinds if kind is not None}


class Studio:
    """What is answered at each address."""

    def __init__(self, desks: Desks, limits: Limits, first: Document | None) -> None:
        self.desks, self.limits, self.first = desks, limits, first
        self.files = static_files()

    def routes(self) -> list[Route]:
        quick: dict[str, Answer] = {
            "open": self.opened,
            "check": lambda told, limits: page_document(told["document"], limits, "problem"),
            "save": lambda told, limits: {"text": file_text(told["document"], limits)},
            "board": lambda told, limits: board_document(told["world"], limits),
            "moves": lambda told, limits: moves_document(told["world"], limits),
            "lines": lambda told, limits: lines_document(told["world"], told["lines"], limits),
            "letters": lambda told, limits: letters_document([str(one) for one in told["names"]][:200]),
        }
        return [
            Route("/", self.file),
            Route("/api/desks", self.desk, methods=["POST"]),
            Route("/api/desks/{desk}/events", self.events),
            Route("/api/desks/{desk}/learn", self.learn, methods=["POST"]),
            Route("/api/desks/{desk}/ask", self.ask, methods=["POST"]),
            Route("/api/desks/{desk}/report.html", self.report),
            Route("/api/desks/{desk}/{what}", self.control, methods=["POST"]),
            *(Route(f"/api/{name}", self.quickly(do), methods=["POST"]) for name, do in quick.items()),
            Route("/{name}", self.file),
        ]

    # -- files -------------------------------------------------------------------------------------------

    async def file(self, request: Request) -> Response:
        """Return the page itself, or one of its files."""
        name = request.path_params.get("name", "index.html")
        if name not in self.files:
            raise Refused("there is no such file", 404)
        body, kind = self.files[name]
        return Response(body, media_type=kind)

    # -- what takes no time ------------------------------------------------------------------------------

    def quickly(self, do: Answer) -> Callable[[Request], Awaitable[Response]]:
        """Answer a request from its document alone."""

        async def answer(request: Request) -> Response:
            told = await body_of(request, self.limits)
            try:
                return JSONResponse(await run_in_threadpool(do, told, self.limits))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise InputError(f"the request cannot be read: {error}") from None

        return answer

    def opened(self, told: Document, limits: Limits) -> Document:
        """Open a file's text, a link or an example."""
        if "example" in told:
            return lessons.lesson_document(str(told["example"]), limits)
        if "link" in told:
            return open_link(str(told["link"]), limits)
        return open_text(str(told["text"]), str(told.get("name") or "problem.toml"), limits)

    # -- desks -------------------------------------------------------------------------------------------

    async def desk(self, request: Request) -> Response:
        """Give a page a desk, and tell it what there is."""
        desk = await self.desks.open()
        told = {
            "desk": desk.name,
            "limits": {name: getattr(self.limits, name) for name in ("side", "worlds", "horizon")},
            "lessons": lessons.listed(),
            "formats": told_formats(),
            "first": self.first,
        }
        return JSONResponse(told)

    def of(self, request: Request) -> Desk:
        """Return the desk of a request."""
        return self.desks.find(request.path_params["desk"])

    async def events(self, request: Request) -> Response:
        """Send events as they come; a page that was away gets those that it missed."""
        desk = self.of(request)
        last = request.headers.get("last-event-id", "0")
        after = int(last) if last.isdigit() else 0

        async def lines() -> AsyncIterator[str]:
            yield "retry: 500\n\n"
            async for number, event in desk.events(after):
                told = f"id: {number}\ndata: {json.dumps(event, ensure_ascii=False)}"
                yield ": here\n\n" if event is None else f"{told}\n\n"

        return StreamingResponse(lines(), media_type="text/event-stream")

    async def learn(self, request: Request) -> Response:
        """Begin a search."""
        desk, told = self.of(request), await body_of(request, self.limits)
        seed = told.get("seed", 0)
        if not isinstance(seed, int) or not 0 <= seed < 2**31 or not isinstance(told.get("document"), dict):
            raise InputError("a search needs a problem and a seed, which is a whole number")
        return JSONResponse({"search": await desk.learn(told["document"], seed)}, 202)

    async def ask(self, request: Request) -> Response:
        """Ask about the result."""
        desk, told = self.of(request), await body_of(request, self.limits)
        return JSONResponse(await desk.ask(str(told.get("what")), told))

    async def report(self, request: Request) -> Response:
        """Return the report page: on its own, with its script and style inside, and no way back to us."""
        found = await self.of(request).ask("report", {})
        policy = {"Content-Security-Policy": REPORT_POLICY}
        return Response(found["text"], media_type=KINDS[".html"], headers=policy)

    async def control(self, request: Request) -> Response:
        """Pause a search, let it go on, stop it with what it has, drop it; or close the page."""
        desk, what = self.of(request), request.path_params["what"]
        if what == "close":
            asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(self.desks.close(desk)))
        elif what == "drop":
            await desk.drop()
        elif what in ("pause", "go_on", "stop"):
            await desk.control(what)
        else:
            raise Refused("there is nothing at this address", 404)
        return JSONResponse({})


async def body_of(request: Request, limits: Limits) -> Document:
    """Return the JSON object of a request, which may not be too long."""
    parts, length = [], 0
    try:
        async for part in request.stream():
            length += len(part)
            if length > limits.bytes:
                raise Refused(f"a request has at most {limits.bytes} bytes", 413)
            parts.append(part)
    except ClientDisconnect:
        raise Refused("the request was not sent to its end", 400) from None
    try:
        told = json.loads(b"".join(parts))
    except (ValueError, RecursionError):
        raise InputError("the request is not JSON") from None
    if not isinstance(told, dict):
        raise InputError("the request is not an object")
    return told


# -- Running the studio ----------------------------------------------------------------------------------

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
