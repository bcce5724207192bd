"""Questions as frozen models: what a bank may say, and nothing else.

The identity of a question is ``bank-id/question-id``. A new kind is a new subclass
of `BaseQuestion` in `quizapp.bank.kinds` and one more name in `Question`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from quizapp.bank.base import (
    BaseQuestion,
    Choice,
    Expectation,
    Followups,
    Format,
    Id,
    MetricPath,
    Model,
    Reference,
    Run,
    Sentence,
    Show,
    ShownRow,
    Source,
    Tag,
    Variants,
)
from quizapp.bank.kinds.choosing import MultiQuestion, SingleQuestion
from quizapp.bank.kinds.filling import Blank, BlankQuestion, Written
from quizapp.bank.kinds.judging import ClaimQuestion, OpenQuestion, RubricPoint
from quizapp.bank.kinds.matching import Item, MatchQuestion, Partner
from quizapp.bank.kinds.ordering import OrderQuestion, Step
from quizapp.bank.kinds.shape import ShapeAnswer, ShapeQuestion, ShapeSlip
from quizapp.bank.kinds.stating import (
    NearMiss,
    NumericAnswer,
    NumericQuestion,
    Prediction,
    PredictQuestion,
)
from quizapp.text import Text

__all__ = [
    "Author",
    "BankHeader",
    "BaseQuestion",
    "Blank",
    "BlankQuestion",
    "Choice",
    "ClaimQuestion",
    "Expectation",
    "Followups",
    "Format",
    "Id",
    "Item",
    "MatchQuestion",
    "MetricPath",
    "Model",
    "MultiQuestion",
    "NearMiss",
    "NumericAnswer",
    "NumericQuestion",
    "OpenQuestion",
    "OrderQuestion",
    "Partner",
    "PredictQuestion",
    "Prediction",
    "Question",
    "QuestionFile",
    "Reference",
    "RubricPoint",
    "Run",
    "Sentence",
    "ShapeAnswer",
    "ShapeQuestion",
    "ShapeSlip",
    "Show",
    "ShownRow",
    "SingleQuestion",
    "Source",
    "Step",
    "Tag",
    "Variants",
    "Written",
]

Question = Annotated[
    SingleQuestion
    | MultiQuestion
    | NumericQuestion
    | PredictQuestion
    | ClaimQuestion
    | OpenQuestion
    | ShapeQuestion
    | OrderQuestion
    | MatchQuestion
    | BlankQuestion,
    Field(discriminator="kind"),
]


class QuestionFile(Model):
    """One YAML file of questions."""

    format: Format
    questions: tuple[Question, ...] = Field(min_length=1)


class Author(Model):
    """Who wrote the bank."""

    name: str
    url: str | None = None


class BankHeader(Model):
    """`bank.yaml`: who made the bank, in which languages, and where a newcomer starts."""

    format: Format
    id: Id
    title: Text
    languages: tuple[Literal["en", "zh"], ...] = Field(min_length=1)
    licence: str
    authors: tuple[Author, ...] = Field(min_length=1)
    sources: tuple[Source, ...] = ()
    opening: tuple[Id, ...] = Field((), max_length=3)
