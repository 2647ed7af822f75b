"""A real browser for tests of pages: headless Chromium.

Tests import the fixtures: `from real_browser import Opener, browser, open_page`, and name them in `__all__`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
# The first is needed by root, the others keep Chromium from calling home.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
Scheme = Literal["light", "dark"]


@dataclass
class Seen:
    """A page that is open, with what it complained about and what it asked for."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def serious(self) -> list[str]:
        """Return the findings of axe that are serious or worse, each with a place."""
        from axe_playwright_python.sync_playwright import Axe

        found: list[dict[str, Any]] = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:160]} ({len(one['nodes'])} places)"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]


def chromium() -> str | None:
    """Return where Chromium is, if anywhere."""
    names = (os.environ.get("DEMOSPEC_CHROMIUM", ""), *NAMES)
    return next((path for name in names if name and (path := shutil.which(name))), None)


@pytest.fixture(scope="module")  # its event loop must not be there for the tests of other modules
def browser() -> Iterator[Browser]:
    """Start Chromium for the tests of a module."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium: install the package chromium, or set DEMOSPEC_CHROMIUM to its path")
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=[*FLAGS])
        yield started
        started.close()


Opener = Callable[..., Seen]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Opener]:
    """Return what opens an address: `open_page(url, width=390, scheme="dark", script=False)`."""
    contexts = []

    def opened(url: str, *, width: int = 1400, scheme: Scheme = "light", script: bool = True) -> Seen:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
        )
        contexts.append(context)
        page = context.new_page()
        seen = Seen(page)
        page.on("console", lambda said: seen.errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        page.on("request", lambda asked: seen.requests.append(asked.url))
        page.goto(url)
        return seen

    yield opened
    for context in contexts:
        context.close()
