"""Say when a question comes back: old card + rating + study day → new card, by FSRS-6.

Time is counted in study days, not hours, so nothing comes due on the day it was
answered and a question answered at 22:00 is due the next morning. There are no sub-day
steps and no fuzz: the log alone decides every date. A refuted answer returns on the very
next study day, however stable the memory was.

Source: py-fsrs 6 (FSRS-6 with its default parameters).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from quizapp.study.rating import Rating

if TYPE_CHECKING:
    from fsrs import Scheduler

NAME = "fsrs"


@dataclass(frozen=True, slots=True)
class CardState:
    """What the scheduler remembers about one question.

    meaning: hash of the question as it was answered; another hash starts afresh.
    stability: days until recall falls to 90 %. difficulty: 1–10.
    due, last_day: study days. rating: the last one. reviews, lapses: counts.
    """

    meaning: str
    stability: float
    difficulty: float
    due: date
    last_day: date
    rating: Rating
    reviews: int
    lapses: int

    @property
    def refuted(self) -> bool:
        """Whether the last answer was refuted and waits to return."""
        return self.rating is Rating.AGAIN


@dataclass(frozen=True, slots=True)
class Scheme:
    """Which scheduler decided, exactly enough to decide the same again."""

    name: str
    version: str
    parameters: tuple[float, ...]
    desired_retention: float


@cache
def current_scheme() -> Scheme:
    """The scheduler this program uses. Loads fsrs: about 30 ms the first time."""
    from importlib.metadata import version

    from fsrs import Scheduler

    default = Scheduler(enable_fuzzing=False, learning_steps=(), relearning_steps=())
    return Scheme(NAME, version("fsrs"), default.parameters, default.desired_retention)


@lru_cache(maxsize=8)
def _scheduler(parameters: tuple[float, ...], desired_retention: float) -> Scheduler:
    from fsrs import Scheduler

    return Scheduler(
        parameters=parameters,
        desired_retention=desired_retention,
        learning_steps=(),
        relearning_steps=(),
        enable_fuzzing=False,
    )


def step(
    old: CardState | None, rating: Rating, day: date, *, meaning: str, scheme: Scheme
) -> CardState:
    """The card after an answer on study day `day`; None or another meaning is a new card."""
    from fsrs import Card, State
    from fsrs import Rating as FsrsRating

    if old is not None and old.meaning != meaning:
        old = None
    at = _noon(day)
    if old is None:
        # Without an id, Card sleeps a millisecond to make one.
        card = Card(card_id=0, due=at)
    else:
        card = Card(
            card_id=0,
            state=State.Review,
            stability=old.stability,
            difficulty=old.difficulty,
            due=_noon(old.due),
            last_review=_noon(old.last_day),
        )
    scheduler = _scheduler(scheme.parameters, scheme.desired_retention)
    new, _ = scheduler.review_card(card, FsrsRating(int(rating)), at)
    if new.stability is None or new.difficulty is None:
        raise ValueError("the scheduler returned a card without stability or difficulty")
    again = rating is Rating.AGAIN
    return CardState(
        meaning=meaning,
        stability=new.stability,
        difficulty=new.difficulty,
        due=day + timedelta(days=1) if again else new.due.date(),
        last_day=day,
        rating=rating,
        reviews=(old.reviews if old else 0) + 1,
        lapses=(old.lapses if old else 0) + (again and old is not None),
    )


def due_day(card: CardState, meaning: str, today: date) -> date:
    """The study day a question is due, given its present meaning: a changed one asks again now."""
    return card.due if card.meaning == meaning else min(card.due, today)


def _noon(day: date) -> datetime:
    # Any fixed hour makes whole days of the differences; noon is far from both ends.
    return datetime.combine(day, time(12), UTC)
