"""A command says how many threads matrices may have, before NumPy is loaded and reads it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CODE = (
    "import os, sys, demospec, demospec.cli\n"
    "before = 'numpy' in sys.modules\n"
    "try: demospec.cli.main(['example', 'robot'])\n"
    "except SystemExit: pass\n"
    "print(before, 'numpy' in sys.modules, os.environ['OPENBLAS_NUM_THREADS'], file=sys.stderr)"
)


@pytest.mark.parametrize(("given", "found"), [(None, "1"), ("3", "3")])
def test_matrices_have_one_thread_unless_told_otherwise(given: str | None, found: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    if given is not None:
        environment["OPENBLAS_NUM_THREADS"] = given
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == ["False", "True", found]
