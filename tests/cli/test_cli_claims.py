"""Claims and predictions without a screen."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest
from driving import LocalEngine

from quizapp.cli import run

BANK = Path(__file__).parent.parent / "data" / "claims"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bank of claims, to be changed at will, and the engine in this process."""
    folder = tmp_path / "bank"
    shutil.copytree(BANK, folder)
    monkeypatch.setattr("quizapp.session.paths.shipped_banks", lambda: folder)
    monkeypatch.setattr("quizapp.session.session.Engine", LocalEngine)
    return folder


def opens_with(bank: Path, name: str) -> None:
    header = bank / "bank.yaml"
    header.write_text(header.read_text(encoding="utf-8").replace("true-claim", name), "utf-8")


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    return run(["--lang", "en", "daily", "--plain"])


def test_a_claim_is_answered_by_number(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opens_with(bank, "false-claim")
    assert typed(monkeypatch, "3\n1 certain\nq\n") == 1
    out = capsys.readouterr().out
    assert "CLAIM: “The std of q·k is d_k.”" in out
    assert "  1  It holds\n  2  It does not hold\n" in out
    assert "Type a number from 1 to 2." in out
    assert "== NOT YET: you said it holds; this run refutes it" in out
    assert "claimed" in out
    assert run(["export"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["review"]
    assert (row["kind"], row["verdict"], row["confidence"]) == ("claim", "wrong", "certain")
    assert row["answer"] == {"chosen": ["holds"]}


def test_a_prediction_is_typed_as_a_number(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opens_with(bank, "prediction")
    assert typed(monkeypatch, "sixteen\n2e1 guess\nq\n") == 0
    out = capsys.readouterr().out
    assert "Your prediction (q quit): " in out
    assert "== PARTLY: 2e1, measured 1" in out
    assert "ratio 1.2" in out
    assert run(["export"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["review"]
    assert (row["kind"], row["verdict"], row["confidence"]) == ("predict", "partial", "guess")
    assert row["answer"] == {"typed": "2e1", "number": 20.0}
