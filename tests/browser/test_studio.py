"""The studio in a real browser: from an empty map to a task that is compared, exported and kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_browser import Opener, Seen, browser, open_page
from studio_page import add_letter, cell, learned, opened, press, set_field, shot
from studio_server import Served, served

__all__ = ["browser", "open_page"]
pytest.importorskip("starlette")
expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def studio() -> Iterator[Served]:
    """Serve a studio for the tests of this module."""
    with served() as one:
        yield one


@pytest.fixture
def seen(studio: Served, open_page: Opener) -> Seen:
    """Open the studio's page."""
    return opened(open_page, studio)


def test_from_nothing_to_a_task_that_is_kept(
    seen: Seen, studio: Served, open_page: Opener, tmp_path: Path
) -> None:
    page = seen.page
    # draw: a map from nothing, painted with the pointer and with keys
    page.click("#new")
    page.click("#settings summary")
    set_field(page, "columns", "6")
    set_field(page, "rows", "6")
    expect(page.locator("#board [data-cell]")).to_have_count(36)
    add_letter(page, "key")
    cell(page, 2, 2).click()
    add_letter(page, "door")
    page.focus("#board")
    press(page, "rrddd")  # the cursor is where the last cell was painted
    page.keyboard.press(" ")
    assert cell(page, 4, 5).get_attribute("data-letter") == "door"
    page.click("[data-brush=start]")
    cell(page, 6, 6).click()
    page.click("[data-brush=wall]")
    cell(page, 1, 6).hover()
    page.mouse.down()
    cell(page, 2, 6).hover()
    page.mouse.up()
    shot(page, "1-draw")
    # what was painted can be undone, and done again
    page.keyboard.press("Control+z")
    page.click("#undo")
    page.click("#redo")
    page.click("#redo")
    # demonstrate: two runs with the keyboard
    page.check("input[value=walk]")
    page.uncheck("#auto")
    page.focus("#board")
    press(page, "llluuuul")
    shot(page, "2-walk")
    press(page, "lddd")
    page.keyboard.press("Backspace")
    press(page, "drrr")
    page.keyboard.press("Enter")
    page.check("#auto")
    page.focus("#board")
    press(page, "uuuuulllldldrdrdr")
    assert page.inner_text("#walking .count").startswith("Run 2, step 17")
    page.keyboard.press("Backspace")
    press(page, "r")
    page.keyboard.press("Enter")
    # learn, and read the sentence
    assert learned(page) == "First key, then door."
    assert "%" in page.inner_text("#probability")
    assert page.locator("#automaton [data-state]").count() >= 3
    shot(page, "3-answer")
    # what leads to a state lights up
    page.hover('#automaton [data-state="1"]')
    assert page.locator("#board .ds-mark.ds-lit").count() >= 1
    assert page.locator("#board .move.ds-lit").count() >= 1
    # converse: one question is answered, and learning goes on
    page.click("#converse > summary")
    page.wait_for_selector("#question, #converse p:has-text('nothing to ask')")
    shot(page, "4-question")
    expect(page.locator("#board .overlay g[data-run]")).to_have_count(1)
    page.click("#no")
    page.wait_for_selector("#runs >> text=is not all right")
    after = learned(page)
    # check: a task that is typed is compared
    page.click("#compare > summary")
    page.fill("#typed", "reach door")
    page.press("#typed", "Enter")
    page.wait_for_selector("#compared-sentence")
    assert "The answer implies yours" in page.inner_text("#compared-sentence")
    page.fill("#typed", "reach the moon")
    page.press("#typed", "Enter")
    page.wait_for_selector("#compared .wrong")
    shot(page, "5-compare")
    # keep: exports, and the link
    page.click("#keep > summary")
    page.select_option("#format", "hoa")
    with page.expect_download() as waiting:
        page.click("#export")
    path = tmp_path / "task.hoa"
    waiting.value.save_as(path)
    assert path.read_text().startswith("HOA: v1")
    with page.expect_download() as waiting:
        page.click("#save")
    waiting.value.save_as(tmp_path / "mine.toml")
    from demospec import load

    problem = load(tmp_path / "mine.toml")
    assert len(problem.demonstrations) == 2
    assert problem.alphabet == ("door", "key")
    assert len(list(problem.given)) == 1
    page.click("#link")
    expect(page).to_have_url(re.compile("#p="))
    link = page.url
    again = open_page(link)
    again.page.wait_for_selector("body[data-ready]")
    assert again.page.locator("#runs ol li").count() == 2
    again.page.click("#learn")
    assert learned(again.page) == after
    shot(again.page, "6-again")
    refused = [one for one in seen.errors if "422" in one]  # a task that cannot be read
    assert [one for one in [*seen.errors, *again.errors] if one not in refused] == []
    assert len(refused) == 1
    assert all(one.startswith((studio.origin, "blob:", "data:")) for one in [*seen.requests, *again.requests])


def test_slips_are_forced_paths_are_dragged_and_runs_are_cut(seen: Seen) -> None:
    page = seen.page
    page.uncheck("#auto")
    page.select_option("#lessons", "robot")
    learned(page)
    page.check("input[value=walk]")
    page.wait_for_selector("#walking .pad")
    page.select_option("#slips", "never")
    page.focus("#board")
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("#status")).to_contain_text("left, but slipped, to column 5, row 7")
    page.keyboard.press("Escape")
    cell(page, 5, 6).hover()
    page.mouse.down()
    for column in (4, 3, 2):
        cell(page, column, 6).hover()
    page.mouse.up()
    assert page.inner_text("#walking .count").startswith("Run 3, step 3")
    page.click("[data-do=finish]")
    expect(page.locator("#runs ol li")).to_have_count(3)
    expect(page.locator("#board .layer-paths g[data-run]")).to_have_count(3)
    page.check("#runs ol li:nth-child(3) input")
    page.click("[aria-label='Remove run 2']")
    page.click("#undo")
    expect(page.locator("#runs ol li")).to_have_count(3)
    expect(page.locator("#runs ol li:nth-child(3) input")).to_be_checked()
    assert seen.errors == []


def test_a_search_is_paused_goes_on_and_is_made_again_with_another_seed(seen: Seen) -> None:
    page = seen.page
    page.select_option("#lessons", "robot")
    page.wait_for_selector("#progress:has-text('tasks tried')")
    page.click("#pause")
    expect(page.locator("#pause")).to_have_text("Go on")
    expect(page.locator(".leading")).to_have_text("Leading so far")
    shot(page, "7-watch", whole=False)
    page.click("#pause")
    assert learned(page) == "Never r; reach y with no b since g."
    page.click("#again")
    page.wait_for_selector("#progress:has-text('seed 1')", timeout=60_000)
    assert page.input_value("#seed") == "1"
    page.click("#learn")
    page.wait_for_selector("#progress:has-text('tasks tried')")
    page.click("#stop")
    learned(page)
    assert "search was not done" in page.inner_text(".warnings")


def test_another_world_is_drawn_and_the_agent_acts_there(seen: Seen) -> None:
    page = seen.page
    page.select_option("#lessons", "avoidance")
    learned(page)
    page.click("#worlds button:text-is('Copy')")
    expect(page.locator("#worlds [aria-pressed=true]")).to_have_text("world 2")
    page.click("[data-brush=lava]")
    cell(page, 4, 1).click()
    page.click("#act > summary")
    for acts_on in ("", "belief"):
        page.select_option("#acts-on", acts_on)
        page.click("#act-go")
        expect(page.locator("#acted")).to_contain_text("succeeds in")
        expect(page.locator("#board .overlay g[data-run=a]")).to_have_count(1)
    page.click("#maps > summary")
    page.wait_for_selector("#alert:not([hidden])")  # what was learned is about one world
    page.check("input[value=walk]")
    page.focus("#board")
    page.wait_for_selector("#walking .pad")
    press(page, "ddrrrrruu")
    page.keyboard.press("Enter")
    learned(page)
    page.click("#walks > summary")
    page.click("[aria-label='One step on']")
    expect(page.locator("#board .ds-mark.ds-here")).to_have_count(1)
    page.click("#worlds button:has-text('world') >> nth=0")
    expect(page.locator("#walks option")).to_have_count(2)


def test_one_more_run_is_asked_for_where_it_tells_most(seen: Seen) -> None:
    page = seen.page
    page.select_option("#lessons", "robot")
    learned(page)
    page.click("#converse > summary")
    page.click("text=Rather show one more run")
    page.click("text=Show it", timeout=60_000)
    expect(page.locator("#worlds [aria-pressed=true]")).to_have_text("world 2")
    expect(page.locator("#walking .count")).to_contain_text("Run 3, step 0")


def test_the_report_is_a_page_of_its_own(seen: Seen) -> None:
    page = seen.page
    page.select_option("#lessons", "one-world")
    learned(page)
    page.click("#keep > summary")
    with page.expect_popup() as waiting:
        page.click("#report")
    report = waiting.value
    report.wait_for_load_state()
    assert "Reach goal." in report.inner_text("body")
    assert report.locator("[data-figure=automaton]").count() > 0
