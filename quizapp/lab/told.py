"""Failures told in both languages at once: the engine speaks none, and its front may switch."""

from __future__ import annotations

from quizapp.errors import ContentError, QuizappError, UsageError
from quizapp.lab.experiment import Words
from quizapp.text import LANGUAGES, Text
from quizapp.text.i18n import language


class ToldError(QuizappError):
    """A `QuizappError` in the language spoken when it arose; `text` has it in every one."""

    def __init__(self, what: Words | Text, *, where: str = "", remedy: Words | Text = "") -> None:
        whats, remedies = Text.of(what), Text.of(remedy)
        said = language()
        super().__init__(whats.to(said), where=where, remedy=remedies.to(said))
        self.text = Text.of(
            {
                each: str(QuizappError(whats.to(each), where=where, remedy=remedies.to(each)))
                for each in LANGUAGES
            }
        )


class RequestError(ToldError, UsageError):
    """No such experiment or parameter, or values with which it cannot run."""


class BrokenExperimentError(ToldError, ContentError):
    """An experiment whose file cannot be loaded."""
