"""What a grade says to the learner, in the current language: the diagnosis, then the tests.

The same sentences for the screen, `--plain` and `--watch`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quizapp.grader.wire import Grade, TestResult
from quizapp.report import HeatMap
from quizapp.session.desk import Desk
from quizapp.session.marking import diagnosed
from quizapp.text import clean
from quizapp.text.i18n import _, language, ngettext

#: Lines of what a submission printed that are told; the rest is counted.
PRINTED = 40


@dataclass(frozen=True, slots=True)
class Failing:
    """One finding, and the tests that made it."""

    tests: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Told:
    """A grade in words.

    ours: the grader itself could not run. problem: what is wrong where it is not one test's
    finding. failing: by finding, in the order of the tests. pictures: of the first finding
    that has any. not_run: tests that never began. made: time and isolation. unlogged: why
    the attempt is in no log.
    """

    passed: bool
    ours: bool
    headline: str
    diagnosis: str
    problem: str
    failing: tuple[Failing, ...]
    pictures: tuple[HeatMap, ...]
    passing: tuple[str, ...]
    not_run: tuple[str, ...]
    printed: str
    made: str
    unlogged: str = ""


def told(grade: Grade, unlogged: str = "") -> Told:
    """`grade` in the current language."""
    said = language()
    named = grade.diagnosis
    failed = [test for test in grade.tests if test.outcome == "failed"]
    return Told(
        passed=grade.verdict == "passed",
        ours=grade.verdict == "could_not_run",
        headline=_headline(grade),
        diagnosis="" if named is None else clean(diagnosed(named.text).to(said)),
        problem="" if grade.message is None else clean(grade.message.to(said)),
        failing=tuple(_grouped(failed)),
        pictures=next((test.pictures for test in failed if test.pictures), ()),
        passing=tuple(clean(t.name.to(said)) for t in grade.tests if t.outcome == "passed"),
        not_run=tuple(clean(t.name.to(said)) for t in grade.tests if t.outcome == "not_run"),
        printed=_printed(grade.output),
        made=_made(grade),
        unlogged=unlogged,
    )


def _headline(grade: Grade) -> str:
    count = len(grade.tests)
    passed = sum(test.outcome == "passed" for test in grade.tests)
    if grade.verdict == "passed":
        words = ngettext("Passed: {n} test", "Passed: all {n} tests", count)
        return words.format(n=count)
    if grade.verdict == "could_not_run":
        return _("Not graded: the grader itself could not run. Your code is not at fault.")
    if not count:
        return _("Failed before the first test")
    words = ngettext(
        "Failed: {passed} of {n} test passes", "Failed: {passed} of {n} tests pass", count
    )
    return words.format(passed=passed, n=count)


def _grouped(failed: list[TestResult]) -> Iterator[Failing]:
    """Tests that found the same thing together: twelve times the same sentence tells less."""
    said = language()
    groups: dict[str, list[str]] = {}
    for test in failed:
        message = "" if test.message is None else clean(test.message.to(said))
        groups.setdefault(message, []).append(clean(test.name.to(said)))
    for message, names in groups.items():
        yield Failing(tuple(names), message)


def _printed(output: str) -> str:
    lines = clean(output).rstrip().splitlines()
    if len(lines) <= PRINTED:
        return "\n".join(lines)
    left = len(lines) - PRINTED
    more = ngettext("({n} more line)", "({n} more lines)", left).format(n=left)
    return "\n".join([*lines[:PRINTED], more])


def _made(grade: Grade) -> str:
    how = {
        "strict": _("confined: no files, no network"),
        "limits": _("limits on time and memory only: files and network were within its reach"),
    }[grade.isolation]
    return _("{seconds:.2f} s; {how}").format(seconds=grade.seconds, how=how)


# --- the exercise in words -----------------------------------------------------------


def title(desk: Desk) -> str:
    """The exercise's title."""
    return desk.folder.exercise.title.to(language())


def statement(desk: Desk) -> str:
    """What is to be written."""
    return desk.folder.exercise.statement.to(language()).strip()


def hints(desk: Desk) -> tuple[str, ...]:
    """The hints shown so far."""
    return tuple(hint.to(language()) for hint in desk.folder.exercise.hints[: desk.hints])
