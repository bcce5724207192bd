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
    assert "Your prediction, units (q quit): " in out
    assert "== PARTLY: 2e1, measured 1" in out
    assert "ratio 1.2" in out
    assert run(["export"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["review"]
    assert (row["kind"], row["verdict"], row["confidence"]) == ("predict", "partial", "guess")
    assert row["answer"] == {"typed": "2e1", "number": 20.0, "unit": "units"}


def test_the_board_of_claims_before_any(bank: Path, capsys: Captured) -> None:
    assert run(["--lang", "en", "folklore"]) == 0
    assert capsys.readouterr().out == "No claim met yet.\n2 claims not met yet\n"


def test_the_board_lists_what_the_learners_own_run_measured(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opens_with(bank, "false-claim")
    typed(monkeypatch, "1\nq\n")
    capsys.readouterr()
    assert run(["--lang", "en", "folklore"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Refuted by your own runs\n- The std of q·k is d_k.\n")
    assert "    std of q·k: claimed about 64, measured 8.0" in out
    assert "cpu, seed 0; you said it holds" in out
    assert out.endswith("1 claim not met yet\n")
    assert run(["--lang", "zh", "--ascii", "folklore"]) == 0
    assert "- q·k 的标准差是 d_k。" in capsys.readouterr().out
    assert run(["folklore", "--json"]) == 0
    board = json.loads(capsys.readouterr().out)
    (met,) = board["refuted"]
    assert (met["question"], met["holds"], met["said"]) == ("claims/false-claim", False, True)
    assert [(one["metric"], one["held"]) for one in met["measured"]] == [
        ("score_variance", True),
        ("score_std", False),
    ]
    assert met["measured"][1]["value"] == pytest.approx(8, rel=0.05)
    assert (met["experiment"], met["device"]) == ("score_variance", "cpu")
    assert met["parameters"] == {"d_k": 64, "pairs": 20000, "seed": 0}
    assert (board["held"], board["unmet"], board["easiest"]) == ([], 1, "claims/true-claim")


def test_the_board_forgets_what_was_taken_back_or_means_something_else(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opens_with(bank, "false-claim")
    typed(monkeypatch, "2\nq\n")
    questions = bank / "questions.yaml"
    before = questions.read_text(encoding="utf-8")
    questions.write_text(before.replace("about: 64, rtol: 0.1}", "about: 32, rtol: 0.1}"), "utf-8")
    capsys.readouterr()
    assert run(["folklore", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unmet"] == 2
    questions.write_text(before, "utf-8")
    assert run(["folklore", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unmet"] == 1
    assert run(["undo"]) == 0
    capsys.readouterr()
    assert run(["folklore", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unmet"] == 2


def test_an_unrated_answer_was_decided_by_nothing(
    bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    class Lost(LocalEngine):
        def __init__(self) -> None:
            super().__init__()
            self.lose_torch()

    monkeypatch.setattr("quizapp.session.session.Engine", Lost)
    typed(monkeypatch, "1\nq\n")
    capsys.readouterr()
    assert run(["folklore", "--json"]) == 0
    board = json.loads(capsys.readouterr().out)
    assert board == {"refuted": [], "held": [], "unmet": 2, "easiest": "claims/true-claim"}
