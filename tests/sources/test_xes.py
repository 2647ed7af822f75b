"""XES: traces in the order of time, nothing expanded, refusals with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from demospec import Episode, Problem, demonstrations_from_log, world_from_log
from demospec.errors import FileError

LAUGHS = '<?xml version="1.0"?>\n<!DOCTYPE log [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n<log>&b;</log>\n'


def event(name: str, time: str = "", life: str = "") -> str:
    parts = [f'<string key="concept:name" value="{name}"/>']
    parts += [f'<date key="time:timestamp" value="{time}"/>'] if time else []
    parts += [f'<string key="lifecycle:transition" value="{life}"/>'] if life else []
    return f"<event>{''.join(parts)}</event>\n"


def log(*traces: str) -> str:
    """Each trace with a name, and things around that are not read."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<log xmlns="http://www.xes-standard.org/">\n'
    head += '<global scope="event"><string key="concept:name" value="nothing"/></global>\n'
    inside = '<list key="x"><values><string key="concept:name" value="wrong"/></values></list>'
    named = [f'<trace><string key="concept:name" value="c"/>{inside}\n{one}</trace>\n' for one in traces]
    return f"{head}{''.join(named)}</log>\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "log.xes"


def test_states_are_the_last_events(file: Path) -> None:
    file.write_text(
        log(event("a") + event("b") + event("a &amp; c"), event("a") + event("a") + event("b")),
        encoding="utf-8",
    )
    world = world_from_log(file)
    assert world.letters == ("a", "a & c", "b")
    assert world.available(world.number["a"]) == (
        "a",
        "b",
        "stop",
    )
    paths = demonstrations_from_log(world, file)
    problem = Problem.of(world, paths)
    assert [problem.word(path) for path in paths] == [("a", "b", "a & c"), ("a", "a", "b")]
    assert all(path.complete for path in paths)
    two = world_from_log(file, last=2)
    assert set(two.states) == {"(start)", "a", "a > b", "b > a & c", "a > a", "(stopped)"}
    assert two.label(two.number["a > b"]) == "b"
    assert {two.label(two.number[name]) for name in ("(start)", "(stopped)")} == {None}


def test_time_orders_and_lifecycle_chooses(file: Path) -> None:
    late, early = "2024-05-01T12:00:00+02:00", "2024-05-01T10:30:00Z"
    file.write_text(
        log(event("b", early, "complete") + event("a", late, "COMPLETE") + event("c", late, "start"))
    )
    world = world_from_log(file, lifecycle="complete")
    (path,) = demonstrations_from_log(world, file, lifecycle="complete")
    assert path.named(world) == ["a", "a", "b", "b"]
    assert world_from_log(file).letters == ("a", "b", "c")
    with pytest.raises(FileError, match="has no events with this lifecycle"):
        world_from_log(file, lifecycle="pause")


def test_attributes_can_be_states(file: Path) -> None:
    inside = '<event><string key="concept:name" value="go"/><string key="room" value="{}"/></event>\n'
    file.write_text(log(inside.format("hall") + inside.format("door")))
    world = world_from_log(file, state="room", labels="states", episode=Episode(horizon=2))
    assert world.states == ("hall", "door", "(end)")


BAD = {
    "entities": (LAUGHS, "line 2: declares a document type or entities"),
    "a document type": ('<!DOCTYPE log SYSTEM "http://x">\n<log/>\n', "line 1: declares a document type"),
    "no XES": ("<html>\n</html>\n", 'line 1: is not XES: expected the element "log", found "html"'),
    "no XML": ("<log>\n<trace>\n</log>\n", "line 3: not XML: mismatched tag"),
    "cut": (log(event("a"))[:-8], "not XML: no element found"),
    "empty": ("", "is empty"),
    "no events": (log(), "has no events"),
    "no name": (
        '<log><trace>\n<event><int key="n"/></event></trace></log>',
        "line 2: .*it has: n",
    ),
    "no date": (
        log(event("a", "noon") + event("b", "2024-05-01")),
        "line 5: time:timestamp: .* a date",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_refused(file: Path, what: str) -> None:
    text, told = BAD[what]
    file.write_text(text)
    with pytest.raises(FileError, match=told):
        world_from_log(file)
