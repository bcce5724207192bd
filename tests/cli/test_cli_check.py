"""`quizapp check`: its options, its exit codes, and the JSON a script reads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from quizapp.cli import run

DATA = Path(__file__).parent.parent / "data"
SMALL = DATA / "small"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A sound bank to spoil."""
    folder = tmp_path / "bank"
    shutil.copytree(SMALL, folder)
    return folder


def spoil(bank: Path, old: str, new: str) -> None:
    path = bank / "questions.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_warning_passes_but_not_under_strict(bank: Path, capsys: Captured) -> None:
    (bank / "more.yml").write_text("", encoding="utf-8")
    assert run(["check", str(bank)]) == 0
    assert "QB031 warning: " in capsys.readouterr().out
    assert run(["check", str(bank), "--strict"]) == 2
    assert run(["check", str(bank), "--strict", "--json"]) == 2
    assert "more.yml" in capsys.readouterr().out


def test_fix_mends_what_it_can_and_says_what_is_left(bank: Path, capsys: Captured) -> None:
    spoil(bank, "    difficulty: ", "    summary： softmax(q, k)\n    difficulty: very ")
    assert run(["check", str(bank)]) == 2
    assert "`--fix` can mend 1 of them" in capsys.readouterr().out
    assert run(["check", str(bank), "--fix"]) == 2
    out = capsys.readouterr().out
    assert out.startswith(f"mended {bank}/questions.yaml:")
    assert "QB018" in out.splitlines()[0]
    assert "1 mended; those left need an author" in out
    assert run(["check", str(bank), "--fix", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["mended"] == []
    assert not any(one["fixable"] for one in found["diagnostics"])


def test_fix_of_a_sound_bank_writes_nothing(bank: Path, capsys: Captured) -> None:
    before = {path: path.stat().st_mtime_ns for path in bank.iterdir()}
    assert run(["check", str(bank), "--fix"]) == 0
    assert {path: path.stat().st_mtime_ns for path in bank.iterdir()} == before
    assert "0 mended" in capsys.readouterr().out


def test_fix_needs_to_be_told_which_files(capsys: Captured) -> None:
    assert run(["check", "--fix"]) == 2
    assert "quizapp check PATH --fix" in capsys.readouterr().err


def test_against_tells_meaning_from_wording(bank: Path, capsys: Captured) -> None:
    spoil(bank, "How wide?", "How far apart?")
    assert run(["check", str(bank), "--against", str(SMALL)]) == 0
    assert "wording changed, history is kept (title)" in capsys.readouterr().out
    spoil(bank, "d_k: 64", "d_k: 65")
    assert run(["check", str(bank), "--against", str(SMALL), "--json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["kind"] == "meaning"
    assert "experiment" in change["fields"]


def test_a_vanished_id_is_a_warning(bank: Path, capsys: Captured) -> None:
    spoil(bank, "  - id: ", "  - id: other-")
    assert run(["check", str(bank), "--against", str(SMALL), "--strict"]) == 2
    out = capsys.readouterr().out
    assert "QB037 warning" in out
    assert "asks the same" in out


def test_against_nothing_is_told(bank: Path, tmp_path: Path, capsys: Captured) -> None:
    assert run(["check", str(bank), "--against", str(tmp_path / "absent")]) == 2
    assert "absent" in capsys.readouterr().err


def test_only_knows_the_ids(bank: Path, capsys: Captured) -> None:
    assert run(["check", str(bank), "--compute", "--only", "no-such-question"]) == 2
    assert "'no-such-question'" in capsys.readouterr().err
