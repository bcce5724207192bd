"""Answers in parts without a screen."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import pytest
from driving import LocalEngine

from quizapp.cli import run

BANK = Path(__file__).parent.parent / "data" / "parts"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bank of answers in parts, and the engine in this process."""
    folder = tmp_path / "bank"
    shutil.copytree(BANK, folder)
    monkeypatch.setattr("quizapp.session.paths.shipped_banks", lambda: folder)
    monkeypatch.setattr("quizapp.session.session.Engine", LocalEngine)
    return folder


def opens_with(bank: Path, name: str) -> None:
    header = bank / "bank.yaml"
    header.write_text(header.read_text(encoding="utf-8").replace("[shape]", f"[{name}]"), "utf-8")


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    return run(["--lang", "en", "daily", "--plain"])


def listed(out: str) -> dict[str, str]:
    """What is listed, and the number or letter before it."""
    return {words: head for head, words in re.findall(r"^  ([1-9a-f])  (.+)$", out, re.M)}


def row(capsys: Captured) -> dict[str, object]:
    capsys.readouterr()
    assert run(["export"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["review"]
    assert isinstance(found, dict)
    return found


def shown(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> dict[str, str]:
    """What the question lists, asked and left."""
    typed(monkeypatch, "q\n")
    return listed(capsys.readouterr().out)


def test_a_shape_is_typed(bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    assert typed(monkeypatch, "(B, S)\n(1, 5, 4) certain\nq\n") == 1
    out = capsys.readouterr().out
    assert "The shape, all axes in order, as (2, 3) (h hint, q quit): " in out
    assert "Type numbers instead of names" in out
    assert "== NOT YET: (1, 5, 4), right is (1, 5, 3)" in out
    assert "axis 3: width of V" in out
    assert "value of `d_k`" not in out  # code is shown as it is meant, not as it is written
    assert row(capsys)["answer"] == {"typed": "(1, 5, 4)", "shape": [1, 5, 4]}


def test_steps_are_typed_as_numbers(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opens_with(bank, "order")
    cards = shown(monkeypatch, capsys)
    steps = ("mean 0", "mean square 1", "add to d_k", "makes it 1")
    turn = [head for step in steps for words, head in cards.items() if words.endswith(step)]
    assert len(turn) == 4
    assert typed(monkeypatch, f"1 1\n9\n{' '.join(turn)}\nq\n") == 0
    out = capsys.readouterr().out
    assert "Numbers of the steps in order, as 3 1 2 (q quit): " in out
    assert out.count("Type each number from 1 to 5 once at most.") == 2
    assert "== RIGHT" in out
    assert row(capsys)["answer"] == {"order": ["mean", "square", "sum", "root"]}


def test_pairs_are_typed_as_a_number_and_a_letter(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opens_with(bank, "match")
    cards = shown(monkeypatch, capsys)
    four, eight, width = cards["std 4"], cards["std 8"], cards["std d_k"]
    answer = f"2{eight}, 1-{four} 3 {width}"
    assert typed(monkeypatch, f"1a\n1a 1b 2a 3a\n{answer}\nq\n") == 0
    out = capsys.readouterr().out
    assert "A letter for each number, as 1b 2a (q quit): " in out
    assert out.count("Give each number one letter, as in 1b 2a.") == 2
    assert "== PARTLY: 2 of 3 pairs" in out
    pairs = {"small": "four", "middle": "eight", "large": "width"}
    assert row(capsys)["answer"] == {"pairs": pairs}


def test_blanks_are_asked_for_one_by_one(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opens_with(bank, "blank")
    assert typed(monkeypatch, "d_k fairly\nx\n8\n3\n1\nq\n") == 0
    out = capsys.readouterr().out
    assert "Var is [1: ____], its root [2: ____]; divided by [3: ____] it is 1." in out
    assert "Blank 1 (q quit): Blank 2: This is not a number" in out
    options = listed(out)
    assert "Blank 3: Type the number of one of these." in out
    right = options["the root of d_k"] == "1"
    assert ("== RIGHT" if right else "== PARTLY: 2 of 3 blanks") in out
    filled = {"variance": "d_k", "std": "8", "divisor": "root" if right else "half"}
    found = row(capsys)
    assert found["answer"] == {"filled": filled}
    assert found["confidence"] == "fairly"
