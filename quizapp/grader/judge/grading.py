"""One task from its load to its grade."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from quizapp.grader.judge.contract import SubmissionFault
from quizapp.grader.judge.diagnosis import diagnose
from quizapp.grader.judge.running import TESTS, JudgeError, Outcome, TestFile, run
from quizapp.grader.judge.submission import TOGETHER, Lives, Submission
from quizapp.grader.wire import Diagnosis, Grade, Task
from quizapp.sandbox.confinement import Isolation, Limits
from quizapp.sandbox.host import Worker
from quizapp.sandbox.proxy import Budget
from quizapp.text import Text, clean


def grade(
    task: Task, fork: Callable[[Limits], Worker], isolation: Isolation
) -> tuple[Grade, Lives]:
    """The grade, and the submission's last worker, still to be closed: that can wait."""
    started = time.perf_counter()
    lives = Lives(fork, task, task.memory, Budget(TOGETHER * task.seconds))
    submission = Submission(lives)
    tests = TestFile.read(Path(task.folder) / TESTS)
    try:
        submission.form  # noqa: B018 - loads the source
    except SubmissionFault as fault:
        return _unloaded(task, fault, lives, isolation, started), lives
    outcomes = run(tests, submission)
    results = tuple(outcome.result() for outcome in outcomes)
    first = next((result for result in results if result.outcome == "failed"), None)
    passed = first is None
    return Grade(
        id=task.id,
        verdict="passed" if passed else "failed",
        kind="ok" if first is None else first.kind,
        diagnosis=None if passed else _diagnosis(task, submission, outcomes),
        tests=results,
        seconds=time.perf_counter() - started,
        isolation=isolation,
        output=clean(lives.printed()),
    ), lives


def _unloaded(
    task: Task, fault: SubmissionFault, lives: Lives, isolation: Isolation, started: float
) -> Grade:
    """No test could run: the source itself is at fault."""
    return Grade(
        id=task.id,
        verdict="failed",
        kind=fault.kind,
        message=fault.message,
        seconds=time.perf_counter() - started,
        isolation=isolation,
        output=clean(lives.printed()),
    )


def _diagnosis(task: Task, submission: Submission, outcomes: list[Outcome]) -> Diagnosis | None:
    failing = [index for outcome in outcomes if outcome.failed for index in outcome.calls]
    return diagnose(task, submission.calls, failing)


def could_not_run(task: Task, error: JudgeError | Exception, isolation: Isolation) -> Grade:
    """The grader itself failed: said as such, never held against the submission."""
    return Grade(
        id=task.id,
        verdict="could_not_run",
        kind=None,
        message=Text.of(f"{type(error).__name__}: {error}"),
        seconds=0.0,
        isolation=isolation,
    )
