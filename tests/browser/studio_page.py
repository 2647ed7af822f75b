"""What tests do on the studio's page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from real_browser import Opener, Seen
from studio_server import Served

SHOTS = os.environ.get("DEMOSPEC_SHOTS")  # a folder for screenshots, to be looked at
KEYS = {"u": "ArrowUp", "d": "ArrowDown", "l": "ArrowLeft", "r": "ArrowRight"}


def opened(open_page: Opener, studio: Served, **how: Any) -> Seen:
    """Open the page, and wait until it is ready."""
    seen = open_page(studio.address, **how)
    seen.page.wait_for_selector("body[data-ready]", timeout=60_000)
    return seen


def shot(page: Any, name: str, *, whole: bool = True) -> None:
    """Keep a screenshot, where somebody wants to look at them."""
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=whole)


def set_field(page: Any, name: str, value: str) -> None:
    """Fill a field, and leave it."""
    page.fill(f"#{name}", value)
    page.press(f"#{name}", "Tab")


def add_letter(page: Any, name: str) -> None:
    """Add a letter to the palette; it is painted next."""
    page.fill("#letter-name", name)
    page.press("#letter-name", "Enter")
    page.wait_for_selector(f"[data-brush={name}][aria-checked=true]")


def cell(page: Any, column: int, row: int) -> Any:
    """Return a cell of the map."""
    return page.locator(f'#board [data-cell="{column},{row}"]')


def press(page: Any, keys: str) -> None:
    """Press arrow keys: u, d, l, r."""
    for key in keys:
        page.keyboard.press(KEYS[key])


def learned(page: Any) -> str:
    """Wait until something is learned, and return its sentence."""
    page.wait_for_selector("#more:not([hidden]) #keep", timeout=90_000, state="attached")
    page.wait_for_selector("#answer:not([hidden]):not([aria-busy])", timeout=90_000)
    return str(page.inner_text("#sentence"))
