"""The reference says all there is: every option, key of a file, key of JSON and public name."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click
import msgspec
import pytest

import demospec
from demospec.cli.group import cli
from demospec.files.tables import (
    ExamplesDocument,
    GridScene,
    PaperTable,
    ProblemDocument,
    SearchTable,
    TaskDocument,
)

ROOT = Path(__file__).parent.parent
specification = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
assert specification is not None
assert specification.loader is not None
make_reference = importlib.util.module_from_spec(specification)
specification.loader.exec_module(make_reference)


# -- commands -----------------------------------------------------------------------------------------


def every_command(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from every_command(inner, (*path, name))
    else:
        yield " ".join(path), command


def test_every_option_of_every_command_is_in_the_reference() -> None:
    sections = dict(
        re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", make_reference.commands() + "\n", re.MULTILINE)
    )
    looked_at = 0
    for name, command in every_command(cli, ("demospec",)):
        defined = re.findall(r"^`(-.*)`\n: \S", sections[name], re.MULTILINE)
        told = {option for line in defined for option in re.findall(r"(?<![\w|])--?\w[\w-]*", line)}
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert {*parameter.opts, *parameter.secondary_opts} <= told, name
                looked_at += 1
            elif isinstance(parameter, click.Argument):
                assert parameter.metavar is None or parameter.metavar.strip("[]").split()[0] in sections[name]
    assert looked_at > 90


def test_defaults_are_told() -> None:
    text = make_reference.commands()
    assert re.search(r"`--most \w+`\n: .*Default: `20`", text)
    assert re.search(r"`--iterations \w+`\n: .*Default: .*`100`", text)


# -- files --------------------------------------------------------------------------------------------


def structs_below(hint: Any, found: dict[str, Any]) -> None:
    """Collect every table that a file can hold."""
    for inner in get_args(hint):
        structs_below(inner, found)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct) and hint.__name__ not in found:
        found[hint.__name__] = hint
        for one in msgspec.structs.fields(hint):
            structs_below(one.type, found)


def test_every_key_of_every_file_is_in_the_reference() -> None:
    text = make_reference.problem_file() + make_reference.other_files()
    sections = dict(re.findall(r"^### (.*)\n((?:(?!###).*\n)*)", text, re.MULTILINE))
    rows = {
        struct: {*re.findall(r"^\| `(\w+)` \| .+ \| .* \| .+ \|$", sections[heading], re.MULTILINE)}
        for heading, struct in make_reference.tables().values()
    }
    found: dict[str, Any] = {}
    for document in (ProblemDocument, TaskDocument, ExamplesDocument):
        structs_below(document, found)
    assert len(found) > 25
    for name, struct in found.items():
        keys = {one.encode_name for one in msgspec.structs.fields(struct)}
        if name.endswith("Scene"):  # a world among several has the keys of the world, and a few more
            keys -= rows[struct.__base__]
            struct = GridScene
        if struct is SearchTable:  # which has the paper's as well, for earlier files
            keys -= rows[PaperTable]
        assert keys <= rows[TaskDocument if name == "AutomatonDocument" else struct], name
        tag = found[name].__struct_config__.tag
        assert tag is None or f'kind = "{tag}"' in text


def test_nothing_is_told_of_keys_that_are_not_there() -> None:
    for name, (_, struct) in make_reference.tables().items():
        there = {one.encode_name for one in msgspec.structs.fields(struct)}
        assert {*make_reference.keys().get(name, {})} - {"_about"} <= there, name
    assert {*make_reference.keys()} <= {*make_reference.tables()}


# -- JSON ---------------------------------------------------------------------------------------------

FILES = Path(__file__).parent / "reference_files"
EXAMPLES = {"robot.toml": "robot", "paper.toml": "robot-paper", "delivery.toml": "delivery"}


RUNS = {  # every key is printed by one of them, but for those of SELDOM
    "learn": [
        "demospec learn robot.toml --word 'b y' --json",
        "demospec learn paper.toml --method paper --iterations 5 --json",
        "demospec learn corridor.toml --iterations 3 --json",
        "demospec learn two.toml --json",
        "demospec learn two.toml --method paper --iterations 5 --json",
        "demospec learn two.toml --all-of 2 --iterations 3 --out out > told; cat out/result.json",
    ],
    "score": [
        "demospec score robot.toml 'reach y' --json",
        "demospec score two.toml 'reach a' --json",
        "demospec score robot.toml 'reach y' --out out > told; cat out/score.json",
    ],
    "sample": [
        "demospec sample robot.toml 'reach y' --count 2 --json",
        "demospec learn robot.toml --json > result.json; "
        "demospec sample robot.toml result.json --count 1 --json",
        "demospec sample starts.toml 'reach a' --json",
        "demospec sample two.toml 'reach a' --world first --json",
    ],
    "identify": [
        "demospec identify words.txt --count 2 --json",
        "demospec identify noisy.txt --trade-off --flip-bits 8 --count 2 --json",
    ],
    "describe": ["demospec describe 'reach y; never r' --world robot.toml --json"],
    "diff": [
        "demospec diff 'reach y' 'never r' --json",
        "demospec diff 'reach y' 'never r' --world robot.toml --json",
        "demospec diff 'reach a' 'never a' --world two.toml --json",
    ],
    "monitor": ["demospec monitor 'reach y' runs.txt --json"],
    "export": ["demospec export 'reach y' --format json --json"],
    "policy": [
        "demospec policy robot.toml 'reach y' --path 1 --json",
        "demospec learn robot.toml --json > result.json; demospec policy robot.toml result.json --json",
    ],
    "check": [
        f"demospec check {name}.toml --json"
        for name in ("robot", "two", "corridor", "tickets", "copies", "done", "starts", "walk")
    ],
    "ask": [
        "demospec ask delivery.toml --json --most 2 --iterations 5",
        "demospec ask delivery.toml --kind start --json --most 3 --iterations 5",
        "demospec ask robot.toml --kind edit --json --most 1 --iterations 2",
    ],
    "example": ["demospec example --json", "demospec example robot --json"],
    "reproduce": ["demospec reproduce monolithic --seeds 0 --iterations 3 --json"],
}
SELDOM = {
    "learn": {"_ClaimJSON.at_most"},
    "score": {"_MonitorStateJSON.reward", "_MonitorStateJSON.satisfied"},  # of a belief
    "export": {"ExportJSON.base64"},
}


def full_name(struct: type, key: str) -> str:
    """Return the name of a key: the struct that says it first, and the key."""
    return (
        f"{next(one for one in struct.__mro__ if key in vars(one).get('__annotations__', ())).__name__}.{key}"
    )


def keys_of(hint: Any) -> dict[str, str]:
    """Return what is told of each key that a document can have, by struct; task files are told elsewhere."""
    found: dict[str, Any] = {}
    structs_below(hint, found)
    return {
        key: one.type.__metadata__[0]
        for struct in found.values()
        for one in msgspec.structs.fields(struct)
        if not (key := full_name(struct, one.name)).startswith("TaskJSON.")
    }


def keys_in(value: object) -> Iterator[str]:
    """Yield the keys that a document has."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if (inner := getattr(value, name)) is not msgspec.UNSET:
                yield full_name(type(value), name)
                yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)


@pytest.mark.slow
@pytest.mark.parametrize("command", RUNS)
def test_what_is_printed_is_what_the_types_say(command: str, tmp_path: Path) -> None:
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    for name, example in EXAMPLES.items():
        source = Path(demospec.__file__).parent / "problems" / f"{example}.toml"
        (tmp_path / name).write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    hint = make_reference.json_documents()[command]
    seen: set[str] = set()
    for line in RUNS[command]:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        # A key that no type has is refused here, and so is a value of another type.
        seen |= {*keys_in(msgspec.convert(json.loads(done.stdout), hint))}
    assert sorted({*keys_of(hint)} - seen - SELDOM.get(command, set())) == []


@pytest.mark.parametrize("command", RUNS)
def test_every_key_of_json_is_in_the_reference(command: str) -> None:
    text = make_reference.json_output() + "\n"
    sections = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text, re.MULTILINE))
    hint = make_reference.json_documents()[command]
    for key, told in keys_of(hint).items():
        assert told.endswith("."), key
        assert f"| {told}" in sections[command], key


def test_every_command_with_json_is_in_the_reference() -> None:
    with_json = {
        name.removeprefix("demospec ")
        for name, command in every_command(cli, ("demospec",))
        if any("--json" in parameter.opts for parameter in command.params)
    }
    assert with_json - {"resume"} == {*make_reference.json_documents()}  # `resume` prints what `learn` prints
    assert {*RUNS} == {*make_reference.json_documents()}


# -- Python -------------------------------------------------------------------------------------------


def test_every_public_name_is_in_the_reference() -> None:
    text = make_reference.python_names()
    for name in demospec.__all__:
        assert re.search(rf"^\.\. auto(class|function):: demospec\.{name}$", text, re.MULTILINE), name


def test_what_documents_import_is_in_the_reference() -> None:
    text = make_reference.python_names() + make_reference.python_modules()
    for document in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        found = re.findall(
            r"^from (demospec[\w.]*) import (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE
        )
        for module, names in found:
            for name in names.split("#")[0].split(","):
                public = name.strip()
                if public.isupper():  # a constant stands with what it lists
                    continue
                short = f"demospec.{public}"
                assert f":: {module}.{public}\n" in text or f":: {short}\n" in text, (
                    f"{document.name}: {module}.{public}"
                )
