"""Settings and fixtures that the whole suite shares."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

from demospec.tasks import DFA
from demospec.testing.identifiers import all_languages

# A suite that is started in the background ignores Ctrl-C, and so would the commands that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("demospec", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("demospec")


@pytest.fixture(scope="session")
def small_languages() -> list[DFA]:
    """Every language of an automaton with up to 3 states over a and b, by size."""
    return all_languages(("a", "b"), 3)
