"""Killed processes lose nothing that was saved; two at once neither corrupt nor double."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from study_helpers import answer, at

from quizapp.study import cards
from quizapp.study.daily import pick
from quizapp.study.store import Store

NOW = at("2026-05-10 09:00")
HERE = str(Path(__file__).parent)

PRELUDE = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from study_helpers import answer, at
from quizapp.study.store import Store
path, NOW = Path(sys.argv[1]), at("2026-05-10 09:00")
"""

SAVE_THEN_WAIT = """
store = Store.open(path, NOW)
store.record_answer(answer("a1", verdict="wrong"), NOW)
print("saved", flush=True)
sys.stdin.read()
"""

# Forks once for each statement of saving an answer, and dies there as by kill -9.
DIE_AT_EACH_STATEMENT = """
from quizapp.study.schedule import current_scheme
current_scheme()
for fatal in range(1, 100):
    child = os.fork()
    if child == 0:
        store, seen = Store.open(path, NOW), 0
        def trace(statement):
            global seen
            seen += 1
            if seen == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        store._database._db.set_trace_callback(trace)
        store.record_answer(answer(f"a{fatal}", f"b/{fatal}"), NOW)
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        break
print(fatal)
"""

ANSWER_MANY = """
sys.stdin.readline()
store = Store.open(path, NOW)
ids = [f"b/{n}" for n in range(9)] + [sys.argv[3]] * (int(sys.argv[4]) % 2)
print(store.daily(NOW, ids))
for number in range(30):
    store.record_answer(answer(f"shared-{number}", f"b/{number % 5}"), NOW)
    store.record_answer(answer(f"{sys.argv[4]}-{number}", f"b/{number % 7}"), NOW)
"""


def child(code: str, path: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + code, str(path), HERE, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def sound(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_killed_after_it_said_saved(path: Path) -> None:
    with child(SAVE_THEN_WAIT, path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "saved\n"
        process.kill()
        assert process.wait() == -signal.SIGKILL
    with Store.open(path, NOW) as store:
        assert [found.verdict for found in store.last_answers("attention/scale")] == ["wrong"]
        assert not store.record_answer(answer("a1", verdict="wrong"), NOW).new
        with store._database.read() as db:
            assert cards.load(db) == cards.from_log(db) != {}
    sound(path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_killed_between_any_two_statements(path: Path) -> None:
    with Store.open(path, NOW) as store:
        store.record_answer(answer("a0", "b/0"), NOW)
    with child(DIE_AT_EACH_STATEMENT, path) as process:
        out, _ = process.communicate(timeout=120)
    deaths = int(out) - 1
    assert deaths >= 6  # begin, version, lookup, insert, card, commit at the least
    sound(path)
    with Store.open(path, NOW) as store:
        # Only the first and the one that lived were ever saved; no card without its answer.
        assert store.seen() == {"b/0", f"b/{deaths + 1}"}
        with store._database.read() as db:
            assert cards.load(db) == cards.from_log(db)
            assert set(cards.load(db)) == store_seen(db)


def store_seen(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("SELECT DISTINCT question FROM standing")}


def test_four_at_once_from_the_first_start(path: Path) -> None:
    """They create the database together, share ids, and agree on the question of the day."""
    ids, today = [f"b/{number}" for number in range(9)], NOW.study_day()
    plain = pick(ids, today)
    # Half of them have one question more, which moves their own choice but is not it.
    extra = next(e for e in map(str, range(99)) if pick([*ids, e], today) not in {e, plain})
    several = [child(ANSWER_MANY, path, extra, str(number)) for number in range(4)]
    for process in several:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    shown = set()
    for process in several:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        shown.add(out.strip())
    with Store.open(path, NOW) as store:
        rows = store.export()["review"]
        assert len(rows) == len({row["id"] for row in rows}) == 30 + 4 * 30
        with store._database.read() as db:
            assert cards.load(db) == cards.from_log(db)
        assert shown == {row["question"] for row in store.export()["daily"]}
        assert len(shown) == 1
    sound(path)
