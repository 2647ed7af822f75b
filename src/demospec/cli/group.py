"""Commands that are loaded when they are called: `learn` need not wait for what `ask` uses."""

from __future__ import annotations

from importlib import import_module

import click

MODULES = {  # that add commands, each in a module of its own
    "ask": "demospec.cli.ask",
    "bench": "demospec.cli.bench",
    "check": "demospec.cli.check",
    "describe": "demospec.cli.describe",
    "diff": "demospec.cli.describe",
    "example": "demospec.cli.check",
    "export": "demospec.cli.export",
    "identify": "demospec.cli.identify",
    "monitor": "demospec.cli.monitor",
    "policy": "demospec.cli.policy",
    "record": "demospec.cli.record",
    "reproduce": "demospec.cli.reproduce",
    "sample": "demospec.cli.sample",
    "score": "demospec.cli.score",
    "studio": "demospec.cli.studio",
}


class Commands(click.Group):
    """A group of which some commands are in modules that are not loaded yet."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*self.commands, *MODULES})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command; its module adds it."""
        if name in MODULES:
            import_module(MODULES[name])
        return super().get_command(context, name)
