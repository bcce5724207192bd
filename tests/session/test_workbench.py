"""A bench: nothing written is lost between two writers, and the newest text is graded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from driving import TestClock
from fake_judge import PRACTICE, FakeJudge

from quizapp.errors import MachineError, UsageError
from quizapp.grader.client import Judge
from quizapp.session.session import Session, open_session
from quizapp.session.workbench import Newer, Workbench

STARTER = "import torch\n\n\ndef row_softmax(x):\n    raise NotImplementedError\n"


@pytest.fixture
def judge() -> FakeJudge:
    return FakeJudge()


@pytest.fixture
def clock() -> TestClock:
    return TestClock()


@pytest.fixture
def session(judge: FakeJudge, clock: TestClock) -> Iterator[Session]:
    made = open_session(banks=PRACTICE, judge=cast(Judge, judge), clock=clock)
    yield made
    asyncio.run(made.close())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def written(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def gone(file: Path) -> None:
    file.unlink()


async def taken(session: Session, file: Path) -> Workbench:
    bench = await session.take("row_softmax", file)
    assert await bench.open() == STARTER
    return bench


async def check(bench: Workbench, text: str) -> None:
    await bench.check(text.encode(), lambda: None)


# --- the text --------------------------------------------------------------------------


async def test_the_same_file_has_the_same_bench(session: Session, file: Path) -> None:
    bench = await taken(session, file)
    await bench.save("mine\n")
    assert await session.take("practice/row_softmax", file) is bench
    assert await bench.open() == "mine\n"
    with pytest.raises(UsageError, match="no exercise `row_softmx`"):
        await session.take("row_softmx")


async def test_of_two_writers_both_texts_stay(session: Session, file: Path) -> None:
    bench = await taken(session, file)
    write(file, "theirs\n")
    newer = await bench.save("mine\n")
    assert newer is not None
    assert newer.text == "theirs\n"
    (kept,) = file.parent.glob("mine.*.py")
    assert kept.name in newer.notice
    assert written(kept) == "mine\n"
    assert await bench.save("theirs\nand mine\n") is None
    assert written(file) == "theirs\nand mine\n"


async def test_what_another_wrote_is_found_by_looking(session: Session, file: Path) -> None:
    bench = await taken(session, file)
    assert await bench.newer(STARTER) is None
    write(file, "theirs\n")
    assert await bench.newer(STARTER) == Newer("theirs\n")
    assert await bench.newer("theirs\n") is None
    write(file, "again\n")
    dirty = await bench.newer("theirs, changed here\n")
    assert dirty is not None
    assert dirty.notice


async def test_a_file_that_is_being_renamed_is_waited_for(session: Session, file: Path) -> None:
    bench = await taken(session, file)
    gone(file)
    assert await bench.newer(STARTER) is None
    assert list(file.parent.glob("mine*")) == []  # no starter is put in the other's way


async def test_a_cancelled_save_ends_and_what_it_found_is_told_later(
    session: Session, file: Path
) -> None:
    bench = await taken(session, file)
    write(file, "theirs\n")
    saving = asyncio.create_task(bench.save("mine\n"))
    await asyncio.sleep(0)
    saving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saving
    newer = await bench.save("mine, longer\n")  # the screen does not know of theirs yet
    assert newer is not None
    assert newer.text == "theirs\n"
    assert written(file) == "theirs\n"


async def test_starting_over_forgets_the_grade(session: Session, file: Path) -> None:
    bench = await taken(session, file)
    await bench.save("right\n")
    await check(bench, "right\n")
    text, kept = await bench.reset()
    assert text == STARTER
    assert kept is not None
    assert written(kept) == "right\n"
    assert bench.told() is None


# --- the grade -------------------------------------------------------------------------


async def test_of_several_texts_asked_for_meanwhile_the_newest_is_graded(
    session: Session, file: Path, judge: FakeJudge
) -> None:
    bench = await taken(session, file)
    judge.gate.clear()
    grading = asyncio.create_task(check(bench, "one"))
    await judge.asked.wait()
    assert bench.grading
    assert bench.starting  # nothing has been heard of the grader yet
    for text in ("two", "right"):
        await check(bench, text)
    judge.gate.set()
    await grading
    assert judge.sources == ["one", "right"]
    assert bench.passed
    assert not bench.stale("right")
    assert bench.stale("two")


async def test_a_cancelled_grading_ends_the_judge(
    session: Session, file: Path, judge: FakeJudge
) -> None:
    bench = await taken(session, file)
    judge.gate.clear()
    grading = asyncio.create_task(check(bench, "one"))
    await judge.asked.wait()
    grading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await grading
    assert judge.closed == 1
    assert not bench.grading


async def test_without_a_grader_it_says_so(session: Session, file: Path, judge: FakeJudge) -> None:
    bench = await taken(session, file)
    judge.problem = "no torch"
    with pytest.raises(MachineError, match="no torch"):
        await check(bench, "right")
    assert not bench.grading
    judge.problem = ""
    await check(bench, "right")
    assert bench.passed


# --- the log and the shelf ---------------------------------------------------------------


async def test_attempts_move_the_state_and_come_due(
    session: Session, file: Path, clock: TestClock
) -> None:
    async def state() -> str:
        (one,) = await session.exercises()
        return one.state

    bench = await taken(session, file)
    assert await state() == "new"
    await check(bench, "columns")
    assert await state() == "tried"
    await check(bench, "right")
    assert await state() == "passed"
    assert (await session.home()).exercises_due == 0
    clock.move(days=60)
    assert await state() == "due"
    assert (await session.home()).exercises_due == 1
    assert session.stats().due_today == 1


async def test_an_untouched_starter_is_no_attempt(session: Session, file: Path) -> None:
    bench = await taken(session, file)
    await check(bench, STARTER)
    assert session.stats().overall.rated == 0
    await check(bench, "wrong again")
    assert session.stats().overall.rated == 1
    assert session.stats().by_tag["attention/softmax"].rated == 1
    assert session.stats().refuted == ("practice/row_softmax",)
    assert await session.undo() == "A softmax by hand"


async def test_follow_ups_are_questions_of_the_same_bank(session: Session, file: Path) -> None:
    bench = await taken(session, file)
    entries = session.shelf.followups(bench.desk)
    assert [entry.reference for entry in entries] == ["practice/change", "practice/spread"]


async def test_only_attention_itself_runs_in_the_lab(session: Session, file: Path) -> None:
    bench = await taken(session, file)
    assert not session.runs_in_lab(bench.desk)
    assert await session.own_function(bench.desk) is None
