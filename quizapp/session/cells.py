"""One cell of the verdict's table: a number of a run, or what stands for it while it is missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from quizapp.report import Report
from quizapp.session.expect import find
from quizapp.text.i18n import language
from quizapp.text.numbers import spread

Mark = Literal["held", "refuted"] | None


def mark_of(held: bool | None) -> Mark:
    """The mark of an expectation, or of a part of an answer; none while it cannot be said."""
    return None if held is None else "held" if held else "refuted"


def cell(report: Report | None, path: str) -> str:
    """The number at `path` with its error; "…" while it may still come, "–" when it will not."""
    found = find(report, path)
    if found is None:
        return "–" if report is not None and report.status != "partial" else "…"
    metric, value, error = found
    return spread(value, error, metric.unit)


def label(reports: Iterable[Report], path: str) -> str:
    """What the first report that has the number at `path` calls it; the path itself before."""
    for report in reports:
        if (found := find(report, path)) is not None:
            return found[0].label.to(language())
    return path
