"""`quizapp grade` with a real judge: verdicts, exit codes, files written."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest
from judging import exercises

from quizapp.cli import run
from quizapp.sandbox.confinement import available

NAME = "scaled_dot_product_attention"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def class_folder(tmp_path: Path) -> Path:
    """A folder with one right submission, one wrong, one that is no Python."""
    folder = exercises()[NAME]
    place = tmp_path / "class"
    place.mkdir()
    (place / "a.py").write_bytes(folder.solutions[0].read_bytes())
    (place / "b.py").write_bytes(folder.mistake("no_scale").read_bytes())
    (place / "c.py").write_text("def (:\n")
    return place


def test_a_folder_is_graded_in_order(class_folder: Path, capsys: Captured, tmp_path: Path) -> None:
    out = tmp_path / "marks.csv"
    asked = ["--lang", "en", "grade", str(class_folder), "--exercise", NAME, "--json"]
    assert run([*asked, "--out", str(out)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [Path(one["file"]).name for one in found] == ["a.py", "b.py", "c.py"]
    assert [one["verdict"] for one in found] == ["passed", "failed", "failed"]
    assert [one["kind"] for one in found] == ["ok", "wrong", "syntax"]
    assert found[1]["diagnosis"]["id"] == "no_scale"
    assert "√d_k" in found[1]["diagnosis"]["text"]
    assert all(one["isolation"] in {"strict", "limits"} for one in found)
    with out.open(newline="") as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == ["passed", "failed", "failed"]


def test_a_right_file_exits_with_0_and_moodle_gets_its_sheet(
    class_folder: Path, capsys: Captured, tmp_path: Path
) -> None:
    archive, sheet, out = (tmp_path / name for name in ("s.zip", "g.csv", "marked.csv"))
    with zipfile.ZipFile(archive, "w") as opened:
        opened.write(class_folder / "a.py", "A B_7_assignsubmission_file/a.py")
    heads = "Identifier,Full name,Grade,Maximum Grade,Feedback comments"
    sheet.write_text(f"{heads}\nParticipant 7,A B,,20.00,\nParticipant 8,C D,,20.00,\n")
    asked = ["--lang", "zh", "grade", str(archive), "--exercise", NAME]
    assert run([*asked, "--worksheet", str(sheet), "--out", str(out)]) == 0
    assert "7: passed, " in capsys.readouterr().out
    with out.open(newline="") as file:
        assert [row["Grade"] for row in csv.DictReader(file)] == ["20.00", ""]


def test_what_cannot_be_asked_for_is_refused(class_folder: Path, capsys: Captured) -> None:
    assert run(["grade", str(class_folder), "--exercise", "scaled_dot_product_atention"]) == 2
    assert f"Did you mean `{NAME}`?" in capsys.readouterr().err
    assert run(["grade", str(class_folder / "z.py"), "--exercise", NAME]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert run(["grade", str(class_folder), "--exercise", NAME, "--worksheet", "g.csv"]) == 2


def test_a_system_that_cannot_confine_refuses_a_batch(
    class_folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quizapp.session.marking.available", lambda: "limits")
    assert run(["grade", str(class_folder), "--exercise", NAME]) == 2
    assert "--weak" in capsys.readouterr().err


def test_doctor_says_how_well_submissions_are_confined(capsys: Captured) -> None:
    run(["doctor"])
    (line,) = [one for one in capsys.readouterr().out.splitlines() if " grader " in one]
    assert ("reach no file" in line) == (available() == "strict")
