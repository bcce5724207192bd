"""Questions answered by a number, which the question's own run decides."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from quizapp.bank.base import BaseQuestion, MetricPath, Model
from quizapp.bank.written import Fraction, Number, Positive


class NumericAnswer(Model):
    """A metric of the question's own run, or a value; with an explicit tolerance."""

    metric: MetricPath | None = None
    value: Number | None = None
    rtol: Fraction | None = None
    atol: Positive | None = None
    unit: str = ""

    @model_validator(mode="after")
    def _complete(self) -> NumericAnswer:
        if (self.metric is None) == (self.value is None):
            raise ValueError("give either metric or value")
        if (self.rtol is None) == (self.atol is None):
            raise ValueError("give either rtol or atol: the tolerance is never implied")
        return self


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
