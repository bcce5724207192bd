"""`Way`: how one kind of answer in several parts is judged, logged and told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from quizapp.bank import BaseQuestion, Choice
from quizapp.plot.grid import GridRow
from quizapp.report import Report
from quizapp.session.given import Answer, Outcome
from quizapp.text import Text

if TYPE_CHECKING:
    from quizapp.session.trial import Trial
    from quizapp.study.log import Json

#: A text of the question in the current language, with the numbers of the run behind a choice.
Say = Callable[[Text, Choice | None], str]
Q = TypeVar("Q", bound=BaseQuestion)


class Listed(NamedTuple):
    """One entry of a list to choose from, worded in the current language."""

    id: str
    words: str


class Way(ABC, Generic[Q]):
    """One question whose answer has parts: axes, steps, pairs, blanks."""

    #: Whether half an answer counts for something.
    partial = True

    def __init__(self, question: Q) -> None:
        self.question = question

    # --- judging: pure, no clock, no disk, no engine ---------------------------------

    @property
    def by_run(self) -> bool:
        """Whether the question's run decides, so that without it nothing does."""
        return False

    @abstractmethod
    def share(self, answer: Answer, run: Report | None) -> float | None:
        """How much of the answer counts, 0 to 1; None before the run has decided."""

    def outcome(self, answer: Answer, run: Report | None) -> Outcome | None:
        """Right when all of it counts; partly so from one half on."""
        if self.by_run and run is not None and run.status == "failed":
            return "unrated"
        had = self.share(answer, run)
        if had is None:
            return None
        return "right" if had == 1 else "partial" if self.partial and had >= 0.5 else "wrong"

    def wrong(self, answer: Answer) -> Sequence[Choice]:  # noqa: ARG002
        """Wrong beliefs that the answer shows, each with what it would measure."""
        return ()

    def held(self, answer: Answer) -> Sequence[Choice]:  # noqa: ARG002
        """Right beliefs that the verdict also holds against their runs."""
        return ()

    def kept(self, answer: Answer, run: Report | None) -> frozenset[str]:  # noqa: ARG002
        """Ids of the parts of `verdict_list` that were right."""
        return frozenset()

    def given(self, answer: Answer) -> Sequence[str]:
        """Ids of the parts of `verdict_list` that were answered, in the order of the answer."""
        return answer.chosen

    def metrics(self) -> Sequence[str]:
        """Metrics of the question's own run that decide or are shown."""
        return ()

    @abstractmethod
    def logged(self, answer: Answer) -> dict[str, Json]:
        """The answer, for the study log."""

    # --- words -----------------------------------------------------------------------

    def cards(self) -> Sequence[Listed]:
        """What is listed below the prompt to be put in order or paired."""
        return ()

    def verdict_list(self) -> Sequence[Listed]:
        """What was to be found, part by part, for marks to stand beside."""
        return ()

    @abstractmethod
    def headline(self, answer: Answer, run: Report | None) -> str:
        """How much was right, in a few words: "2 of 4 pairs"."""

    @abstractmethod
    def told(self, answer: Answer, run: Report | None, say: Say) -> Sequence[str]:
        """What was wrong, part by part and why, most telling first; else why it is right."""

    @abstractmethod
    def headings(self, trial: Trial) -> tuple[str, ...]:
        """The headings of the verdict's table."""

    @abstractmethod
    def rows(self, trial: Trial) -> Iterator[GridRow]:
        """A row for each part."""
