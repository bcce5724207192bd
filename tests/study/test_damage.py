"""A damaged database is noticed, and the message puts it right."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from study_helpers import answer, at, day

from quizapp.errors import MachineError
from quizapp.study.backup import backup_of_day
from quizapp.study.days import Moment
from quizapp.study.store import Store

NOW = at("2026-05-10 09:00")


def later(days: int) -> Moment:
    return Moment(NOW.utc + timedelta(days=days), 0)


def filled(path: Path, count: int = 3) -> Path:
    """A closed database with some answers, and its backup of the next day."""
    with Store.open(path, NOW) as store:
        for number in range(count):
            store.record_answer(answer(f"a{number}", f"b/{number}"), NOW)
    with Store.open(path, later(1)) as store:
        store.tend(later(1))
    return path


def scribble(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace(path: Path) -> None:
    path.write_text("Dear diary, " * 1000)


def spoil_the_log(path: Path) -> None:
    """Overwrite the first page of the log, and nothing that opening reads."""
    with closing(sqlite3.connect(path)) as db:
        root, size = db.execute(
            "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'review'"
        ).fetchone()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)


@pytest.mark.parametrize("harm", [scribble, truncate, empty, replace])
def test_a_damaged_database_names_the_backup_that_works(
    path: Path, harm: Callable[[Path], None]
) -> None:
    filled(path)
    harm(path)
    with pytest.raises(MachineError, match="damaged") as error:
        Store.open(path, later(2))
    backup = backup_of_day(path, day("2026-05-11"))
    assert error.value.where == str(path)
    assert f"copy {backup} to {path}" in error.value.remedy
    assert not backup_of_day(path, day("2026-05-12")).exists()
    # Doing what it says works.
    for leftover in path.parent.glob("study.db*"):
        leftover.unlink()
    path.write_bytes(backup.read_bytes())
    with Store.open(path, later(2)) as store:
        assert store.seen() == {"b/0", "b/1", "b/2"}
        assert store.record_answer(answer("a9"), later(2)).new


def test_damage_met_later_in_the_day_is_told_alike(path: Path) -> None:
    filled(path)
    spoil_the_log(path)
    with Store.open(path, later(1)) as store:  # today's check was made before
        with pytest.raises(MachineError, match="damaged") as error:
            store.record_answer(answer("a9"), later(1))
        with pytest.raises(MachineError, match="damaged"):
            store._database.check()
    assert "backups" in error.value.remedy


def test_damage_without_any_backup(path: Path) -> None:
    path.parent.mkdir()
    replace(path)
    with pytest.raises(MachineError, match="damaged") as error:
        Store.open(path, NOW)
    assert "no backup" in error.value.remedy


def test_a_large_database_is_looked_through_when_tended(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(path)
    monkeypatch.setattr("quizapp.study.store.SMALL", 1000)
    spoil_the_log(path)
    with Store.open(path, later(2)) as store, pytest.raises(MachineError, match="damaged"):
        store.tend(later(2))
