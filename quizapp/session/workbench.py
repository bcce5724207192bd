"""`Workbench`: one exercise on a screen: its text, kept on disk, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from quizapp.grader.wire import Grade
from quizapp.session.desk import Changed, Desk
from quizapp.session.graded import Told, told
from quizapp.session.practice import Practice


@dataclass(frozen=True, slots=True)
class Newer:
    """The file's own text, which takes the place of the one on the screen.

    notice: where that one is kept; "" when it was no other than the file had been.
    """

    text: str
    notice: str = ""


class Workbench:
    """Made for one exercise. Methods that touch the disk do so in a thread, one at a time."""

    def __init__(self, practice: Practice, desk: Desk) -> None:
        self.desk = desk
        self.grade: Grade | None = None
        self.grading = False
        self._practice = practice
        self._unlogged = ""
        self._graded: bytes | None = None
        self._wanted: bytes | None = None
        self._turn = asyncio.Lock()

    # --- the text ------------------------------------------------------------------

    async def open(self) -> str:
        """The learner's text. Raises MachineError and UsageError, as `Desk.open` does."""
        async with self._turn:
            return await asyncio.to_thread(self.desk.open)

    async def save(self, text: str) -> Newer | None:
        """Keep `text`; where the file was changed elsewhere, the file's own text instead.

        Raises MachineError where the disk refuses.
        """
        async with self._turn:
            return await asyncio.to_thread(self._save, text)

    async def newer(self, text: str) -> Newer | None:
        """The file's text, where somebody else has written it since; `text` is the screen's."""
        async with self._turn:
            return await asyncio.to_thread(self._newer, text)

    async def reset(self) -> tuple[str, Path | None]:
        """Begin again: the starter, and where the text before it is kept. Raises MachineError."""
        async with self._turn:
            kept = await asyncio.to_thread(self.desk.reset)
            self.grade = self._graded = None
            return await asyncio.to_thread(self.desk.open), kept

    def _save(self, text: str) -> Newer | None:
        try:
            self.desk.save(text)
        except Changed as changed:
            return Newer(self.desk.open(), str(changed))
        return None

    def _newer(self, text: str) -> Newer | None:
        # One that is gone is on its way back: many editors write by renaming.
        if not self.desk.file.exists() or not self.desk.changed():
            return None
        if self.desk.holds(text):
            return Newer(self.desk.open())
        return self._save(text)

    # --- the grade -----------------------------------------------------------------

    async def check(self, source: bytes | None, on_change: Callable[[], None]) -> None:
        """Grade `source` (None: what the file holds); of several asked meanwhile, the newest.

        Raises MachineError where there is no grader. Cancelling stops the grading.
        """
        if source is None:
            source = await asyncio.to_thread(self.desk.read)
        self._wanted = source
        if self.grading:
            return
        self.grading = True
        try:
            while self._wanted is not None:
                source, self._wanted = self._wanted, None
                on_change()
                self.grade, self._unlogged = await self._practice.grade(self.desk, source)
                self._graded = source
        finally:
            self.grading, self._wanted = False, None
            on_change()

    def want(self, source: bytes) -> None:
        """Grade this as well, once the grading that is on has ended."""
        self._wanted = source

    def stale(self, text: str) -> bool:
        """Whether the grade is that of another text."""
        return self.grade is not None and text.encode() != self._graded

    @property
    def passed(self) -> bool:
        """Whether the last grade is a pass."""
        return self.grade is not None and self.grade.verdict == "passed"

    def told(self) -> Told | None:
        """The last grade in the current language."""
        return None if self.grade is None else told(self.grade, self._unlogged)
