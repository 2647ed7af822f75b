"""The command `studio`: its address, what it begins with, and what it says without its packages."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("starlette")
HERE = [sys.executable, "-m", "demospec", "studio"]


def test_it_serves_on_this_machine_alone_and_ends_with_ctrl_c() -> None:
    started = subprocess.Popen(
        [*HERE, "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert started.stdout is not None
        line = started.stdout.readline()
        address = re.fullmatch(r"the studio is at (http://127\.0\.0\.1:\d+/[\w-]{20,}/)\n", line)
        assert address is not None, line
        started.stdout.readline()
        with urllib.request.urlopen(address[1], timeout=30) as page:
            assert b"demospec studio" in page.read()
        started.send_signal(signal.SIGINT)
        assert started.wait(20) in (0, 130)
    finally:
        started.kill()
        started.communicate()


def test_without_its_packages_it_names_the_extra() -> None:
    code = "import sys; sys.modules['starlette'] = None; from demospec.cli import main; main(['studio'])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert 'pip install "demospec[studio]"' in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "x', "not TOML"),
        ('[world]\nkind = "mdp"\nstart = "a"\ntransitions = [["a", "go", {a = 1}]]\n', "grid worlds"),
    ],
)
def test_what_it_cannot_begin_with_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "problem.toml"
    path.write_text(text)
    found = subprocess.run([*HERE, str(path)], capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert message in found.stderr
    assert str(path) in found.stderr
