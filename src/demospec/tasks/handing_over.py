"""What every task can do: write itself in the forms that other programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from demospec.tasks.task import Task


class HandedOver:
    """The methods by which a task is handed over; `demospec.tasks.formats` has the forms themselves."""

    def _written(self, name: str) -> str:
        from demospec.tasks.formats import format_named  # which stands on tasks

        return format_named(name).write(cast("Task", self))

    def to_dot(self) -> str:
        """Return the task as a graph for Graphviz; `DFA.from_dot` reads it back."""
        return self._written("dot")

    def to_hoa(self) -> str:
        """Return the task in the Hanoi omega-automata format; `DFA.from_hoa` reads it back.

        One proposition holds at a time; a finite word is accepted when its run ends in a marked state.
        """
        return self._written("hoa")

    def to_prism(self) -> str:
        """Return the task as a module for PRISM and Storm."""
        return self._written("prism")

    def to_python(self) -> str:
        """Return the task as a Python module with a class `Monitor`."""
        return self._written("python")

    def to_gymnasium(self) -> str:
        """Return the task as a Python module with a Gymnasium wrapper, `TaskWrapper`."""
        return self._written("gymnasium")

    def to_reward_machine(self) -> str:
        """Return the task in the text form of reward machines; `DFA.from_reward_machine` reads it back."""
        return self._written("reward-machine")

    def to_ltlf(self) -> str:
        """Return a formula; refuse where none is found that is short."""
        return self._written("ltlf").removesuffix("\n")

    def to_regex(self) -> str:
        """Return a regular expression; refuse where it would be long."""
        return self._written("regex").removesuffix("\n")
