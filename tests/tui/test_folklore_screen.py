"""The board of claims, key by key: what was claimed, what was measured, what was believed."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from driving import Drive, Driven, LocalEngine
from textual.widgets import OptionList

from quizapp.plot.width import display_width
from quizapp.session import bench as benches

BANK = Path(__file__).parent.parent / "data" / "claims"
SHIPPED = Path(__file__).parents[2] / "questions"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benches, "SETTLE", 0)


async def board(d: Driven) -> None:
    """From home to the board, once the log has been read."""
    await d.until(lambda: d.app.screen is d.app.home and d.app.home.home is not None)
    await d.until(lambda: d.app.lab_word)
    await d.press("f")
    await d.until(lambda: d.app.screen is d.app.folklore and d.app.folklore.board is not None)


async def answer(d: Driven, name: str, key: str) -> None:
    """Answer one question with that key, and go home."""
    await d.until(lambda: d.app.session is not None and d.app.lab_word)
    d.app.flow.about(name)
    await d.until(lambda: d.app.screen is d.app.question)
    await d.press(key, "enter")
    await d.verdict()
    d.app.flow.go_home()
    await d.until(lambda: d.app.screen is d.app.home)


def body(d: Driven) -> str:
    return " ".join(d.screen().split())


async def test_before_any_claim_the_board_offers_one(drive: Drive) -> None:
    async with drive("home", banks=BANK) as d:
        await d.until(lambda: "Folklore: the claims you met" in d.screen())
        await board(d)
        assert "No claim met yet. 2 claims not met yet" in d.screen()
        assert "enter ask one" in d.screen()
        assert "open in the lab" not in d.screen()
        await d.press("o")
        assert d.app.screen is d.app.folklore
        await d.press("enter")
        await d.until(lambda: d.app.screen is d.app.question)
        assert "CLAIM: “The std of q·k is 8.”" in d.screen()  # the easiest
        assert d.app.folklore not in d.app.screen_stack
        await d.press("1", "enter")
        await d.verdict()
        d.app.flow.go_home()
        await board(d)
        await d.until(lambda: "Borne out; you said it holds" in body(d))  # the one just met


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_verdict_is_the_run_s_and_the_belief_the_learner_s(
    drive: Drive, size: tuple[int, int]
) -> None:
    async with drive("home", size, banks=BANK) as d:
        await answer(d, "claims/false-claim", "1")
        await answer(d, "claims/true-claim", "2")
        await board(d)
        assert "Refuted by your own runs: 1. Borne out: 1." in d.screen()
        lines = [line.strip() for line in d.screen().splitlines()]
        (first,) = (line for line in lines if line.startswith("✗ Sixty-four?"))
        assert "about 64" in first
        assert "8.0" in first
        assert first.endswith("believed")
        (second,) = (line for line in lines if line.startswith("✓ Eight at 64?"))
        assert second.endswith("doubted")
        text = body(d)
        assert "“The std of q·k is d_k.”" in text
        assert "about 64 ✗ 8.0" in text
        assert "Refuted; you said it holds. 2026-03-02, cpu, seed 0" in text
        await d.press("j")
        assert "Borne out; you said it does not hold. 2026-03-02, cpu, seed 0" in body(d)
        assert "about 8 ✓ 8.0" in body(d)
        assert all(display_width(line) <= size[0] for line in d.screen().splitlines())


async def test_enter_asks_the_claim_again_and_the_newest_belief_counts(drive: Drive) -> None:
    async with drive("home", banks=BANK) as d:
        await answer(d, "claims/false-claim", "1")
        await board(d)
        assert "enter ask it again" in d.screen()
        await d.press("enter")
        await d.until(lambda: d.app.screen is d.app.question)
        assert "CLAIM: “The std of q·k is d_k.”" in d.screen()
        await d.press("2", "enter")
        await d.verdict()
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.card)
        await d.press("enter")
        await board(d)
        assert "Refuted; you said it does not hold" in body(d)
        assert d.app.folklore.query_one("#claims", OptionList).option_count == 2


async def test_the_deciding_run_opens_in_the_lab_and_escape_returns(drive: Drive) -> None:
    async with drive("home", banks=BANK) as d:
        await answer(d, "claims/true-claim", "1")
        await board(d)
        await d.press("o")
        await d.until(lambda: d.app.screen is d.app.lab and not d.app.lab.bench.running)
        bench = d.app.lab.bench
        assert bench.info.name == "score_variance"
        assert (bench.values["d_k"], bench.values["pairs"], bench.values["seed"]) == (64, 20000, 0)
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.folklore)
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.home)


async def test_the_board_is_in_both_languages_and_in_the_palette(drive: Drive) -> None:
    async with drive("home", banks=BANK) as d:
        await answer(d, "claims/false-claim", "2")
        names = [str(command.title) for command in d.app.get_system_commands(d.app.home)]
        assert "folklore" in names
        await board(d)
        await d.press("L")
        await d.until(lambda: "传言" in d.screen())
        await d.until(lambda: "是 64 吗？" in d.screen())
        text = body(d)
        assert "“q·k 的标准差是 d_k。”" in text
        assert "推翻" in text
        assert "种子 0" in text
        assert all(display_width(line) <= 80 for line in d.screen().splitlines())


async def test_without_a_log_the_board_says_why(drive: Drive, tmp_path: Path) -> None:
    (tmp_path / "study.db").mkdir()
    async with drive("home", banks=BANK) as d:
        await d.until(lambda: d.app.screen is d.app.home and d.app.home.home is not None)
        await d.press("f")
        await d.until(lambda: "the study log is not open" in d.screen())
        await d.press("enter")
        assert d.app.screen is d.app.folklore


def _log_every_claim(home: Path, entries: Any) -> int:
    """One answer to every shipped claim as a run would leave it, straight into the log."""
    claims = [entry for entry in entries.values() if entry.question.kind == "claim"]
    with sqlite3.connect(home / "study.db") as db:
        (template,) = db.execute("SELECT * FROM review LIMIT 1")
        names = [column[1] for column in db.execute("PRAGMA table_info(review)")]
        for at, entry in enumerate(claims, 2):
            row = dict(zip(names, template, strict=True))
            row |= {"seq": at, "id": f"answer-{at}", "question": entry.reference}
            row |= {"meaning": entry.identity.meaning, "wording": entry.identity.wording}
            columns = ", ".join(row)
            marks = ", ".join("?" * len(row))
            db.execute(f"INSERT INTO review ({columns}) VALUES ({marks})", list(row.values()))
    return len(claims)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (60, 18)])
async def test_every_shipped_claim_fits(
    drive: Drive, tmp_path: Path, size: tuple[int, int], language: str
) -> None:
    engine = LocalEngine()
    async with drive("home", size, banks=SHIPPED, engine=engine, language=language) as d:
        await answer(d, "attention/claim-softmax-of-2-1-half", "1")
        number = _log_every_claim(tmp_path, d.app.session.library.entries)
        await board(d)
        claims = d.app.folklore.query_one("#claims", OptionList)
        assert claims.option_count == number
        for _ in range(number):
            met = d.app.folklore.met
            text = d.screen()
            assert all(display_width(line) <= size[0] for line in text.splitlines())
            assert "cpu, " in text or "cpu，" in text, text  # the last line of the claim's numbers
            assert met.title[:4] in text
            await d.press("j")
