"""One table of settings: file keys, options and the document follow from it."""

from __future__ import annotations

import importlib.util
from dataclasses import fields
from pathlib import Path

import click
import msgspec
import pytest

from demospec.cli.options import setting_options
from demospec.errors import InputError
from demospec.files.tables import SearchTable
from demospec.problem.settings import PaperSettings, Settings, read_setting, table

DOCS = Path(__file__).parent.parent / "docs"


def test_every_setting_is_a_key_and_an_option() -> None:
    names = [one.name for one in (*fields(Settings), *fields(PaperSettings)) if one.name != "paper"]
    assert [one.name for one in table()] == names
    assert [one.name for one in msgspec.structs.fields(SearchTable)] == [*names, "paper"]
    assert list(Settings().by_name) == names

    @click.command()
    @setting_options(*names)
    def command() -> None:
        """Do nothing."""

    assert [one.name for one in command.params] == [*names, "changed"]
    assert all(one.default is None or one.multiple for one in command.params if isinstance(one, click.Option))


def test_the_document_is_the_table() -> None:
    specification = importlib.util.spec_from_file_location("make_settings", DOCS / "make_settings.py")
    assert specification is not None
    assert specification.loader is not None
    made = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(made)
    assert (DOCS / "settings.md").read_text(encoding="utf-8") == made.page()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"iterations": 0}, "iterations must be at least 1; found 0"),
        ({"pivot_temperature": 0.0}, "pivot_temperature must be above 0; found 0"),
        ({"final_temperature": float("nan")}, "final_temperature must be a finite number; found nan"),
        ({"initial_temperature": -1.0}, "initial_temperature must be at least 0; found -1"),
        ({"max_seconds": float("inf")}, "max_seconds must be a finite number; found inf"),
        ({"max_seconds": 0.0}, "max_seconds must be above 0; found 0"),
        ({"method": "expolre"}, r'method "expolre" is none of .*did you mean "explore"'),
    ],
)
def test_what_a_setting_cannot_be(setting: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Settings().with_values(**setting)


def test_no_pivot_is_preferred_at_an_infinite_temperature() -> None:
    assert PaperSettings(pivot_temperature=float("inf")).pivot_temperature == float("inf")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("search.iterations=7", "iterations", 7),
        ("search.paper.candidates = 40", "candidates", 40),
        ("search.candidates=40", "candidates", 40),  # as in earlier files
        ("search.paper.pivot_temperature=inf", "pivot_temperature", float("inf")),
        ("search.paper.refine=true", "refine", True),
        ("search.method=paper", "method", "paper"),
        ("search.without=edits,products", "without", ("edits", "products")),
        ("search.max_seconds=2.5", "max_seconds", 2.5),
    ],
)
def test_a_setting_as_one_text(text: str, name: str, value: object) -> None:
    assert read_setting(text) == (name, value)
    assert Settings().with_values(**{name: value}).by_name[name] == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("search.iterations", "search.KEY=VALUE"),
        ("search.iteration=3", r'no setting is called "search.iteration" .did you mean "search.iterations"'),
        ("search.paper.candidate=3", 'did you mean "search.paper.candidates"'),
        ("iterations=3", 'did you mean "search.iterations"'),
        ("search.iterations=many", 'search.iterations must be a whole number; found "many"'),
        ("search.paper.refine=yes", "search.paper.refine must be true or false"),
        ("search.iterations=0", r"search.iterations.*at least 1; found 0"),
        ("search.paper.candidates=0", "search.paper.candidates.*at least 1; found 0"),
        ("search.method=papr", r'search.method.*"papr" is none of .*did you mean "paper"'),
    ],
)
def test_a_setting_that_cannot_be_set_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_setting(text)
