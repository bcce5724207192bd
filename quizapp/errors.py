"""Errors for people: what failed, where, and what to do about it.

Every failure a person can meet is raised as a `QuizappError`; the fronts print
its three parts and nothing else (a traceback only with ``--debug``).
"""

from __future__ import annotations

from typing import Final

OK: Final = 0
WRONG: Final = 1  # a wrong answer, or failed tests
TROUBLE: Final = 2  # usage, content or environment
INTERRUPTED: Final = 130  # Ctrl+C


class QuizappError(Exception):
    """A failure told in words.

    what: one sentence, no full stop needed, that says what failed.
    where: a path, a position or a name; empty when `what` already says it.
    remedy: what the reader can do next; empty when there is nothing to do.
    """

    exit_code: int = TROUBLE

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n  {self.remedy}" if self.remedy else head


class UsageError(QuizappError):
    """The request itself cannot be carried out: a wrong name, value or combination."""


class ContentError(QuizappError):
    """A question bank cannot be read, or does not keep its promises."""


class MachineError(QuizappError):
    """The machine is in the way: a missing library, a full disk, a folder without rights."""
