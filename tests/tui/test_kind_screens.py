"""Answers in parts, key by key: an order, pairs, blanks and a shape."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from driving import Drive
from textual.widgets import Input

BANK = Path(__file__).parent.parent / "data" / "parts"
SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)])


def logged(home: Path) -> list[tuple[str, str, Any]]:
    with sqlite3.connect(home / "study.db") as db:
        rows = db.execute("SELECT kind, verdict, answer FROM review ORDER BY seq")
        return [(kind, verdict, json.loads(answer)) for kind, verdict, answer in rows]


async def bring(d: Any, name: str) -> None:
    """Bring a certain question to the screen."""
    await d.question()
    entry = d.app.session.library.entries[f"parts/{name}"]
    d.app.flow.sitting.more(entry)
    await d.app.question.ask(entry, d.app.flow.sitting)
    await d.pilot.pause()


def digits(d: Any, *words: str) -> list[str]:
    """The digits of the cards that read so."""
    options = d.app.question.query_one("#choices").options
    return [str(1 + next(i for i, o in enumerate(options) if w in o.text)) for w in words]


def letters(d: Any, *words: str) -> list[str]:
    """The letters of the partners that read so."""
    partners = d.app.question.query_one("#choices").partners
    return ["abcdef"[next(i for i, p in enumerate(partners) if p.text == w)] for w in words]


@SIZES
async def test_steps_are_numbered_in_the_order_of_the_digits(
    drive: Drive, size: tuple[int, int], tmp_path: Path
) -> None:
    async with drive("daily", size, banks=BANK) as d:
        await bring(d, "order")
        assert "1-9 comes next" in d.screen()
        await d.press("enter")  # nothing is in order yet, and nothing is handed in
        assert d.app.screen is d.app.question
        square, mean, add, root = digits(d, "square", "mean 0", "Variances", "root")
        await d.press(root, square, mean, add, "backspace", add, "enter")
        await d.verdict()
        text = d.screen()
        assert "PARTLY: 3 of 4 steps in order" in text
        assert "your place" in text
        told = d.app.verdict.query_one("#feedback").text
        assert told.startswith("“The root makes it 1” needs “Variances add to d_k” before it.")
        assert "SAY: “Terms, sum, root.”" in text
    order = {"order": ["root", "square", "mean", "sum"]}
    assert logged(tmp_path) == [("order", "partial", order)]


@SIZES
async def test_items_are_paired_by_letter_and_all_must_be(
    drive: Drive, size: tuple[int, int], tmp_path: Path
) -> None:
    async with drive("daily", size, banks=BANK) as d:
        await bring(d, "match")
        assert "a-f pair" in d.screen()
        four, eight, width = letters(d, "std 4", "std 8", "std d_k")
        await d.press(four, eight, "enter")
        assert "Give each of them a letter first." in d.screen()
        await d.press(four)
        assert "Give each of them" not in d.screen()
        assert f"[{four}] 3  d_k = 256" in d.screen()
        await d.press("backspace", "left")  # before the first partner comes the last
        assert "[d] 3  d_k = 256" in d.screen()
        await d.press("right", "down", width, "enter")
        await d.verdict()
        text = d.screen()
        assert "PARTLY: 2 of 3 pairs" in text
        assert f"{width}: above 100" in text
        assert "widest: std of q·k" in text
    pairs = {"pairs": {"small": "four", "middle": "eight", "large": "width"}}
    assert logged(tmp_path) == [("match", "partial", pairs)]


@SIZES
async def test_blanks_are_filled_one_after_the_other(
    drive: Drive, size: tuple[int, int], tmp_path: Path
) -> None:
    async with drive("daily", size, banks=BANK) as d:
        await bring(d, "blank")
        assert isinstance(d.app.focused, Input)
        assert "[1> ____]" in d.screen()
        await d.press("enter")
        assert "Type what stands in the blank." in d.screen()
        await d.press(*"d_k", "enter", *"much", "enter")
        assert "This is not a number" in " ".join(d.screen().split())
        await d.press("up")
        assert d.app.focused.value == "d_k"
        await d.press("down", "ctrl+u", *"8.1", "enter")
        text = " ".join(d.screen().split())
        assert "[1: d_k]" in text
        assert "[3> ____]" in text
        half = "1" if "1 half of d_k" in text else "2"
        await d.press("7", "enter")
        assert "Type the number of one of these." in d.screen()
        await d.press("backspace", half, "enter")
        await d.verdict()
        text = d.screen()
        assert "PARTLY: 2 of 3 blanks" in text
        assert "you gave “half of d_k”" in text
    filled = {"filled": {"variance": "d_k", "std": "8.1", "divisor": "half"}}
    assert logged(tmp_path) == [("blank", "partial", filled)]


@SIZES
async def test_a_shape_is_typed_and_its_wrong_axis_named(
    drive: Drive, size: tuple[int, int], tmp_path: Path
) -> None:
    async with drive("daily", size, banks=BANK) as d:
        await bring(d, "shape")
        assert "the shape, as (2, 3)" in d.screen()
        await d.press(*"B", "enter")
        assert "Type numbers instead of names" in d.screen()
        await d.press("ctrl+u", *"1,5,4", "enter")
        await d.verdict()
        text = d.screen()
        assert "NOT YET: (1, 5, 4), right is (1, 5, 3)" in text
        assert "axis 3: width of V" in text
        assert "run of your shape" in " ".join(text.split())
    assert logged(tmp_path) == [("shape", "wrong", {"typed": "1,5,4", "shape": [1, 5, 4]})]


async def test_fields_and_lists_of_one_kind_leave_nothing_to_the_next(drive: Drive) -> None:
    async with drive("daily", banks=BANK) as d:
        await bring(d, "blank")
        await d.press(*"d_k", "enter")
        await bring(d, "match")
        await d.press(*letters(d, "std 8"))
        await bring(d, "order")
        text = d.screen()
        assert "std 8" not in text
        assert "[ ] 1" in text
        await bring(d, "blank")
        assert "[1> ____]" in d.screen()
        await bring(d, "shape")
        assert d.app.focused.value == ""


async def test_the_language_switches_in_the_middle_of_an_answer(drive: Drive) -> None:
    async with drive("daily", banks=BANK) as d:
        await bring(d, "match")
        await d.press(*letters(d, "std 8"), "L")
        assert "标准差 8" in d.screen()
        assert "[ ] 1" not in d.screen()
        await bring(d, "blank")
        await d.press(*"d_k", "enter", "f3")
        assert "[1: d_k]" in d.screen()
        assert "Var is" in d.screen()
