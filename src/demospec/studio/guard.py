"""Who may talk to the studio: pages that it served itself, opened with the token that it printed.

Another web page can make a browser send requests to this machine. It knows neither the token nor has our
origin, and a name that it points here is not one of ours.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from demospec.studio.desks import Desks

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
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
