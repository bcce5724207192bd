"""Grades many submissions of one exercise: files, folders, or a learning platform's archive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quizapp.bank import ExerciseFolder
from quizapp.errors import MachineError, UsageError
from quizapp.grader.batch import default_jobs, grade_all
from quizapp.grader.wire import SOURCE_LIMIT, Grade
from quizapp.sandbox.confinement import available
from quizapp.session import desk, grading, library
from quizapp.session.paths import banks_cache, shipped_banks
from quizapp.text import Text


@dataclass(frozen=True, slots=True)
class Paper:
    """One submission: the name it goes by, and its bytes (None: too large to be read)."""

    name: str
    source: bytes | None


@dataclass(frozen=True, slots=True)
class Mark:
    """What came of one submission."""

    name: str
    grade: Grade

    @property
    def passed_tests(self) -> int:
        """How many tests passed."""
        return sum(test.outcome == "passed" for test in self.grade.tests)

    def plain(self, language: str) -> dict[str, Any]:
        """The entry of `quizapp grade --json`."""
        grade = self.grade
        told = grade.diagnosis
        found: dict[str, Any] = {
            "file": self.name,
            "verdict": grade.verdict,
            "kind": grade.kind,
            "diagnosis": None if told is None else {"id": told.id, "text": told.text.to(language)},
            "tests": [
                {
                    "name": test.name.to(language),
                    "outcome": test.outcome,
                    "message": None if test.message is None else test.message.to(language),
                }
                for test in grade.tests
            ],
            "seconds": round(grade.seconds, 4),
            "isolation": grade.isolation,
        }
        if grade.message is not None:
            found["message"] = grade.message.to(language)
        return found

    def remarks(self, language: str) -> list[str]:
        """What there is to say, the diagnosis first; empty for a submission that passes."""
        grade = self.grade
        lines = []
        if grade.diagnosis is not None:
            lines.append(diagnosed(grade.diagnosis.text).to(language))
        if grade.message is not None:
            lines.append(grade.message.to(language))
        lines += [
            f"{test.name.to(language)}: {test.message.to(language)}"
            for test in grade.tests
            if test.outcome == "failed" and test.message is not None
        ]
        return lines


def diagnosed(text: Text) -> Text:
    """The sentence a mistake's text completes."""
    wording = {"en": f"Your result equals {text.to('en')}.", "zh": f"你的结果等于{text.to('zh')}。"}
    return Text.of(wording)


def exercise(name: str, banks: Iterable[Path] = ()) -> ExerciseFolder:
    """The exercise called `name` in the shipped banks or `banks`. Raises UsageError."""
    return desk.find(library.read((shipped_banks(), *banks), banks_cache()), name)[1]


def papers(paths: Sequence[Path]) -> list[Paper]:
    """The submissions at `paths`, folders opened. Raises UsageError for what is not there."""
    found = [Paper(str(file), _source(file)) for path in paths for file in _files(path)]
    if not found:
        raise UsageError(
            "there is no Python file to grade", where=", ".join(str(path) for path in paths)
        )
    return found


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (
            file
            for file in sorted(path.rglob("*.py"))
            if file.is_file() and not any(part.startswith((".", "__")) for part in file.parts)
        )
    elif path.is_file():
        yield path
    else:
        raise UsageError("there is no such file", where=str(path))


def _source(file: Path) -> bytes | None:
    try:
        return None if file.stat().st_size > SOURCE_LIMIT else file.read_bytes()
    except OSError as error:
        raise MachineError(
            "the file cannot be read", where=str(file), remedy=error.strerror or ""
        ) from error


async def mark(
    folder: ExerciseFolder,
    handed_in: Sequence[Paper],
    *,
    jobs: int | None = None,
    weak: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Mark]:
    """The marks, in the order of `handed_in`.

    Raises UsageError where this system cannot confine submissions and `weak` does not allow
    that, MachineError where no judge can be started.
    """
    if available() != "strict" and not weak:
        raise UsageError(
            "this system cannot confine what it grades: files and network stay within reach",
            remedy="Grade on Linux; or, if you trust every submission, add --weak.",
        )
    readable = [index for index, paper in enumerate(handed_in) if paper.source is not None]
    tasks = [grading.task(folder, handed_in[index].source or b"", index) for index in readable]
    grades = {
        index: _too_large(index) for index, paper in enumerate(handed_in) if paper.source is None
    }
    if tasks:
        async for place, grade in grade_all(tasks, jobs or default_jobs(len(tasks))):
            grades[readable[place]] = grade
            progress(len(grades), len(handed_in))
    return [Mark(paper.name, grades[index]) for index, paper in enumerate(handed_in)]


def _too_large(number: int) -> Grade:
    return Grade(
        id=number,
        verdict="failed",
        kind="contract",
        message=Text.of({"en": "the file is larger than 1 MiB", "zh": "文件大于 1 MiB"}),
        seconds=0.0,
        isolation=available(),
    )
