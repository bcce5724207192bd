"""An export holds everything, and can be put back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from study_helpers import answer, at

from quizapp.errors import UsageError
from quizapp.study.store import Store

NOW = at("2026-05-10 09:00", 9)


def busy(store: Store) -> None:
    store.record_answer(answer("a1", confidence="guess"), NOW)
    store.record_answer(answer("a2", "b/none", answer=None, verdict="unrated"), NOW)
    store.record_answer(answer("a3", "b/two", answer={"ticked": ["p1"]}), NOW)
    store.mark_easy("a3", NOW)
    store.record_answer(answer("a4", "b/two", verdict="wrong"), NOW)
    store.undo_last(NOW)
    store.daily(NOW, ["b/two", "b/none"])
    store.set_setting("day_start", "5")


def test_round_trip_through_json(store: Store, tmp_path: Path) -> None:
    busy(store)
    text = json.dumps(store.export(), allow_nan=False)
    with Store.open(tmp_path / "other" / "study.db", NOW) as other:
        other.restore(json.loads(text))
        assert json.dumps(other.export(), allow_nan=False) == text
        assert other.streak(NOW) == store.streak(NOW)
        assert other.last_answers("b/two") == store.last_answers("b/two")
        # Nothing of the old numbering is in the way of the next answer.
        assert other.record_answer(answer("a5"), NOW).new


def test_only_an_empty_database_is_filled(store: Store) -> None:
    busy(store)
    with pytest.raises(UsageError, match="already has answers"):
        store.restore(store.export())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.update(format="quizapp-study/99"),
        lambda data: data.pop("review"),
        lambda data: data["review"][0].pop("utc"),
        lambda data: data["review"][0].update(verdict="splendid"),
        lambda data: data["review"][0].update({"seq) --": 1}),
        lambda data: data["review"].append(data["review"][0]),
        lambda data: data["settings"].update(day_start="noon"),
        lambda data: data.update(daily=["Monday"]),
    ],
)
def test_a_spoilt_export_changes_nothing(store: Store, tmp_path: Path, spoil: object) -> None:
    busy(store)
    data = store.export()
    assert callable(spoil)
    spoil(data)
    with Store.open(tmp_path / "other.db", NOW) as other:
        empty = other.export()
        with pytest.raises(UsageError):
            other.restore(data)
        assert other.export() == empty
