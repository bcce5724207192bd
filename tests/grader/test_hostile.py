"""Submissions that want to be passed, or to do harm: each with the verdict and kind it gets.

A submission passes exactly when the numbers it sends are right. What tries anything else
fails, or is judged by its numbers alone, and nothing outside its worker changes.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_table import (
    ENDINGS,
    FORGERIES,
    HONEST,
    LIES,
    RAW_CALLS,
    REACHING_OUT,
    RIGHT,
    SHORTCUTS,
    SOURCES,
    calling,
)
from judging import SyncJudge, exercises

from quizapp.bank import ExerciseFolder
from quizapp.grader.wire import Grade


@pytest.fixture(scope="module")
def judge() -> Iterator[SyncJudge]:
    judge = SyncJudge()
    yield judge
    judge.close()


@pytest.fixture(scope="module")
def folder() -> ExerciseFolder:
    return exercises()["scaled_dot_product_attention"]


@pytest.fixture
def graded(
    judge: SyncJudge,
    folder: ExerciseFolder,
    source: str | bytes,
    request: pytest.FixtureRequest,
) -> Grade:
    kinds = request.node.callspec.params.values()
    if judge.isolation != "strict":
        pytest.skip("this system cannot confine a process: no seccomp")
    seconds = 1.0 if "timeout" in kinds else 10.0
    grade = judge.grade(folder, source, seconds=seconds, memory=128 * 2**20)
    # Whatever it did, the judge is as it was.
    assert judge.grade(folder, RIGHT).verdict == "passed"
    return grade


@pytest.mark.parametrize(("source", "kind"), ENDINGS.values(), ids=list(ENDINGS))
def test_how_it_ends(graded: Grade, kind: str) -> None:
    assert graded.kind == kind
    assert graded.verdict == ("passed" if kind == "ok" else "failed")


@pytest.mark.parametrize("source", REACHING_OUT.values(), ids=list(REACHING_OUT))
def test_what_it_reaches_for_is_not_there(graded: Grade) -> None:
    assert (graded.verdict, graded.kind) == ("failed", "exception")
    assert not Path("/tmp/quizapp-was-here").exists()


@pytest.mark.parametrize("source", FORGERIES.values(), ids=list(FORGERIES))
def test_a_forged_channel_is_told(graded: Grade) -> None:
    assert (graded.verdict, graded.kind) == ("failed", "protocol")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize(
    "source",
    [
        calling(
            f"import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
            f"r = libc.syscall({number}, 0, 0, 0, 0, 0, 0)\n"
            f"if (r, ctypes.get_errno()) != (-1, 1): raise SystemExit('{name} was let through')"
        )
        for name, number in RAW_CALLS.items()
    ],
    ids=list(RAW_CALLS),
)
def test_raw_system_calls_are_refused(graded: Grade) -> None:
    assert graded.kind == "ok"


@pytest.mark.parametrize(("source", "kind"), LIES.values(), ids=list(LIES))
def test_only_numbers_count(graded: Grade, kind: str) -> None:
    assert graded.kind == kind
    assert graded.verdict == ("passed" if kind == "ok" else "failed")


@pytest.mark.parametrize(
    "source", [calling(body) for body in SHORTCUTS.values()], ids=list(SHORTCUTS)
)
def test_shortcuts_are_forbidden(graded: Grade) -> None:
    assert (graded.verdict, graded.kind) == ("failed", "forbidden")


@pytest.mark.parametrize(("source", "kind"), SOURCES.values(), ids=list(SOURCES))
def test_sources_that_cannot_be_used(graded: Grade, kind: str) -> None:
    assert (graded.verdict, graded.kind) == ("failed", kind)
    assert graded.message is not None
    assert graded.message.languages >= {"en", "zh"}


@pytest.mark.parametrize("source", HONEST.values(), ids=list(HONEST))
def test_honest_submissions_pass(graded: Grade) -> None:
    failures = [test for test in graded.tests if test.outcome != "passed"]
    assert not failures
    assert (graded.verdict, graded.kind) == ("passed", "ok")


def test_no_message_carries_control_characters(judge: SyncJudge, folder: ExerciseFolder) -> None:
    source = calling("print('\\x1b[2J\\x07')\nraise ValueError('\\x1b[2J\\x1b]0;t\\x07\\u202e')")
    grade = judge.grade(folder, source)
    text = grade.model_dump_json()
    for character in ("\\u001b", "\\u0007", "\x1b", "\u202e"):
        assert character not in text


def test_what_a_test_prints_is_kept_in_bounds(judge: SyncJudge, folder: ExerciseFolder) -> None:
    grade = judge.grade(folder, calling("print('y' * 10_000)"))
    assert grade.verdict == "passed"
    assert 10_000 < len(grade.output) <= 70_000


def test_who_runs_out_of_time_is_not_waited_for_again(
    judge: SyncJudge, folder: ExerciseFolder
) -> None:
    grade = judge.grade(folder, calling("while True: pass"), seconds=1.0)
    outcomes = [test.outcome for test in grade.tests]
    assert outcomes[:3] == ["failed"] * 3
    assert set(outcomes[3:]) == {"not_run"}


def test_nothing_is_left_running(judge: SyncJudge, folder: ExerciseFolder) -> None:
    """After a time-out the worker is gone: the judge's session holds judge and zygote alone."""
    judge.grade(folder, calling("while True: pass"), seconds=0.3)
    judge.grade(folder, RIGHT)
    until = time.monotonic() + 10
    while len(_descendants(judge.pid)) > 1 and time.monotonic() < until:
        time.sleep(0.02)
    assert len(_descendants(judge.pid)) == 1


def _descendants(pid: int) -> list[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found, edge = [], [pid]
    while edge:
        edge = [child for child, parent in parents.items() if parent in edge]
        found += edge
    return found


def test_the_hostname_is_not_asked_for(judge: SyncJudge, folder: ExerciseFolder) -> None:
    """Not even the machine's name leaves: uname is a call like others."""
    source = calling(
        f"import socket\nif socket.gethostname() == {socket.gethostname()!r}: raise SystemExit"
    )
    grade = judge.grade(folder, source)
    assert (grade.verdict, grade.kind) == ("failed", "exception")
