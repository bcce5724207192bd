"""Bad circumstances on the screen: each is told in words, and nothing answered is lost."""

import sqlite3
from pathlib import Path

import pytest
from driving import Drive, LocalEngine

from quizapp.errors import MachineError
from quizapp.report import Failure
from quizapp.session.session import open_store
from quizapp.text import Text


async def _answer(d) -> None:  # type: ignore[no-untyped-def]
    await d.question()
    await d.press("2", "enter")
    await d.verdict()


@pytest.mark.parametrize("size", [(59, 24), (80, 17)])
async def test_a_window_too_small_says_so(drive: Drive, size: tuple[int, int]) -> None:
    async with drive("daily", size) as d:
        await d.until(lambda: d.app.lab_word)
        assert "The window is too small" in " ".join(d.screen().split())
        assert "about 8" not in d.screen()
        await d.pilot.resize_terminal(80, 24)
        await d.until(lambda: "about 8" in d.screen())


async def test_a_folder_that_cannot_be_written_keeps_the_questions(
    drive: Drive, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    async with drive("daily", home=blocked / "data") as d:
        await d.question()
        assert any(str(blocked) in line for line in d.app.session.trouble)
        assert "Trouble" in d.screen()
        await d.press("2", "enter")
        await d.verdict()
        assert "RIGHT" in d.screen()
        assert "Not saved yet" in d.screen()
        await d.press("ctrl+q")
    assert d.app.return_code == 2
    assert '"question": "small/spread"' in d.app.last_words


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"this is no database, whatever its name says" * 40, "damaged"), (None, "newer")],
)
async def test_a_database_that_cannot_be_used_says_what_to_do(
    drive: Drive, tmp_path: Path, content: bytes | None, words: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    if content is None:
        with sqlite3.connect(home / "study.db") as db:
            db.execute("PRAGMA user_version = 999")
    else:
        (home / "study.db").write_bytes(content)
    before = (home / "study.db").read_bytes()
    async with drive("home", home=home, size=(120, 40)) as d:
        await d.until(lambda: d.app.home.home is not None)
        assert words in " ".join(d.screen().split())
    assert (home / "study.db").read_bytes() == before


async def test_without_banks_it_says_what_is_missing(drive: Drive, tmp_path: Path) -> None:
    async with drive("daily", banks=tmp_path / "none") as d:
        await d.until(lambda: "there are no questions to ask" in d.screen())


async def test_without_torch_questions_still_work(drive: Drive, tmp_path: Path) -> None:
    engine = LocalEngine()
    engine.lose_torch()
    async with drive("daily", engine=engine) as d:
        await d.question()
        assert "no lab" in d.screen().splitlines()[0]
        await d.press("2", "enter")
        await d.verdict()
        text = d.screen()
        assert "RIGHT" in text
        assert "No module named 'torch'" in text
        assert d.app.verdict.trial.saved
    with sqlite3.connect(tmp_path / "study.db") as db:
        assert db.execute("SELECT verdict FROM review").fetchall() == [("right",)]


async def test_without_torch_a_number_is_unrated(drive: Drive, tmp_path: Path) -> None:
    engine = LocalEngine()
    engine.lose_torch()
    async with drive("daily", engine=engine) as d:
        await d.question()
        entry = d.app.session.library.entries["small/number"]
        d.app.flow.sitting.more(entry)
        await d.app.question.ask(entry, d.app.flow.sitting)
        await d.press(*"16", "enter")
        await d.verdict()
        assert "UNRATED" in d.screen()
    with sqlite3.connect(tmp_path / "study.db") as db:
        assert db.execute("SELECT verdict, rating FROM review").fetchall() == [("unrated", None)]


async def test_a_run_that_fails_is_told_and_the_next_one_works(drive: Drive) -> None:
    engine = LocalEngine()
    async with drive("daily", engine=engine) as d:
        await d.question()
        engine.failure = Failure(kind="crashed", text=Text.of("The engine was killed [/x]."))
        await d.press("2", "enter")
        await d.verdict()
        assert "The engine was killed [/x]." in d.screen()
        engine.failure = None
        await d.press("s")
        await d.until(lambda: "± 0.04" in d.screen())
        assert "was killed" not in d.screen()


async def test_cancel_keeps_what_there_is(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        d.engine.gate.clear()
        await d.press("2", "enter")
        await d.until(lambda: d.app.screen is d.app.verdict and "x cancel" in d.screen())
        await d.press("x")
        await d.until(lambda: "Cancelled" in d.screen())
        assert all(job.cancelled for job in d.engine.jobs)
        d.engine.gate.set()
        await d.press("r")
        await d.verdict()
        assert "8.0" in d.screen()


async def test_leaving_before_the_numbers_come_saves_the_answer(
    drive: Drive, tmp_path: Path
) -> None:
    async with drive("daily") as d:
        await d.question()
        d.engine.gate.clear()
        await d.press("2", "enter")
        await d.until(lambda: d.app.screen is d.app.verdict)
        await d.press("enter")
        await d.until(lambda: d.app.screen is d.app.question)
    with sqlite3.connect(tmp_path / "study.db") as db:
        assert db.execute("SELECT verdict FROM review").fetchall() == [("right",)]


async def test_ctrl_c_saves_and_leaves_with_130(drive: Drive, tmp_path: Path) -> None:
    async with drive("daily") as d:
        await d.question()
        d.engine.gate.clear()
        await d.press("2", "enter")
        await d.until(lambda: d.app.screen is d.app.verdict)
        await d.press("ctrl+c")
    assert d.app.return_code == 130
    assert d.engine.closed
    with sqlite3.connect(tmp_path / "study.db") as db:
        assert db.execute("SELECT verdict FROM review").fetchall() == [("right",)]


async def test_ctrl_c_before_anything_is_loaded(drive: Drive) -> None:
    async with drive("home") as d:
        await d.press("ctrl+c")
    assert d.app.return_code == 130


async def test_a_wrong_daily_answer_leaves_with_1(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("enter")
        await d.verdict()
        await d.press("ctrl+q")
    assert d.app.return_code == 1


async def test_a_full_disk_is_told_and_the_answer_is_saved_later(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with drive("daily") as d:
        await d.question()
        store = d.app.session._store

        def full(*_: object) -> None:
            raise MachineError("the disk is full", remedy="Make room.")

        with monkeypatch.context() as patched:
            patched.setattr(type(store), "record_answer", full)
            await d.press("2", "enter")
            await d.verdict()
            assert "Not saved yet: the disk is full" in d.screen()
        await d.press("enter")
        await d.until(lambda: d.app.screen is d.app.question)
    with open_store(tmp_path) as again:
        assert again.seen() == {"small/spread"}
