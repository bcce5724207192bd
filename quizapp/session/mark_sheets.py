"""Marks as files: JSON for programs, CSV for tables, JUnit XML for build servers."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from quizapp.errors import UsageError
from quizapp.session.marking import Mark

_COLUMNS: Final = (
    "file", "verdict", "kind", "diagnosis", "tests_passed", "tests", "remarks", "seconds",
)  # fmt: skip
#: What no XML 1.0 document may hold, escaped or not.
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def written_as(marks: Sequence[Mark], file: Path, language: str) -> str:
    """The marks in the format that `file` names. Raises UsageError for another ending."""
    how = _FORMATS.get(file.suffix.lower())
    if how is None:
        endings = ", ".join(_FORMATS)
        raise UsageError("the format is not known", where=str(file), remedy=f"Use {endings}.")
    return how(marks, language)


def as_json(marks: Sequence[Mark], language: str) -> str:
    """One array, an entry for each submission in the order given."""
    found = [mark.plain(language) for mark in marks]
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _as_csv(marks: Sequence[Mark], language: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for mark in marks:
        grade = mark.grade
        writer.writerow(
            (
                cell(mark.name),
                grade.verdict,
                grade.kind or "",
                "" if grade.diagnosis is None else grade.diagnosis.id,
                mark.passed_tests,
                len(grade.tests),
                cell("\n".join(mark.remarks(language))),
                f"{grade.seconds:.3f}",
            )
        )
    return out.getvalue()


def cell(text: str) -> str:
    """Text that a spreadsheet will not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _as_junit(marks: Sequence[Mark], language: str) -> str:
    root = ElementTree.Element("testsuites")
    for mark in marks:
        _suite(root, mark, language)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(root: ElementTree.Element, mark: Mark, language: str) -> None:
    grade = mark.grade
    failed = sum(test.outcome == "failed" for test in grade.tests)
    counts = {"tests": len(grade.tests), "failures": failed, "errors": 0}
    suite = ElementTree.SubElement(root, "testsuite", name=_xml(mark.name))
    for test in grade.tests:
        name = _xml(test.name.to(language))
        case = ElementTree.SubElement(suite, "testcase", classname=_xml(mark.name), name=name)
        if test.outcome == "failed":
            message = _xml(test.message.to(language)) if test.message is not None else ""
            failure = ElementTree.SubElement(case, "failure", type=test.kind or "wrong")
            failure.set("message", message.partition("\n")[0])
            failure.text = message
        elif test.outcome == "not_run":
            ElementTree.SubElement(case, "skipped")
    if grade.message is not None:
        ours = grade.verdict == "could_not_run"
        case = ElementTree.SubElement(suite, "testcase", classname=_xml(mark.name), name="load")
        problem = ElementTree.SubElement(case, "error" if ours else "failure")
        problem.set("type", grade.kind or "could_not_run")
        problem.set("message", _xml(grade.message.to(language)))
        counts["tests"] += 1
        counts["errors" if ours else "failures"] += 1
    for name, count in counts.items():
        suite.set(name, str(count))
    suite.set("time", f"{grade.seconds:.3f}")


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


_FORMATS: Final[dict[str, Callable[[Sequence[Mark], str], str]]] = {
    ".json": as_json,
    ".csv": _as_csv,
    ".xml": _as_junit,
}
