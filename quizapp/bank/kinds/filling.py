"""Questions answered by filling the blanks of a sentence or an equation."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from quizapp.bank.base import BaseQuestion, Choice, Id, Model
from quizapp.bank.kinds.stating import NumericAnswer
from quizapp.text import Text
from quizapp.text.tex import shown
from quizapp.text.typed import folded

#: Where a blank stands in the sentence: ``[[variance]]``.
PLACE: Final = re.compile(r"\[\[([^\[\]\n]{1,60})\]\]")


class Written(Choice):
    """An answer that is recognised when typed, right or wrong, with the belief behind it.

    forms: other ways to type it than `text`; blanks, case and underscores do not count.
    """

    forms: tuple[Annotated[str, Field(min_length=1, max_length=60)], ...] = ()


def spellings(written: Written) -> frozenset[str]:
    """Every way to type an answer, folded as it is compared."""
    wordings = [wording for _, wording in written.text.by_language]
    forms = [*wordings, *written.forms]
    return frozenset(folded(form) for form in (*forms, *map(shown, forms)))


class Blank(Model):
    """One blank: chosen from `choices`, typed and compared with `written`, or a number.

    label: a few words for the verdict's table.
    """

    id: Id
    label: Text
    choices: tuple[Choice, ...] = Field((), max_length=6)
    written: tuple[Written, ...] = Field((), max_length=6)
    answer: NumericAnswer | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Blank:
        if (bool(self.choices), bool(self.written), self.answer is not None).count(True) != 1:
            raise ValueError("give exactly one of choices, written, answer")
        return self

    @property
    def options(self) -> tuple[Choice, ...]:
        """What may be chosen, or is recognised when typed; none where a number is asked for."""
        return self.choices or self.written


class BlankQuestion(BaseQuestion):
    """The learner fills each `[[blank]]` of the sentence."""

    kind: Literal["blank"]
    sentence: Text
    blanks: tuple[Blank, ...] = Field(min_length=1, max_length=4)
    feedback: Text
