"""Questions answered by the shape of a tensor, which the question's own run measures."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from quizapp.bank.base import BaseQuestion, Id, MetricPath, Model, Run
from quizapp.bank.written import Whole
from quizapp.text import Text

#: As many axes as a person names: batch, layer, head, query, key, width.
MOST_AXES = 6

Size = Annotated[int, Whole(0, 10**9, slot=True)]


class ShapeAnswer(Model):
    """The measured shape, a list of sizes, and what each axis is called."""

    metric: MetricPath
    axes: tuple[Text, ...] = Field(min_length=1, max_length=MOST_AXES)


class ShapeSlip(Model):
    """A shape somebody believes in, and why.

    counterfactual: the run that has this shape, where there is one.
    """

    id: Id
    shape: tuple[Size, ...] = Field(min_length=1, max_length=MOST_AXES)
    feedback: Text
    counterfactual: Run | None = None


class ShapeQuestion(BaseQuestion):
    """The learner gives the shape of a tensor, all axes in order."""

    kind: Literal["shape"]
    answer: ShapeAnswer
    feedback: Text
    slips: tuple[ShapeSlip, ...] = Field((), max_length=6)
