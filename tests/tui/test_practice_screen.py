"""Attention by hand on the screen: read, write, grade, go on, and never lose what was written."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from driving import Drive, Driven
from fake_judge import PRACTICE, FakeJudge
from textual.widgets import OptionList

from quizapp.plot.width import display_width
from quizapp.study.store import Store
from quizapp.tui.screens import practice_file
from quizapp.tui.widgets.plots import HeatMapView

COLUMNS = "def row_softmax(x):\n    return x.softmax(0)  # columns\n"
RIGHT = "def row_softmax(x):\n    return x.softmax(-1)  # right\n"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting for a pause between keys, nor for the next look at the file."""
    monkeypatch.setattr(practice_file, "SETTLE", 0)
    monkeypatch.setattr(practice_file, "LOOK", 0.01)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


@pytest.fixture(autouse=True)
def at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is typed stands first in the text, not in the body the starter leaves open."""
    monkeypatch.setattr(practice_file, "UNWRITTEN", "nothing")


@pytest.fixture
def judge() -> FakeJudge:
    return FakeJudge()


def practising(drive: Drive, mine: Path, judge: FakeJudge, **given):  # type: ignore[no-untyped-def]
    return drive(
        "practice", exercise="row_softmax", file=mine, banks=PRACTICE, judge=judge, **given
    )


async def opened(d: Driven) -> None:
    await d.until(lambda: d.app.practice.bench is not None and d.app.lab_word)


async def graded(d: Driven) -> None:
    await d.until(lambda: (bench := d.app.practice.bench) and bench.grade and not bench.grading)


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def written(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def copies(file: Path) -> list[Path]:
    """What was kept beside `file`."""
    return list(file.parent.glob(f"{file.stem}.*.py"))


def body(d: Driven) -> str:
    return " ".join(d.screen().split())


# --- the list --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("A softmax by hand", "1/5", "3 min", "new")), ("zh", ("手写 softmax", "未做"))],
)
async def test_home_leads_to_the_list_and_to_an_exercise(
    drive: Drive, size: tuple[int, int], language: str, words: tuple[str, ...]
) -> None:
    async with drive("home", size, banks=PRACTICE, language=language) as d:
        await d.until(lambda: d.app.home.home is not None)
        await d.press("p")
        await d.until(lambda: d.app.screen is d.app.practice_list and d.app.practice_list.found)
        assert all(word in d.screen() for word in words)
        assert all(display_width(line) <= size[0] for line in d.screen().splitlines())
        await d.press("enter")
        await d.until(lambda: d.app.screen is d.app.practice)
        assert "row_softmax(x)" in d.screen()
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.practice_list)
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.home)


async def test_the_list_tells_how_far_one_is_and_home_what_is_due(
    drive: Drive, tmp_path: Path, mine: Path, judge: FakeJudge
) -> None:
    write(mine, RIGHT)
    async with practising(drive, mine, judge, home=tmp_path / "home") as d:
        await opened(d)
        await d.press("ctrl+g")
        await graded(d)
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.home and d.app.home.home is not None)
        await d.press("p")
        await d.until(lambda: "passed" in d.screen())
        assert "Passed: 1 of 1; due again: 0." in body(d)
        d.clock.move(days=60)
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.home and "1 exercise due" in d.screen())
        await d.press("p")
        await d.until(lambda: "due again: 1." in body(d))


# --- the exercise ----------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_one_pane_at_a_time_on_a_narrow_screen(
    drive: Drive, mine: Path, judge: FakeJudge, language: str
) -> None:
    async with practising(drive, mine, judge, language=language) as d:
        await opened(d)
        assert "row_softmax(x)" in d.screen()
        assert "raise NotImplementedError" not in d.screen()
        await d.press("enter")
        await d.until(lambda: "raise NotImplementedError" in d.screen())
        assert "F5" in d.screen().splitlines()[-1]
        await d.press("f6")
        assert "raise NotImplementedError" not in d.screen()
        await d.press("tab", "tab")  # the second is typed: it indents
        assert d.app.practice.code.text.startswith("    import torch")
        await d.press("escape", "escape")
        await d.until(lambda: d.app.screen is d.app.home)
        assert written(mine).startswith("    import torch")


async def test_both_stand_side_by_side_on_a_wide_screen(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    async with practising(drive, mine, judge, size=(120, 40)) as d:
        await opened(d)
        assert "raise NotImplementedError" in d.screen()
        assert "each row of the" in d.screen()
        await d.press("enter", "f5")
        await graded(d)
        await d.until(lambda: "Failed: 0 of 2 tests pass" in d.screen())
        assert d.app.practice.code.has_focus
        assert "raise NotImplementedError" in d.screen()


async def test_every_printable_key_types_in_the_editor(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    async with practising(drive, mine, judge) as d:
        await opened(d)
        await d.press("enter", *"eiLR?xq1", "enter")
        assert d.app.practice.code.text.startswith("eiLR?xq1\n")
        assert d.app.screen is d.app.practice
        assert judge.sources == []
        await d.until(lambda: written(mine).startswith("eiLR?xq1\n"))
        await d.until(lambda: "\n saved  " in d.screen())


async def test_a_mistake_is_named_first_with_both_weights_and_the_prints(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    write(mine, COLUMNS)
    async with practising(drive, mine, judge, size=(80, 40)) as d:
        await opened(d)
        await d.press("ctrl+g")
        await graded(d)
        await d.until(lambda: "Printed:" in d.screen())
        shown = body(d)
        order = (
            "Failed: 1 of 2 tests pass",
            "confined: no files, no network",
            "Your result equals a softmax over the columns.",
            "✗ it is the formula",
            "largest at [b=0, n=1]: got 0.312, expected 0.25",
            "your weights",
            "✓ one column gives ones [/]",
            "Printed: [bold]seen[/] (3, 5)",
        )
        places = [shown.find(words) for words in order]
        assert -1 not in places
        assert places == sorted(places)
        assert "expected weights" in shown
        maps = [view for view in d.app.practice.query(HeatMapView) if view.display]
        assert [view.plot.id for view in maps] == ["got", "expected"]
        await d.press("L")
        await d.until(lambda: "你的结果等于沿列方向的 softmax。" in d.screen())


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("loop", ("✗ it is the formula", "it did not finish within 2 s")),
        (
            "ours",
            ("Not graded: the grader itself could not run.", "the judge ended: out of memory"),
        ),
    ],
)
async def test_what_ended_it_is_told(
    drive: Drive, mine: Path, judge: FakeJudge, source: str, words: tuple[str, ...]
) -> None:
    write(mine, source)
    async with practising(drive, mine, judge) as d:
        await opened(d)
        await d.press("ctrl+g")
        await graded(d)
        await d.until(lambda: all(word in body(d) for word in words))


async def test_without_a_grader_one_can_still_write(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    judge.problem = "No module named 'torch'"
    async with practising(drive, mine, judge) as d:
        await opened(d)
        await d.press("enter", *"x = 1", "f5")
        await d.until(lambda: "No module named 'torch'" in body(d))
        await d.until(lambda: written(mine).startswith("x = 1"))
        assert not d.app.practice.bench.grading


async def test_hints_come_one_by_one_and_are_counted(
    drive: Drive, tmp_path: Path, mine: Path, judge: FakeJudge
) -> None:
    async with practising(drive, mine, judge, home=tmp_path / "home") as d:
        await opened(d)
        await d.press("enter", "f2")
        await d.until(lambda: "Hint 1: What makes a number positive?" in body(d))
        await d.press("i")
        await d.until(lambda: "Hint 2: Then divide by the row's sum." in body(d))
        assert "i hint" not in d.screen()
        await d.press("i")
        await d.until(lambda: "There are no more hints." in d.screen())
        d.app.practice.load(RIGHT)
        await d.press("ctrl+g")
        await graded(d)
    with Store.open(tmp_path / "home" / "study.db", d.clock.now()) as store:
        (attempt,) = store.answers_of_kind("exercise")
    assert attempt.hints == 2
    assert attempt.verdict == "right"


async def test_a_pass_leads_to_follow_ups_and_model_solutions(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    write(mine, RIGHT)
    async with practising(drive, mine, judge) as d:
        await opened(d)
        await d.press("ctrl+g")
        await graded(d)
        await d.until(lambda: "Model solution: builtin" in d.screen())
        assert "Passed: all 2 tests" in d.screen()
        assert "Run yours in the lab" not in d.screen()  # experiments ask for another function
        await d.press("o")
        assert d.app.screen is d.app.practice
        await d.press("j", "j", "j", "enter")
        await d.until(lambda: "# The maximum keeps exp from overflowing." in d.screen())
        assert "减去最大值" not in d.screen()
        await d.press("escape")
        await d.until(lambda: "Passed: all 2 tests" in d.screen())
        d.app.practice.query_one("#onward", OptionList).highlighted = 0
        await d.press("enter")
        await d.until(lambda: d.app.screen is d.app.question)
        assert "What halves the spread of q·k?" in d.screen()
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.home)


async def test_a_change_of_the_text_makes_the_grade_an_old_one(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    async with practising(drive, mine, judge, size=(120, 40)) as d:
        await opened(d)
        await d.press("enter", "f5")
        await graded(d)
        assert "The text has changed since." not in d.screen()
        await d.press("x")
        await d.until(lambda: "The text has changed since." in d.screen())
        await d.press("backspace")
        await d.until(lambda: "The text has changed since." not in d.screen())


async def test_while_it_grades_the_newest_text_waits_and_x_stops_it(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    judge.gate.clear()
    async with practising(drive, mine, judge, size=(120, 40)) as d:
        await opened(d)
        await d.press("enter", "f5")
        await d.until(lambda: judge.sources)
        await d.press("a", "f5", "b", "f5")
        judge.gate.set()
        await graded(d)
        assert [source[:2] for source in judge.sources] == ["im", "ab"]
        judge.gate.clear()
        await d.press("escape", "ctrl+g")
        await d.until(lambda: len(judge.sources) == 3)
        assert "x stop" in d.screen()
        await d.press("x")
        await d.until(lambda: "Stopped." in d.screen())
        assert judge.closed == 1
        assert not d.app.practice.bench.grading


# --- the file --------------------------------------------------------------------------


async def test_a_change_made_elsewhere_is_shown_and_ours_is_kept(
    drive: Drive, mine: Path, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_file, "SETTLE", 60)
    monkeypatch.setattr(practice_file, "LOOK", 60)
    async with practising(drive, mine, judge, size=(120, 40)) as d:
        await opened(d)
        await d.press("enter", *"mine")
        write(mine, "theirs\n")
        await d.press("ctrl+s")
        await d.until(lambda: d.app.practice.code.text == "theirs\n")
        assert written(mine) == "theirs\n"
        (kept,) = copies(mine)
        assert written(kept).startswith("mineimport torch")
        assert "the file was changed elsewhere" in d.screen()
        assert kept.name in body(d)


async def test_what_another_editor_saves_is_taken_and_graded(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    async with practising(drive, mine, judge, size=(120, 40)) as d:
        await opened(d)
        new = mine.with_suffix(".new")
        new.write_text(RIGHT)
        new.replace(mine)
        await graded(d)
        assert judge.sources == [RIGHT]
        assert d.app.practice.code.text == RIGHT


async def test_starting_over_is_asked_for_and_keeps_a_copy(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    write(mine, COLUMNS)
    async with practising(drive, mine, judge) as d:
        await opened(d)
        await d.press("R")
        await d.until(lambda: "Start over from the starter?" in d.screen())
        assert "R yes, start over" in d.screen()
        await d.press("escape")
        await d.until(lambda: "Start over from the starter?" not in d.screen())
        assert written(mine) == COLUMNS
        await d.press("R", "R")
        await d.until(lambda: "raise NotImplementedError" in d.screen())
        (kept,) = copies(mine)
        assert written(kept) == COLUMNS
        assert kept.name in "".join(d.screen().split())


@contextmanager
def lent() -> Iterator[None]:
    yield


async def test_the_learner_s_own_editor_is_opened_and_its_text_graded(
    drive: Drive, mine: Path, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []

    def run(words: list[str], check: bool) -> subprocess.CompletedProcess[bytes]:
        called.append(words)
        assert written(Path(words[-1])).startswith("zimport torch")  # saved before
        write(Path(words[-1]), RIGHT)
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setenv("VISUAL", "my-editor --wait")
    monkeypatch.setattr(subprocess, "run", run)
    async with practising(drive, mine, judge) as d:
        monkeypatch.setattr(d.app, "suspend", lent)
        await opened(d)
        await d.press("enter", "z", "f4")
        await graded(d)
        assert called == [["my-editor", "--wait", str(mine)]]
        assert judge.sources == [RIGHT]
        await d.until(lambda: "Passed: all 2 tests" in d.screen())


async def test_one_begins_where_the_starter_leaves_off(
    drive: Drive, mine: Path, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    async with practising(drive, mine, judge) as d:
        await opened(d)
        await d.press("enter", *"return x", "ctrl+s")
        await d.until(lambda: written(mine).endswith("(x):\n    return x\n"))


async def test_a_terminal_that_cannot_be_lent_is_told(
    drive: Drive, mine: Path, judge: FakeJudge
) -> None:
    async with practising(drive, mine, judge) as d:
        await opened(d)
        await d.press("e")
        await d.until(lambda: "This terminal cannot be lent" in d.screen())


async def test_leaving_saves_what_was_just_typed(
    drive: Drive, mine: Path, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_file, "SETTLE", 60)
    async with practising(drive, mine, judge) as d:
        await opened(d)
        await d.press("enter", *"last", "ctrl+q")
    assert written(mine).startswith("lastimport torch")
    assert d.app.return_code == 0


async def test_a_disk_that_refuses_is_told(
    drive: Drive, mine: Path, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with practising(drive, mine, judge) as d:
        await opened(d)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr("os.fsync", full)
            await d.press("enter", "z")
            await d.until(lambda: "No space left on device" in body(d))
            assert "not saved yet" in d.screen()
        await d.press("ctrl+s")
        await d.until(lambda: "not saved yet" not in d.screen())
        assert written(mine).startswith("zimport torch")
