"""Labelled words as text: Abbadingo files and word lists give what the JSON form gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from demospec.cli.group import cli
from demospec.errors import Contradiction, InputError
from demospec.files import load_examples

ABBADINGO = "5 2\n1 1 0\n1 2 0 1\n0 0\n0 1 1\n-1 2 1 1\n"
WORD_LIST = "+ 0\n# labelled by hand\n+ 0 1\n-\n- 1  # starts wrongly\n"
AS_JSON = json.dumps({"alphabet": ["0", "1"], "accept": [["0"], ["0", "1"]], "reject": [[], ["1"]]})


def written(folder: Path, text: str) -> str:
    file = folder / "examples.txt"
    file.write_text(text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("text", [ABBADINGO, WORD_LIST])
def test_every_form_holds_the_same_words(text: str, tmp_path: Path) -> None:
    found = load_examples(written(tmp_path, text))
    assert found == load_examples(written(tmp_path, AS_JSON))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("3 2\n1 1 0\n", "examples.txt", "promises 3 words, but 1 follow"),
        ("1 2\n2 1 0\n", "line 2", 'label "2"'),
        ("1 2\n1 3 0 1\n", "line 2", "given as 3, but 2 letters follow"),
        ("1 2\n1\n", "line 2", "given as nothing"),
        ("1 2\n1 1 2\n", "line 2", 'letter "2" is not among 0 to 1'),
        ("2 2\n1 1 0\n0 1 0\n", "examples.txt", 'accepted and rejected at once: "0"'),
        ("+ a\n? b\n", "line 2", "expected + or -"),
        ("+\n", "alphabet", "letter"),
    ],
)
def test_a_malformed_file_is_refused_by_its_line(text: str, place: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        load_examples(written(tmp_path, text))
    assert place in str(refused.value)
    assert message in str(refused.value)


def test_a_word_list_names_the_word_that_contradicts_an_earlier_line(tmp_path: Path) -> None:
    with pytest.raises(Contradiction, match=r'line 3: "a b" is accepted and rejected') as refused:
        load_examples(written(tmp_path, "+ a b\n- b\n- a b\n"))
    assert refused.value.words == (("a", "b"),)


def test_time_that_is_up_leaves_what_was_found() -> None:
    arguments = ["identify", "-", "--count", "1000000", "--seconds", "0.5", "--json"]
    done = CliRunner().invoke(cli, arguments, input=AS_JSON)
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert document["stopped"] is True
    sizes = [task["size"] for task in document["tasks"]]
    assert sizes
    assert sizes == sorted(sizes)
    assert "stopped after 0.5 s" in done.stderr


def test_enough_time_is_no_stop() -> None:
    arguments = ["identify", "-", "--count", "3", "--seconds", "60", "--json"]
    done = CliRunner().invoke(cli, arguments, input=AS_JSON)
    assert json.loads(done.stdout)["stopped"] is False
