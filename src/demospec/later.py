"""Names of a package whose modules are loaded when somebody asks for them, so that nobody else waits."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


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
