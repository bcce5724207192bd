"""What a learner answered, as plain data, and the numbers it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quizapp.bank import NumericAnswer, Prediction
from quizapp.report import Report
from quizapp.session.expect import find

Outcome = Literal["right", "partial", "wrong", "unrated"]
Confidence = Literal["guess", "fairly", "certain"]


@dataclass(frozen=True, slots=True)
class Answer:
    """chosen: ids of choices, of the rubric points an open answer had, or of steps in order;
    HOLDS or FAILS.

    text: what was typed, kept as typed. number: the same as a number, for `numeric` and
    `predict`. shape: the same as sizes. filled: for each item the id of its partner; for each
    blank the id of what was chosen, or what was typed.
    """

    chosen: tuple[str, ...] = ()
    text: str = ""
    number: float | None = None
    shape: tuple[int, ...] = ()
    filled: tuple[str, ...] = ()


def wanted_number(answer: NumericAnswer | Prediction, run: Report | None) -> float | None:
    """The number that is right: stated, or measured by a complete run."""
    if isinstance(answer, NumericAnswer) and answer.value is not None:
        return answer.value
    if run is None or run.status != "final" or answer.metric is None:
        return None
    found = find(run, answer.metric)
    return None if found is None else found[1]


def tolerance(answer: NumericAnswer, wanted: float) -> float:
    """How far from `wanted` an answer may be, in its unit."""
    return answer.atol if answer.atol is not None else (answer.rtol or 0.0) * abs(wanted)


def taken(answer: NumericAnswer, number: float | None, run: Report | None) -> bool | None:
    """Whether `number` is right; None before the run has decided, or without a number."""
    wanted = wanted_number(answer, run)
    if wanted is None or number is None:
        return None
    return abs(number - wanted) <= tolerance(answer, wanted)
