"""The benchmark over DFAMiner's sets: it goes on after it was killed, and its tables come from its rows."""

from __future__ import annotations

import importlib.util
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "dfaminer.py"
WORDS = "4 2\n1 1 0\n0 1 1\n1 2 1 0\n0 0\n"  # ends in 0
LOG = "Looking for DFA with 2 states...\nFound a DFA with size 2\nElapsed time in miner: 0.5 secs\n"


@pytest.fixture(scope="module")
def bench() -> Any:
    specification = importlib.util.spec_from_file_location("dfaminer", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["dfaminer"] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in (1, 2):
        path = tmp_path / "sets" / "4" / f"res4-{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WORDS)
    return tmp_path / "sets"


def test_sets_are_read_from_a_folder_and_from_an_archive(bench: Any, folder: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "dfaminer.tar.xz", "w:xz") as tar:
        tar.add(folder / "4", arcname="4")
    assert bench.read_sets(folder) == bench.read_sets(tmp_path) == {(4, 1): WORDS, (4, 2): WORDS}


def test_a_folder_without_sets_says_where_they_are(bench: Any, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="liyong31/DFAMiner"):
        bench.read_sets(tmp_path)


def test_a_killed_run_goes_on(bench: Any, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    sets = bench.read_sets(folder)
    wanted = [(4, 1, 50, "demospec"), (4, 2, 50, "demospec")]
    bench.run(sets, bench.Rows(path), wanted[:1], 10)
    whole = path.read_text()
    path.write_text(whole + whole[:20])  # cut off in the middle of the second line
    rows = bench.Rows(path)
    bench.run(sets, rows, wanted, 10)
    assert [row.states for row in bench.Rows(path).rows.values()] == [2, 2]
    assert path.read_text().startswith(whole)
    before = path.read_text()
    bench.run(sets, bench.Rows(path), wanted, 10)
    assert path.read_text() == before


def test_a_set_over_the_limit_is_tried_again_with_a_longer_one(bench: Any, tmp_path: Path) -> None:
    rows = bench.Rows(tmp_path / "rows.jsonl")
    rows.add(bench.Row(4, 1, 50, 4, None, 1.0, 1.0, 1.0))
    key = (4, 1, 50, "demospec")
    assert rows.settled(key, 1)
    assert not rows.settled(key, 2)
    rows.add(bench.Row(4, 1, 50, 4, 2, 1.5, 1.5, 2.0))
    assert rows.settled(key, 1000)


def test_numbers_of_states_are_compared_with_the_logs(bench: Any, folder: Path, tmp_path: Path) -> None:
    (folder / "4" / "sdfaminres4-1.txt").write_text(LOG)
    (folder / "4" / "sdfaminres4-2.txt").write_text(LOG.replace("size 2", "size 3"))
    logs, all_of_them = bench.read_logs(folder)
    assert all_of_them
    rows = bench.Rows(tmp_path / "rows.jsonl")
    bench.run(bench.read_sets(folder), rows, [(4, 1, 50, "demospec"), (4, 2, 50, "demospec")], 10)
    printed = "\n".join(bench.tables(rows, logs, all_of_them))
    assert "| 1 of 2 |" in printed
    assert "1 sets have another number of states" in printed


def test_a_sparse_set_is_a_part_of_the_whole(bench: Any) -> None:
    examples, _ = bench.build_examples(bench.parse_abbadingo(WORDS, "x"))
    few = bench.thinned(examples, (1, 1, 2, "demospec"))
    assert len(few) == 2
    assert set(few.labels) < set(examples.labels)
    assert few == bench.thinned(examples, (1, 1, 2, "demospec"))


def test_the_kept_logs_are_of_the_sets(bench: Any) -> None:
    kept = json.loads(bench.SHARED_LOGS.read_text())["logs"]
    assert len({(n, i) for n, i, _, _ in kept}) == len(kept)
    assert all(4 <= n <= 16 and 1 <= i <= 100 and 1 <= states <= n for n, i, states, _ in kept)
