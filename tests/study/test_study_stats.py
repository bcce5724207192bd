"""The figures of `quizapp stats`."""

from __future__ import annotations

from datetime import timedelta

import pytest
from study_helpers import answer, at, day

from quizapp.study.days import Moment
from quizapp.study.stats import Tally
from quizapp.study.store import Store

NOW = at("2026-05-10 09:00", 2)
QUESTIONS = {"b/1": "m1", "b/2": "m1", "b/3": "m1"}
TAGS = {"b/1": ["attention/scaling", "softmax"], "b/2": ["softmax"]}


def test_nothing_answered(store: Store) -> None:
    found = store.stats(NOW, QUESTIONS, TAGS)
    assert (found.answered, found.questions, found.overall.share) == (0, 0, None)
    assert found.by_tag == {}
    assert found.calibration == {"guess": Tally(), "fairly": Tally(), "certain": Tally()}
    assert (found.due_today, found.refuted, found.streak.current) == (0, (), 0)
    assert [count for _, count in found.load] == [0] * 7


def test_figures(store: Store) -> None:
    store.record_answer(answer("a1", "b/1", confidence="certain"), NOW)
    store.record_answer(answer("a2", "b/2", verdict="wrong", confidence="certain"), NOW)
    store.record_answer(answer("a3", "b/3", verdict="partial", share=0.5), NOW)
    store.record_answer(answer("a4", "b/1", verdict="unrated", confidence="guess"), NOW)
    store.record_answer(answer("a5", "b/gone", verdict="wrong"), NOW)
    store.record_answer(answer("a6", "b/3"), NOW)
    store.undo_last(NOW)
    found = store.stats(NOW, QUESTIONS, TAGS)
    assert (found.answered, found.questions) == (5, 4)
    assert found.overall == Tally(rated=4, right=1)
    assert found.overall.share == pytest.approx(0.25)
    assert found.by_tag == {"attention/scaling": Tally(1, 1), "softmax": Tally(2, 1)}
    assert found.calibration == {"guess": Tally(), "fairly": Tally(), "certain": Tally(2, 1)}
    assert found.refuted == ("b/2",)
    assert found.due_today == 0
    # Wrong: tomorrow. Hard: 1 day. Good: 2 days. The question that left the banks: never.
    assert found.load[:3] == (
        (day("2026-05-11"), 2),
        (day("2026-05-12"), 1),
        (day("2026-05-13"), 0),
    )
    tomorrow = store.stats(Moment(NOW.utc + timedelta(days=1), 120), QUESTIONS, TAGS)
    assert tomorrow.due_today == 2
    assert tomorrow.streak.current == 1
    assert len(tomorrow.load) == 7
    changed = store.stats(NOW, {**QUESTIONS, "b/1": "m2"}, TAGS)
    assert changed.due_today == 1
