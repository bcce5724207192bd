"""Questions as frozen models: what a bank may say, and nothing else.

The identity of a question is ``bank-id/question-id``. A new kind is a new subclass
of `BaseQuestion` and one more name in `Question`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from quizapp.bank.written import (
    METRIC,
    Fraction,
    Number,
    ParamScalar,
    Positive,
    Threshold,
    Truth,
    Whole,
)
from quizapp.text import Text

Format = Literal["quizapp/1"]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=60)]
#: ``other-question`` in the same bank, or ``bank-id/question-id``.
Reference = Annotated[
    str, Field(pattern=r"^(?:[a-z0-9]+(?:-[a-z0-9]+)*/)?[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=121)
]
#: ``score_std`` or ``quantiles[2]``.
MetricPath = Annotated[str, Field(pattern=METRIC)]


class Model(BaseModel):
    """Frozen, and strict about unknown fields: a misspelt field is an error, not a default."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Run(Model):
    """One experiment with the parameters that differ from its defaults (YAML: run, with)."""

    run: str
    with_: dict[str, ParamScalar] = Field(default_factory=dict, alias="with")


class Expectation(Model):
    """What one who believes a choice would measure: a metric, a comparison, a value.

    Exactly one of `below`, `above`, `about`; each a number, or the name of another
    metric of the same run (times `times`). `about` needs `rtol` or `atol`.
    `shown` replaces the wording in the "you expected" column.
    """

    metric: MetricPath
    below: Threshold | None = None
    above: Threshold | None = None
    about: Threshold | None = None
    times: Number = 1.0
    rtol: Fraction | None = None
    atol: Positive | None = None
    shown: Text | None = None

    @model_validator(mode="after")
    def _one_comparison(self) -> Expectation:
        given = [n for n in ("below", "above", "about") if getattr(self, n) is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of below, above, about")
        if (self.about is None) != (self.rtol is None and self.atol is None):
            raise ValueError("about needs rtol or atol, and only about takes them")
        return self


class Sentence(Expectation):
    """A sentence of the explanation, tied to the run that bears it out (YAML: `claims`).

    text: the sentence, for whoever reads the finding. run: the question's own where it
    is left out. seeds: it must hold on this many, from 0.
    """

    text: Text | None = None
    run: Run | None = None
    seeds: Annotated[int, Whole(1, 20)] = 5


class Choice(Model):
    """One option, with the belief behind it.

    expects: judged on `counterfactual` where there is one, else on the question's run.
    argued: the reason why no run can decide this option; then there is no `expects`.
    """

    id: Id
    text: Text
    correct: Truth = False
    feedback: Text
    expects: tuple[Expectation, ...] = ()
    counterfactual: Run | None = None
    argued: Text | None = None


class ShownRow(Model):
    """One row of numbers on the verdict; `beside` fills the second column from the same run."""

    metric: MetricPath
    beside: MetricPath | None = None
    label: Text | None = None


class Show(Model):
    """What the verdict shows: at most six rows, two column headings, one plot."""

    rows: tuple[ShownRow, ...] = Field((), max_length=6)
    columns: tuple[Text, ...] = Field((), max_length=2)
    plot: str | None = None


class Followups(Model):
    """Where a chain goes next after a right and after a wrong answer."""

    right: Reference | None = None
    wrong: Reference | None = None


class Source(Model):
    """A work the question leans on."""

    title: str
    url: str | None = None
    where: str | None = None  # section, equation, page


class BaseQuestion(Model):
    """What every kind has."""

    id: Id
    title: Text
    prompt: Text
    tags: tuple[Annotated[str, Field(pattern=r"^[a-z0-9-]+(?:/[a-z0-9-]+)*$")], ...] = Field(
        min_length=1
    )
    difficulty: Annotated[int, Whole(1, 5)]
    minutes: Annotated[int, Whole(1, 30)] = 2
    hints: tuple[Text, ...] = ()
    explanation: Text
    summary: Text
    say: Text
    sources: tuple[Source, ...] = ()
    followups: Followups = Followups()
    experiment: Run
    show: Show = Show()
    claims: tuple[Sentence, ...] = ()


class SingleQuestion(BaseQuestion):
    """Exactly one choice is right."""

    kind: Literal["single"]
    choices: tuple[Choice, ...] = Field(min_length=2, max_length=9)


class MultiQuestion(BaseQuestion):
    """Any number of choices is right; all must be found and none added."""

    kind: Literal["multi"]
    choices: tuple[Choice, ...] = Field(min_length=2, max_length=9)


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


class ClaimQuestion(BaseQuestion):
    """A claim in circulation: does it hold? The run decides; no verdict is written down.

    expects: what the claim says one would measure; all of it, or the claim does not hold.
    """

    kind: Literal["claim"]
    claim: Text
    expects: tuple[Expectation, ...] = Field(min_length=1)
    feedback: Text


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


class RubricPoint(Model):
    """One thing a good spoken answer contains."""

    id: Id
    text: Text


class OpenQuestion(BaseQuestion):
    """Answered aloud or in writing; the learner then ticks what the answer had."""

    kind: Literal["open"]
    model_answer: Text
    rubric: tuple[RubricPoint, ...] = Field(min_length=2, max_length=9)


Question = Annotated[
    SingleQuestion
    | MultiQuestion
    | NumericQuestion
    | PredictQuestion
    | ClaimQuestion
    | OpenQuestion,
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
