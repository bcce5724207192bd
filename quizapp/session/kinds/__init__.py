"""How answers in several parts are judged and told, a file for each kind."""

from __future__ import annotations

from typing import Any

from quizapp.bank import BaseQuestion, OrderQuestion, ShapeQuestion
from quizapp.session.kinds.order import OrderWay
from quizapp.session.kinds.shape import ShapeWay
from quizapp.session.kinds.way import Listed, Way

__all__ = ["Listed", "Way", "way"]


def way(question: BaseQuestion) -> Way[Any] | None:
    """How the answer to `question` is judged part by part; None for the kinds without parts."""
    if isinstance(question, ShapeQuestion):
        return ShapeWay(question)
    if isinstance(question, OrderQuestion):
        return OrderWay(question)
    return None
