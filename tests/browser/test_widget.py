"""The widget in a real browser: the same world and automaton as on a page, walked by the same script."""

from __future__ import annotations

import pytest
from real_browser import Opener, browser, open_page

import demospec
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.widget import widget

__all__ = ["browser", "open_page"]
pytest.importorskip("anywidget")
pytestmark = pytest.mark.slow


def test_the_widget_shows_world_and_automaton_and_walks(open_page: Opener) -> None:
    result = demospec.learn(demospec.load_example("robot-paper").with_settings(iterations=20), seed=0)
    made = widget(result)
    assert made.shown["automaton"] == automaton_svg(result.best.task.automaton, live=True)
    seen = open_page("about:blank")
    page = seen.page
    page.set_content("<div id=cell></div>")
    page.add_style_tag(content=made._css)
    page.evaluate("shown => { window.shown = shown }", made.shown)
    model = "{model: {get: (name) => window[name]}, el: document.getElementById('cell')}"
    begin = f"\nshown_widget.render({model});"
    script = made._esm.replace("export default", "const shown_widget =")
    page.add_script_tag(content=script + begin, type="module")
    page.wait_for_selector("#cell .ds-walker button")
    assert page.locator("#cell [data-figure=map] [data-cell]").count() == 64
    states = page.locator("#cell [data-figure=automaton] [data-state]")
    assert states.count() == result.best.task.automaton.states
    page.click("[aria-label='One step on']")
    assert page.locator("#cell .ds-mark.ds-here").count() == 1
    assert page.locator("#cell [data-state].ds-here").count() == 1
    states.nth(1).hover()
    assert page.locator("#cell .ds-mark.ds-lit").count() > 0
    assert seen.errors == []


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    result = demospec.learn(demospec.load_example("robot-paper").with_settings(iterations=5), seed=0)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(demospec.InputError, match=r"pip install .demospec\[widget\]"):
        widget(result)
