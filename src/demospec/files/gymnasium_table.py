"""`[world]` with kind "gymnasium": a registered environment by its name, and what is labelled."""

from __future__ import annotations

from typing import Any

import msgspec


class GymnasiumTable(msgspec.Struct, forbid_unknown_fields=True, tag="gymnasium", tag_field="kind"):
    """`[world]` with kind "gymnasium". Nothing of it is executed: features are formulas, and `id` a name."""

    id: str
    kwargs: dict[str, Any] = {}
    labels: dict[str, str] = {}
    features: dict[str, str] = {}
    terminal: list[str] = []
    actions: list[str] = []
    seed: int | list[int] = 0
    max_states: int | None = None
    samples: int | None = None
    merge_redundant: bool = False
