"""Draw docs/images/page/: the page of two examples as phones, tablets and desktops show it, light and dark.

python docs/make_screenshots.py    (needs Playwright, Pillow and Chromium, as the tests of pages do)
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import demospec
from demospec.report.page.result_page import result_page
from demospec.report.told import Told

FOLDER = Path(__file__).parent / "images" / "page"
SCREENS = ((390, 844), (820, 1180), (1400, 900))
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
STEP = "one => { one.value = 6; one.dispatchEvent(new Event('input')) }"


def keep(shot: bytes, name: str) -> None:
    """Write a picture with few colours, so that it is small."""
    few = Image.open(io.BytesIO(shot)).convert("RGB").quantize(96, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)


def show(page: Page, address: str, name: str) -> None:
    """Keep the first screen of a page; of a desktop also a demonstration that is walked."""
    page.goto(address)
    keep(page.screenshot(), name)
    if name == "robot-1400-light":
        walk = page.locator("[data-walk]")
        walk.locator("select").select_option("2")
        walk.locator("input[type=range]").evaluate(STEP)
        keep(walk.screenshot(), name.replace("1400-light", "walk"))


def main() -> None:
    """Learn both examples, and draw their pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for example in ("robot", "delivery"):
            file = Path(folder) / f"{example}.html"
            result = demospec.learn(demospec.load_example(example), seed=0)
            file.write_text(result_page(Told(result)), encoding="utf-8")
            for width, height in SCREENS:
                for scheme in SCHEMES:
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    show(page, file.as_uri(), f"{example}-{width}-{scheme}")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
