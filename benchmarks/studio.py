"""The studio in a real browser: how soon the sentence is on the screen, how soon a stroke or a step is.

    python benchmarks/studio.py [--times 9]

From the last key of the paper's second demonstration (enter, after it was walked with the keys) to the
sentence of the answer on the screen; and, on a map of 40 × 40 cells, from a move of the pointer or a key to
the end of its work and to the next frame. Needs the extras studio and test, and Chromium.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))

from real_browser import FLAGS, chromium
from studio_server import served

SECOND = ["L", "l", "l", "u", "l", "l", "u", "u", "u", "d", "d", "d", "d", "d"]  # a capital letter slips
KEYS = {"u": "ArrowUp", "d": "ArrowDown", "l": "ArrowLeft", "r": "ArrowRight"}
WATCH = """() => {
  window.began = 0;
  window.shown = 0;
  addEventListener("keydown", (event) => { if (event.key === "Enter") began = performance.now(); }, true);
  new MutationObserver(() => {
    if (began && !shown && document.getElementById("sentence")) {
      requestAnimationFrame(() => (shown = performance.now()));
    }
  }).observe(document.getElementById("said"), {childList: true, subtree: true});
}"""
TIMES = """(name) => {
  window.work = [];
  window.frames = [];
  let at = 0;
  addEventListener(name, () => (at = performance.now()), true);
  addEventListener(name, () => {
    const from = at;
    work.push(performance.now() - from);
    requestAnimationFrame(() => frames.push(performance.now() - from));
  });
}"""


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=9)
    times = parser.parse_args().times
    with served() as studio, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS])
        try:
            found = [sentence_time(browser, studio.address) for _ in range(times)]
            print("from the last key of the second demonstration to the sentence, in seconds:")
            print("  " + ", ".join(f"{one:.2f}" for one in found))
            print(f"  median {statistics.median(found):.2f}, from {min(found):.2f} to {max(found):.2f}")
            for what, told in large_map(browser, studio.address).items():
                print(f"40 × 40 cells, {what}: {told}")
        finally:
            browser.close()


def opened(browser: Any, address: str) -> Any:
    """Open a page of its own."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    return page


def sentence_time(browser: Any, address: str) -> float:
    """Walk the paper's second demonstration, and return the seconds until the answer is there."""
    page = opened(browser, address)
    page.uncheck("#auto")
    page.select_option("#lessons", "robot")
    page.wait_for_selector("#runs ol li:nth-child(2)")
    page.wait_for_selector("#answer:not([aria-busy]) #sentence")
    page.click("[aria-label='Remove run 2']")
    page.check("input[value=walk]")
    page.wait_for_selector("#walking .pad")
    page.select_option("#slips", "never")
    page.check("#auto")
    page.evaluate("document.getElementById('said').replaceChildren()")
    page.focus("#board")
    for key in SECOND:
        page.keyboard.press(f"Shift+{KEYS[key.lower()]}" if key.isupper() else KEYS[key])
    assert page.inner_text("#walking .count").startswith("Run 2, step 14")
    page.evaluate(WATCH)
    page.keyboard.press("Enter")
    page.wait_for_selector("#sentence", timeout=60_000)
    page.wait_for_timeout(100)
    assert page.inner_text("#sentence") == "Never r; reach y with no b since g."
    took = page.evaluate("(shown - began) / 1000")
    page.close()
    return float(took)


def large_map(browser: Any, address: str) -> dict[str, str]:
    """Paint and walk on a map of 40 × 40 cells."""
    page = opened(browser, address)
    page.click("#settings summary")
    for name in ("columns", "rows"):
        page.fill(f"#{name}", "40")
        page.press(f"#{name}", "Tab")
        page.wait_for_timeout(500)
    page.evaluate(TIMES, "pointermove")
    box = page.locator('#board [data-cell="1,5"]').bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    for k in range(1, 38):
        page.mouse.move(box["x"] + 3 + k * box["width"], box["y"] + 3)
        page.wait_for_timeout(20)
    page.evaluate("work.length = 0, frames.length = 0")
    for k in range(37, 0, -1):
        page.mouse.move(box["x"] + 3 + k * box["width"], box["y"] + 3 + 2 * box["height"])
        page.wait_for_timeout(20)
    painted = told(page)
    page.mouse.up()
    page.check("input[value=walk]")
    page.wait_for_selector("#walking .pad")
    page.evaluate(TIMES, "keydown")
    page.focus("#board")
    page.evaluate("work.length = 0, frames.length = 0")
    for key in "rdrdrd":
        page.keyboard.press(KEYS[key])
        page.wait_for_timeout(30)
    walked = told(page)
    page.close()
    return {"painting a cell": painted, "walking a step": walked}


def told(page: Any) -> str:
    """Return medians and extremes of what was measured, in milliseconds."""
    work, frames = page.evaluate("[work, frames]")
    return (
        f"work {statistics.median(work):.1f} ms (at most {max(work):.1f}), "
        f"on the next frame after {statistics.median(frames):.1f} ms (at most {max(frames):.1f}); "
        f"{len(work)} measured"
    )


if __name__ == "__main__":
    main()
