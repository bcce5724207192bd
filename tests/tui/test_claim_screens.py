"""A claim and a prediction, key by key: asked, answered, decided by the run."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from driving import Drive, LocalEngine
from textual.widgets import Input

from quizapp.tui.widgets.choices import Choices

BANK = Path(__file__).parent.parent / "data" / "claims"


def logged(home: Path) -> list[tuple[str, str, int | None]]:
    with sqlite3.connect(home / "study.db") as db:
        return list(db.execute("SELECT kind, verdict, rating FROM review ORDER BY seq"))


async def bring(d: Any, name: str) -> None:
    """Bring a certain question to the screen."""
    await d.question()
    entry = d.app.session.library.entries[f"claims/{name}"]
    d.app.flow.sitting.more(entry)
    await d.app.question.ask(entry, d.app.flow.sitting)
    await d.pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_claim_is_held_or_refuted_by_its_run(
    drive: Drive, size: tuple[int, int], tmp_path: Path
) -> None:
    async with drive("daily", size, banks=BANK) as d:
        await bring(d, "false-claim")
        text = d.screen()
        assert "CLAIM: “The std of q·k is d_k.”" in text
        assert "> 1  It holds" in text
        assert "2  It does not hold" in text
        await d.press("tab", "1", "enter")
        await d.verdict()
        text = d.screen()
        assert "NOT YET: you said it holds; this run refutes it" in text
        assert "claimed" in text
        assert "about 64" in text
        assert "SAY: “The root.”" in text
    assert logged(tmp_path) == [("claim", "wrong", 1)]


async def test_the_right_side_of_a_claim_is_marked_once_the_run_has_ended(drive: Drive) -> None:
    engine = LocalEngine()
    async with drive("daily", (120, 40), banks=BANK, engine=engine) as d:
        await bring(d, "false-claim")
        engine.gate = asyncio.Event()  # hold the numbers back
        await d.press("2", "enter")
        await d.until(lambda: d.app.screen is d.app.verdict and d.app.verdict.trial is not None)
        assert "THE RUN DECIDES …" in d.screen()
        options = d.app.verdict.query_one(Choices)
        assert options.verdict is not None
        assert options.verdict.right == frozenset()
        engine.gate.set()
        await d.verdict()
        await d.until(lambda: options.verdict.right == {"fails"})
        assert "RIGHT: this run refutes it" in d.screen()


async def test_without_the_lab_a_claim_is_unrated(drive: Drive, tmp_path: Path) -> None:
    engine = LocalEngine()
    engine.lose_torch()
    async with drive("daily", banks=BANK, engine=engine) as d:
        await bring(d, "true-claim")
        await d.press("1", "enter")
        await d.verdict()
        assert "UNRATED: without the lab nothing decides" in d.screen()
    assert logged(tmp_path) == [("claim", "unrated", None)]


async def test_a_claim_can_be_said_aloud_first_and_read_in_chinese(drive: Drive) -> None:
    async with drive("daily", banks=BANK) as d:
        await bring(d, "true-claim")
        await d.press("space")
        assert "It does not hold" not in d.screen()
        await d.press("space", "L")
        text = d.screen()
        assert "说法：“q·k 的标准差是 8。”" in text
        assert "不成立" in text
        await d.press("1", "enter")
        await d.verdict()
        assert "正确：本次运行证实了它" in d.screen()


@pytest.mark.parametrize(
    ("typed", "headline", "verdict", "rating"),
    [
        ("16", "RIGHT", "right", 3),
        ("20", "PARTLY: 20, measured 1", "partial", 2),
        ("24", "PARTLY: 24, measured 1", "partial", 1),  # under half of the score
        ("99", "NOT YET: 99, right is 1", "wrong", 1),
    ],
)
async def test_a_prediction_is_scored_by_its_error(
    drive: Drive, tmp_path: Path, typed: str, headline: str, verdict: str, rating: int
) -> None:
    async with drive("daily", banks=BANK) as d:
        await bring(d, "prediction")
        assert isinstance(d.app.focused, Input)
        await d.press(*typed, "enter")
        await d.verdict()
        text = d.screen()
        assert headline in text
        assert "you predicted" in text
        assert "ratio" in text
        assert "score" in text
    assert logged(tmp_path) == [("predict", verdict, rating)]
