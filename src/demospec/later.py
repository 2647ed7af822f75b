"""Modules are loaded when somebody asks for what is in them, so that nobody else waits."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import NoReturn


def loading(package: str, places: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """Return a package's `__getattr__` (PEP 562): names by the module they are in, and modules by their own.

    Whoever checks types is told by imports under `TYPE_CHECKING`.
    """
    modules = {name: module for module, names in places.items() for name in names}

    def find(name: str) -> object:
        if name in modules:
            found: object = getattr(import_module(modules[name]), name)
            setattr(sys.modules[package], name, found)  # asked for once
            return found
        own = f"{package}.{name}"
        try:
            return import_module(own)
        except ModuleNotFoundError as error:
            if error.name != own:
                raise  # a module that there is needs one that there is not
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None

    return find


@contextmanager
def while_loading() -> Iterator[None]:
    """Load modules: nothing of them is garbage, and Ctrl-C ends the program, as nothing can be lost yet."""
    heeded = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if heeded:
        signal.signal(signal.SIGINT, _leave_at_once)
    before = len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if heeded:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if len(sys.modules) > before:
            gc.freeze()
        gc.enable()


def _leave_at_once(number: int, frame: FrameType | None) -> NoReturn:
    # Without another word of Python: some module may be half loaded.
    os.write(2, b"demospec: interrupted\n")
    os._exit(130)
