"""`check --against`: what an edit means for those who have met the questions."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from quizapp.bank import Bank, load_bank
from quizapp.bank.compare import Change, check_vanished, compare

SMALL = Path(__file__).parent.parent / "data" / "small"


def bank_at(folder: Path) -> Bank:
    loaded = load_bank(folder)
    assert loaded.bank is not None
    return loaded.bank


Edited = Callable[[str, str], tuple[Bank, Bank]]


@pytest.fixture
def after(tmp_path: Path) -> Edited:
    """The small bank, and its copy with one piece of text replaced by another."""

    def edit(old: str, new: str) -> tuple[Bank, Bank]:
        shutil.copytree(SMALL, tmp_path / "new")
        path = tmp_path / "new" / "questions.yaml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return bank_at(SMALL), bank_at(tmp_path / "new")

    return edit


def changes(pair: tuple[Bank, Bank]) -> tuple[Change, ...]:
    return compare([pair[0]], [pair[1]])


def first(bank: Bank) -> str:
    return next(iter(bank.questions))


NAME = first(bank_at(SMALL))


def test_the_same_bank_has_no_changes() -> None:
    assert compare([bank_at(SMALL)], [bank_at(SMALL)]) == ()


def test_a_changed_wording_keeps_history(after: Edited) -> None:
    (only,) = changes(after("  - id: " + NAME, f"  - id: {NAME}\n    hints: [Look at the sum.]"))
    assert only.reference.endswith(f"/{NAME}")
    assert (only.kind, only.fields) == ("wording", ("hints",))


def test_a_changed_value_changes_the_meaning(after: Edited) -> None:
    (only,) = changes(after("d_k: 64", "d_k: 65"))
    assert only.kind == "meaning"
    assert "experiment" in only.fields


def test_what_is_neither_is_told_apart(after: Edited) -> None:
    (only,) = changes(after("difficulty: ", "minutes: 29\n    difficulty: "))
    assert (only.kind, only.fields) == ("other", ("minutes",))


def test_a_renamed_question_is_recognised(after: Edited) -> None:
    old, new = after(f"  - id: {NAME}\n", "  - id: another-name\n")
    gone, *rest = compare([old], [new])[::-1]
    told = {change.kind: change for change in (gone, *rest)}
    assert told["vanished"].reference == f"{old.id}/{NAME}"
    assert told["vanished"].renamed == f"{old.id}/another-name"
    assert told["new"].reference == f"{old.id}/another-name"
    (warning,) = check_vanished(tuple(told.values()), [new])
    assert (warning.code, warning.severity) == ("QB037", "warning")
    assert warning.message == (
        f"the question `{old.id}/{NAME}` is gone, and learners' histories with it; "
        f"`{old.id}/another-name` asks the same"
    )


def test_a_broken_question_has_not_vanished(after: Edited) -> None:
    old, new = after("difficulty: ", "difficulty: very ")
    assert new.broken
    assert compare([old], [new]) == ()


def test_in_a_file_that_cannot_be_parsed_nothing_has_vanished(after: Edited) -> None:
    old, new = after("difficulty: ", "difficulty: @")
    assert not new.complete
    assert compare([old], [new]) == ()


def test_moving_to_another_file_changes_nothing(tmp_path: Path) -> None:
    shutil.copytree(SMALL, tmp_path / "new")
    (tmp_path / "new" / "sub").mkdir()
    (tmp_path / "new" / "questions.yaml").rename(tmp_path / "new" / "sub" / "moved.yaml")
    assert compare([bank_at(SMALL)], [bank_at(tmp_path / "new")]) == ()
