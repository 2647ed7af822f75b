"""Desks: each open page has one, with a process of its own that searches, and the events that it is told.

A desk outlives a lost connection by a few seconds; then its search is stopped, and its process ends.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict

from demospec.errors import DemospecError
from demospec.studio.opening import Document, Limits
from demospec.studio.worker import start_line

KEPT = 400  # events for a page that was away
LONGEST = 64 * 1024 * 1024  # bytes of one event
BEAT = 5.0  # seconds between signs of life


class Refused(DemospecError):
    """A request that is not done, with the status that says why."""

    def __init__(self, message: str, status: int = 409) -> None:
        super().__init__(message)
        self.status = status


class Process:
    """A worker process, and the lines that it writes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls) -> Process:
        """Start a process; it imports what it needs while nobody waits."""
        pipe = asyncio.subprocess.PIPE
        own = asyncio.create_subprocess_exec(
            *start_line(), stdin=pipe, stdout=pipe, limit=LONGEST, start_new_session=True
        )
        return cls(await own)

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def send(self, request: Document) -> None:
        """Write a request."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            await self.process.stdin.drain()

    async def events(self) -> AsyncIterator[Document]:
        """Yield what the process writes, until it ends."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            yield json.loads(line)

    async def end(self) -> None:
        """End the process, whatever it does."""
        if self.alive:
            with suppress(ProcessLookupError):
                self.process.kill()
        await self.process.wait()


class Desk:
    """What the server holds for one page."""

    def __init__(self, desks: Desks) -> None:
        self.desks, self.name = desks, secrets.token_urlsafe(9)
        self.process: Process | None = None
        self.listening: asyncio.Task[None] | None = None
        self.told: deque[tuple[int, Document]] = deque(maxlen=KEPT)
        self.count = 0
        self.news = asyncio.Event()
        self.searches = 0
        self.running = 0  # the number of the search that is under way, or 0
        self.turn: asyncio.Task[None] | None = None  # waits until this page may search
        self.questions: dict[int, asyncio.Future[Document]] = {}
        self.asked = 0
        self.listeners = 0
        self.left = time.monotonic()  # when the last listener went
        self.closed = False

    # -- events ------------------------------------------------------------------------------------------

    def tell(self, event: Document) -> None:
        """Keep an event, and wake who listens."""
        self.count += 1
        self.told.append((self.count, event))
        self.wake()

    def wake(self) -> None:
        """Let those go on who wait for news."""
        self.news.set()
        self.news = asyncio.Event()

    async def events(self, after: int) -> AsyncIterator[tuple[int, Document | None]]:
        """Yield events after a number as they come, and None now and then as a sign of life."""
        self.listeners += 1
        try:
            while not self.closed:
                news = self.news
                for number, event in [one for one in self.told if one[0] > after]:
                    after = number
                    yield number, event
                if not await happens(news, BEAT):
                    yield after, None
        finally:
            self.listeners -= 1
            self.left = time.monotonic()

    # -- searches ----------------------------------------------------------------------------------------

    async def learn(self, document: Document, seed: int) -> int:
        """Begin a search; one that is under way is dropped."""
        await self.drop()
        self.searches += 1
        number = self.running = self.searches
        request = {"do": "learn", "search": number, "document": document, "seed": seed}
        self.turn = asyncio.create_task(self.search({**request, "limits": asdict(self.desks.limits)}))
        return number

    async def search(self, request: Document) -> None:
        """Wait for the turn, and hand the search to the process."""
        number = request["search"]
        if self.desks.places.locked():
            busy = f"{self.desks.limits.searches} searches are running, which is as many as run at once"
            self.tell({"event": "waiting", "search": number, "message": f"{busy}; this one waits"})
        async with self.desks.places:
            if self.running != number:
                return
            process = await self.have_process()
            await process.send(request)
            began = time.monotonic()
            while self.running == number and process.alive and not self.closed:
                news = self.news
                if time.monotonic() - began > self.desks.limits.seconds * 1.5 + 10:
                    self.tell({"event": "refused", "search": number, "message": "the search took too long"})
                    self.running = 0
                    await process.end()
                    return
                await happens(news, 1.0)

    async def control(self, what: str) -> None:
        """Pause the search, let it go on, or stop it."""
        if self.process is not None and self.running:
            await self.process.send({"do": what, "search": self.running})

    async def drop(self) -> None:
        """Give up the search that is under way; a process that does not hear is ended."""
        number, self.running = self.running, 0
        turn, self.turn = self.turn, None
        self.wake()
        if number and self.process is not None:
            await self.process.send({"do": "drop", "search": number})
        if turn is not None and not turn.done():
            with suppress(asyncio.TimeoutError, asyncio.CancelledError):
                async with asyncio.timeout(0.05):
                    await asyncio.shield(turn)
            turn.cancel()

    async def have_process(self) -> Process:
        """Return the desk's process, started if there is none."""
        if self.process is None or not self.process.alive:
            self.process = await self.desks.spare_process()
            self.listening = asyncio.create_task(self.listen(self.process))
        return self.process

    async def listen(self, process: Process) -> None:
        """Hear what the process says, until it is gone; if nobody ended it, the page is told."""
        async for event in process.events():
            ask = event.get("ask")
            if ask is not None:
                waiting = self.questions.pop(ask, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(event)
                continue
            search = event.get("search")
            if search is None or (search != self.running and search != self.searches):
                continue
            if event["event"] in ("done", "dropped", "refused") and search == self.running:
                self.running = 0
            if event["event"] != "dropped":
                self.tell(event)
        code = await process.process.wait()
        for waiting in self.questions.values():
            if not waiting.done():
                waiting.set_result({"event": "refused", "message": lost_words(code), "lost": True})
        self.questions.clear()
        if self.process is process:
            self.process = None
            if not self.closed:
                self.running = 0
                self.tell({"event": "lost", "message": lost_words(code)})

    async def ask(self, what: str, told: Document) -> Document:
        """Ask the process about the last result."""
        if self.running:
            raise Refused("the search is still running")
        if self.process is None or not self.process.alive or not self.searches:
            raise Refused("the result is not there any more: learn again", 410)
        self.asked += 1
        waiting: asyncio.Future[Document] = asyncio.get_running_loop().create_future()
        self.questions[self.asked] = waiting
        await self.process.send({"do": "ask", "ask": self.asked, "what": what, "told": told})
        try:
            async with asyncio.timeout(self.desks.limits.seconds):
                found = await waiting
        except TimeoutError:
            raise Refused("the answer took too long", 503) from None
        if found["event"] == "refused":
            raise Refused(found["message"], 410 if found.get("lost") else 422)
        answer: Document = found["answer"]
        return answer

    async def close(self) -> None:
        """Stop the search, and end the process."""
        self.closed = True
        self.running = 0
        if self.turn is not None:
            self.turn.cancel()
        self.news.set()
        if self.process is not None:
            await self.process.end()
        if self.listening is not None:
            with suppress(asyncio.CancelledError):
                await self.listening


async def happens(news: asyncio.Event, seconds: float) -> bool:
    """Wait for an event, so many seconds at most; say whether it came."""
    with suppress(TimeoutError):
        return await asyncio.wait_for(news.wait(), seconds)
    return False


def lost_words(code: int | None) -> str:
    """Say that a process is gone."""
    how = f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
    return f"The process that searched {how}. Nothing that you drew is lost: learn again."


class Desks:
    """All desks of a server, a process that is ready for the next page, and the places for searches."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.all: dict[str, Desk] = {}
        self.places = asyncio.Semaphore(limits.searches)
        self.spare: asyncio.Task[Process] | None = None
        self.watch: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Get ready: the first process imports what it needs."""
        self.spare = asyncio.create_task(Process.start())
        self.watch = asyncio.create_task(self.close_left())

    async def spare_process(self) -> Process:
        """Return a process that is ready, and start the next."""
        task, self.spare = self.spare, asyncio.create_task(Process.start())
        process = await (Process.start() if task is None else task)
        return process if process.alive else await Process.start()

    async def open(self) -> Desk:
        """Give a page a desk, with a process that is ready when it is needed."""
        if len(self.all) >= self.limits.pages:
            away = [one for one in self.all.values() if not one.listeners]
            if not away:
                full = f"{self.limits.pages} pages of the studio are open, which is as many as it takes"
                raise Refused(f"{full}; close one", 429)
            await self.close(min(away, key=lambda one: one.left))
        desk = Desk(self)
        self.all[desk.name] = desk
        await desk.have_process()
        return desk

    def find(self, name: str) -> Desk:
        """Return a page's desk."""
        if name not in self.all:
            raise Refused("the server does not know this page any more", 404)
        return self.all[name]

    async def close(self, desk: Desk) -> None:
        """Take a desk away."""
        self.all.pop(desk.name, None)
        await desk.close()

    async def close_left(self) -> None:
        """Take away the desks of pages that were closed."""
        while True:
            await asyncio.sleep(min(1.0, self.limits.grace / 4))
            now = time.monotonic()
            for desk in list(self.all.values()):
                if not desk.listeners and now - desk.left > self.limits.grace:
                    await self.close(desk)

    async def end(self) -> None:
        """End all processes."""
        if self.watch is not None:
            self.watch.cancel()
        for desk in list(self.all.values()):
            await self.close(desk)
        if self.spare is not None:
            with suppress(asyncio.CancelledError):
                await (await self.spare).end()
