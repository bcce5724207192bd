"""`quizapp practice` without a screen: the list, one grade, and a file that is watched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from fake_judge import PRACTICE, FakeJudge

from quizapp.cli import run, watching
from quizapp.cli.watching import Watching
from quizapp.grader.client import Judge
from quizapp.session import paths, practice
from quizapp.session.session import open_session

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def judge(monkeypatch: pytest.MonkeyPatch) -> FakeJudge:
    """The small bank, and a judge that reads the grade out of the source."""
    fake = FakeJudge()
    monkeypatch.setattr(practice, "Judge", lambda: fake)
    monkeypatch.setattr(paths, "shipped_banks", lambda: PRACTICE)
    monkeypatch.setattr(watching, "LOOK", 0.001)
    return fake


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def grade(file: Path, *options: str) -> int:
    return run([*options, "practice", "row_softmax", "--plain", "--file", str(file)])


def test_the_list_is_lines(capsys: Captured) -> None:
    assert run(["practice", "--plain"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split() == ["row_softmax", "1/5", "3", "min", "new", "A", "softmax", "by", "hand"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["practice", "row_softmx"], "Did you mean `row_softmax`?"),
        (["practice", "row_softmx", "--plain"], "Did you mean `row_softmax`?"),
        (["practice", "row_softmax"], "`quizapp practice NAME --plain`"),
        (["practice", "--watch"], "which exercise is it?"),
        (["practice", "--file", "mine.py"], "`quizapp practice --plain` lists their names"),
    ],
)
def test_what_cannot_be_done_is_told(arguments: list[str], words: str, capsys: Captured) -> None:
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_a_new_file_begins_as_the_starter_and_is_graded(file: Path, capsys: Captured) -> None:
    assert grade(file) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("# A softmax by hand\n\nWrite row_softmax(x).\n")
    assert "Failed: 0 of 2 tests pass" in captured.out
    assert f"The file: {file}" in captured.err
    assert "raise NotImplementedError" in file.read_text()


def test_a_pass_is_0(file: Path, capsys: Captured) -> None:
    file.write_text("right")
    assert grade(file) == 0
    assert "Passed: all 2 tests" in capsys.readouterr().out
    assert file.read_text() == "right"


def test_the_grader_s_own_fault_is_2(file: Path, capsys: Captured) -> None:
    file.write_text("ours")
    assert grade(file) == 2
    assert "Your code is not at fault." in capsys.readouterr().out


def test_no_grader_is_2(file: Path, judge: FakeJudge, capsys: Captured) -> None:
    judge.problem = "No module named 'torch'"
    file.write_text("right")
    assert grade(file) == 2
    assert "No module named 'torch'" in capsys.readouterr().err


def test_a_file_in_another_encoding_is_graded_as_it_is(file: Path, judge: FakeJudge) -> None:
    file.write_bytes(b"# -*- coding: latin-1 -*-\n# \xe9\n# right\n")
    assert grade(file) == 0


def test_a_mistake_is_named_before_everything_else(file: Path, capsys: Captured) -> None:
    file.write_text("columns")
    assert grade(file) == 1
    lines = capsys.readouterr().out.split("Failed: ")[1].splitlines()
    assert lines[3] == "Your result equals a softmax over the columns."
    assert lines[5] == "✗ it is the formula"
    assert any(line.startswith("  your weights: Largest 0.900") for line in lines)
    assert lines[-2:] == ["Printed:", "[bold]seen[/] (3, 5)"]


def test_in_ascii_and_in_chinese(file: Path, capsys: Captured) -> None:
    file.write_text("columns")
    assert grade(file, "--ascii", "--lang", "zh") == 1
    out = capsys.readouterr().out
    assert "你的结果等于沿列方向的 softmax。" in out
    assert "no 结果与公式一致" in out
    assert "ok 只有一列时全为 1" in out


# --- watching --------------------------------------------------------------------------


async def watch(file: Path, judge: FakeJudge, *saves: Callable[[], object]) -> None:
    """Watch `file` while each of `saves` happens; each is graded before the next."""
    learner = open_session(judge=cast(Judge, judge))
    bench = await learner.take("row_softmax", file)
    untouched = bench.desk.holds(bench.desk.starter())
    watching = asyncio.create_task(Watching(learner, bench, ascii_only=False).run())
    try:
        if untouched:
            await asyncio.sleep(0)  # its first look comes before the first save
        for save in saves:
            before = len(judge.sources)
            # Not the save alone: what the editor saves first may be half of it.
            await asyncio.to_thread(save)
            async with asyncio.timeout(30):
                while len(judge.sources) == before or bench.grading:  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await learner.close()


def renamed(file: Path, text: str) -> Callable[[], object]:
    """A save as most editors do it: a new file in place of the old one."""

    def save() -> None:
        new = file.with_suffix(".new")
        new.write_text(text)
        new.replace(file)

    return save


async def test_each_save_is_graded_in_place_or_renamed(
    file: Path, judge: FakeJudge, capsys: Captured
) -> None:
    await watch(
        file,
        judge,
        lambda: file.write_text("columns"),
        renamed(file, "loop\n"),
        renamed(file, "right"),
    )
    assert judge.sources == ["columns", "loop\n", "right"]
    captured = capsys.readouterr()
    places = [
        captured.out.find(words)
        for words in ("Your result equals", "it did not finish within 2 s", "Passed: all 2 tests")
    ]
    assert -1 not in places
    assert places == sorted(places)
    assert "Waiting for the next save; Ctrl+C ends." in captured.err


async def test_what_is_there_already_is_graded_at_once(
    file: Path, judge: FakeJudge, capsys: Captured
) -> None:
    renamed(file, "right")()
    await watch(file, judge, lambda: None)
    assert judge.sources == ["right"]


async def test_a_save_too_large_is_told_and_the_next_is_graded(
    file: Path, judge: FakeJudge, capsys: Captured
) -> None:
    def huge() -> None:
        renamed(file, "#" * (2**20 + 1))()
        judge.sources.append("")  # nothing is graded: go on

    await watch(file, judge, huge, renamed(file, "right"))
    assert judge.sources == ["", "right"]
