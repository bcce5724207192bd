"""`Driven`: the real app with its real engine, driven by keys and watched as it paints.

The driver writes to nobody, but unlike Textual's headless one it is handed every frame,
so that the cost of making the bytes is paid and the moment of each is known.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual import events
from textual.drivers.headless_driver import HeadlessDriver

from quizapp.session.library import Entry
from quizapp.session.sitting import Sitting
from quizapp.session.trial import Trial
from quizapp.tui.app import QuizApp
from quizapp.tui.widgets.numbers import NumbersTable

SIZE = (80, 24)
PATIENCE = 120.0
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Watched(HeadlessDriver):
    """Takes frames as a terminal would, and tells `watcher` of each."""

    watcher: Callable[[str], None] = staticmethod(lambda _: None)

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        self.watcher(data)

    def press(self, key: str) -> None:
        """Send a key as the terminal's reader would."""
        self.process_message(events.Key(key, key if len(key) == 1 else None))


class Driven:
    """One running app. Made by `driven`."""

    def __init__(self, app: QuizApp, running: asyncio.Task[None]) -> None:
        self.app = app
        self.running = running

    @property
    def driver(self) -> Watched:
        """The app's driver."""
        assert isinstance(self.app._driver, Watched)
        return self.app._driver

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for `holds()`. Raises TimeoutError, and RuntimeError when the app has ended."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                if self.running.done():
                    raise RuntimeError(f"the app has ended: {self.app.last_words}")
                await asyncio.sleep(0.005)

    async def ready(self) -> None:
        """Wait until the session is open and the engine warm."""
        await self.until(lambda: self.app.session is not None and self.app.lab_word)

    async def ask(self, entry: Entry) -> None:
        """Put `entry` on the screen."""
        # A worker's context knows the app; this task's does not.
        await self.app.run_worker(self._ask(entry)).wait()
        await asyncio.sleep(0.1)  # the frame is painted; a person reads

    async def _ask(self, entry: Entry) -> None:
        assert self.app.session is not None
        self.app.flow.sitting = Sitting("more", self.app.session.library, [entry], 0)
        self.app.flow.sitting.start()
        if self.app.screen is not self.app.question:
            await self.app.switch_screen(self.app.question)
        await self.app.question.ask(entry, self.app.flow.sitting)

    async def answer(self, pick: int) -> float | None:
        """Answer the question on the screen; seconds from the last key to the first number.

        pick: which option, from 0. None where the run shows no number. Returns once every
        run has ended, so that the next answer finds an idle engine.
        """
        entry, before = self.app.question.entry, self.trial
        assert entry is not None
        kind = entry.question.kind
        if kind == "open":
            self.driver.press("ctrl+s")
            await asyncio.sleep(0.1)
        self.driver.press("1" if kind == "numeric" else str(pick + 1))
        await asyncio.sleep(0.1)
        painted: list[float] = []
        self.driver.watcher = self._numbers(painted, before)
        start = time.perf_counter()
        self.driver.press("enter")
        await self.until(lambda: self.trial is not before and self.trial and self.trial.complete)
        await asyncio.sleep(0.2)  # what is left of the run: its cross-check, and the last frame
        return painted[0] - start if painted else None

    @property
    def trial(self) -> Trial | None:
        """The answer the verdict shows."""
        return self.app.verdict.trial

    def _numbers(self, painted: list[float], before: Trial | None) -> Callable[[str], None]:
        """A watcher that notes the first frame with a measured number of a new trial."""

        def watch(frame: str) -> None:
            new = self.app.screen is self.app.verdict and self.trial is not before
            if painted or not new:
                return
            rows = self.app.verdict.query_one(NumbersTable).grid.rows
            measured = [cell for row in rows for cell in row.cells[1:] if re.search(r"\d", cell)]
            words = _CONTROL.sub("", frame)
            if any(cell in words for cell in measured):
                painted.append(time.perf_counter())

        return watch


@asynccontextmanager
async def driven(size: tuple[int, int] = SIZE) -> AsyncIterator[Driven]:
    """The app at today's question, with a study log of its own. Yields before anything is open."""
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"QUIZAPP_HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        gc.disable()  # as the command does; the app enables it
        app = QuizApp("daily", language="en")
        app.driver_class = Watched
        drive = Driven(app, asyncio.create_task(app.run_async(size=size)))
        try:
            yield drive
        finally:
            if not drive.running.done():
                drive.driver.press("ctrl+q")
            await drive.running
