"""A learner's file: made once, never overwritten unkept, never half written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from judging import exercises

from quizapp.errors import MachineError, UsageError
from quizapp.session import desk as desks
from quizapp.session.desk import Changed, Desk
from quizapp.session.library import read
from quizapp.session.paths import shipped_banks

NAME = "scaled_dot_product_attention"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(f"attention/{NAME}", exercises()[NAME], tmp_path / "mine" / "attention.py")


def test_a_new_file_begins_as_the_starter(desk: Desk) -> None:
    assert desk.open() == desk.starter()
    assert desk.file.read_text() == desk.starter()
    desk.save("mine = 1\n")
    assert Desk(desk.reference, desk.folder, desk.file).open() == "mine = 1\n"


def test_a_change_made_elsewhere_is_not_overwritten(desk: Desk) -> None:
    desk.open()
    desk.file.write_text("theirs\n")
    with pytest.raises(Changed) as caught:
        desk.save("mine\n")
    assert desk.file.read_text() == "theirs\n"
    (kept,) = [path for path in desk.file.parent.iterdir() if path != desk.file]
    assert kept.read_text() == "mine\n"
    assert kept.name in caught.value.remedy


def test_reset_keeps_what_was_there(desk: Desk) -> None:
    desk.open()
    assert desk.reset() is None  # the starter itself is not worth keeping
    for text in ("one\n", "two\n"):
        desk.save(text)
        kept = desk.reset()
        assert kept is not None
        assert kept.read_text() == text
        assert desk.file.read_text() == desk.starter()
    assert len(list(desk.file.parent.iterdir())) == 3


def test_a_write_that_fails_leaves_the_old_text(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.open()
    desk.save("old\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MachineError, match="cannot be read or written"):
        desk.save("new\n")
    assert desk.file.read_text() == "old\n"
    assert list(desk.file.parent.iterdir()) == [desk.file]


def test_a_link_is_written_through_and_rights_are_kept(desk: Desk, tmp_path: Path) -> None:
    real = tmp_path / "real.py"
    real.write_text("x\n")
    real.chmod(0o600)
    desk.file.parent.mkdir()
    desk.file.symlink_to(real)
    desk.open()
    desk.save("y\n")
    assert real.read_text() == "y\n"
    assert desk.file.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600


def test_what_is_no_text_or_too_large_is_refused(desk: Desk) -> None:
    desk.file.parent.mkdir()
    desk.file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        desk.open()
    desk.file.write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(UsageError, match="larger than 1 MiB"):
        desk.read()


def test_hints_come_one_by_one(desk: Desk) -> None:
    hints = [desk.hint() for _ in desk.folder.exercise.hints]
    assert all(hints)
    assert len(set(hints)) == len(hints)
    assert desk.hint() is None
    assert desk.hints == len(hints)


def test_an_exercise_is_found_by_either_name() -> None:
    library = read((shipped_banks(),))
    assert desks.find(library, NAME) == desks.find(library, f"attention/{NAME}")
    with pytest.raises(UsageError, match="no exercise `scaled_attention`"):
        desks.find(library, "scaled_attention")


def test_solutions_are_shown_in_one_language(desk: Desk) -> None:
    for source in desk.solutions().values():
        assert "# zh " not in source
        assert "# en " not in source
