"""`Mismatch`: what a test has to tell a learner, in every language, as data."""

from __future__ import annotations

from typing import Literal

from quizapp.report import HeatMap

Kind = Literal["wrong", "mutates-input", "no-grad"]


class Mismatch(AssertionError):  # noqa: N818 - what was found, not what went wrong here
    """A result that is not what the exercise asks for.

    message: the same finding by language; pictures: small maps that show it.
    """

    def __init__(self, kind: Kind, *, en: str, zh: str, pictures: tuple[HeatMap, ...] = ()) -> None:
        super().__init__(en)
        self.kind: Kind = kind
        self.message = {"en": en, "zh": zh}
        self.pictures = pictures
