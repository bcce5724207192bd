"""Scheduling: FSRS itself, with dates of our own."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from fsrs import Card, Scheduler
from fsrs import Rating as FsrsRating
from study_helpers import day

from quizapp.study.rating import Rating
from quizapp.study.schedule import CardState, current_scheme, due_day, step

START = day("2026-05-10")


def answered(*history: tuple[int, Rating]) -> CardState:
    """The card after (days since the start, rating) pairs."""
    card: CardState | None = None
    for days, rating in history:
        card = step(
            card, rating, START + timedelta(days=days), meaning="m1", scheme=current_scheme()
        )
    assert card is not None
    return card


def test_first_ratings_give_the_published_stabilities() -> None:
    parameters = current_scheme().parameters
    for rating in Rating:
        card = answered((0, rating))
        assert card.stability == parameters[rating - 1]
        assert card.reviews == 1
        assert card.lapses == 0
    assert answered((0, Rating.AGAIN)).due == START + timedelta(days=1)
    assert answered((0, Rating.GOOD)).due == START + timedelta(days=2)
    assert answered((0, Rating.EASY)).due == START + timedelta(days=8)


def test_agrees_with_fsrs_at_whole_days() -> None:
    draw = random.Random(5)
    scheduler = Scheduler(enable_fuzzing=False, learning_steps=(), relearning_steps=())
    theirs = Card(card_id=1, due=datetime(2026, 5, 10, tzinfo=UTC))
    ours: CardState | None = None
    when = START
    for _ in range(40):
        rating = draw.choice(list(Rating))
        ours = step(ours, rating, when, meaning="m1", scheme=current_scheme())
        at = datetime(when.year, when.month, when.day, 9, tzinfo=UTC)
        theirs, _ = scheduler.review_card(theirs, FsrsRating(int(rating)), at)
        assert (ours.stability, ours.difficulty) == (theirs.stability, theirs.difficulty)
        if rating is not Rating.AGAIN:
            assert ours.due == theirs.due.date()
        when += timedelta(days=draw.randint(0, 60))


def test_never_due_on_the_day_of_the_answer() -> None:
    draw = random.Random(1)
    for _ in range(50):
        days, history = 0, []
        for _ in range(draw.randint(1, 8)):
            history.append((days, draw.choice(list(Rating))))
            days += draw.choice([0, 0, 1, 3, 40, -5])
        card = answered(*history)
        assert card.due > card.last_day


def test_a_refuted_answer_returns_the_next_day_however_stable() -> None:
    sure = answered((0, Rating.EASY), (8, Rating.EASY), (60, Rating.EASY), (400, Rating.EASY))
    assert sure.due > START + timedelta(days=1000)
    refuted = step(
        sure, Rating.AGAIN, START + timedelta(days=900), meaning="m1", scheme=current_scheme()
    )
    assert refuted.due == START + timedelta(days=901)
    assert refuted.refuted
    assert refuted.lapses == 1
    assert refuted.stability > 1.5  # FSRS alone would have waited longer


def test_another_meaning_starts_afresh_and_is_due_at_once() -> None:
    card = answered((0, Rating.EASY), (8, Rating.EASY))
    assert due_day(card, "m1", START + timedelta(days=9)) == card.due
    assert due_day(card, "m2", START + timedelta(days=9)) == START + timedelta(days=9)
    again = step(
        card, Rating.GOOD, START + timedelta(days=9), meaning="m2", scheme=current_scheme()
    )
    assert again.reviews == 1
    assert again.stability == answered((0, Rating.GOOD)).stability


def test_a_clock_set_back_is_survived() -> None:
    card = answered((10, Rating.GOOD), (3, Rating.GOOD))
    assert card.last_day == START + timedelta(days=3)
    assert card.due > card.last_day


def test_the_step_is_pure() -> None:
    card = answered((0, Rating.GOOD))
    copies = [
        step(card, Rating.HARD, START + timedelta(days=2), meaning="m1", scheme=current_scheme())
        for _ in range(3)
    ]
    assert copies[0] == copies[1] == copies[2]
    assert card == answered((0, Rating.GOOD))


def test_no_card_is_made_without_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    def asleep(_: float) -> None:
        raise AssertionError("fsrs slept to make an id")

    monkeypatch.setattr("fsrs.card.time.sleep", asleep)
    answered((0, Rating.GOOD), (2, Rating.AGAIN), (3, Rating.GOOD))
