"""Questions answered by a number, which the question's own run decides."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from quizapp.bank.base import BaseQuestion, Id, MetricPath, Model
from quizapp.bank.written import Fraction, Number, Positive, Whole
from quizapp.text import Text


class NearMiss(Model):
    """A number that one arrives at by a known slip, and what it is worth.

    Exactly one of `times` (as many times the right number), `value` (in the answer's unit),
    `metric` (of the question's own run). credit: above 0 and below 1; nothing where it is
    left out. It has the answer's own tolerance.
    """

    id: Id
    times: Number | None = None
    value: Number | None = None
    metric: MetricPath | None = None
    credit: Fraction | None = None
    feedback: Text

    @model_validator(mode="after")
    def _one_number(self) -> NearMiss:
        if [self.times, self.value, self.metric].count(None) != 2:
            raise ValueError("give exactly one of times, value, metric")
        return self


class NumericAnswer(Model):
    """A metric of the question's own run, or a value; with an explicit tolerance.

    unit: what the number is in; one of another size is converted, as MiB into B. digits: how
    many significant digits have to be stated, whatever the tolerance.
    """

    metric: MetricPath | None = None
    value: Number | None = None
    rtol: Fraction | None = None
    atol: Positive | None = None
    unit: str = ""
    digits: Annotated[int, Whole(1, 9)] | None = None
    near_misses: tuple[NearMiss, ...] = Field((), max_length=6)

    @model_validator(mode="after")
    def _complete(self) -> NumericAnswer:
        if (self.metric is None) == (self.value is None):
            raise ValueError("give either metric or value")
        if (self.rtol is None) == (self.atol is None):
            raise ValueError("give either rtol or atol: the tolerance is never implied")
        return self


def tolerance(answer: NumericAnswer, number: float) -> float:
    """How far from `number` what is typed may be to be taken for it, in the answer's unit."""
    return answer.atol if answer.atol is not None else (answer.rtol or 0.0) * abs(number)


class NumericQuestion(BaseQuestion):
    """The learner states a number."""

    kind: Literal["numeric"]
    answer: NumericAnswer


class Prediction(Model):
    """A metric of the question's own run, and how the score falls with relative error.

    Up to the relative error `full` an answer counts fully, from `none` on not at all;
    between them the score falls linearly.
    """

    metric: MetricPath
    unit: str = ""
    full: Fraction
    none: Positive

    @model_validator(mode="after")
    def _falling(self) -> Prediction:
        if self.none <= self.full:
            raise ValueError("`none` must be a larger relative error than `full`")
        return self


class PredictQuestion(BaseQuestion):
    """The learner states a number before the run; the score falls with relative error."""

    kind: Literal["predict"]
    answer: Prediction
