"""The study day follows the wall clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from study_helpers import BERLIN, SAN_FRANCISCO, TOKYO, at, day

from quizapp.study.clock import SystemClock
from quizapp.study.days import Moment


@pytest.mark.parametrize(
    ("text", "zone", "start", "expected"),
    [
        ("2026-05-10 03:59:59", TOKYO, 4, "2026-05-09"),
        ("2026-05-10 04:00", TOKYO, 4, "2026-05-10"),
        ("2026-05-10 23:59", TOKYO, 4, "2026-05-10"),
        ("2026-01-01 02:00", SAN_FRANCISCO, 4, "2025-12-31"),
        ("2026-05-10 00:00", TOKYO, 0, "2026-05-10"),
        ("2026-05-10 22:59", TOKYO, 23, "2026-05-09"),
        # The hour from 02:00 to 03:00 does not exist: 03:30 is one real hour after 01:30.
        ("2026-03-29 03:30", BERLIN, 4, "2026-03-28"),
        ("2026-03-29 04:00", BERLIN, 4, "2026-03-29"),
        # 02:30 comes twice; the wall clock decides both times alike.
        ("2026-10-25 02:30", BERLIN, 4, "2026-10-24"),
        ("2026-10-25 04:00", BERLIN, 4, "2026-10-25"),
    ],
)
def test_study_day(text: str, zone: str, start: int, expected: str) -> None:
    assert at(text, zone).study_day(start) == day(expected)


def test_a_repeated_hour_is_two_moments_on_one_study_day() -> None:
    first = at("2026-10-25 02:30", BERLIN)
    second = Moment(first.utc + timedelta(hours=1), 60)
    assert first.offset_minutes == 120
    assert first.local == second.local
    assert first.study_day() == second.study_day()


def test_local_date_is_of_the_learners_zone() -> None:
    assert at("2026-05-10 23:30", SAN_FRANCISCO).local_date == day("2026-05-10")
    assert at("2026-05-10 23:30", SAN_FRANCISCO).utc.date() == day("2026-05-11")


def test_naive_and_foreign_instants_are_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        Moment.of(datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="UTC"):
        Moment(datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=9))), 540)
    with pytest.raises(ValueError, match="24 hours"):
        Moment(datetime(2026, 1, 1, tzinfo=UTC), 1440)


def test_the_system_clock_follows_a_change_of_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert SystemClock().now().offset_minutes == 540
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    assert SystemClock().now().offset_minutes == 330
    monkeypatch.undo()
    before = datetime.now(UTC)
    assert before <= SystemClock().now().utc <= datetime.now(UTC)
