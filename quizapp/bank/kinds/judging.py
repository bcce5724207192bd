"""Questions without a written verdict: a claim the run decides, an answer the learner marks."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from quizapp.bank.base import BaseQuestion, Expectation, Id, Model
from quizapp.text import Text


class ClaimQuestion(BaseQuestion):
    """A claim in circulation: does it hold? The run decides; no verdict is written down.

    expects: what the claim says one would measure; all of it, or the claim does not hold.
    """

    kind: Literal["claim"]
    claim: Text
    expects: tuple[Expectation, ...] = Field(min_length=1)
    feedback: Text


class RubricPoint(Model):
    """One thing a good spoken answer contains."""

    id: Id
    text: Text


class OpenQuestion(BaseQuestion):
    """Answered aloud or in writing; the learner then ticks what the answer had."""

    kind: Literal["open"]
    model_answer: Text
    rubric: tuple[RubricPoint, ...] = Field(min_length=2, max_length=9)
