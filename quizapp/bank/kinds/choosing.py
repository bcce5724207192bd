"""Questions answered by picking from choices, each with a belief that a run can refute."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from quizapp.bank.base import BaseQuestion, Choice


class SingleQuestion(BaseQuestion):
    """Exactly one choice is right."""

    kind: Literal["single"]
    choices: tuple[Choice, ...] = Field(min_length=2, max_length=9)


class MultiQuestion(BaseQuestion):
    """Any number of choices is right.

    scoring: `all` counts only when every right one is ticked and no other; `net` takes the
    wrongly ticked from the rightly ticked, over the number of right ones; `each` counts
    every choice that was judged rightly, ticked or left.
    """

    kind: Literal["multi"]
    choices: tuple[Choice, ...] = Field(min_length=2, max_length=9)
    scoring: Literal["all", "net", "each"] = "all"
