"""The compiled part: plain C, optional. Everything else is in pyproject.toml."""

import sys

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel


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
            sources=["src/demospec/native/automata.c", "src/demospec/native/module.c"],
            depends=["src/demospec/native/native.h"],
            extra_compile_args=["/O2"] if sys.platform == "win32" else ["-O3", "-fvisibility=hidden"],
            optional=True,  # without a compiler the same is done in Python
        )
    ],
)
