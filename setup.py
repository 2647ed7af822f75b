"""The compiled part: plain C, optional. Everything else is in pyproject.toml."""

import os
import sys

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel

# Nothing is fused, so that every processor gives the same bits; nobody looks at errno or at traps.
FLAGS = ["-O3", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]

NAMES = ("automata", "backup", "columns", "edits", "module", "monitors", "pairs", "tables", "together")


class OneForAll(bdist_wheel):
    """The library does not use Python's headers, so one wheel for each platform serves every Python."""

    def get_tag(self):
        """Return the tag of any Python 3 on this platform."""
        return ("py3", "none", super().get_tag()[2])


setup(
    cmdclass={"bdist_wheel": OneForAll},
    ext_modules=[
        Extension(
            "demospec.native._library",
            sources=[f"src/demospec/native/{name}.c" for name in NAMES],
            depends=[f"src/demospec/native/{name}.h" for name in ("columns", "machines", "native")],
            extra_compile_args=["/O2", "/fp:precise"] if sys.platform == "win32" else FLAGS,
            optional="DEMOSPEC_MUST_COMPILE" not in os.environ,  # else the same is done in Python
        )
    ],
)
