"""Tries a bank's exercises: starters fail, solutions pass, mistakes fail and are named.

What every exercise promises, found out by grading its own files as if learners had handed
them in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quizapp.bank import Bank, Diagnostic, ExerciseFolder
from quizapp.grader.batch import default_jobs, grade_all
from quizapp.grader.wire import Grade, Task
from quizapp.session import grading

Role = Literal["starter", "solution", "mistake"]


@dataclass(frozen=True, slots=True)
class Score:
    """How an exercise did: counts of (as promised, in all)."""

    exercise: str
    solutions: tuple[int, int]
    mistakes: tuple[int, int]
    named: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Paper:
    """One of the exercise's own files, handed in."""

    bank: Bank
    folder: ExerciseFolder
    role: Role
    path: Path

    @property
    def wanted(self) -> str | None:
        """The diagnosis promised for it."""
        if self.role != "mistake":
            return None
        told = self.folder.exercise.diagnosis(self.path.stem)
        return None if told is None else told[0]


async def try_exercises(
    banks: Sequence[Bank],
    *,
    only: frozenset[str] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[list[Diagnostic], list[Score]]:
    """What is wrong with the exercises of `banks`, and how each did."""
    papers = [paper for bank in banks for paper in _papers(bank, only)]
    tasks: list[Task] = [
        grading.task(paper.folder, paper.path.read_bytes(), number)
        for number, paper in enumerate(papers)
    ]
    grades: dict[int, Grade] = {}
    async for index, grade in grade_all(tasks, default_jobs(len(tasks))):
        grades[index] = grade
        progress(f"{papers[index].folder.exercise.id} ({len(grades)} of {len(papers)})")
    graded = [(paper, grades[index]) for index, paper in enumerate(papers)]
    found = [diagnostic for paper, grade in graded for diagnostic in _findings(paper, grade)]
    return [*_broken_tests(graded), *found], _scores(graded)


def _broken_tests(graded: Sequence[tuple[_Paper, Grade]]) -> Iterator[Diagnostic]:
    """Tests that judge nobody: once for each exercise, whatever was handed in."""
    told: set[Path] = set()
    for paper, grade in graded:
        if grade.verdict == "could_not_run" and paper.folder.path not in told:
            told.add(paper.folder.path)
            why = grade.message.to("en") if grade.message is not None else ""
            message = f"{paper.path.name} could not be graded: {why}"
            yield paper.folder.file.diagnose("QB090", ("id",), message, "Mend tests.py.")


def _papers(bank: Bank, only: frozenset[str] | None) -> Iterator[_Paper]:
    for name, folder in bank.exercises.items():
        if only is not None and name not in only:
            continue
        yield _Paper(bank, folder, "starter", folder.starter)
        for path in folder.solutions:
            yield _Paper(bank, folder, "solution", path)
        for mistake in folder.exercise.mistakes:
            yield _Paper(bank, folder, "mistake", folder.mistake(mistake))


def _findings(paper: _Paper, grade: Grade) -> Iterator[Diagnostic]:
    name = paper.path.name
    if grade.verdict == "could_not_run":
        return
    if paper.role == "solution" and grade.verdict != "passed":
        message = f"the solution {name} fails: {_first_failure(grade)}"
        yield _diagnose(paper, "QB091", message, "Mend the solution, or the test.")
    elif paper.role != "solution" and grade.verdict == "passed":
        message = f"the {paper.role} {name} passes every test"
        yield _diagnose(paper, "QB092", message, "Add a test that it fails.")
    elif paper.wanted is not None:
        yield from _misnamed(paper, grade)


def _misnamed(paper: _Paper, grade: Grade) -> Iterator[Diagnostic]:
    told = None if grade.diagnosis is None else grade.diagnosis.id
    if told == paper.wanted:
        return
    instead = "not named" if told is None else f"taken for `{told}`"
    message = f"the mistake {paper.path.name} is {instead}"
    remedy = (
        "Call it on inputs where its numbers differ from the right ones and from every other "
        "mistake's; or say `none`, or `same_as`."
    )
    yield _diagnose(paper, "QB093", message, remedy)


def _first_failure(grade: Grade) -> str:
    for test in grade.tests:
        if test.outcome == "failed" and test.message is not None:
            return f"{test.name.to('en')}: {test.message.to('en').splitlines()[0]}"
    return grade.message.to("en") if grade.message is not None else str(grade.kind)


def _diagnose(paper: _Paper, code: str, message: str, remedy: str) -> Diagnostic:
    path = ("mistakes", paper.path.stem) if paper.role == "mistake" else ("id",)
    return paper.folder.file.diagnose(code, path, message, remedy, key=paper.role == "mistake")


def _scores(graded: Sequence[tuple[_Paper, Grade]]) -> list[Score]:
    scores: dict[str, list[tuple[_Paper, Grade]]] = {}
    for paper, grade in graded:
        scores.setdefault(f"{paper.bank.id}/{paper.folder.exercise.id}", []).append((paper, grade))
    return [_score(name, each) for name, each in scores.items()]


def _score(name: str, graded: Sequence[tuple[_Paper, Grade]]) -> Score:
    passed = [grade.verdict == "passed" for paper, grade in graded if paper.role == "solution"]
    failed = [grade.verdict == "failed" for paper, grade in graded if paper.role == "mistake"]
    named = [
        grade.diagnosis is not None and grade.diagnosis.id == paper.wanted
        for paper, grade in graded
        if paper.wanted is not None
    ]
    count = [(sum(each), len(each)) for each in (passed, failed, named)]
    return Score(name, *count)
