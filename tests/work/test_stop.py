"""One flag: set by hand or by its deadline, seen by Python, by compiled code and by solvers."""

from __future__ import annotations

import ctypes
import threading

import pytest

from demospec.work.stop import Stop, Stopped


def test_the_first_reason_counts() -> None:
    stop = Stop()
    stop.check()
    stop.set("seconds")
    stop.set("interrupted")
    with pytest.raises(Stopped, match="the time is up") as raised:
        stop.check()
    assert raised.value.reason == "seconds"


def test_compiled_code_sees_the_flag() -> None:
    stop = Stop()
    seen = ctypes.c_int.from_address(stop.address)
    assert seen.value == 0
    stop.set()
    assert seen.value == 1


def test_a_deadline_sets_it() -> None:
    called = threading.Event()
    stop = Stop(0.01)
    with stop.calling(called.set):
        assert called.wait(60)
    assert stop.reason == "seconds"
    assert stop.left == 0.0


def test_a_function_is_called_once_and_not_after_its_time() -> None:
    stop, calls = Stop(), []
    with stop.calling(lambda: calls.append("during")):
        pass
    with stop.calling(lambda: calls.append("when set")):
        stop.set()
    with stop.calling(lambda: calls.append("at once")):
        pass
    assert calls == ["when set", "at once"]


def test_a_deadline_that_is_not_needed_goes() -> None:
    stop = Stop(3600)
    assert stop.left is not None
    assert 3500 < stop.left <= 3600
    stop.close()
    assert not stop.is_set
