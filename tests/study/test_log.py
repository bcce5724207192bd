"""The log is append-only, and the cards follow from it."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from study_helpers import answer, at

from quizapp.study import cards
from quizapp.study.days import Moment
from quizapp.study.store import Store

NOW = at("2026-05-10 09:00", 2)
Q = "attention/scale"


@pytest.mark.parametrize("seed", range(8))
def test_cards_rebuilt_from_the_log_equal_the_stored_ones(path: Path, seed: int) -> None:
    draw = random.Random(seed)
    moment = NOW
    with Store.open(path, NOW) as store:
        for number in range(60):
            moment = Moment(
                moment.utc + timedelta(hours=draw.choice([0.1, 5, 30, 400, -20])),
                draw.choice([120, 120, 540, -480]),
            )
            act = draw.random()
            if act < 0.7:
                store.record_answer(
                    answer(
                        f"a{number}",
                        f"b/{draw.randint(0, 4)}",
                        verdict=draw.choice(["right", "right", "wrong", "partial", "unrated"]),
                        meaning=draw.choice(["m1", "m1", "m1", "m2"]),
                        hints=draw.choice([0, 0, 1]),
                    ),
                    moment,
                )
            elif act < 0.85:
                store.undo_last(moment)
            else:
                right = [
                    found.id
                    for question in store.seen()
                    for found in store.last_answers(question)
                    if found.verdict == "right"
                ]
                if right:
                    store.mark_easy(draw.choice(sorted(right)), moment)
            with store._database.read() as db:
                assert cards.load(db) == cards.from_log(db)
        stored = store.export()["card"]
        assert stored
        store.rebuild_cards()
        assert store.export()["card"] == stored
        events = {row["event"] for row in store.export()["review"]}
        assert events == {"answer", "undo", "easy"}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE review SET verdict = 'right'",
        "DELETE FROM review",
        "INSERT OR REPLACE INTO review SELECT * FROM review",
        "INSERT INTO review (id, event, refers, utc, offset_minutes, local_date, study_day)"
        " SELECT 'x', 'easy', 'nobody', utc, offset_minutes, local_date, study_day FROM review",
        "INSERT INTO review (id, event, refers, utc, offset_minutes, local_date, study_day)"
        " SELECT 'x', 'undo', 'nobody', utc, offset_minutes, local_date, study_day FROM review",
    ],
)
def test_the_log_is_append_only_for_everybody(store: Store, path: Path, statement: str) -> None:
    store.record_answer(answer("a1", verdict="wrong"), NOW)
    with closing(sqlite3.connect(path)) as other, pytest.raises(sqlite3.IntegrityError):
        other.execute(statement)
    assert store.last_answers(Q)[0].verdict == "wrong"
