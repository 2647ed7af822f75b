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
from demospec.problem.settings import Settings, table

DOCS = Path(__file__).parent.parent / "docs"


def test_every_setting_is_a_key_and_an_option() -> None:
    names = [one.name for one in fields(Settings)]
    assert [one.name for one in table()] == names
    assert [one.name for one in msgspec.structs.fields(SearchTable)] == names

    @click.command()
    @setting_options
    def command() -> None:
        """Do nothing."""

    assert [one.name for one in command.params] == names
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
        Settings(**setting)  # type: ignore[arg-type]


def test_no_pivot_is_preferred_at_an_infinite_temperature() -> None:
    assert Settings(pivot_temperature=float("inf")).pivot_temperature == float("inf")
