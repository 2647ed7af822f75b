"""Work on a Dask cluster: a scheduler at an address, and workers on any machines.

Dask does the work of a worker that it lost again, also the sending of what is shared. The workers need the
same version of demospec as this process.
"""

from __future__ import annotations

import logging
import pickle
import re
import socket
import time
from collections.abc import Iterable
from concurrent.futures import CancelledError
from typing import Any

from demospec.errors import InputError, WorkerError
from demospec.work.workers import ATTEMPTS, Answers, Home, Work, Workers, attempt

ANSWERS = 10.0  # seconds within which a scheduler must answer
LOOK = 1.0  # seconds between looks at whether there is still a cluster
PATIENCE = 60.0  # seconds without a worker, or without the scheduler, after which a run is given up


class Cluster(Workers):
    """The cluster at an address such as tcp://host:8786; a context manager that disconnects."""

    def __init__(self, address: str) -> None:
        place = f"cluster {address}"
        if not re.fullmatch(r"(tcp|tls|wss?)://\S+:[0-9]{1,5}", address):
            raise InputError("is no address such as tcp://host:8786", place=place)
        try:
            import distributed
        except ImportError:
            told = "a cluster needs Dask's distributed: pip install 'demospec[cluster]'"
            raise InputError(told, place=place) from None
        if not begins_to_talk(address):
            told = f"no scheduler of Dask answers within {ANSWERS:g} s"
            raise InputError(told, place=place)
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters we say ourselves
        self.address = address
        try:
            client: Any = distributed.Client  # without types
            self.client = client(address, timeout=ANSWERS, set_as_default=False)
        except OSError as error:  # so is a timeout
            raise InputError(f"cannot be used: {error}", place=place) from None
        self._last: tuple[Any, Any] | None = None  # the shared value that was asked with, and its future

    def close(self) -> None:
        self._last = None
        self.client.close(timeout=ANSWERS)

    def answers(self, function: Work, items: list[Any], shared: Any, home: Home) -> Answers:
        """Yield answers; Dask repeats what a lost worker did."""
        places = sorted(self._places()) if home is not None else []

        def submit(item: Any, *, again: bool = False) -> Any:
            prefers: dict[str, Any] = {}
            if home is not None and places and not again:
                prefers = {"workers": [places[home(item) % len(places)]], "allow_other_workers": True}
            held = self._held(shared, again=again)
            return self.client.submit(attempt, function, held, item, pure=False, **prefers)

        futures = [submit(item) for item in items]
        try:
            for number, item in enumerate(items):
                for _ in range(ATTEMPTS):
                    answer = self._answer(futures[number])
                    if answer is not None:
                        break
                    futures[number] = submit(item, again=True)
                else:
                    raise WorkerError(
                        f"cluster {self.address}: workers were lost {ATTEMPTS} times while they did the same "
                        "piece of work; is there enough memory?"
                    )
                futures[number] = None  # the cluster need not keep it
                yield answer
        finally:
            left = [future for future in futures if future is not None]
            if left and self.client.status == "running":
                self.client.cancel(left)

    def _held(self, shared: Any, *, again: bool) -> Any:
        """Return the future of a shared value; `again` where the cluster may have given it up."""
        if again or self._last is None or self._last[0] is not shared:
            packed = pickle.dumps(shared, protocol=pickle.HIGHEST_PROTOCOL)
            # A task whose result is the value, not scattered data: that would be lost with its workers.
            self._last = shared, self.client.submit(pickle.loads, packed, pure=False)
        return self._last[1]

    def _places(self) -> Iterable[str]:
        """Return the addresses of the workers; none when the scheduler does not tell."""
        try:
            return list(self.client.nthreads())
        except OSError:
            return []

    def _answer(self, future: Any) -> tuple[bool, Any] | None:
        """Return what a future brings; None when the scheduler has given it up."""
        from distributed.scheduler import KilledWorker

        seen = time.monotonic()  # when there was last somebody to wait for
        while True:
            try:
                answer: tuple[bool, Any] = future.result(timeout=LOOK)
                return answer
            except TimeoutError:
                if self.client.status == "running" and self._places():
                    seen = time.monotonic()
            except (KilledWorker, CancelledError):
                if self.client.status == "running":
                    return None
                time.sleep(0.1)
            except Exception as error:  # before our function was even called
                raise WorkerError(
                    f"cluster {self.address}: a worker cannot do the work ({type(error).__name__}: {error}); "
                    "do all have this version of demospec?"
                ) from None
            if time.monotonic() - seen > PATIENCE:
                raise WorkerError(f"cluster {self.address}: no worker, or no scheduler, for {PATIENCE:g} s")


def begins_to_talk(address: str) -> bool:
    """Say whether something at an address begins to talk, as a scheduler does when it is connected to.

    Dask's client would wait for a silent one for ever.
    """
    kind, _, place = address.partition("://")
    host, _, port = place.rpartition(":")
    last = time.monotonic() + ANSWERS
    while (left := last - time.monotonic()) > 0:
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=left) as connection:
                if kind != "tcp" or connection.recv(1):  # behind TLS and HTTP the other side speaks first
                    return True
        except (OSError, OverflowError):  # it may be about to start
            pass
        time.sleep(0.1)
    return False
