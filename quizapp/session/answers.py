"""What a learner answered, and whether it is right. Pure: no clock, no disk, no engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quizapp.bank import (
    MultiQuestion,
    NumericAnswer,
    NumericQuestion,
    OpenQuestion,
    Question,
    SingleQuestion,
)
from quizapp.report import Report
from quizapp.session.expect import find

Outcome = Literal["right", "partial", "wrong", "unrated"]
Confidence = Literal["guess", "fairly", "certain"]


@dataclass(frozen=True, slots=True)
class Answer:
    """chosen: ids of choices, or of the rubric points an open answer had.

    text: what was typed, kept as typed. number: the same as a number, for `numeric`.
    """

    chosen: tuple[str, ...] = ()
    text: str = ""
    number: float | None = None


def judge(question: Question, answer: Answer, run: Report | None) -> Outcome | None:
    """Whether `answer` is right; None while a numeric answer still waits for its run.

    `run` is the question's own run with its own seed and parameters, never a re-run
    the learner has changed. A failed run leaves a numeric answer unrated.
    """
    if isinstance(question, SingleQuestion | MultiQuestion):
        right = {choice.id for choice in question.choices if choice.correct}
        return "right" if set(answer.chosen) == right else "wrong"
    if isinstance(question, OpenQuestion):
        share = len(set(answer.chosen)) / len(question.rubric)
        return "right" if share == 1 else "partial" if share >= 0.5 else "wrong"
    return _judge_number(question, answer, run)


def _judge_number(question: NumericQuestion, answer: Answer, run: Report | None) -> Outcome | None:
    if question.answer.value is None and run is not None and run.status == "failed":
        return "unrated"
    wanted = wanted_number(question.answer, run)
    if wanted is None or answer.number is None:
        return None
    return "right" if abs(answer.number - wanted) <= tolerance(question.answer, wanted) else "wrong"


def wanted_number(answer: NumericAnswer, run: Report | None) -> float | None:
    """The number that is right: stated, or measured by a complete run."""
    if answer.value is not None:
        return answer.value
    if run is None or run.status != "final" or answer.metric is None:
        return None
    found = find(run, answer.metric)
    return None if found is None else found[1]


def tolerance(answer: NumericAnswer, wanted: float) -> float:
    """How far from `wanted` an answer may be, in its unit."""
    return answer.atol if answer.atol is not None else (answer.rtol or 0.0) * abs(wanted)
