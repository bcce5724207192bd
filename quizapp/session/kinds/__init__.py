"""How answers in several parts are judged and told, a file for each kind."""

from __future__ import annotations

from typing import Any, Final

from quizapp.bank import BaseQuestion, BlankQuestion, MatchQuestion, OrderQuestion, ShapeQuestion
from quizapp.session.kinds.blank import BlankWay
from quizapp.session.kinds.match import MatchWay
from quizapp.session.kinds.order import OrderWay
from quizapp.session.kinds.shape import ShapeWay
from quizapp.session.kinds.way import Listed, Way

__all__ = ["BlankWay", "Listed", "MatchWay", "OrderWay", "ShapeWay", "Way", "way"]

_WAYS: Final[dict[type[BaseQuestion], type[Way[Any]]]] = {
    BlankQuestion: BlankWay,
    MatchQuestion: MatchWay,
    OrderQuestion: OrderWay,
    ShapeQuestion: ShapeWay,
}


def way(question: BaseQuestion) -> Way[Any] | None:
    """How the answer to `question` is judged part by part; None for the kinds without parts."""
    found = _WAYS.get(type(question))
    return None if found is None else found(question)
