"""Marks as files: every format holds every submission, whatever its name and messages."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quizapp.errors import ContentError, UsageError
from quizapp.grader.wire import Diagnosis, Grade, TestResult
from quizapp.session import mark_sheets, marking, moodle
from quizapp.session.marking import Mark
from quizapp.text import Text

NAME = Text.of({"en": "rows sum to 1", "zh": "每行之和为 1"})
PASSED = TestResult(name=NAME, outcome="passed")
FAILED = TestResult(
    name=Text.of({"en": "the formula", "zh": "公式"}),
    outcome="failed",
    kind="wrong",
    message=Text.of({"en": "got <b>1</b> & 2\nsecond \x0b line", "zh": "得到 1"}),
)


def grade(number: int, **changes: object) -> Grade:
    base = Grade(
        id=number, verdict="passed", kind="ok", tests=(PASSED,), seconds=0.05, isolation="strict"
    )
    return base.model_copy(update=changes)


MARKS = [
    Mark("a.py", grade(0)),
    Mark(
        "=b.py",
        grade(
            1,
            verdict="failed",
            kind="wrong",
            tests=(PASSED, FAILED),
            diagnosis=Diagnosis(
                id="no_scale", text=Text.of({"en": "attention unscaled", "zh": "没有缩放的注意力"})
            ),
        ),
    ),
    Mark(
        "c.py",
        grade(2, verdict="failed", kind="syntax", tests=(), message=Text.of("not valid Python")),
    ),
    Mark(
        "d.py",
        grade(3, verdict="could_not_run", kind=None, tests=(), message=Text.of("judge ended")),
    ),
]


def test_json_is_one_array_in_order() -> None:
    found = json.loads(mark_sheets.as_json(MARKS, "zh"))
    assert [entry["file"] for entry in found] == ["a.py", "=b.py", "c.py", "d.py"]
    assert set(found[0]) == {
        "file", "verdict", "kind", "diagnosis", "tests", "seconds", "isolation",
    }  # fmt: skip
    assert found[1]["diagnosis"] == {"id": "no_scale", "text": "没有缩放的注意力"}
    assert found[1]["tests"][1] == {"name": "公式", "outcome": "failed", "message": "得到 1"}
    assert found[3]["verdict"] == "could_not_run"


def test_csv_has_a_row_each_and_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(mark_sheets.written_as(MARKS, Path("m.csv"), "en"))))
    assert [row["file"] for row in rows] == ["a.py", "'=b.py", "c.py", "d.py"]
    assert rows[1]["remarks"].startswith("Your result equals attention unscaled.\n")
    assert (rows[1]["tests_passed"], rows[1]["tests"]) == ("1", "2")


def test_junit_is_xml_with_the_right_counts() -> None:
    root = ElementTree.fromstring(mark_sheets.written_as(MARKS, Path("m.xml"), "en"))
    counts = [
        tuple(int(suite.get(key, "-1")) for key in ("tests", "failures", "errors"))
        for suite in root
    ]
    assert counts == [(1, 0, 0), (2, 1, 0), (1, 1, 0), (1, 0, 1)]
    failure = root[1].find(".//failure")
    assert failure is not None
    assert failure.text == "got <b>1</b> & 2\nsecond \ufffd line"
    for suite in root:
        assert len(suite.findall("testcase")) == int(suite.get("tests", "-1"))


def test_another_ending_is_refused() -> None:
    with pytest.raises(UsageError, match="not known"):
        mark_sheets.written_as(MARKS, Path("m.xlsx"), "en")


def test_folders_are_opened_and_what_is_no_submission_left_out(tmp_path: Path) -> None:
    for name in ("b/x.py", "a.py", "__pycache__/c.py", ".git/d.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "huge.py").write_bytes(b"#" * (2**20 + 1))
    found = marking.papers([tmp_path])
    assert [Path(paper.name).name for paper in found] == ["a.py", "x.py", "huge.py"]
    assert [paper.source is None for paper in found] == [False, False, True]
    with pytest.raises(UsageError, match="no such file"):
        marking.papers([tmp_path / "nothing.py"])
    with pytest.raises(UsageError, match="no Python file"):
        marking.papers([tmp_path / ".git"])


def archive(place: Path, members: dict[str, bytes]) -> Path:
    path = place / "submissions.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return path


SHEET = (
    "Identifier,Full name,Status,Grade,Maximum Grade,Grade can be changed,Feedback comments\r\n"
    "Participant 101,A B,Submitted,,100.00,Yes,\r\n"
    "Participant 102,C D,Submitted,,10.00,Yes,old\r\n"
    "Participant 103,E F,No submission,,100.00,Yes,\r\n"
)


def test_moodles_archive_is_read_by_participant(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        {
            "A B_101_assignsubmission_file/soft.py": b"one",
            "../../C D_102_assignsubmission_file_/stable_softmax.py": b"two",
            "../../C D_102_assignsubmission_file_/helper.py": b"other",
            "E F_103_assignsubmission_file/a.py": b"x = 1",
            "E F_103_assignsubmission_file/b.py": b"y = 2",
            "G_104_assignsubmission_file/bomb.py": b"0" * 2**22,
            "readme.txt": b"no",
        },
    )
    assert moodle.is_archive(path)
    found = {paper.name: paper.source for paper in moodle.papers(path, "stable_softmax")}
    assert found == {"101": b"one", "102": b"two", "103": b"x = 1\ny = 2", "104": None}
    with pytest.raises(ContentError, match="no submission"):
        moodle.papers(archive(tmp_path, {"x.txt": b""}), "stable_softmax")


def test_the_worksheet_comes_back_with_marks_and_feedback(tmp_path: Path) -> None:
    place = tmp_path / "grades.csv"
    place.write_bytes(b"\xef\xbb\xbf" + SHEET.encode())
    marks = [Mark("101", MARKS[0].grade), Mark("102", MARKS[1].grade)]
    filled = moodle.Worksheet.read(place).filled(marks, "en")
    assert filled.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(filled.removeprefix("\ufeff"))))
    assert [row["Grade"] for row in rows] == ["100.00", "5.00", ""]
    assert rows[0]["Feedback comments"] == "1/1<br>✓"
    assert rows[1]["Feedback comments"] == (
        "1/2<br>Your result equals attention unscaled."
        "<br>the formula: got &lt;b&gt;1&lt;/b&gt; &amp; 2<br>second <br> line"
    )
    assert rows[2]["Feedback comments"] == ""
    # What is not the grader's to change stays to the letter.
    assert [row["Full name"] for row in rows] == ["A B", "C D", "E F"]


def test_a_failed_grader_leaves_the_row_alone(tmp_path: Path) -> None:
    place = tmp_path / "grades.csv"
    place.write_text(SHEET)
    filled = moodle.Worksheet.read(place).filled([Mark("102", MARKS[3].grade)], "en")
    assert "Participant 102,C D,Submitted,,10.00,Yes,old" in filled


def test_a_worksheet_without_its_columns_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "grades.csv"
    place.write_text("Identifier,Grade\n")
    with pytest.raises(ContentError, match="no column “Maximum Grade”"):
        moodle.Worksheet.read(place)
