"""Beliefs against numbers: is what a choice expects borne out by a run, and by how much?"""

from __future__ import annotations

from dataclasses import dataclass

from quizapp.bank import Expectation
from quizapp.report import Metric, Report
from quizapp.text.i18n import _, language
from quizapp.text.numbers import percent, quantity


@dataclass(frozen=True, slots=True)
class Judged:
    """One expectation held against one run.

    measured and threshold are None where the run has not made the number (yet).
    margin: how far inside (positive) or outside (negative) of the belief the number is,
    in the metric's own unit.
    """

    expectation: Expectation
    measured: float | None
    threshold: float | None
    margin: float | None

    @property
    def held(self) -> bool | None:
        """Whether the run bears the belief out; None while it cannot be said."""
        return None if self.margin is None else self.margin >= 0


def split_path(path: str) -> tuple[str, int | None]:
    """``quantiles[2]`` → ("quantiles", 2); ``score_std`` → ("score_std", None)."""
    name, bracket, index = path.partition("[")
    return name, int(index.rstrip("]")) if bracket else None


def find(report: Report | None, path: str) -> tuple[Metric, float, float | None] | None:
    """The metric at `path` with its value and standard error, if the run has made it."""
    name, index = split_path(path)
    metric = None if report is None else report.metrics.get(name)
    if metric is None:
        return None
    try:
        return metric, metric.scalar(index), metric.error(index)
    except IndexError:
        return None


def judge_expectation(expectation: Expectation, report: Report | None) -> Judged:
    """`expectation` against `report`, which may be partial or missing."""
    found = find(report, expectation.metric)
    measured = None if found is None else found[1]
    threshold = _threshold(expectation, report)
    if measured is None or threshold is None:
        return Judged(expectation, measured, threshold, None)
    if expectation.below is not None:
        margin = threshold - measured
    elif expectation.above is not None:
        margin = measured - threshold
    else:
        allowed = expectation.atol or 0.0
        if expectation.rtol is not None:
            allowed = max(allowed, expectation.rtol * abs(threshold))
        margin = allowed - abs(measured - threshold)
    return Judged(expectation, measured, threshold, margin)


def _threshold(expectation: Expectation, report: Report | None) -> float | None:
    wanted = _wanted(expectation)
    if isinstance(wanted, str):
        found = find(report, wanted)
        return None if found is None else found[1] * expectation.times
    return wanted * expectation.times


def _wanted(expectation: Expectation) -> float | str:
    for wanted in (expectation.below, expectation.above, expectation.about):
        if wanted is not None:
            return wanted
    raise AssertionError("an expectation has exactly one comparison")


def in_words(judged: Judged, unit: str) -> str:
    """What was expected, for a table cell: "below 0.01", "about 8.00"."""
    expectation = judged.expectation
    if expectation.shown is not None:
        return expectation.shown.shown(language())
    if judged.threshold is None:
        return "…"
    value = _round(judged.threshold, unit)
    if expectation.below is not None:
        return _("below {value}").format(value=value)
    if expectation.above is not None:
        return _("above {value}").format(value=value)
    return _("about {value}").format(value=value)


def _round(value: float, unit: str) -> str:
    # A threshold is a stated number: "0.01", not "0.0100".
    if unit == "share":
        return percent(value)
    return quantity(value, unit) if unit == "B" else f"{value:.3g}" + (f" {unit}" if unit else "")
