"""The hidden tests under pytest, in this process, and the evidence that a pass needs.

A submission passes when pytest ended normally, every test function of the file ran at least
once, nothing but those ran, and all passed. Silence is never taken for success.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from quizapp.grader.judge.contract import SubmissionFault
from quizapp.grader.judge.submission import Submission
from quizapp.grader.testing import Mismatch, is_only_class, title_of
from quizapp.grader.wire import Kind, TestResult
from quizapp.sandbox.host import Fault
from quizapp.text import Text

TESTS: Final = "tests.py"


class JudgeError(Exception):
    """The hidden tests themselves could not be run: never the submission's fault."""


@dataclass(slots=True)
class Outcome:
    """What one test said, and which calls it made (positions in `Submission.calls`)."""

    title: Text
    function: str
    calls: range
    error: BaseException | None = None
    done: bool = False

    @property
    def failed(self) -> bool:
        """It ran and did not pass."""
        return self.done and self.error is not None

    def result(self) -> TestResult:
        """As it travels. Raises JudgeError when the test itself is broken."""
        given_up = isinstance(self.error, SubmissionFault) and self.error.given_up
        if not self.done or given_up:
            return TestResult(name=self.title, outcome="not_run")
        if self.error is None:
            return TestResult(name=self.title, outcome="passed")
        kind, message, pictures = _finding(self.error)
        return TestResult(
            name=self.title, outcome="failed", kind=kind, message=message, pictures=pictures
        )


def _finding(error: BaseException) -> tuple[Kind, Text, tuple[Any, ...]]:
    if isinstance(error, Mismatch):
        return error.kind, Text.of(error.message), error.pictures
    if isinstance(error, SubmissionFault):
        return error.kind, error.message, ()
    if isinstance(error, AssertionError):
        return "wrong", Text.of(str(error) or "an assertion failed"), ()
    raise JudgeError(f"a hidden test is broken: {type(error).__name__}: {error}") from error


@dataclass(slots=True)
class _Plugin:
    """Collects one file, gives its tests the submission, and notes what they say."""

    submission: Submission
    form: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @pytest.fixture(name="submission")
    def _submission(self) -> Submission:
        return self.submission

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        if self.form != "class":
            items[:] = [item for item in items if not is_only_class(item.function)]
        for item in items:
            title = title_of(item.function)
            self.outcomes[item.nodeid] = Outcome(title, item.function.__name__, range(0))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(str(report.longrepr))

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Any:
        outcome = self.outcomes[pyfuncitem.nodeid]
        first = len(self.submission.calls)
        try:
            return (yield)
        except Exception as error:
            # A worker's own fault comes out of a backward pass, whose call had ended well.
            lives = self.submission.lives
            outcome.error = lives.told(error) if isinstance(error, Fault) else error
            raise
        finally:
            outcome.calls = range(first, len(self.submission.calls))
            outcome.done = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport | None:
        """A failure without its trace: pytest would spend 40 ms on one that nobody reads."""
        if call.when != "call" or call.excinfo is None:
            return None
        return pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={},
            outcome="failed",
            longrepr=None,
            when="call",
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.failed:
            self.problems.append(str(report.longrepr))


#: What a grade does not need, and what would cost it time or write files.
_OPTIONS: Final = (
    "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:logging", "-p", "no:doctest",
    "-p", "no:junitxml", "-p", "no:faulthandler", "-p", "no:stepwise", "-p", "no:pastebin",
    "-p", "no:unittest", "-p", "no:tmpdir", "-p", "no:monkeypatch", "-p", "no:recwarn",
    "-p", "no:setuponly", "-p", "no:setupplan", "-p", "no:warnings", "-p", "no:debugging",
    "-p", "no:legacypath", "-p", "no:threadexception", "-p", "no:unraisableexception",
    "-c", "/dev/null", "--noconftest", "--import-mode=importlib", "--capture=no",
    "--assert=plain", "-o", "python_files=tests.py",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TestFile:
    """One exercise's tests.py as it was read: which functions must run, told without pytest."""

    __test__ = False  # not a test of ours

    path: Path
    digest: bytes
    functions: frozenset[str]
    only_class: frozenset[str]

    @classmethod
    def read(cls, path: Path) -> TestFile:
        """Raises JudgeError where it is not there or is not Python."""
        try:
            data = path.read_bytes()
            tree = ast.parse(data)
        except (OSError, SyntaxError, ValueError) as error:
            raise JudgeError(f"{path}: {error}") from error
        tests = [
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        ]
        return cls(
            path,
            hashlib.sha256(data).digest(),
            frozenset(node.name for node in tests),
            frozenset(
                node.name
                for node in tests
                for decorator in node.decorator_list
                if isinstance(decorator, ast.Name) and decorator.id == "only_class"
            ),
        )

    def expected(self, form: str) -> frozenset[str]:
        """The functions that must run for a submission of this form."""
        return self.functions if form == "class" else self.functions - self.only_class


#: What pytest imported last: it keeps a module by its name, which is the same everywhere.
_imported: list[bytes] = []


def run(tests: TestFile, submission: Submission) -> list[Outcome]:
    """Every outcome, in the file's order. Raises JudgeError without the evidence of a full run."""
    if _imported != [tests.digest]:
        sys.modules.pop(tests.path.stem, None)
        _imported[:] = [tests.digest]
    plugin = _Plugin(submission, submission.form)
    arguments = [*_OPTIONS, f"--rootdir={tests.path.parent}", str(tests.path)]
    status = pytest.main(arguments, plugins=[plugin])
    outcomes = list(plugin.outcomes.values())
    demand_evidence(tests.expected(submission.form), status, plugin.problems, outcomes)
    return outcomes


def demand_evidence(
    expected: frozenset[str], status: int, problems: list[str], outcomes: list[Outcome]
) -> None:
    """Raise JudgeError unless these are all the outcomes there should be, and pytest agrees."""
    if problems:
        raise JudgeError(problems[0])
    if status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
        raise JudgeError(f"pytest ended with {status!r}")
    if different := expected ^ {outcome.function for outcome in outcomes if outcome.done}:
        raise JudgeError(f"not the expected tests ran: {', '.join(sorted(different))}")
    if not outcomes or any(not outcome.done for outcome in outcomes):
        raise JudgeError("some tests did not run")
    passed = all(outcome.error is None for outcome in outcomes)
    if passed != (status == pytest.ExitCode.OK):
        raise JudgeError("pytest and its tests disagree about the outcome")
