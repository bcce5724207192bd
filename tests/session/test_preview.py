"""What a preview shows of a file: the question, what is wrong with it, and nothing kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from quizapp.errors import MachineError, QuizappError, UsageError
from quizapp.session.answers import Answer
from quizapp.session.preview import Preview, words_of
from quizapp.session.previewing import open_preview
from quizapp.session.writing import new_bank, new_exercise, new_question
from quizapp.text import i18n


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with two questions, in a bank."""
    bank = tmp_path / "bank"
    new_bank(bank)
    one, two = (new_question(bank / f"{kind}.yaml", kind).files[0] for kind in ("open", "claim"))
    entries = two.read_text("utf-8").split("questions:\n", 1)[1]
    one.write_text(one.read_text("utf-8") + entries, encoding="utf-8")
    two.unlink()
    return one


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_the_first_question_or_the_one_asked_for(file: Path) -> None:
    first, second = Preview(file).look(), Preview(file, "claim").look()
    assert first.entry is not None
    assert second.entry is not None
    assert (first.entry.question.id, first.position, first.total) == ("open", 1, 2)
    assert (second.entry.question.id, second.position, second.total) == ("claim", 2, 2)
    assert first.findings == second.findings == ()
    assert first.notice() == ""


def test_turning_goes_round(file: Path) -> None:
    preview = Preview(file)
    seen = []
    for _step in range(3):
        entry = preview.look().entry
        assert entry is not None
        seen.append(entry.question.id)
        preview.turn(1)
    assert seen == ["open", "claim", "open"]


def test_what_spoils_a_question_stands_in_its_place(file: Path) -> None:
    change(file, "    rubric:", "    rubrik:")
    seen = Preview(file).look()
    assert seen.blocked
    assert "QB021 the open question `open` has no field `rubrik`" in seen.findings[0]
    other = Preview(file, "claim").look()
    assert other.entry is not None
    assert (other.findings, other.elsewhere) == ((), 1)
    assert other.notice() == "1 elsewhere in the file"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("run: score_variance", "run: score_varianc", "QB050"),
        ("{d_k: 256,", "{d_kk: 256,", "QB051"),
        ("metric: score_std, about", "metric: score_stdd, about", "QB053"),
    ],
)
def test_a_run_that_cannot_be_made_is_told_and_not_made(
    file: Path, old: str, new: str, code: str
) -> None:
    change(file, old, new)
    seen = Preview(file, "claim").look()
    assert seen.blocked
    assert any(code in found for found in seen.findings)


def test_a_missing_language_does_not_hide_the_question(file: Path) -> None:
    change(file, "      zh: 解释缩放\n", "")
    seen = Preview(file).look()
    assert seen.entry is not None
    assert "QB040" in seen.findings[0]
    assert seen.notice() == "1 finding here"


def test_broken_yaml_is_told(file: Path) -> None:
    file.write_text("questions: [", encoding="utf-8")
    seen = open_preview(file).seen
    assert seen.blocked
    assert "QB005" in seen.findings[0]


def test_a_broken_header_is_told(file: Path) -> None:
    (file.parent / "bank.yaml").write_text("format: quizapp/1\n", encoding="utf-8")
    seen = open_preview(file).seen
    assert seen.blocked
    assert any("bank.yaml" in found and "QB022" in found for found in seen.findings)


def test_a_question_renamed_while_we_look_is_followed(file: Path) -> None:
    preview = Preview(file, "claim")
    preview.look()
    change(file, "id: claim", "id: renamed")
    entry = preview.look().entry
    assert entry is not None
    assert entry.question.id == "renamed"


def test_a_file_in_no_bank_is_shown(tmp_path: Path) -> None:
    made = new_question(tmp_path / "alone.yaml").files[0]
    seen = Preview(made).look()
    assert seen.entry is not None
    assert seen.findings == ()


def test_other_banks_are_not_missed(file: Path) -> None:
    change(file, "    experiment:", "    followups: {right: other/question}\n    experiment:")
    assert Preview(file).look().findings == ()


def test_an_exercise_is_told_in_words(file: Path) -> None:
    folder = new_exercise(file.parent / "exercises" / "scores").files[0].parent
    seen = Preview(folder).look()
    assert seen.exercise is not None
    words = words_of(seen.exercise)
    assert "Write `scores(Q, K)`" in words
    assert "Hint 2: `K.transpose(-2, -1)`" in words
    assert "- the scores divided by d_k, without the root" in words
    change(folder / "exercise.yaml", "difficulty: 1", "difficulty: 9")
    assert Preview(folder).look().blocked


def test_a_save_is_seen_once_it_is_whole(file: Path) -> None:
    preview = Preview(file)
    preview.look()
    assert not preview.changed()
    change(file, "Explain the scale", "Explain the divisor")
    assert not preview.changed()  # it may still be written to
    assert preview.changed()
    preview.look()
    assert not preview.changed()
    file.rename(file.with_suffix(".away"))
    assert not preview.changed()
    file.with_suffix(".away").rename(file)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "is a folder"),
        ("none.yaml", "there is no file"),
        ("bank.yaml", "bank.yaml holds no question"),
    ],
)
def test_what_holds_no_question_is_refused(file: Path, name: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Preview(file.parent / name)


def test_a_wrong_id_is_refused_with_the_closest(file: Path) -> None:
    with pytest.raises(UsageError) as refused:
        Preview(file, "clam")
    assert refused.value.remedy == "Did you mean 'claim'?"


# --- the session ---------------------------------------------------------------------


async def test_nothing_is_kept(file: Path, own_world: Path) -> None:
    session = open_preview(file)
    entry = session.seen.entry
    assert entry is not None
    trial = session.answer(entry, Answer(text="said"))
    assert await session.settle(trial, entry) == ""
    assert (trial.saved, trial.problem, session.unsaved) == (False, "", "")
    with pytest.raises(MachineError, match="nothing is saved in a preview"):
        await session.undo()
    await session.close()


def test_an_answer_stays_while_the_meaning_does(file: Path) -> None:
    session = open_preview(file, "claim")
    entry = session.seen.entry
    assert entry is not None
    trial = session.answer(entry, Answer(chosen=("holds",)))
    change(file, "Signs cancel, so", "The signs cancel, so")
    session.look()
    assert session.may_stay(trial, entry)
    now = session.sitting_now().current
    assert now is not None
    assert session.answered_again(now, trial).answer == trial.answer
    change(file, "about: 256", "about: 512")
    session.look()
    assert not session.may_stay(trial, entry)


def test_asked_again_a_question_shows_its_other_variant(file: Path) -> None:
    number = new_question(file.parent / "number.yaml", "numeric").files[0]
    variants = "    variants: {values: [{width: 64}, {width: 100}]}\n"
    change(number, "    kind: numeric\n", "    kind: numeric\n" + variants)
    change(number, "d_k = 100", "d_k = {width}")
    change(number, "{d_k: 100,", '{d_k: "{width}",')
    session = open_preview(number)
    assert session.seen.findings == ()
    asked = []
    for _turn in range(3):
        entry = session.sitting_now().current
        assert entry is not None
        asked.append(entry.question.prompt.to("en").partition(";")[0])
        session.turn()
    assert asked[0] == asked[2] != asked[1]
    assert {*asked} == {"One head, d_k = 64", "One head, d_k = 100"}


def test_the_sitting_tells_which_question_of_the_file(file: Path) -> None:
    session = open_preview(file, "claim")
    sitting = session.sitting_now()
    assert (sitting.position, sitting.total) == (2, 2)
    assert sitting.current is session.seen.entry


def test_a_folder_that_vanishes_is_told_like_a_finding(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = open_preview(file)

    def gone() -> None:
        raise QuizappError("the folder is gone")

    monkeypatch.setattr(session.preview, "look", gone)
    assert session.look().findings == ("the folder is gone",)
    assert session.seen.blocked


def test_the_language_asked_for_is_spoken(file: Path) -> None:
    open_preview(file, language="zh")
    assert i18n.language() == "zh"
