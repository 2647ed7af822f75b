"""The studio by keys, by ear, on a phone, light and dark: nothing serious, no request that leaves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from real_browser import Opener, Scheme, browser, open_page
from studio_page import learned, opened, press, shot
from studio_server import Served, served

from demospec.studio import lessons

__all__ = ["browser", "open_page"]
pytest.importorskip("starlette")
expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def studio() -> Iterator[Served]:
    with served() as one:
        yield one


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_serious_is_found(studio: Served, open_page: Opener, width: int, scheme: Scheme) -> None:
    seen = opened(open_page, studio, width=width, scheme=scheme)
    page = seen.page
    assert seen.serious() == []
    page.select_option("#lessons", "conditional")
    learned(page)
    for name in ("settings", "converse", "walks", "maps", "act", "compare", "keep"):
        page.click(f"#{name} > summary")
    page.wait_for_selector("#maps svg")
    page.wait_for_selector("#converse button")
    page.click("#act-go")
    page.wait_for_selector("#acted:not(:empty)")
    shot(page, f"all-{width}-{scheme}")
    assert seen.serious() == []
    page.check("input[value=walk]")
    page.wait_for_selector("#walking:not([hidden]) .pad")
    assert seen.serious() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.errors == []
    assert all(one.startswith((studio.origin, "data:", "blob:")) for one in seen.requests)


def test_everything_is_done_with_keys(studio: Served, open_page: Opener) -> None:
    page = opened(open_page, studio).page
    page.focus("#letter-name")
    page.keyboard.type("goal")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-brush=goal][aria-checked=true]")
    page.focus("#board")
    press(page, "rrrr")
    page.keyboard.press(" ")
    expect(page.locator("#status")).to_have_text("Column 5, row 1: goal.")
    page.focus("input[value=draw]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#walking")).to_be_visible()
    page.focus("#board")
    press(page, "rdrur")
    page.keyboard.press("Escape")
    press(page, "rrdru")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#status")).to_contain_text("nothing can slip")
    page.keyboard.press("r")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert learned(page) == "Reach goal."


@pytest.mark.parametrize("name", ["robot", *lessons.ORDER])
def test_lessons_teach_what_they_say(studio: Served, open_page: Opener, name: str) -> None:
    said = {
        "robot": "Never r; reach y with no b since g.",
        "sequence": "First key, then door.",
        "avoidance": "Never lava; shop, then home.",
        "conditional": "Reach home with no water since fire.",
        "any-order": "Reach bread; reach milk.",
        "one-world": "Reach goal.",
        "mistake": "Never flowers; gate, then home.",
    }
    page = opened(open_page, studio).page
    page.select_option("#lessons", name)
    assert learned(page) == said[name]
    warned = page.locator(".warnings")
    if name == "mistake":
        expect(warned).to_contain_text("Probably a mistake")
    shot(page, f"lesson-{name}")
