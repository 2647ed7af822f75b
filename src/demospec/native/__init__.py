"""The compiled part, where it could be built; everything in it exists in Python as well.

The library is plain C behind `ctypes`: one build serves every version of Python. `DEMOSPEC_NATIVE=0` in the
environment leaves it out, for comparison: automata are the same, plans agree to about 12 digits, both later.
With a path it is the library there.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

SUFFIXES = (".so", ".pyd", ".dll", ".dylib")


@cache
def library() -> ctypes.CDLL | None:
    """Return the compiled library; None where there is none."""
    chosen = os.environ.get("DEMOSPEC_NATIVE", "1")
    if chosen == "0":
        return None
    if os.path.isabs(chosen):  # another build, as one that checks every access to memory
        return ctypes.CDLL(chosen)
    for file in sorted(Path(__file__).parent.glob("_library*")):
        if file.suffix in SUFFIXES:
            try:
                return ctypes.CDLL(str(file))
            except OSError:  # built for another machine
                continue
    return None
