"""The store: what a learner does, and what is remembered of it."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from study_helpers import answer, at, day

from quizapp.errors import UsageError
from quizapp.study import cards
from quizapp.study.acts import Undone
from quizapp.study.days import Moment
from quizapp.study.log import new_id
from quizapp.study.rating import Rating
from quizapp.study.store import Store

NOW = at("2026-05-10 09:00", 2)
Q = "attention/scale"


def later(**delta: float) -> Moment:
    return Moment(NOW.utc + timedelta(**delta), NOW.offset_minutes)


def test_an_answer_comes_back_whole(store: Store) -> None:
    given = answer("a1", hints=1, confidence="certain", answer=["sqrt", "log"])
    saved = store.record_answer(given, NOW)
    assert saved.new
    assert saved.rating is Rating.HARD
    (found,) = store.last_answers(Q)
    assert found.id == "a1"
    assert found.answer == ["sqrt", "log"]
    assert found.parameters == {"d_k": 64, "logits": [2.0, 1.0]}
    assert found.metrics == {"score_std": 8.01}
    assert (found.hints, found.confidence, found.seed, found.device) == (1, "certain", 7, "cpu")
    assert (found.meaning, found.wording, found.duration_ms) == ("m1", "w1", 41_000)
    assert found.moment == NOW
    assert found.local_date == found.study_day == day("2026-05-10")
    assert found.scheme is not None
    assert found.scheme.name == "fsrs"
    assert len(found.scheme.parameters) == 21


def test_the_same_id_never_doubles(store: Store) -> None:
    first = store.record_answer(answer("a1"), NOW)
    again = store.record_answer(answer("a1"), later(hours=1))
    assert (first.new, again.new) == (True, False)
    assert again.card == first.card
    assert again.rating is first.rating
    assert len(store.last_answers(Q)) == 1
    with pytest.raises(ValueError, match="belongs to another"):
        store.record_answer(answer("a1", "attention/other"), NOW)


def test_what_is_not_finite_or_not_text_can_be_saved(store: Store) -> None:
    half_a_pair = "\ud83d and 注意力"
    metrics = {"loss": math.nan, "worst": [math.inf, -math.inf, 1.0]}
    store.record_answer(answer("a1", answer=half_a_pair, metrics=metrics), NOW)
    (found,) = store.last_answers(Q)
    assert found.answer == half_a_pair
    assert found.metrics == {"loss": "NaN", "worst": ["Infinity", "-Infinity", 1.0]}


def test_a_refuted_answer_is_due_tomorrow_and_not_today(store: Store) -> None:
    store.record_answer(answer("a1", verdict="wrong"), NOW)
    assert store.due(later(hours=10), {Q: "m1"}) == []
    (found,) = store.due(later(days=1), {Q: "m1"})
    assert (found.question, found.days_overdue, found.refuted) == (Q, 0, True)


def test_an_unrated_answer_makes_no_card(store: Store) -> None:
    saved = store.record_answer(answer("a1", verdict="unrated"), NOW)
    assert (saved.rating, saved.card) == (None, None)
    assert store.due(later(days=400), {Q: "m1"}) == []
    assert store.seen() == {Q}
    assert store.streak(NOW).current == 1


def test_most_overdue_first_and_changed_meaning_asks_again(store: Store) -> None:
    for number, (question, verdict) in enumerate(
        [("b/wrong", "wrong"), ("b/right", "right"), ("b/changed", "right"), ("b/gone", "wrong")]
    ):
        store.record_answer(answer(f"a{number}", question, verdict=verdict), NOW)
    meanings = {"b/wrong": "m1", "b/right": "m1", "b/changed": "m2", "b/new": "m1"}
    today = [(found.question, found.changed) for found in store.due(later(hours=1), meanings)]
    assert today == [("b/changed", True)]
    soon = [(found.question, found.days_overdue) for found in store.due(later(days=9), meanings)]
    assert soon == [("b/wrong", 8), ("b/changed", 7), ("b/right", 7)]
    # Answered in its new meaning it no longer asks, and starts from scratch.
    saved = store.record_answer(answer("a9", "b/changed", meaning="m2"), later(days=9))
    assert saved.card is not None
    assert saved.card.reviews == 1
    assert "b/changed" not in {f.question for f in store.due(later(days=9), meanings)}


def test_undo_takes_back_only_the_last_thing_said(store: Store) -> None:
    store.record_answer(answer("a1"), NOW)
    before = store.export()["card"]
    store.record_answer(answer("a2"), later(days=3))
    store.mark_easy("a2", later(days=3))
    today = day("2026-05-13")
    assert store.undo_last(later(days=3)) == Undone("easy", "a2", Q, today)
    assert store.undo_last(later(days=3)) == Undone("answer", "a2", Q, today)
    assert store.export()["card"] == before
    assert [found.id for found in store.last_answers(Q)] == ["a1"]
    assert store.undo_last(later(days=3)) == Undone("answer", "a1", Q, day("2026-05-10"))
    assert store.undo_last(later(days=3)) is None
    assert store.export()["card"] == []
    assert store.seen() == frozenset()
    assert store.ever_answered() == {Q}
    assert len(store.export()["review"]) == 6  # the log keeps it all


def test_undo_of_todays_second_answer_keeps_the_streak(store: Store) -> None:
    store.record_answer(answer("a1"), NOW)
    store.record_answer(answer("a2"), later(days=1))
    store.record_answer(answer("a3", "b/other"), later(days=1))
    store.undo_last(later(days=1))
    assert store.streak(later(days=1)).current == 2
    store.undo_last(later(days=1))
    assert (store.streak(later(days=1)).current, store.streak(later(days=1)).today_done) == (
        1,
        False,
    )


def test_a_retried_undo_undoes_once(store: Store) -> None:
    for number in range(3):
        store.record_answer(answer(f"a{number}", f"b/{number}"), NOW)
    undo_id = new_id()
    assert store.undo_last(NOW, undo_id=undo_id) == store.undo_last(NOW, undo_id=undo_id)
    assert store.seen() == {"b/0", "b/1"}
    with pytest.raises(ValueError, match="belongs to another"):
        store.undo_last(NOW, undo_id="a0")


def test_easy_is_for_right_answers_that_stand(store: Store) -> None:
    good = store.record_answer(answer("a1"), NOW).card
    easy = store.mark_easy("a1", NOW)
    assert good is not None
    assert easy.due > good.due
    assert store.mark_easy("a1", NOW) == easy
    assert [row["event"] for row in store.export()["review"]] == ["answer", "easy"]
    assert store.last_answers(Q)[0].rating is Rating.EASY
    store.record_answer(answer("a2", verdict="wrong"), NOW)
    with pytest.raises(UsageError, match="only a right answer"):
        store.mark_easy("a2", NOW)
    store.undo_last(NOW)
    for absent in ("a2", "never"):
        with pytest.raises(UsageError, match="no such answer"):
            store.mark_easy(absent, NOW)


def test_todays_question_stays_and_tomorrows_is_kept_to(store: Store) -> None:
    ids = [f"attention/q{number}" for number in range(24)]
    moment = NOW
    for days in range(40):
        moment = later(days=days)
        promised = store.tomorrow(moment, ids)
        shown = store.daily(moment, ids)
        assert store.daily(moment, [*ids, "late/one"]) == shown
        assert store.tomorrow(moment, ids) == promised
        assert store.daily(later(days=days + 1), ids) == promised


def test_tomorrow_after_the_set_changed_today(store: Store) -> None:
    old = [f"attention/q{number}" for number in range(24)]
    new = [*old, "backend/lock", "backend/fencing"]
    had = [store.daily(later(days=days), old) for days in range(60)]
    today = later(days=59)
    promised = store.tomorrow(today, new)
    assert store.daily(today, new) == had[-1]
    assert store.daily(later(days=60), new) == promised
    assert promised in {"backend/lock", "backend/fencing"}


def test_a_daily_question_that_left_the_banks_is_replaced_for_the_day(store: Store) -> None:
    ids = ["b/1", "b/2", "b/3"]
    gone = store.daily(NOW, ids)
    left = [question for question in ids if question != gone]
    replacement = store.daily(NOW, left)
    assert replacement in left
    assert store.daily(NOW, left) == replacement
    assert store.daily(NOW, ids) == gone
    assert store.daily(NOW, []) is None
    assert store.tomorrow(NOW, []) is None


def test_one_more_is_due_then_new_then_longest_ago(store: Store) -> None:
    meanings = {f"b/{number}": "m1" for number in range(3)}
    assert store.one_more(NOW, meanings) == "b/0"
    store.record_answer(answer("a0", "b/0", verdict="wrong"), NOW)
    assert store.one_more(NOW, meanings, skip=["b/0"]) == "b/1"
    assert store.one_more(later(days=1), meanings) == "b/0"
    store.record_answer(answer("a1", "b/1"), NOW)
    store.record_answer(answer("a2", "b/2"), NOW)
    assert store.one_more(NOW, meanings, skip=["b/0"]) == "b/1"
    assert store.one_more(NOW, meanings, skip=list(meanings)) == "b/0"
    assert store.one_more(NOW, {"b/2": "m1"}, skip=["b/2"]) == "b/2"
    assert store.one_more(NOW, {}) is None


def test_settings_and_the_day_start(store: Store) -> None:
    assert store.get_setting("language", "en") == "en"
    store.set_setting("language", "zh")
    assert store.get_setting("language") == "zh"
    store.set_setting("language", None)
    assert store.get_setting("language") is None
    night = at("2026-05-11 02:00", 2)
    assert store.study_day(night) == day("2026-05-10")
    store.set_setting("day_start", "0")
    assert store.study_day(night) == day("2026-05-11")
    for wrong in ("24", "-1", "4:00", "", "４"):
        with pytest.raises(UsageError, match="cannot start"):
            store.set_setting("day_start", wrong)


def test_answers_today(store: Store) -> None:
    store.record_answer(answer("a1"), NOW)
    store.record_answer(answer("a2", verdict="wrong"), later(days=1))
    store.record_answer(answer("a3"), later(days=1, hours=1))
    assert [found.id for found in store.answers_today(later(days=1))] == ["a2", "a3"]


async def test_threads_share_one_store(store: Store) -> None:
    def record(number: int) -> object:
        return store.record_answer(answer(f"a{number}", f"b/{number % 3}"), NOW)

    calls: list[Callable[[], object]] = [partial(record, number) for number in range(40)]
    calls += [lambda: store.streak(NOW), lambda: store.due(NOW, {"b/0": "m1"})] * 10
    random.Random(0).shuffle(calls)
    await asyncio.gather(*(asyncio.to_thread(call) for call in calls))
    assert len(store.export()["review"]) == 40
    with store._database.read() as db:
        assert cards.load(db) == cards.from_log(db)
