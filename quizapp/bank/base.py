"""What every kind of question is made of: runs, expectations, choices, what a verdict shows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from quizapp.bank.written import (
    METRIC,
    Fraction,
    Number,
    ParamScalar,
    Positive,
    Slot,
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
#: ``attention/scaling``.
Tag = Annotated[str, Field(pattern=r"^[a-z0-9-]+(?:/[a-z0-9-]+)*$")]
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


#: What a variant's value is called: `{d_k}` stands for it.
ValueName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,29}$")]


class Variants(Model):
    """Several sets of values for one question, so that a repeat shows other numbers.

    values: each variant gives every name a number. let: further numbers made of them by
    arithmetic (`quizapp.bank.arithmetic`), each of those before it. `{name}` in a text, in
    `with:` and in place of a number is the value of the variant asked.
    """

    values: tuple[dict[ValueName, Number], ...] = Field(min_length=2, max_length=12)
    let: dict[ValueName, str] = Field(default_factory=dict, max_length=12)

    @model_validator(mode="after")
    def _alike(self) -> Variants:
        first = set(self.values[0])
        if not first:
            raise ValueError("a variant gives at least one value")
        for row in self.values[1:]:
            if odd := sorted(first ^ set(row)):
                raise ValueError(
                    f"variants give the same names; `{odd[0]}` is missing in one of them"
                )
        if any(isinstance(value, Slot) for row in self.values for value in row.values()):
            raise ValueError("a value is a number; arithmetic with other values goes to let")
        if twice := sorted(first & set(self.let)):
            raise ValueError(f"`{twice[0]}` is given in both values and let")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that has a value."""
        return (*self.values[0], *self.let)


class BaseQuestion(Model):
    """What every kind has."""

    id: Id
    title: Text
    prompt: Text
    tags: tuple[Tag, ...] = Field(min_length=1)
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
    variants: Variants | None = None
