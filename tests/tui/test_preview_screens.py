"""`quizapp preview` on the screen: the learner's question, anew on each save."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from driving import Driven, LocalEngine, TestClock

from quizapp.errors import OK, TROUBLE
from quizapp.lab.client import Engine
from quizapp.session.previewing import PreviewSession, open_preview
from quizapp.session.writing import new_bank, new_exercise, new_question
from quizapp.tui import preview
from quizapp.tui.preview import PreviewApp

Look = Callable[..., Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two quick questions in a file of a bank."""
    new_bank(tmp_path / "bank")
    one = new_question(tmp_path / "bank" / "one.yaml", "numeric").files[0]
    two = new_question(tmp_path / "bank" / "two.yaml", "claim").files[0]
    entries = two.read_text("utf-8").split("questions:\n", 1)[1]
    text = (one.read_text("utf-8") + entries).replace("pairs: 20000", "pairs: 1000")
    one.write_text(text.replace("rtol: 0.05}", "rtol: 0.3}"), encoding="utf-8")
    two.unlink()
    return one


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Look:
    """``async with look(file, name) as driven``: the preview, running."""
    monkeypatch.setattr(preview, "LOOK", 0.01)

    @asynccontextmanager
    async def running(
        file: Path, name: str | None = None, size: tuple[int, int] = (80, 24), lang: str = "en"
    ) -> AsyncIterator[Driven]:
        engine = LocalEngine()

        def opener(wanted: str | None) -> PreviewSession:
            return open_preview(file, name, language=wanted, engine=cast(Engine, engine))

        app = PreviewApp(opener, language=lang)
        async with app.run_test(size=size, notifications=True) as pilot:
            yield Driven(app, pilot, TestClock(), engine)

    return running


def app_of(driven: Driven) -> PreviewApp:
    assert isinstance(driven.app, PreviewApp)
    return driven.app


async def question(driven: Driven, words: str) -> None:
    """Until a question with these words is on the screen."""
    app = app_of(driven)
    await driven.until(lambda: app.screen is app.question and words in driven.screen())


async def verdict(driven: Driven) -> None:
    """Until the verdict has all its numbers."""
    app = app_of(driven)
    await driven.until(
        lambda: (
            app.screen is app.verdict
            and app.verdict.trial is not None
            and app.verdict.trial.complete
        )
    )


async def test_the_question_its_verdict_and_back(look: Look, file: Path) -> None:
    async with look(file) as driven:
        await question(driven, "One head, d_k = 100")
        assert "1/2" in driven.screen()
        await driven.press("1", "0", "enter")
        await verdict(driven)
        assert "RIGHT" in driven.screen()
        assert "✓" not in driven.screen().splitlines()[0]  # nothing is saved
        assert "enter ask again" in driven.screen()
        await driven.press("enter")
        await question(driven, "How wide is a head of 100?")
    assert not list(file.parent.glob("*.db"))


async def test_a_save_is_shown_at_once(look: Look, file: Path) -> None:
    async with look(file) as driven:
        await question(driven, "How wide is a head of 100?")
        change(file, "How wide is a head of 100?", "How wide are the scores?")
        await question(driven, "How wide are the scores?")


async def test_the_verdict_stays_while_the_meaning_does(look: Look, file: Path) -> None:
    async with look(file) as driven:
        await question(driven, "How wide")
        await driven.press("9", "9", "enter")
        await verdict(driven)
        change(file, "ten at a hundred", "so ten at a hundred")
        await driven.until(lambda: "so ten at a hundred" in driven.screen())
        await verdict(driven)
        assert "99" in driven.screen()
        change(file, "d_k: 100, pairs", "d_k: 400, pairs")
        await question(driven, "How wide")


async def test_mistakes_stand_in_its_place_until_they_are_mended(look: Look, file: Path) -> None:
    async with look(file) as driven:
        await question(driven, "How wide")
        change(file, "answer: {metric: score_std", "anser: {metric: score_std")
        app = app_of(driven)
        await driven.until(lambda: app.screen is app.findings)
        shown = driven.screen()
        assert "QB021" in shown
        assert "no field `anser`; did you mean `answer`?" in " ".join(shown.split())
        assert app._code() == TROUBLE
        change(file, "anser: {metric: score_std", "answer: {metric: score_std")
        await question(driven, "How wide")
        assert app._code() == OK


async def test_what_is_harmless_stands_at_the_top(look: Look, file: Path) -> None:
    change(file, "      zh: 宽度为 100 的头，分数有多分散？\n", "")
    async with look(file, "two", size=(120, 40)) as driven:
        await question(driven, "Do scores grow with d_k?")
        assert "1 elsewhere in the file" in driven.screen().splitlines()[0]
        await driven.press("n")
        await question(driven, "How wide")
        assert "1 finding here" in driven.screen().splitlines()[0]


async def test_findings_open_over_the_question(look: Look, file: Path) -> None:
    change(file, "      zh: 分数与 d_k 成正比吗？\n", "")
    async with look(file, "two") as driven:
        await question(driven, "Does this claim hold?")
        await driven.press("m")
        app = app_of(driven)
        await driven.until(lambda: app.screen is app.findings and "QB040" in driven.screen())
        await driven.press("m")
        await question(driven, "Does this claim hold?")
        await driven.press("m")
        change(file, "en: Do scores grow with d_k?", "en: Do scores grow?\n      zh: 分数变大吗？")
        await question(driven, "Do scores grow?")
        await driven.press("m")
        assert app.screen is app.question


async def test_n_goes_round_the_questions_of_the_file(look: Look, file: Path) -> None:
    async with look(file, "two") as driven:
        await question(driven, "2/2")
        await driven.press("n")
        await question(driven, "1/2")


async def test_an_exercise_is_shown_in_words(look: Look, file: Path) -> None:
    folder = new_exercise(file.parent / "exercises" / "scores").files[0].parent
    async with look(folder, size=(120, 40)) as driven:
        app = app_of(driven)
        await driven.until(lambda: app.screen is app.sheet and "Hint 1" in driven.screen())
        change(folder / "exercise.yaml", "Scaled scores", "Scores, scaled")
        await driven.until(lambda: "Scores, scaled" in driven.screen())


async def test_it_speaks_chinese_and_switches(look: Look, file: Path) -> None:
    async with look(file, "two", lang="zh") as driven:
        await question(driven, "分数与 d_k 成正比吗？")
        assert "下一题" in driven.screen()
        await driven.press("L")
        await question(driven, "Do scores grow with d_k?")
        assert "next question" in driven.screen()


async def test_a_save_waits_while_the_keys_are_read(look: Look, file: Path) -> None:
    async with look(file, "two") as driven:
        await question(driven, "Does this claim hold?")
        await driven.press("question_mark")
        app = app_of(driven)
        change(file, "Does this claim hold?", "Is this so?")
        await driven.pilot.pause(0.1)
        assert app.screen is app.help
        assert "what the checker says about this file" in driven.screen()
        await driven.press("escape")
        await question(driven, "Is this so?")


async def test_esc_on_the_question_leaves(look: Look, file: Path) -> None:
    async with look(file, "two") as driven:
        await question(driven, "Does this claim hold?")
        await driven.press("escape")
        await driven.until(lambda: driven.engine.closed)
