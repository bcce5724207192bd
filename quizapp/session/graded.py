"""What a grade says to the learner, in the current language: the diagnosis, then the tests.

The same sentences for the screen, `--plain` and `--watch`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quizapp.grader.wire import Grade, TestResult
from quizapp.plot.checklist import Item
from quizapp.report import HeatMap
from quizapp.session.desk import Desk
from quizapp.session.marking import diagnosed
from quizapp.text import clean
from quizapp.text.i18n import _, language, ngettext

#: Lines of what a submission printed that are told; the rest is counted.
PRINTED = 40


@dataclass(frozen=True, slots=True)
class Told:
    """A grade in words.

    ours: the grader itself could not run. problem: what is wrong where it is not one test's
    finding. first: the finding of the first test that fails, and `pictures` of it or of the
    first that has any. further: every other finding, then tests that never began, then those
    that pass. made: time and isolation. unlogged: why the attempt is in no log.
    """

    passed: bool
    ours: bool
    headline: str
    diagnosis: str
    problem: str
    first: tuple[Item, ...]
    pictures: tuple[HeatMap, ...]
    further: tuple[Item, ...]
    printed: str
    made: str
    unlogged: str = ""


def told(grade: Grade, unlogged: str = "") -> Told:
    """`grade` in the current language."""
    said = language()
    named = grade.diagnosis
    failed = [test for test in grade.tests if test.outcome == "failed"]
    findings = [tuple(_finding(names, message)) for message, names in _grouped(failed)]
    return Told(
        passed=grade.verdict == "passed",
        ours=grade.verdict == "could_not_run",
        headline=_headline(grade),
        diagnosis="" if named is None else clean(diagnosed(named.text).to(said)),
        problem="" if grade.message is None else clean(grade.message.to(said)),
        first=findings[0] if findings else (),
        pictures=next((test.pictures for test in failed if test.pictures), ()),
        further=tuple(_further(findings[1:], grade)),
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


def _grouped(failed: list[TestResult]) -> Iterable[tuple[str, list[str]]]:
    """Message → names of the tests: twelve times the same sentence would tell less."""
    said = language()
    groups: dict[str, list[str]] = {}
    for test in failed:
        message = "" if test.message is None else clean(test.message.to(said))
        groups.setdefault(message, []).append(test.name.to(said))
    return groups.items()


def _finding(names: list[str], message: str) -> Iterator[Item]:
    """A test and what it found; where several found the same, that comes first."""
    lines, several = message.splitlines(), len(names) > 1
    if several:
        yield from (Item(line) for line in lines)
    yield from (Item(name, "refuted", int(several)) for name in names)
    if not several:
        yield from (Item(line, level=1) for line in lines)


def _further(findings: Sequence[Sequence[Item]], grade: Grade) -> Iterator[Item]:
    said = language()
    for finding in findings:
        yield from finding
        yield Item("")
    for test in grade.tests:
        if test.outcome == "not_run":
            yield Item(_("{test} (not run)").format(test=test.name.to(said)), "open")
    for test in grade.tests:
        if test.outcome == "passed":
            yield Item(test.name.to(said), "held")


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
    return desk.folder.exercise.title.shown(language())


def statement(desk: Desk) -> str:
    """What is to be written."""
    return desk.folder.exercise.statement.shown(language()).strip()


def hints(desk: Desk) -> tuple[str, ...]:
    """The hints shown so far."""
    return tuple(hint.shown(language()) for hint in desk.folder.exercise.hints[: desk.hints])
