"""The database in bad circumstances: each a clear message, and nothing lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from study_helpers import answer, at, day

from quizapp.errors import MachineError
from quizapp.study.backup import backup_before, backup_of_day, newest_backup
from quizapp.study.database import Database, _use_wal, require_sqlite
from quizapp.study.days import Moment
from quizapp.study.faults import explain
from quizapp.study.schema import Migration, migrations, statements, version_of
from quizapp.study.store import Store

NOW = at("2026-05-10 09:00")
Q = "attention/scale"


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


def test_settings_of_the_connection(store: Store) -> None:
    with store._database.read() as db:
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert db.execute("PRAGMA foreign_keys").fetchone()[0] == 1
        assert db.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert db.execute("PRAGMA busy_timeout").fetchone()[0] >= 5000
        tables = db.execute("PRAGMA table_list").fetchall()
    ours = {row["name"]: row["strict"] for row in tables if not row["name"].startswith("sqlite_")}
    assert {"review", "card", "daily", "setting"} <= set(ours)
    assert all(ours[name] for name in ("review", "card", "daily", "setting"))


def test_the_switch_to_wal_waits_for_another_program_that_starts(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir()
    naps = []
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as other,
        closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as ours,
    ):
        other.execute("BEGIN IMMEDIATE")

        def nap(seconds: float) -> None:
            naps.append(seconds)
            if len(naps) == 3:
                other.execute("ROLLBACK")

        monkeypatch.setattr("quizapp.study.database.time.sleep", nap)
        _use_wal(ours)
        assert ours.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert len(naps) == 3


def test_released_migrations_never_change() -> None:
    assert [step.version for step in migrations()] == list(range(1, len(migrations()) + 1))


def test_statements_keep_triggers_whole() -> None:
    script = "CREATE TABLE t (a);\nCREATE TRIGGER x AFTER INSERT ON t\nBEGIN\n SELECT 1;\nEND;\n"
    assert len(list(statements(script))) == 2
    with pytest.raises(ValueError, match="unfinished"):
        list(statements("CREATE TABLE t (a"))


def test_a_migration_keeps_the_data_and_a_backup(path: Path) -> None:
    filled(path)
    steps = (*migrations(), Migration(2, "ALTER TABLE card ADD COLUMN note TEXT;\n"))
    with closing(Database.open(path, steps)) as database, database.read() as db:
        assert version_of(db) == 2
        assert db.execute("SELECT count(note), count(*) FROM card").fetchone()[1] == 3
    with closing(sqlite3.connect(backup_before(path, 2))) as backup:
        assert version_of(backup) == 1
        assert backup.execute("SELECT count(*) FROM review").fetchone()[0] == 3
    with pytest.raises(MachineError, match="newer quizapp") as error:
        Store.open(path, NOW)
    assert error.value.where == str(path)
    assert "Update" in error.value.remedy


def test_a_migration_that_fails_leaves_everything_as_it_was(path: Path) -> None:
    filled(path)
    bad = "ALTER TABLE card ADD COLUMN note TEXT;\nINSERT INTO nowhere VALUES (1);\n"
    with pytest.raises(MachineError, match="refused"):
        Database.open(path, (*migrations(), Migration(2, bad)))
    with Store.open(path, NOW) as store:
        assert len(store.export()["review"]) == 3
        assert "note" not in store.export()["card"][0]


def test_a_program_left_open_over_an_update_writes_no_more(store: Store, path: Path) -> None:
    Database.open(path, (*migrations(), Migration(2, "DROP TABLE daily;\n"))).close()
    with pytest.raises(MachineError, match="newer quizapp"):
        store.record_answer(answer("a1"), NOW)
    assert store.seen() == frozenset()


def test_another_programs_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE songs (title)")
    before = path.read_bytes()
    with pytest.raises(MachineError, match="another program"):
        Store.open(path, NOW)
    assert path.read_bytes() == before


def test_one_backup_a_study_day_and_the_last_seven(path: Path) -> None:
    for days in range(10):
        for _ in range(2):
            with Store.open(path, later(days)) as store:
                store.record_answer(answer(f"a{days}"), later(days))
    found = sorted(file.name for file in (path.parent / "backups").iterdir())
    assert found == [f"study-2026-05-{number}.db" for number in range(13, 20)]
    newest = newest_backup(path)
    assert newest == backup_of_day(path, day("2026-05-19"))
    with closing(sqlite3.connect(newest)) as backup:
        # Made when the day's first answer was still to come.
        assert backup.execute("SELECT count(*) FROM review").fetchone()[0] == 9


def test_a_backup_that_cannot_be_written_is_told_and_no_more(path: Path) -> None:
    path.parent.mkdir()
    (path.parent / "backups").write_text("a file where the folder should be")
    with Store.open(path, NOW) as store:
        assert store.record_answer(answer("a1"), NOW).new
        assert len(store.notices) == 1
        assert "backup was not written" in store.notices[0]


def test_opening_writes_no_backup_and_tending_one(path: Path) -> None:
    with Store.open(path, NOW) as store:
        assert newest_backup(path) is None
        store.tend(NOW)
        written = newest_backup(path)
        assert written is not None
        before = written.stat().st_mtime_ns
        store.tend(NOW)
        store.record_answer(answer("a1"), NOW)
        assert written.stat().st_mtime_ns == before
        store.tend(later(1))
        assert newest_backup(path) == backup_of_day(path, day("2026-05-11"))


def test_a_full_disk_saves_nothing_by_halves_and_can_be_retried(store: Store) -> None:
    store.record_answer(answer("a0"), NOW)
    big = answer("a1", "b/big", answer="x" * 200_000)
    db = store._database._db
    limit = db.execute("PRAGMA max_page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0] + 1}")
    before = store.export()
    with pytest.raises(MachineError, match="disk is full") as error:
        store.record_answer(big, NOW)
    assert "can be saved again" in error.value.remedy
    assert store.export() == before
    db.execute(f"PRAGMA max_page_count = {limit}")
    assert store.record_answer(big, NOW).new
    assert not store.record_answer(big, NOW).new
    assert store.seen() == {Q, "b/big"}


def test_no_folder_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    with pytest.raises(MachineError, match="cannot be used") as error:
        Store.open(tmp_path / "home" / "study.db", NOW)
    assert "QUIZAPP_HOME" in error.value.remedy


def test_a_folder_in_the_files_place(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(MachineError, match="cannot be opened for writing"):
        Store.open(path, NOW)


AS_SOMEBODY_WITHOUT_RIGHTS = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from study_helpers import at
from quizapp.errors import MachineError
from quizapp.study.schema import migrations
from quizapp.study.store import Store
migrations()  # read while our own files can be
if os.geteuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    Store.open(Path(sys.argv[1]), at("2026-05-10 09:00"))
except MachineError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such modes")
@pytest.mark.parametrize("existing", [True, False])
def test_an_unwritable_folder(existing: bool) -> None:
    # Not tmp_path: pytest keeps its parents to the user who runs it.
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        if existing:
            Store.open(path, NOW).close()
            path.chmod(0o444)
        path.parent.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", AS_SOMEBODY_WITHOUT_RIGHTS, path, Path(__file__).parent],
            capture_output=True,
            text=True,
            check=False,
        )
        path.parent.chmod(0o755)
    assert done.stderr == ""
    assert "writ" in done.stdout
    assert str(path) in done.stdout
    assert "QUIZAPP_HOME" in done.stdout


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("SQLITE_READONLY_DIRECTORY", "cannot be opened for writing"),
        ("SQLITE_CANTOPEN", "cannot be opened for writing"),
        ("SQLITE_FULL", "disk is full"),
        ("SQLITE_IOERR_WRITE", "disk failed"),
        ("SQLITE_BUSY_SNAPSHOT", "locked"),
        ("SQLITE_CORRUPT_INDEX", "damaged"),
        ("SQLITE_NOTADB", "damaged"),
        ("SQLITE_ERROR", "refused"),
    ],
)
def test_each_error_has_its_sentence(path: Path, name: str, sentence: str) -> None:
    error = sqlite3.OperationalError("the library's words")
    error.sqlite_errorname = name
    told = explain(error, path)
    assert sentence in told.what
    assert told.where == str(path)
    assert told.remedy


def test_a_database_kept_locked(store: Store, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store._database._db.execute("PRAGMA busy_timeout = 0")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MachineError, match="locked"):
            store.record_answer(answer("a1"), NOW)
        assert store.seen() == frozenset()  # reading goes on
        other.execute("ROLLBACK")
    assert store.record_answer(answer("a1"), NOW).new


def test_an_old_sqlite() -> None:
    require_sqlite((3, 37, 0))
    with pytest.raises(MachineError, match=r"SQLite 3\.36\.0 is too old"):
        require_sqlite((3, 36, 0))
