"""The verdict's table: what was expected beside what is measured, row by row, as strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from quizapp.bank import (
    ClaimQuestion,
    NumericQuestion,
    PredictQuestion,
    Question,
    ShownRow,
    SingleQuestion,
)
from quizapp.plot.grid import Grid, GridRow
from quizapp.session.cells import Mark, cell, label, mark_of
from quizapp.session.expect import find, in_words
from quizapp.session.trial import Belief, Trial
from quizapp.text.i18n import _, language
from quizapp.text.numbers import quantity
from quizapp.text.units import dimension, stated_unit

#: Rows of the table, and with an answer in parts: one of each part must be in sight.
MOST_ROWS, MOST_PARTS = 6, 7


class Expected(NamedTuple):
    """One cell of the "you expected" column."""

    words: str
    mark: Mark


def verdict_grid(trial: Trial, beliefs: tuple[Belief, ...]) -> Grid:
    """The table of `trial`, of at most six rows; `beliefs` are its own."""
    question = trial.question
    if trial.way is not None:
        return _of_parts(trial)
    two_runs = trial.mine != trial.right
    if two_runs:
        other = isinstance(question, SingleQuestion)
        columns = [_("measured"), _("right option's run") if other else _("question's run")]
    elif question.show.columns:
        columns = [text.shown(language()) for text in question.show.columns]
    else:
        columns = [_("measured")]
    return Grid(
        headings=(_expected_heading(question), *columns),
        rows=tuple(_rows(trial, beliefs, len(columns), two_runs)),
    )


def _of_parts(trial: Trial) -> Grid:
    """A row for each part of the answer, then as many shown rows as there is room for."""
    parts = trial.way
    assert parts is not None
    rows = list(parts.rows(trial))[:MOST_PARTS]
    report = trial.reports.get(trial.main)
    for shown in trial.question.show.rows[: max(0, MOST_ROWS - len(rows))]:
        cells = ("", cell(report, shown.metric))
        rows.append(GridRow(_label(trial, shown), cells))
    return Grid(headings=parts.headings(trial), rows=tuple(rows))


def _expected_heading(question: Question) -> str:
    if isinstance(question, ClaimQuestion):
        return _("claimed")
    return _("you predicted") if isinstance(question, PredictQuestion) else _("you expected")


def _rows(
    trial: Trial, beliefs: tuple[Belief, ...], columns: int, two_runs: bool
) -> Iterator[GridRow]:
    shown = trial.question.show.rows
    expected = _expectations(trial, beliefs)
    # What was expected but has no row of its own comes first: it decides.
    known = {path for row in shown for path in (row.metric, row.beside) if path}
    extra = tuple(ShownRow(metric=path) for path in expected if path not in known)
    near, decided = trial.near_miss, False
    first, rest = (*extra, *shown)[:1], (*extra, *shown)[1:]
    if near is not None and near.metric is not None and near.metric not in known:
        rest = (ShownRow(metric=near.metric), *rest)  # what was mistaken for the right number
    for row in (*first, *rest)[:MOST_ROWS]:
        path = row.metric if row.metric in expected else row.beside or row.metric
        belief = expected.get(path, Expected("", None))
        cells = _cells(trial, row, columns, two_runs)
        deciding = belief.mark == "refuted" and not decided
        decided = decided or deciding
        yield GridRow(_label(trial, row), (belief.words, *cells), belief.mark, deciding)


def _expectations(trial: Trial, beliefs: tuple[Belief, ...]) -> dict[str, Expected]:
    """For each metric an expectation names: its words, its mark, whether it was refuted."""
    found: dict[str, Expected] = {}
    for belief in beliefs:
        report = trial.report_for(belief.choice)
        for judged in belief.judged:
            metric = find(report, judged.expectation.metric)
            words = in_words(judged, "" if metric is None else metric[0].unit)
            # A right choice that was left out was believed false: its bearing out refutes that.
            words = words if belief.ticked else _("not {expected}").format(expected=words)
            held = judged.held if belief.ticked or judged.held is None else not judged.held
            found.setdefault(judged.expectation.metric, Expected(words, mark_of(held)))
    question = trial.question
    if isinstance(question, NumericQuestion | PredictQuestion):
        metric_path = question.answer.metric
        if metric_path is not None:
            found[metric_path] = _number_expected(trial)
    return found


def _number_expected(trial: Trial) -> Expected:
    marks: dict[str | None, Mark] = {"right": "held", "wrong": "refuted"}
    mark = "refuted" if trial.near_miss is not None else marks.get(trial.outcome)
    return Expected(_stated(trial), mark)


def _stated(trial: Trial) -> str:
    """The number as it was typed and, where the run's is shown in another unit, in that one."""
    question, number = trial.question, trial.answer.number
    if not isinstance(question, NumericQuestion | PredictQuestion) or number is None:
        return trial.answer.text
    unit, typed = question.answer.unit, trial.answer.text
    if dimension(unit) is None:
        return typed
    shown, stated = quantity(number, unit), stated_unit(typed)
    if shown.split()[-1] == (stated or unit):
        return typed if stated else f"{typed} {unit}"
    return f"{typed} = {shown}"


def _cells(trial: Trial, row: ShownRow, columns: int, two_runs: bool) -> tuple[str, ...]:
    mine, right = trial.reports.get(trial.mine), trial.reports.get(trial.right)
    if two_runs:
        return cell(mine, row.metric), cell(right, row.metric)
    cells = (cell(mine, row.metric), "" if row.beside is None else cell(mine, row.beside))
    return cells[:columns]


def _label(trial: Trial, row: ShownRow) -> str:
    if row.label is not None:
        return row.label.shown(language())
    return label(trial.planned_reports(), row.metric)
