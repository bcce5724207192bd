"""Exercises as data: what a sheet says, where its files lie, and that no link leads out."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from pydantic import ValidationError

from quizapp.bank import SameAs, check, in_language, load_bank, load_banks
from quizapp.bank.exercises import Exercise, ExerciseFolder
from quizapp.report import Catalogue
from quizapp.session.paths import shipped_banks
from quizapp.text import Text

#: A bank with one exercise, sound but for two lines: see its `.txt`.
TEMPLATE = Path(__file__).parent.parent / "data" / "bad" / "exercise-same-as"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound bank with the exercise `softmax`."""
    bank = tmp_path / "bank"
    shutil.copytree(TEMPLATE, bank)
    sheet = bank / "exercises" / "softmax" / "exercise.yaml"
    text = sheet.read_text(encoding="utf-8")
    mended = text.replace("{same_as: wrong_axes}", "{same_as: wrong_axis}")
    sheet.write_text(mended.replace("{same_as: twice}", "none"), encoding="utf-8")
    return bank


def exercise(folder: Path) -> ExerciseFolder:
    bank = load_bank(folder).bank
    assert bank is not None
    return bank.exercises["softmax"]


def codes(folder: Path, catalogue: Catalogue) -> list[str]:
    loaded = load_bank(folder)
    assert loaded.bank is not None
    found = [*loaded.diagnostics, *check([loaded.bank], catalogue)]
    return [diagnostic.code for diagnostic in found]


def test_a_sound_exercise_has_no_findings(folder: Path, catalogue: Catalogue) -> None:
    assert codes(folder, catalogue) == []


def test_what_the_sheet_says(folder: Path) -> None:
    found = exercise(folder)
    sheet = found.exercise
    assert (sheet.id, sheet.entry, sheet.minutes) == ("softmax", "softmax", 5)
    assert sheet.class_ is not None
    assert (sheet.class_.name, sheet.class_.init) == ("Softmax", ("N",))
    assert [(a.name, a.shape, a.optional, a.broadcast) for a in sheet.arguments] == [
        ("x", ("B", "N"), False, False),
        ("mask", ("B", "N"), True, True),
    ]
    assert (sheet.limits.seconds, sheet.limits.memory_mib) == (5, 512)
    assert sheet.mistakes["over_rows"] == SameAs("wrong_axis")
    with pytest.raises(ValidationError):
        sheet.minutes = 6  # type: ignore[misc]


def test_where_the_files_lie(folder: Path) -> None:
    found = exercise(folder)
    assert found.path == folder / "exercises" / "softmax"
    assert [path.name for path in found.solutions] == ["module.py", "plain.py"]
    assert found.reference.name == "module.py"  # the one that defines the class
    found.reference.unlink()
    assert found.reference.name == "plain.py"
    for path in (found.starter, found.tests, *map(found.mistake, found.exercise.mistakes)):
        assert path.is_file()


def test_a_diagnosis_is_told_of_whoever_is_the_same(folder: Path) -> None:
    sheet = exercise(folder).exercise
    text = sheet.mistakes["wrong_axis"]
    assert isinstance(text, Text)
    assert sheet.diagnosis("wrong_axis") == ("wrong_axis", text)
    assert sheet.diagnosis("over_rows") == ("wrong_axis", text)
    assert sheet.diagnosis("in_place") is None


def test_a_sheet_goes_through_json_and_back(folder: Path) -> None:
    sheet = exercise(folder).exercise
    assert Exercise.model_validate_json(sheet.model_dump_json(by_alias=True)) == sheet


def test_the_bank_is_found_from_the_sheet(folder: Path) -> None:
    (loaded,) = load_banks(folder / "exercises" / "softmax" / "exercise.yaml")
    assert loaded.folder == folder
    assert loaded.bank is not None
    assert list(loaded.bank.exercises) == ["softmax"]


@pytest.mark.parametrize("name", ["tests.py", "solutions/plain.py", "mistakes", "exercise.yaml"])
def test_a_link_out_of_the_folder_is_refused(folder: Path, name: str, catalogue: Catalogue) -> None:
    path = folder / "exercises" / "softmax" / name
    path.rename(folder.parent / "outside")
    path.symlink_to(folder.parent / "outside")
    assert "QB085" in codes(folder, catalogue)


def test_an_exercise_that_is_a_link_out_is_refused(folder: Path, catalogue: Catalogue) -> None:
    path = folder / "exercises" / "softmax"
    path.rename(folder.parent / "softmax")
    path.symlink_to(folder.parent / "softmax")
    assert codes(folder, catalogue) == ["QB085"]


def test_a_link_within_the_folder_is_one_more_file(folder: Path, catalogue: Catalogue) -> None:
    solutions = folder / "exercises" / "softmax" / "solutions"
    (solutions / "again.py").symlink_to("plain.py")
    assert codes(folder, catalogue) == []


def test_a_loop_of_links_ends(folder: Path, catalogue: Catalogue) -> None:
    solutions = folder / "exercises" / "softmax" / "solutions"
    (solutions / "a.py").symlink_to("b.py")
    (solutions / "b.py").symlink_to("a.py")
    assert set(codes(folder, catalogue)) <= {"QB001", "QB031", "QB085"}
    assert codes(folder, catalogue) != []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_told_not_waited_for(folder: Path, catalogue: Catalogue) -> None:
    os.mkfifo(folder / "exercises" / "softmax" / "mistakes" / "pipe.py")
    assert codes(folder, catalogue) == ["QB031"]


@pytest.mark.parametrize("data", [b"\xff\xfe", b"x = 1\x00", b"(" * 3000, b"x = " + b"-" * 200000])
def test_a_file_that_cannot_be_parsed_is_told(
    folder: Path, data: bytes, catalogue: Catalogue
) -> None:
    (folder / "exercises" / "softmax" / "solutions" / "plain.py").write_bytes(data)
    assert set(codes(folder, catalogue)) & {"QB003", "QB004", "QB086"}


def test_comments_are_read_in_one_language() -> None:
    source = (
        "# en Over the keys.\n# zh 沿键方向。\nx = 1  # (B, H)\n"
        "    # en in\r\n    # zh 内\r\n# end\n"
    )
    assert in_language(source, "en") == "# Over the keys.\nx = 1  # (B, H)\n    # in\r\n# end\n"
    assert in_language(source, "zh") == "# 沿键方向。\nx = 1  # (B, H)\n    # 内\r\n# end\n"


def test_the_shipped_exercises_load() -> None:
    found = [one.bank for one in load_banks(shipped_banks()) if one.bank is not None]
    exercises = [name for bank in found for name in bank.exercises]
    assert "scaled_dot_product_attention" in exercises
