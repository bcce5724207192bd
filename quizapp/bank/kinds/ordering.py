"""Questions answered by putting steps in order, with steps among them that do not belong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from quizapp.bank.base import BaseQuestion, Choice, Expectation, Id, Model
from quizapp.text import Text


class Step(Model):
    """One step, and what it needs before it.

    after: ids of the steps that must stand before it; left out, the one listed before it;
    an empty list, none. expects: what the question's run measures at this step, borne out.
    label: a few words for the verdict's table. feedback: told when it stands wrongly.
    """

    id: Id
    text: Text
    label: Text | None = None
    feedback: Text
    expects: tuple[Expectation, ...] = ()
    after: tuple[Id, ...] | None = None


class OrderQuestion(BaseQuestion):
    """The learner puts the steps in order and leaves the distractors out.

    scoring: `lcs` counts the steps that stand in order among themselves, less the
    distractors taken, over all steps; `exact` counts a flawless answer only.
    """

    kind: Literal["order"]
    steps: tuple[Step, ...] = Field(min_length=3, max_length=6)
    distractors: tuple[Choice, ...] = Field((), max_length=3)
    scoring: Literal["lcs", "exact"] = "lcs"


def needed(question: OrderQuestion) -> Mapping[str, frozenset[str]]:
    """For each step the ids of all that must stand before it, near or far.

    Steps that need each other name one another: `check` reports them.
    """
    direct: dict[str, frozenset[str]] = {}
    before: tuple[str, ...] = ()
    for step in question.steps:
        direct[step.id] = frozenset(before if step.after is None else step.after)
        before = (step.id,)
    whole = dict(direct)
    for _ in question.steps:  # a path has at most as many links as there are steps
        whole = {
            name: wanted.union(*(whole.get(one, frozenset()) for one in wanted))
            for name, wanted in whole.items()
        }
    return whole
