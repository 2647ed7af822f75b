"""Problem files whose worlds are models of other tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import demospec
from demospec import InputError
from demospec.cli import main
from demospec.files import ProblemDocument, build_problem, convert
from demospec.files.writing import problem_document

TRA = "3 3 4\n0 0 1 0.5 go\n0 0 0 0.5 go\n1 0 2 1 on\n2 0 2 1\n"
LAB = '0="init" 1="deadlock" 2="key"\n0: 0\n1: 2\n2: 1\n'
MODEL = """mdp
const int N;
module m
  x : [0..N] init 0;
  [go] x<N -> 0.5 : (x'=x+1) + 0.5 : true;
endmodule
label "key" = x=1;
"""
REST = '[episode]\nhorizon = 5\n[[demonstrations]]\npath = ["go", "{one}", "{more}", "{two}"]\n'


def problem_file(folder: Path, world: str, *steps: str) -> Path:
    (folder / "sub").mkdir()
    (folder / "sub" / "model.tra").write_text(TRA)
    (folder / "sub" / "model.lab").write_text(LAB)
    (folder / "sub" / "model.prism").write_text(MODEL)
    file = folder / "problem.toml"
    one, more, two = steps
    file.write_text(f"[world]\n{world}\n" + REST.format(one=one, more=more, two=two))
    return file


EXPLICIT = 'kind = "explicit"\ntransitions = "sub/model.tra"'
PRISM = 'kind = "prism"\nfile = "sub/model.prism"\nconstants = { N = 2 }'


@pytest.mark.parametrize(
    ("world", "steps", "package"),
    [
        (EXPLICIT, ("1", "on", "2"), None),
        (EXPLICIT + '\nlabelling = "sub/model.lab"\nlabels = ["key"]', ("1", "on", "2"), None),
        (PRISM, ("x=1", "go", "x=2"), "stormpy"),
    ],
)
def test_files_are_looked_up_beside_the_problem(
    world: str, steps: tuple[str, str, str], package: str | None, tmp_path: Path
) -> None:
    if package is not None:
        pytest.importorskip(package)
    problem = demospec.load(problem_file(tmp_path, world, *steps))
    assert problem.alphabet == ("key",)
    assert [problem.word(path) for path in problem.demonstrations] == [("key",)]
    assert problem.mdp.terminal.tolist() == [False, False, True]
    document = problem_document(problem)  # the model itself: the file may be gone, or be another
    assert document["world"]["kind"] == "mdp"
    again = build_problem(convert(document, ProblemDocument, "written"), Path("/nowhere"))
    assert problem_document(again) == document
    assert again.mdp.probability.tolist() == problem.mdp.probability.tolist()


def test_jani_and_umb_are_kinds_too(tmp_path: Path) -> None:
    stormpy, _ = pytest.importorskip("stormpy"), pytest.importorskip("umbi")
    world = demospec.load(problem_file(tmp_path, PRISM, "x=1", "go", "x=2")).mdp
    demospec.to_umb(world, tmp_path / "model.umb")
    program = stormpy.parse_prism_program(str(tmp_path / "sub" / "model.prism"))
    stormpy.io.export_jani_to_file(tmp_path / "model.jani", program.to_jani([])[0])
    for kind, more in (("umb", ""), ("jani", "constants = { N = 2 }\n")):
        text = f'[[worlds]]\nname = "w"\nkind = "{kind}"\nfile = "model.{kind}"\nlabels = {{ key = "k" }}\n'
        (tmp_path / "several.toml").write_text(f"{text}{more}[episode]\nhorizon = 5\n")
        found = demospec.load(tmp_path / "several.toml")
        assert found.alphabet == ("k",)
        assert found.scenes[0].mdp.states == world.states


@pytest.mark.parametrize(
    ("world", "message"),
    [
        (EXPLICIT + '\nlabels = ["kee"]', r'world: .*model\.tra: the model has no label "kee"'),
        (EXPLICIT + '\nlabels = "key"', r"world.labels: expected"),
        (EXPLICIT + "\nlines = 3", r'world: unknown key "lines"'),
        ('kind = "explicit"', r'world: the key "transitions" is missing'),
        ('kind = "explicit"\ntransitions = "gone.tra"', r"world: .*gone\.tra: cannot be read"),
        ('kind = "prsm"', r'did you mean "prism"'),
    ],
)
def test_what_is_refused_names_the_place(world: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        demospec.load(problem_file(tmp_path, world, "1", "on", "2"))


def test_check_says_where_the_world_came_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = problem_file(tmp_path, EXPLICIT, "1", "on", "2")
    told = "read from model.tra, model.lab: 3 states, 1 deadlock where episodes end"
    for options in ([], ["--json"]):
        with pytest.raises(SystemExit) as ended:
            main(["check", str(file), *options])
        assert not ended.value.code
        out = capsys.readouterr().out
        assert told in (json.loads(out)["origin"] if options else " ".join(out.split()))
