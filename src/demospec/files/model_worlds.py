"""From tables that name a model of another tool to its world; files are looked up beside the problem's."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TypeVar

import msgspec

from demospec.files.model_tables import ExplicitTable, ModelTable, PrismTable, UmbTable
from demospec.files.tables import ProblemDocument
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode

Table = TypeVar("Table", bound=msgspec.Struct)


def located(document: ProblemDocument, folder: FilePath) -> ProblemDocument:
    """Return a problem file in which the files that its worlds name are told from the file's own folder."""
    return msgspec.structs.replace(
        document,
        world=None if document.world is None else _located(document.world, folder),
        worlds=[_located(world, folder) for world in document.worlds],
    )


def _located(table: Table, folder: FilePath) -> Table:
    if not isinstance(table, ModelTable):
        return table
    keys = ("transitions", "labelling", "states") if isinstance(table, ExplicitTable) else ("file",)
    named = {key: name for key in keys if (name := getattr(table, key)) is not None}
    return msgspec.structs.replace(table, **{key: str(folder / name) for key, name in named.items()})


def build_model(table: ModelTable, episode: Episode) -> MDP:
    """Make the world of a model that another tool describes."""
    from demospec.sources.explicit import from_explicit  # readers, which few files need
    from demospec.sources.prism import from_jani, from_prism
    from demospec.sources.umb import from_umb

    if isinstance(table, ExplicitTable):
        beside = [name for name in (table.labelling, table.states) if name is not None]
        source = [table.transitions, *beside] if beside else table.transitions
        return from_explicit(source, episode=episode, labels=table.labels)
    if isinstance(table, UmbTable):
        return from_umb(table.file, episode=episode, labels=table.labels)
    read = from_prism if isinstance(table, PrismTable) else from_jani
    return read(table.file, episode=episode, constants=table.constants, labels=table.labels)
