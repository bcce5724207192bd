"""Answers on their way to the log: saved once, even by runs that end together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Event
from typing import cast

from helpers import entry, report, trial

from quizapp.session.records import Records
from quizapp.study.days import Moment
from quizapp.study.log import Answer
from quizapp.study.store import Store


class SlowStore:
    """Takes an answer only once somebody else has come to save it too."""

    def __init__(self) -> None:
        self.other_came = Event()
        self.taken: list[str] = []

    def record_answer(self, answer: Answer, now: Moment) -> None:
        assert self.other_came.wait(10)
        self.taken.append(answer.id)


def test_two_runs_that_end_together_save_their_answer_once() -> None:
    store = SlowStore()
    records = Records(cast(Store, store))
    made, now = trial("spread", "one"), Moment(datetime(2026, 3, 2, tzinfo=UTC), 0)
    made.take(made.main, report({"score_std": 8.0}))

    def second() -> None:
        store.other_came.set()
        records.save(entry("spread"), made, now)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(records.save, entry("spread"), made, now)
        other = pool.submit(second)
        first.result()
        other.result()
    assert store.taken == ["a"]
    assert made.saved
    assert records.waiting == {}
