"""The page of a result in a real browser: no error, no request, readable on a phone, by keys and by ear."""

from __future__ import annotations

from pathlib import Path

import pytest
from real_browser import Opener, Scheme, Seen, browser, open_page

import demospec
from demospec.report.folder import write_result

__all__ = ["browser", "open_page"]
pytestmark = pytest.mark.slow
NAMES = ("robot", "delivery", "robot-paper")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Learn what ships, and return where each page is."""
    folder = tmp_path_factory.mktemp("pages")
    for name in NAMES:
        problem = demospec.load_example(name).with_settings(iterations=20)
        write_result(demospec.learn(problem, seed=0), folder / name)
    return {name: folder / name / "report.html" for name in NAMES}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1400])
@pytest.mark.parametrize("name", NAMES)
def test_no_error_no_request_nothing_serious(
    pages: dict[str, Path], open_page: Opener, name: str, width: int, scheme: Scheme
) -> None:
    seen = open_page(pages[name].as_uri(), width=width, scheme=scheme)
    assert seen.errors == []
    assert seen.requests == [pages[name].as_uri()]
    assert seen.serious() == []
    wide = seen.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width  # nothing makes the page scroll sideways


def test_everything_that_can_be_opened_has_no_serious_finding(
    pages: dict[str, Path], open_page: Opener
) -> None:
    seen = open_page(pages["robot"].as_uri())
    seen.page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert seen.serious() == []


@pytest.mark.parametrize("name", ["robot", "robot-paper"])
def test_a_phone_shows_letters_that_can_be_read(pages: dict[str, Path], open_page: Opener, name: str) -> None:
    page = open_page(pages[name].as_uri(), width=390).page
    letters = page.locator("[data-link] [data-figure=automaton]:visible .chip + text")
    assert letters.count() > 3
    boxes = [letters.nth(k).bounding_box() for k in range(letters.count())]
    assert min(box["height"] for box in boxes if box) >= 10  # pixels


def test_a_demonstration_is_walked_by_keys(pages: dict[str, Path], open_page: Opener) -> None:
    page = open_page(pages["robot"].as_uri()).page
    walk = page.locator("[data-walk]")
    slider = walk.get_by_role("slider", name="Step")
    slider.focus()
    assert walk.get_by_role("status").inner_text() == "Start in (5, 6)."
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    told = walk.get_by_role("status").inner_text()
    assert told.startswith("Step 6 of 6: ")
    assert "It reads y" in told
    state = told.split("state ")[1].split(".")[0]
    here = walk.locator("[data-figure=automaton]:visible [data-state].ds-here")
    assert here.get_attribute("data-state") == state
    mark, cell = walk.locator(".ds-mark.ds-here"), walk.locator('[data-cell="1,8"] .cell')
    assert [mark.get_attribute(name) for name in ("x", "y")] == [
        cell.get_attribute(name) for name in ("x", "y")
    ]
    assert walk.get_by_role("button", name="One step on").is_disabled()
    walk.get_by_label("Demonstration", exact=True).select_option("2")
    assert walk.get_by_role("status").inner_text() == "Start in (5, 6)."
    assert walk.locator('[data-only-run="1"]').is_hidden()
    assert walk.locator('[data-only-run="2"]').is_visible()
    walk.locator('[data-run="2"][data-step="3"] .hit').click()
    assert walk.get_by_role("status").inner_text().startswith("Step 3 of ")


def test_a_state_that_is_focused_lights_up_what_leads_there(
    pages: dict[str, Path], open_page: Opener
) -> None:
    page = open_page(pages["robot"].as_uri()).page
    story = page.locator("[data-link]")
    circle = story.locator("[data-state]:visible").nth(1)
    circle.focus()
    label = circle.get_attribute("aria-label") or ""
    letter = label.split("read ")[1].split(" ")[0]
    cells = story.locator(f'[data-cell][data-letter="{letter}"]').count()
    assert story.locator(".ds-mark.ds-lit").count() == cells > 0
    circle.blur()
    assert story.locator(".ds-mark").count() == 0


def test_runs_in_a_world_that_is_no_grid_are_walked_too(pages: dict[str, Path], open_page: Opener) -> None:
    page = open_page(pages["delivery"].as_uri(), width=390).page
    walk = page.locator("[data-walk]")
    walk.get_by_role("button", name="One step on").click()
    assert walk.get_by_role("status").inner_text().startswith('Step 1 of 4: ramp, to "depot"')
    assert walk.locator("li.ds-here").inner_text().split("→")[1].split() == ["depotparcel"]


def test_the_theme_can_be_turned_and_is_kept(pages: dict[str, Path], open_page: Opener) -> None:
    seen = open_page(pages["robot"].as_uri(), scheme="light")
    page = seen.page

    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    before = background()
    page.get_by_role("button", name="Dark").click()
    assert background() != before
    assert seen.serious() == []
    page.reload()
    assert background() != before


def test_without_a_script_everything_is_there(pages: dict[str, Path], open_page: Opener) -> None:
    page = open_page(pages["robot"].as_uri(), script=False).page
    assert page.locator("h1").inner_text()
    assert page.locator("[data-figure=map]:visible").count() >= 2
    assert page.locator("[data-only-run]:visible").count() == 2
    assert page.locator(".ds-controls").count() == 0
    assert page.locator("button:visible").count() == 0


def test_nothing_is_open_that_should_be_closed(pages: dict[str, Path], open_page: Opener) -> None:
    seen: Seen = open_page(pages["robot"].as_uri())
    assert seen.page.locator("details[open]").count() == 0
