"""`Workbench`: one exercise on a screen: its text, kept on disk, and what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from quizapp.grader.wire import Grade
from quizapp.session.desk import Changed, Desk
from quizapp.session.graded import Told, told
from quizapp.session.practice import Practice

T = TypeVar("T")


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
        self._moved: Newer | None = None

    # --- the text ------------------------------------------------------------------

    async def begin(self) -> None:
        """Make the file where there is none. Raises MachineError and UsageError."""
        await self._alone(self.desk.begin)

    async def open(self) -> str:
        """The learner's text. Raises MachineError and UsageError, as `Desk.open` does."""
        return await self._alone(self.desk.open)

    async def save(self, text: str) -> Newer | None:
        """Keep `text`; where the file was changed elsewhere, the file's own text instead.

        Raises MachineError where the disk refuses.
        """
        await self._alone(self._save, text)
        return self._delivered()

    async def newer(self, text: str) -> Newer | None:
        """The file's text, where somebody else has written it since; `text` is the screen's."""
        await self._alone(self._look, text)
        return self._delivered()

    async def reset(self) -> tuple[str, Path | None]:
        """Begin again: the starter, and where the text before it is kept. Raises MachineError."""
        kept = await self._alone(self.desk.reset)
        self.grade = self._graded = None
        return await self.open(), kept

    async def _alone(self, doing: Callable[..., T], *args: object) -> T:
        """In a thread, one at a time, and to its end: whoever waits for it may be cancelled."""

        async def done() -> T:
            async with self._turn:
                return await asyncio.to_thread(doing, *args)

        return await asyncio.shield(done())

    def _delivered(self) -> Newer | None:
        moved, self._moved = self._moved, None
        return moved

    def _save(self, text: str) -> None:
        # As long as the screen does not know of the file's own text, its text is an old one.
        if self._moved is None:
            try:
                self.desk.save(text)
            except Changed as changed:
                self._moved = Newer(self.desk.open(), str(changed))

    def _look(self, text: str) -> None:
        # A file that is gone is on its way back: many editors write by renaming.
        if self._moved is None and self.desk.file.exists() and self.desk.changed():
            if self.desk.holds(text):
                self._moved = Newer(self.desk.open())
            else:
                self._save(text)

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

    @property
    def starting(self) -> bool:
        """Whether the grading that is on waits for the grader to start."""
        return self.grading and not self._practice.started

    def want(self, source: bytes) -> None:
        """Grade this as well, once the grading that is on has ended."""
        self._wanted = source

    def stale(self, text: str) -> bool:
        """Whether the grade is that of another text."""
        return self.grade is not None and text.encode() != self._graded

    @property
    def more_hints(self) -> bool:
        """Whether there is a hint not shown yet."""
        return self.desk.hints < len(self.desk.folder.exercise.hints)

    @property
    def passed(self) -> bool:
        """Whether the last grade is a pass."""
        return self.grade is not None and self.grade.verdict == "passed"

    def told(self) -> Told | None:
        """The last grade in the current language."""
        return None if self.grade is None else told(self.grade, self._unlogged)
