"""`[world]` tables that name a model of another tool: explicit files, PRISM, JANI, UMB."""

from __future__ import annotations

import msgspec

LabelsKey = list[str] | dict[str, str] | None  # those to keep, or { the model's = "ours" }


class ExplicitTable(msgspec.Struct, forbid_unknown_fields=True, tag="explicit", tag_field="kind"):
    """`[world]` with kind "explicit": .tra, .lab and .sta files, or one .drn file."""

    transitions: str
    labelling: str | None = None  # the .lab file; by default the one beside the transitions, if there is one
    states: str | None = None  # the .sta file, likewise
    labels: LabelsKey = None
    merge_redundant: bool = False


class PrismTable(msgspec.Struct, forbid_unknown_fields=True, tag="prism", tag_field="kind"):
    """`[world]` with kind "prism"."""

    file: str
    constants: dict[str, bool | int | float] = {}
    labels: LabelsKey = None
    merge_redundant: bool = False


class JaniTable(msgspec.Struct, forbid_unknown_fields=True, tag="jani", tag_field="kind"):
    """`[world]` with kind "jani"."""

    file: str
    constants: dict[str, bool | int | float] = {}
    labels: LabelsKey = None
    merge_redundant: bool = False


class UmbTable(msgspec.Struct, forbid_unknown_fields=True, tag="umb", tag_field="kind"):
    """`[world]` with kind "umb"."""

    file: str
    labels: LabelsKey = None
    merge_redundant: bool = False


ModelTable = ExplicitTable | PrismTable | JaniTable | UmbTable
