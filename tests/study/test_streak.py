"""Travel, clock changes and DST neither break nor double a streak."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from study_helpers import BERLIN, SAN_FRANCISCO, TOKYO, at, day, mark

from quizapp.study.streak import Mark, Streak, streak

Given = list[tuple[str, str | float]]


def of(given: Given, now: tuple[str, str | float] | None = None) -> Streak:
    return streak([mark(*one) for one in given], mark(*(now or given[-1])))


@pytest.mark.parametrize(
    ("why", "given", "current", "longest"),
    [
        ("one day", [("2026-05-10 09:00", 0)], 1, 1),
        ("same day twice", [("2026-05-10 09:00", 0), ("2026-05-10 21:00", 0)], 1, 1),
        ("two days", [("2026-05-10 09:00", 0), ("2026-05-11 23:00", 0)], 2, 2),
        ("past midnight is the same day", [("2026-05-10 23:50", 0), ("2026-05-11 03:50", 0)], 1, 1),
        ("late, then early", [("2026-05-11 03:50", 0), ("2026-05-11 04:10", 0)], 2, 2),
        ("a day missed", [("2026-05-10 09:00", 0), ("2026-05-12 09:00", 0)], 1, 1),
        (
            "a day missed, 29 hours apart, no travel",
            [("2026-05-10 23:59", 0), ("2026-05-12 04:01", 0)],
            1,
            1,
        ),
        (
            "the longest lies behind",
            [(f"2026-05-{d} 09:00", 0) for d in (10, 11, 12, 14, 15)],
            2,
            3,
        ),
        (
            "over the date line to Tokyo: the 12th hardly existed",
            [
                ("2026-05-10 09:00", SAN_FRANCISCO),
                ("2026-05-11 10:00", SAN_FRANCISCO),
                ("2026-05-13 05:00", TOKYO),  # 27 hours later
                ("2026-05-14 09:00", TOKYO),
            ],
            4,
            4,
        ),
        (
            "to Tokyo, but over 36 hours",
            [("2026-05-11 10:00", SAN_FRANCISCO), ("2026-05-13 23:00", TOKYO)],
            1,
            1,
        ),
        (
            "exactly 36 hours are not under 36",
            [("2026-05-11 10:00", SAN_FRANCISCO), ("2026-05-13 14:00", TOKYO)],
            1,
            1,
        ),
        (
            "three days apart is never in a row",
            [("2026-05-11 23:00", -12), ("2026-05-14 05:00", 14)],
            1,
            1,
        ),
        (
            "back to San Francisco: the 14th comes twice, counts once",
            [
                ("2026-05-13 09:00", TOKYO),
                ("2026-05-14 09:00", TOKYO),
                ("2026-05-14 13:00", SAN_FRANCISCO),
                ("2026-05-15 09:00", SAN_FRANCISCO),
            ],
            3,
            3,
        ),
        (
            "landing on the day before neither breaks nor raises",
            [
                ("2026-05-13 09:00", TOKYO),
                ("2026-05-14 05:00", TOKYO),
                ("2026-05-13 14:00", SAN_FRANCISCO),
                ("2026-05-14 09:00", SAN_FRANCISCO),
                ("2026-05-15 09:00", SAN_FRANCISCO),
            ],
            3,
            3,
        ),
        (
            "spring forward: the short day",
            [(f"2026-03-{d} 05:00", BERLIN) for d in (28, 29, 30)],
            3,
            3,
        ),
        (
            "fall back: the long day, at its ends",
            [
                ("2026-10-24 04:30", BERLIN),
                ("2026-10-25 23:30", BERLIN),
                ("2026-10-26 05:00", BERLIN),
            ],
            3,
            3,
        ),
        (
            "fall back: 26 hours between two answers of days in a row",
            [("2026-10-24 22:00", BERLIN), ("2026-10-25 23:00", BERLIN)],
            2,
            2,
        ),
        (
            "an hour east across a zone",
            [("2026-05-10 23:30", 1), ("2026-05-12 04:30", 2)],
            2,
            2,
        ),
        (
            "clock set back by a week, then right again",
            [(f"2026-05-{d} 09:00", 0) for d in (10, 11, 12, "05", "06", 13)],
            4,
            4,
        ),
        (
            "a past replayed by setting the clock back raises nothing",
            [(f"2026-05-{d} 09:00", 0) for d in (10, 11, "08", "09", 10, 11)],
            2,
            2,
        ),
        (
            "clock wrongly ahead once",
            [
                ("2026-05-10 09:00", 0),
                ("2026-05-11 09:00", 0),
                ("2031-01-01 09:00", 0),
                ("2026-05-12 09:00", 0),
            ],
            3,
            3,
        ),
    ],
)
def test_in_a_row(why: str, given: Given, current: int, longest: int) -> None:
    found = of(given)
    assert (found.current, found.longest) == (current, longest), why


@pytest.mark.parametrize(
    ("now", "zone", "current", "done"),
    [
        ("2026-05-11 20:00", 0, 2, True),
        ("2026-05-12 20:00", 0, 2, False),
        ("2026-05-13 03:59", 0, 2, False),
        ("2026-05-13 04:00", 0, 0, False),
        ("2026-05-09 09:00", 0, 2, False),  # the clock was set back
        ("2026-05-13 06:00", 14, 2, False),  # flown east: an answer now would still continue
    ],
)
def test_alive_while_an_answer_now_would_continue(
    now: str, zone: float, current: int, done: bool
) -> None:
    given: Given = [("2026-05-10 09:00", 0), ("2026-05-11 09:00", 0)]
    assert of(given, (now, zone)) == Streak(current, 2, done)


def test_no_answers_no_streak() -> None:
    assert streak([], mark("2026-05-10 09:00")) == Streak(0, 0, False)


@pytest.mark.parametrize("hours", [(4, 0), (0, 4), (4, 12), (12, 0)])
def test_a_changed_day_start_does_not_break(hours: tuple[int, int]) -> None:
    before, after = hours
    marks = [mark(f"2026-05-{d} 13:00", day_start=before) for d in (10, 11)]
    marks += [mark(f"2026-05-{d} 13:00", day_start=after) for d in (12, 13)]
    assert streak(marks, marks[-1]).current == 4


def test_a_later_day_start_within_the_day_counts_the_day_once() -> None:
    marks = [
        mark("2026-05-10 09:00"),
        mark("2026-05-11 05:00"),
        mark("2026-05-11 06:00", day_start=8),
    ]
    assert streak(marks, marks[-1]).current == 2


@pytest.mark.parametrize("seed", range(20))
def test_an_answer_every_waking_day_of_any_journey_never_breaks(seed: int) -> None:
    """Somebody who answers every 20 to 24 hours, wherever they are, keeps the streak."""
    draw = random.Random(seed)
    moment, offset = at("2026-05-10 12:00").utc, 0
    marks: list[Mark] = []
    for _ in range(200):
        here = at("2026-05-10 12:00", offset)
        assert here.offset_minutes == offset * 60
        local = type(here)(moment, offset * 60)
        marks.append(Mark(local.study_day(), moment, offset * 60))
        before = streak(marks[:-1], marks[-1])
        now = streak(marks, marks[-1])
        assert before.current <= now.current <= before.current + 1
        assert now.current == now.longest
        moment += timedelta(hours=draw.uniform(20, 24))
        offset = draw.choice([offset, offset, draw.randint(-11, 13)])
    days = {one.day for one in marks}
    assert streak(marks, marks[-1]).current <= len(days)


def test_marks_are_taken_in_the_order_of_the_answers() -> None:
    assert mark("2026-05-10 03:00").day == day("2026-05-09")
    forward = of([("2026-05-10 09:00", 0), ("2026-05-11 09:00", 0)])
    backward = of([("2026-05-11 09:00", 0), ("2026-05-10 09:00", 0)])
    assert (forward.current, backward.current) == (2, 1)
