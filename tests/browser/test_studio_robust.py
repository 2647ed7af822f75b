"""The studio when things go wrong: the page stays usable, and says why."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from real_browser import Opener, browser, open_page
from studio_page import learned, opened
from studio_server import TOKEN, Served, served

from demospec.studio.opening import Limits

__all__ = ["browser", "open_page"]
pytest.importorskip("starlette")
expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def studio() -> Iterator[Served]:
    with served(Limits(searches=2, grace=3)) as one:
        yield one


def asked(studio: Served, method: str, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    """Send a request as another program might; return its status, text and headers."""
    body = b"{}" if method == "POST" else None
    return sent(studio, method, path, body, {name.replace("_", "-"): one for name, one in headers.items()})


def sent(
    studio: Served, method: str, path: str, body: bytes | None, headers: dict[str, str]
) -> tuple[int, str, dict[str, str]]:
    with closing(http.client.HTTPConnection(urlsplit(studio.address).netloc, timeout=30)) as connection:
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        return reply.status, reply.read().decode(), {name.lower(): one for name, one in reply.getheaders()}


def test_other_pages_and_hosts_are_refused(studio: Served) -> None:
    own = studio.origin
    assert asked(studio, "GET", f"/{TOKEN}/")[0] == 200
    for path in ("/", "/other/", "/api/desks", "/other/api/desks"):
        status, text, _ = asked(studio, "GET", path)
        assert (status, "token" in text) == (403, True)
    desks = f"/{TOKEN}/api/desks"
    assert asked(studio, "POST", desks, Origin=own)[0] == 200
    status, text, _ = asked(studio, "POST", desks, Origin="http://example.org")
    assert (status, "http://example.org" in text) == (403, True)
    assert asked(studio, "POST", desks, Origin="null")[0] == 403
    assert asked(studio, "POST", desks, Sec_Fetch_Site="cross-site")[0] == 403
    assert asked(studio, "POST", desks, Host="example.org")[0] == 421
    assert asked(studio, "POST", "/wrong/api/desks", Origin=own)[0] == 403


def test_nothing_is_opened_by_its_path_and_nothing_inline_is_allowed(studio: Served) -> None:
    for path in ("/../app.py", "/..%2fapp.py", "/%2e%2e/guard.py", "//etc/passwd", "/static/main.js"):
        status, text, _ = asked(studio, "GET", f"/{TOKEN}{path}")
        assert status in (403, 404)
        assert "import" not in text
    status, text, headers = asked(studio, "GET", f"/{TOKEN}/")
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "style=" not in text
    assert "<script>" not in text


def test_a_request_that_is_too_long_or_no_json_is_refused(studio: Served) -> None:
    opening = f"/{TOKEN}/api/open"
    assert sent(studio, "POST", opening, b"x" * 2_000_000, {})[0] == 413
    for body in ("", "[]", "{", '{"text": 3}', '{"world": {}}', '{"link": "#p=AAAA"}', '{"example": "../x"}'):
        status, text, _ = sent(studio, "POST", opening, body.encode(), {})
        assert status == 422, body
        assert json.loads(text)["message"]


def test_malformed_files_and_large_maps_are_told(studio: Served, open_page: Opener, tmp_path: Path) -> None:
    page = opened(open_page, studio).page
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "x\n')
    page.set_input_files("#file", bad)
    expect(page.locator("#alert")).to_contain_text("bad.toml: not TOML")
    large = tmp_path / "large.toml"
    rows = "\n".join(["." * 200] * 200)
    large.write_text(
        f'[world]\nkind = "gridworld"\nmap = """\n{rows}\n"""\nstart = [1, 1]\n[episode]\nhorizon = 9\n'
    )
    page.set_input_files("#file", large)
    expect(page.locator("#alert")).to_contain_text("200 columns and 200 rows")
    file = tmp_path / "file.toml"
    file.write_text(
        '[world]\nkind = "gridworld"\nmap_file = "/etc/passwd"\nstart = [1, 1]\n[episode]\nhorizon = 9\n'
    )
    page.set_input_files("#file", file)
    expect(page.locator("#alert")).to_contain_text("opens no files")
    page.click("#settings summary")
    page.fill("#columns", "200")
    page.press("#columns", "Tab")
    expect(page.locator("#alert")).to_contain_text("from 1 to 64")
    page.select_option("#lessons", "one-world")
    assert learned(page) == "Reach goal."


def test_fifty_searches_are_started_and_cancelled(studio: Served, open_page: Opener) -> None:
    page = opened(open_page, studio).page
    page.select_option("#lessons", "one-world")
    learned(page)
    for k in range(50):
        page.click("#learn")
        if k % 3 == 0:
            page.click("#pause")
    assert learned(page) == "Reach goal."
    expect(page.locator("#alert")).to_be_hidden()


def test_ten_pages_search_at_once(studio: Served, open_page: Opener) -> None:
    pages = [opened(open_page, studio).page for _ in range(10)]
    for page in pages:
        page.select_option("#lessons", "one-world")
    assert [learned(page) for page in pages] == ["Reach goal."] * 10


def test_a_killed_worker_is_told_and_the_page_goes_on(studio: Served, open_page: Opener) -> None:
    page = opened(open_page, studio).page
    page.select_option("#lessons", "one-world")
    learned(page)
    desk = list(studio.desks.all.values())[-1]
    assert desk.process is not None
    os.kill(desk.process.process.pid, signal.SIGKILL)
    expect(page.locator("#alert")).to_contain_text("was ended by signal 9")
    page.click("#learn")
    assert learned(page) == "Reach goal."


def test_a_page_that_is_closed_ends_its_process(studio: Served, open_page: Opener) -> None:
    page = opened(open_page, studio).page
    page.select_option("#lessons", "robot")
    desk = list(studio.desks.all.values())[-1]
    page.wait_for_selector("#progress:has-text('tasks tried')")
    assert desk.process is not None
    process = desk.process
    page.close()
    for _ in range(300):
        if not process.alive:
            break
        time.sleep(0.1)
    assert not process.alive
    assert desk.name not in studio.desks.all


def test_a_connection_that_comes_back(open_page: Opener) -> None:
    with served() as first:
        port = urlsplit(first.address).port or 0
        page = opened(open_page, first).page
        page.select_option("#lessons", "one-world")
        assert learned(page) == "Reach goal."
    expect(page.locator("body")).to_have_class("offline")
    page.click("#learn")
    expect(page.locator("#alert")).to_contain_text("does not answer")
    with served(port=port):
        expect(page.locator("#alert")).to_contain_text("is back", timeout=30_000)
        page.click("#learn")
        assert learned(page) == "Reach goal."
