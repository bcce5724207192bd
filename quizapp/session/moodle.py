"""Moodle's two files: the archive of submissions in, the grading worksheet back with marks.

"Download all submissions" gives a zip with a folder for each participant,
`Full Name_1234567_assignsubmission_file`; "Download grading worksheet" a CSV whose
`Identifier` column says `Participant 1234567`. Nothing of the archive is written to disk.
"""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from quizapp.errors import ContentError
from quizapp.grader.wire import SOURCE_LIMIT
from quizapp.session.marking import Mark, Paper

_FOLDER: Final = re.compile(r"_(\d+)_assignsubmission_")
_MEMBERS: Final = 20_000
#: Column headings by what they hold, in the two languages of the program.
_HEADINGS: Final = {
    "identifier": ("Identifier", "识别码", "标识符", "编号"),
    "grade": ("Grade", "成绩"),
    "maximum": ("Maximum Grade", "Maximum grade", "最高成绩", "最高分"),
    "feedback": ("Feedback comments", "反馈评论", "反馈意见"),
}


def is_archive(path: Path) -> bool:
    """Whether `path` is a zip, by what it holds."""
    return path.is_file() and zipfile.is_zipfile(path)


def papers(archive: Path, exercise: str) -> list[Paper]:
    """One submission a participant, by number. Raises ContentError for what is no such archive.

    Of several Python files the one named after the exercise counts, else the only one.
    """
    found: dict[str, list[tuple[str, bytes | None]]] = {}
    try:
        with zipfile.ZipFile(archive) as opened:
            for member in opened.infolist()[:_MEMBERS]:
                number = _FOLDER.search(member.filename)
                name = PurePosixPath(member.filename.replace("\\", "/")).name
                if number is not None and name.endswith(".py") and not name.startswith("."):
                    found.setdefault(number[1], []).append((name, _read(opened, member)))
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
        raise ContentError(
            "the archive cannot be read", where=str(archive), remedy=str(error)
        ) from error
    if not found:
        raise ContentError(
            "no submission is in the archive",
            where=str(archive),
            remedy="Moodle's “Download all submissions” names each folder "
            "…_NUMBER_assignsubmission_file.",
        )
    return [Paper(number, _one(files, exercise)) for number, files in found.items()]


def _read(opened: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes | None:
    """The member's bytes; None past the limit, whatever size its header claims."""
    with opened.open(member) as stream:
        data = stream.read(SOURCE_LIMIT + 1)
    return None if len(data) > SOURCE_LIMIT else data


def _one(files: Sequence[tuple[str, bytes | None]], exercise: str) -> bytes | None:
    named = [data for name, data in files if PurePosixPath(name).stem == exercise]
    if len(named) == 1 or len(files) == 1:
        return (named or [files[0][1]])[0]
    # Several, none of them named: all of it, so that what is said fits what was handed in.
    return b"\n".join(data for _, data in files if data is not None)


@dataclass(frozen=True, slots=True)
class Worksheet:
    """The CSV, to be given back with two columns filled in."""

    rows: list[list[str]]
    places: Mapping[str, int]
    bom: bool

    @classmethod
    def read(cls, path: Path) -> Worksheet:
        """Raises ContentError where a column is missing."""
        try:
            text = path.read_text("utf-8-sig")
            bom = path.read_bytes().startswith(b"\xef\xbb\xbf")
        except (OSError, UnicodeDecodeError) as error:
            raise ContentError(
                "the worksheet cannot be read", where=str(path), remedy=str(error)
            ) from error
        rows = list(csv.reader(io.StringIO(text, newline="")))
        headings = [heading.strip() for heading in rows[0]] if rows else []
        places = {}
        for meaning, names in _HEADINGS.items():
            known = [name for name in names if name in headings]
            if not known:
                raise ContentError(
                    f"the worksheet has no column “{names[0]}”",
                    where=str(path),
                    remedy="Download it from Moodle with feedback comments and the offline "
                    "grading worksheet switched on, in English or Chinese.",
                )
            places[meaning] = headings.index(known[0])
        return cls(rows, places, bom)

    def filled(self, marks: Sequence[Mark], language: str) -> str:
        """The worksheet with a mark and feedback for everyone who handed something in.

        The mark is the share of the tests that passed, of the maximum grade.
        """
        by_number = {mark.name: mark for mark in marks}
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(self.rows[0])
        for row in self.rows[1:]:
            number = re.search(r"(\d+)\s*$", self._cell(row, "identifier"))
            mark = by_number.get(number[1]) if number is not None else None
            if mark is not None and mark.grade.verdict != "could_not_run":
                row = [*row]  # noqa: PLW2901 - the sheet itself stays as it was read
                row[self.places["grade"]] = _points(mark, self._cell(row, "maximum"))
                row[self.places["feedback"]] = _feedback(mark, language)
            writer.writerow(row)
        return ("\ufeff" if self.bom else "") + out.getvalue()

    def _cell(self, row: Sequence[str], meaning: str) -> str:
        place = self.places[meaning]
        return row[place] if place < len(row) else ""


def _points(mark: Mark, maximum: str) -> str:
    try:
        most = float(maximum.replace(",", "."))
    except ValueError:
        most = 100.0
    tests = len(mark.grade.tests)
    return f"{most * mark.passed_tests / tests:.2f}" if tests else "0.00"


def _feedback(mark: Mark, language: str) -> str:
    """Moodle reads feedback as HTML: what a submission printed or named stays text."""
    tests = f"{mark.passed_tests}/{len(mark.grade.tests)}"
    lines = mark.remarks(language) or ["✓"]
    return "<br>".join(html.escape(line) for line in (tests, *"\n".join(lines).splitlines()))
