"""Questions answered by pairing causes with what they cause: a run of each cause decides."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from quizapp.bank.base import BaseQuestion, Choice, Expectation, Id, Model, Run
from quizapp.text import Text


class Item(Model):
    """One thing to be paired, and its run.

    counterfactual: its run, where that is not the question's own. label: a few words for
    the verdict's table. feedback: told when it was paired wrongly.
    """

    id: Id
    text: Text
    label: Text | None = None
    partner: Id
    feedback: Text
    counterfactual: Run | None = None


class Partner(Model):
    """What may be paired with an item: `expects` holds in the runs of its own items only."""

    id: Id
    text: Text
    expects: tuple[Expectation, ...] = Field(min_length=1)


class MatchQuestion(BaseQuestion):
    """The learner gives each item its partner; a partner may have several items, or none."""

    kind: Literal["match"]
    items: tuple[Item, ...] = Field(min_length=2, max_length=6)
    partners: tuple[Partner, ...] = Field(min_length=2, max_length=6)


def belief(item: Item, partner: Partner | None) -> Choice:
    """`item` paired with `partner`, as what its run should then measure."""
    return Choice(
        id=item.id,
        text=item.text,
        feedback=item.feedback,
        expects=() if partner is None else partner.expects,
        counterfactual=item.counterfactual,
    )
