"""The command `record`: driven through a pseudo-terminal, and what its parts do."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from command_line import COMMAND, DELIVERY, INCREMENTAL, ROBOT, WITHOUT_DEMONSTRATIONS, Shell, changed, shell

from demospec import Episode, load
from demospec.ask.saving import RunsFile
from demospec.cli.record import Recording, split_keys
from demospec.errors import FileError, InputError
from demospec.worlds.gridworld import gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Drive, drawn

__all__ = ["shell"]

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
CORNERS = """# A comment that stays.
name = "corners"

[world]
kind = "gridworld"
map = '''
a..
...
..b
'''
start = [2, 2]

[episode]
horizon = 4
ends = "by choice"

[search]
iterations = 3   # and so does this one, without a line's end"""


class Terminal:
    """A command with a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        import pty

        self.end, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.seen = ""

    def read(self, wanted: str, seconds: float = 60.0) -> None:
        """Read until the screen has had some text since the last time."""
        new, until = "", time.monotonic() + seconds
        while wanted not in new:
            assert time.monotonic() < until, f"{wanted!r} is not in {new!r}"
            if select.select([self.end], [], [], 0.2)[0]:
                try:
                    data = os.read(self.end, 4096)
                except OSError:  # it has ended
                    data = b""
                if not data:
                    assert wanted in new, f"{wanted!r} is not in {new!r}"
                new += data.decode()
        self.seen += new

    def type(self, keys: str) -> None:
        os.write(self.end, keys.encode())

    def leave(self) -> int:
        code = self.process.wait(60)
        while select.select([self.end], [], [], 0)[0]:
            try:
                data = os.read(self.end, 4096)
            except OSError:
                break
            if not data:
                break
            self.seen += data.decode()
        os.close(self.end)
        return code


posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@posix
def test_two_runs_with_a_step_taken_back_are_added_and_can_be_learned_from(shell: Shell) -> None:
    shell.write("corners.toml", CORNERS)
    terminal = Terminal("record", "corners.toml")
    terminal.read("q quits")
    terminal.type(UP + RIGHT + "u")
    terminal.read("run 1: 1 of at most 4 steps, in (2, 1)")
    terminal.type(LEFT + "\r")
    terminal.read("1 run added")
    terminal.type(LEFT + UP + RIGHT + DOWN + "\r" + "q")
    assert terminal.leave() == 0
    assert "word so far: a" in terminal.seen
    assert "[a]" in terminal.seen
    assert terminal.seen.replace("\r", "").endswith("\n2 runs added to corners.toml\n")

    text = Path("corners.toml").read_text()
    assert text.startswith(CORNERS)
    first, second = tomllib.loads(text)["demonstrations"]
    assert first == {"complete": True, "path": ["up", [2, 1], "left", [1, 1]]}
    assert second["path"] == ["left", [1, 2], "up", [1, 1], "right", [2, 1], "down", [2, 2]]
    assert shell.good("learn", "corners.toml", "--json").json["ranked"]


@posix
@pytest.mark.parametrize(("signal_number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_nothing_is_lost_when_it_is_interrupted(shell: Shell, signal_number: int, code: int) -> None:
    shell.write("corners.toml", CORNERS)
    terminal = Terminal("record", "corners.toml")
    terminal.read("q quits")
    terminal.type(UP + "\r" + LEFT + UP)
    terminal.read("2 of at most 4 steps")
    terminal.process.send_signal(signal_number)
    assert terminal.leave() == code
    assert len(load("corners.toml").demonstrations) == 1
    assert 'path = ["left", [1, 2], "up", [1, 1]]' in terminal.seen
    assert "not finished" in terminal.seen


def test_without_a_terminal_it_is_refused(shell: Shell) -> None:
    shell.write("corners.toml", CORNERS)
    ran = subprocess.run([*COMMAND, "record", "corners.toml"], stdin=subprocess.DEVNULL, capture_output=True)
    assert ran.returncode == 2
    assert ran.stderr.decode().strip().endswith("it needs a terminal")


def test_files_that_nothing_can_be_added_to_are_refused(shell: Shell) -> None:
    assert "standard input is none" in shell.refusal("record", "-")
    assert "this is JSON" in shell.refusal("record", shell.write("p.json", tomllib.loads(CORNERS)))
    assert "this is JSON" in shell.refusal("record", shell.write("p", tomllib.loads(CORNERS)))
    listed = f"demonstrations = []\n{CORNERS}"
    assert "cannot be added to the end" in shell.refusal("record", shell.write("l.toml", listed))
    table = CORNERS.split("[world]")[1].replace("[episode]", "[worlds.episode]").split("[search]")[0]
    two = f'[[worlds]]\nname = "one"{table}\n[[worlds]]\nname = "two"{table}'
    shell.write("two.toml", two)
    assert 'belongs to the world "two"' in shell.refusal("record", "two.toml", "--world", "one")
    assert "needs a terminal" in shell.refusal("record", "two.toml", "--world", "two")
    recorded(shell, "two.toml", ["left", "enter"], world="two")
    assert [len(scene.demonstrations) for scene in load("two.toml").scenes] == [0, 1]


def recorded(
    shell: Shell, name: str, keys: list[str], *, world: str | None = None, seed: int = 0
) -> Recording:
    problem = load(name)
    recording = Recording(RunsFile.check(name, problem, problem.scene(world)), seed)
    recording.listen(iter(keys))
    return recording


@pytest.mark.parametrize(
    "text", [ROBOT, DELIVERY, INCREMENTAL, ROBOT.replace("\n", "\r\n"), f"\ufeff{ROBOT}"]
)
def test_the_rest_of_the_file_is_the_same_bytes(shell: Shell, text: str) -> None:
    shell.write("p.toml", text)
    before = load("p.toml")
    first = "left" if "gridworld" in text else "1"
    recording = recorded(
        shell, "p.toml", [first, "enter", first, first, "enter"], world=before.scenes[-1].name
    )
    assert recording.recorded == 2
    assert Path("p.toml").read_bytes().startswith(text.encode())
    after = load("p.toml")
    assert len(after.demonstrations) == len(before.demonstrations) + 2
    assert after.demonstrations[: len(before.demonstrations)] == before.demonstrations


def test_a_file_that_cannot_be_written_stays_what_it_was(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write("corners.toml", CORNERS)
    problem = load("corners.toml")
    recording = Recording(RunsFile.check("corners.toml", problem, problem.scene()), 0)

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("demospec.ask.saving.os.fsync", full)
    with pytest.raises(FileError, match="No space left"):
        recording.listen(iter(["up", "enter"]))
    assert Path("corners.toml").read_text() == CORNERS
    assert 'path = ["up", [2, 1]]' in recording.farewell()


def test_numbered_actions_and_more_of_them_than_keys(shell: Shell) -> None:
    world = MDP.build(
        [("s", f"action {k}", {"s" if k else "t": 1.0}) for k in range(40)],
        start="s", terminal=["t"], labels={"t": "t"}, episode=Episode(horizon=3),
    )  # fmt: skip
    rows = [["s", f"action {k}", {"s" if k else "t": 1}] for k in range(40)]
    table = {"kind": "mdp", "start": "s", "terminal": ["t"], "labels": {"t": "t"}, "transitions": rows}
    from demospec.files.toml import to_toml

    shell.write("many.toml", to_toml({"world": table, "episode": {"horizon": 3}}))
    recording = recorded(shell, "many.toml", ["next", "1"])
    ((pair, _),) = recording.drive.steps
    assert world.action(pair) == "action 33"
    assert "tab shows more actions" in list(recording.lines())
    recording.listen(iter(["1"]))
    assert "the episode is over" in list(recording.lines())
    recording.listen(iter(["2"]))
    assert recording.note == ""
    recording.listen(iter(["up"]))
    assert "the episode is over" in recording.note


def test_an_action_that_is_not_offered_and_a_run_without_a_step_are_noted(shell: Shell) -> None:
    text = changed(WITHOUT_DEMONSTRATIONS, 'blocked = "stay"', 'blocked = "unavailable"', "[5, 6]", "[1, 1]")
    shell.write("p.toml", text)
    recording = recorded(shell, "p.toml", ["up"])
    assert recording.note == '"up" is not offered in (1, 1); offered: down, right'
    recording.listen(iter(["enter"]))
    assert recording.note == "a run takes at least one step"
    recording.listen(iter(["right"]))
    assert recording.note.startswith("right led to (")


def test_keys_that_come_in_pieces_are_put_together() -> None:
    whole = f"{UP}1\x7f{LEFT}\x1bOB\r\x1b[3~q\x1b[1;2C"
    keys, rest = split_keys(whole)
    assert (keys, rest) == (["up", "1", "undo", "left", "down", "enter", "quit", "right"], "")
    for cut in range(len(whole)):
        first, rest = split_keys(whole[:cut])
        second, rest = split_keys(rest + whole[cut:])
        assert first + second == keys


def test_a_step_that_is_taken_back_does_not_throw_the_dice_again() -> None:
    world = MDP.build(
        [("s", "go", {"s": 0.5, "t": 0.25, "u": 0.25}), ("t", "go", {"s": 1}), ("u", "go", {"s": 1})],
        start={"s": 0.5, "t": 0.5}, labels={"t": "t"}, episode=Episode(horizon=9),
    )  # fmt: skip
    begun = Drive.begin(world, seed=3, run=1)
    assert begun.taken("go").undone() == begun
    assert begun.taken("go").undone().taken("go") == begun.taken("go")
    with pytest.raises(InputError, match="not offered"):
        begun.taken("come")
    counts = np.bincount([drawn([(0, 0.5), (1, 0.25), (2, 0.25)], 0, run, 1) for run in range(4000)])
    assert np.abs(counts / 4000 - [0.5, 0.25, 0.25]).max() < 4 * np.sqrt(0.25 / 4000)


def test_a_run_is_complete_where_an_episode_can_end() -> None:
    for episode, complete in [
        (Episode(horizon=3), False),
        (Episode(horizon=3, end_probability=0.1), True),
        (Episode(horizon=3, ends="by choice"), True),
    ]:
        drive = Drive.begin(gridworld(["ab."], start=(1, 1), episode=episode), seed=0, run=1).taken("right")
        assert drive.path(finished=True).complete is complete
        assert not drive.path(finished=False).complete
        over = drive.taken("left").taken("left")
        assert over.over
        assert over.path(finished=False).complete
