"""The other end of `Processes`: a process that does what it is asked, and is gone when nobody can ask."""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import traceback
from typing import IO, Any

from demospec.errors import DemospecError, InputError, WorkerError


def serve() -> None:
    """Answer requests (function, item, token of the shared value, its pickle if it is new) until the end."""
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed must not get between the answers
    threading.Thread(target=read, args=(sys.stdin.buffer, requests), daemon=True).start()
    held, shared = None, None
    while True:
        message = requests.get()
        try:
            function, item, token, fresh = pickle.loads(message)
            if token != held:
                held, shared = token, pickle.loads(fresh)
            answer = pickle.dumps((True, function(shared, item)), protocol=pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            answer = pickle.dumps((False, portable(error)), protocol=pickle.HIGHEST_PROTOCOL)
        send(answers, answer)


def read(stream: IO[bytes], requests: queue.SimpleQueue[Any]) -> None:
    """Pass requests on; leave at once, whatever is being done, when the asking process is gone."""
    while True:
        message = receive(stream)
        if message is None:
            os._exit(0)
        requests.put(message)


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message with its length."""
    stream.write(len(message).to_bytes(8, "big"))
    stream.write(message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read a message; None when the other end is gone, be it in the middle of one."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    length = int.from_bytes(head, "big")
    message = stream.read(length)
    return None if len(message) < length else message


def portable(error: Exception) -> Exception:
    """Return an error that can be raised in another process: itself, where it survives the journey."""
    told = "".join(traceback.format_exception(error))
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:  # its constructor asks for more than a pickle brings
        again = None
    if type(again) is type(error) and str(again) == str(error):
        if not isinstance(error, DemospecError):
            error.add_note(f"in a worker:\n{told}")
        return error
    return (
        InputError(str(error))
        if isinstance(error, DemospecError)
        else WorkerError(f"a worker failed: {told}")
    )
