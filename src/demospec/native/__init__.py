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

Int, Long, Address = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
TYPES = {
    "i": Int,
    "l": Long,
    "u": ctypes.c_uint64,
    "d": ctypes.c_double,
    "a": Address,  # of numbers one behind the other, or of what another function returned; 0: of nothing
    "I": ctypes.POINTER(Int),
    "L": ctypes.POINTER(Long),
    "-": None,
}
_WORLD = "aaaaaaaa i llll a"  # a `Structure`'s addresses, its letters, states, actions, horizon and starts
# What each function of the library returns, and what it takes: see the C file that is named.
FUNCTIONS = {
    # tables.c
    "canonical": "i: ii a i aaa",
    "found_counts": "i: a LL",
    "found_copy": "-: a aaaa",
    "found_close": "-: a",
    "leads": "-: l i aaaa",
    # edits.c and monitors.c
    "edits": "a: ii aa i",
    "detours": "a: ii aa i l",
    "products": "a: ii aaa l a ii a",
    "monitors": "a: ii aaa i a",
    # automata.c
    "automata_open": "a: ii aaaa i a i a uuu a",
    "automata_next": "i: a i a II i l aa I",
    "automata_close": "-: a",
    # backup.c, together.c and pairs.c
    "back_up": "-: aaaaaaaa i l ii aaa llll aaa a",
    "surprises": f"i: {_WORLD} a l aa l aaaaa i aaa d i aaa a",
    "seconds": f"i: {_WORLD} i aaa i a d i a a",
}


@cache
def library() -> ctypes.CDLL | None:
    """Return the compiled library, whose functions know their types; None where there is none."""
    chosen = os.environ.get("DEMOSPEC_NATIVE", "1")
    if chosen == "0":
        return None
    if os.path.isabs(chosen):  # another build, as one that checks every access to memory
        return _typed(ctypes.CDLL(chosen))
    for file in sorted(Path(__file__).parent.glob("_library*")):
        if file.suffix in SUFFIXES:
            try:
                return _typed(ctypes.CDLL(str(file)))
            except (OSError, AttributeError):  # built for another machine, or for another version
                continue
    return None


def _typed(found: ctypes.CDLL) -> ctypes.CDLL:
    for name, signature in FUNCTIONS.items():
        result, arguments = signature.split(":")
        function = getattr(found, f"demospec_{name}")
        function.restype = TYPES[result]
        function.argtypes = [TYPES[sign] for sign in arguments.replace(" ", "")]
    return found
