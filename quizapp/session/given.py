"""What a learner answered, as plain data, and the numbers it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quizapp.bank import NearMiss, NumericAnswer, Prediction
from quizapp.bank.kinds.stating import tolerance
from quizapp.report import Report
from quizapp.session.expect import find
from quizapp.text.units import factor

__all__ = [
    "Answer",
    "Confidence",
    "Outcome",
    "measured_number",
    "near_miss",
    "near_number",
    "taken",
    "tolerance",
    "wanted_number",
    "worth",
]

Outcome = Literal["right", "partial", "wrong", "unrated"]
Confidence = Literal["guess", "fairly", "certain"]


@dataclass(frozen=True, slots=True)
class Answer:
    """chosen: ids of choices, of the rubric points an open answer had, or of steps in order;
    HOLDS or FAILS.

    text: what was typed, kept as typed. number: the same as a number in the question's unit,
    for `numeric` and `predict`. shape: the same as sizes. filled: for each item the id of its
    partner; for each blank the id of what was chosen, or what was typed.
    """

    chosen: tuple[str, ...] = ()
    text: str = ""
    number: float | None = None
    shape: tuple[int, ...] = ()
    filled: tuple[str, ...] = ()


def measured_number(path: str, unit: str, run: Report | None) -> tuple[float, float | None] | None:
    """The number at `path` of a complete run with its standard error, in `unit`."""
    found = find(run, path) if run is not None and run.status == "final" else None
    if found is None:
        return None
    metric, value, error = found
    times = factor(metric.unit, unit) or 1.0  # `check` reports units that do not convert
    return value * times, None if error is None else error * times


def wanted_number(answer: NumericAnswer | Prediction, run: Report | None) -> float | None:
    """The number that is right, in the answer's unit: stated, or measured by a complete run."""
    if isinstance(answer, NumericAnswer) and answer.value is not None:
        return answer.value
    found = None if answer.metric is None else measured_number(answer.metric, answer.unit, run)
    return None if found is None else found[0]


def taken(answer: NumericAnswer, number: float | None, run: Report | None) -> bool | None:
    """Whether `number` is right; None before the run has decided, or without a number."""
    wanted = wanted_number(answer, run)
    if wanted is None or number is None:
        return None
    return _within(answer, number, wanted)


def _within(answer: NumericAnswer, number: float, around: float) -> bool:
    # A rounding error of the conversion must not decide at the very end of the interval.
    return abs(number - around) <= tolerance(answer, around) * (1 + 1e-12)


def near_number(answer: NumericAnswer, near: NearMiss, run: Report | None) -> float | None:
    """The number a near miss stands for, in the answer's unit; None before the run has it."""
    if near.value is not None:
        return near.value
    if near.times is not None:
        wanted = wanted_number(answer, run)
        return None if wanted is None else near.times * wanted
    assert near.metric is not None
    found = measured_number(near.metric, answer.unit, run)
    return None if found is None else found[0]


def near_miss(answer: NumericAnswer, number: float | None, run: Report | None) -> NearMiss | None:
    """The known slip that leads to `number`, which is not right; None where there is none."""
    if number is None or taken(answer, number, run) is not False:
        return None
    for near in answer.near_misses:
        stands_for = near_number(answer, near, run)
        if stands_for is not None and _within(answer, number, stands_for):
            return near
    return None


def worth(answer: NumericAnswer, number: float | None, run: Report | None) -> float | None:
    """What `number` counts for: 1, the credit of a near miss, or 0; None before it is decided."""
    right = taken(answer, number, run)
    if right is not False:
        return None if right is None else 1.0
    near = near_miss(answer, number, run)
    return 0.0 if near is None else near.credit or 0.0
