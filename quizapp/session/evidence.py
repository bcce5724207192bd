"""What the verdict shows: expectations beside measurements, as strings and plots.

Both fronts draw this same object; they decide nothing. It is made anew from a Trial
whenever a report arrives or the language changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from quizapp.bank import (
    Choice,
    NumericQuestion,
    Question,
    ShownRow,
    SingleQuestion,
)
from quizapp.plot.grid import Grid, GridRow
from quizapp.report import Curve, Failure, HeatMap, Histogram, Provenance, Report
from quizapp.session.answers import tolerance, wanted_number
from quizapp.session.expect import find, in_words
from quizapp.session.trial import Belief, Trial
from quizapp.text import Text
from quizapp.text.i18n import _, language
from quizapp.text.numbers import quantity, spread
from quizapp.text.placeholders import Placeholder, fill

Plot = Curve | Histogram | HeatMap
Mark = Literal["held", "refuted"] | None


class Expected(NamedTuple):
    """One cell of the "you expected" column."""

    words: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything below the question on the verdict, in the current language.

    plots: the plot of the learner's run, then the right option's where that differs.
    share_line: one line worth copying.
    failures: why there are no numbers, one for each run that failed.
    """

    headline: str
    grid: Grid
    plots: tuple[Plot, ...]
    feedback: str
    explanation: str
    summary: str
    say: str
    share_line: str
    provenance: Provenance | None
    checked: bool | None
    progress: float | None
    failures: tuple[Failure, ...]
    argued: str
    interval: str


def evidence(trial: Trial) -> Evidence:
    """What `trial` shows now, with as many numbers as have arrived."""
    question, reports = trial.question, _reports(trial)
    beliefs = trial.beliefs()
    grid = _grid(trial, beliefs)
    ended = [r.cross_check.ok for r in reports if r.cross_check is not None]
    running = [r.progress or 0.0 for r in reports if r.status == "partial"]
    return Evidence(
        headline=headline(trial),
        grid=grid,
        plots=tuple(_plots(trial)),
        feedback="\n\n".join(_feedback(trial, beliefs)),
        explanation=fill_in(question.explanation, trial),
        summary=fill_in(question.summary, trial),
        say=fill_in(question.say, trial),
        share_line=_share_line(trial, grid),
        provenance=_provenance(trial),
        checked=all(ended) if len(ended) == len(reports) and reports else None,
        progress=None if trial.complete else (min(running) if running else 0.0),
        failures=tuple(r.failure for r in reports if r.failure is not None),
        argued="\n".join(
            belief.choice.argued.to(language())
            for belief in beliefs
            if belief.choice.argued is not None
        ),
        interval=allowed_interval(question, trial),
    )


def _reports(trial: Trial) -> list[Report]:
    found = (trial.reports.get(planned) for planned in trial.plan())
    return [report for report in found if report is not None]


def _provenance(trial: Trial) -> Provenance | None:
    report = trial.reports.get(trial.mine)
    return None if report is None else report.provenance


def headline(trial: Trial) -> str:
    """ "RIGHT", "NOT YET: 1, right is 3", or that the run decides."""
    words = {
        None: _("THE RUN DECIDES …"),
        "unrated": _("UNRATED: without the lab nothing decides"),
        "right": _("RIGHT"),
        "partial": _("PARTLY"),
        "wrong": _("NOT YET"),
    }[trial.outcome]
    pair = _mine_and_right(trial) if trial.outcome == "wrong" else None
    if pair is None:
        return words
    return _("NOT YET: {mine}, right is {right}").format(mine=pair[0], right=pair[1])


def _mine_and_right(trial: Trial) -> tuple[str, str] | None:
    question = trial.question
    if isinstance(question, SingleQuestion) and trial.answer.chosen:
        right = next(choice.id for choice in question.choices if choice.correct)
        return _number_of(question, trial.answer.chosen[0]), _number_of(question, right)
    if isinstance(question, NumericQuestion):
        wanted = wanted_number(question.answer, trial.deciding_run)
        if wanted is not None:
            return trial.answer.text, quantity(wanted, question.answer.unit)
    return None


def _number_of(question: SingleQuestion, choice_id: str) -> str:
    ids = [choice.id for choice in question.choices]
    return str(ids.index(choice_id) + 1)


def fill_in(text: Text, trial: Trial, choice: Choice | None = None) -> str:
    """`text` in the current language with the numbers of the runs that decided.

    ``{name}`` is a metric of the choice's run, else of the question's; ``{right.name}`` of
    the right option's.
    """
    report, right = trial.deciding_for(choice), trial.deciding_right

    def lookup(wanted: Placeholder) -> float | None:
        index = "" if wanted.index is None else f"[{wanted.index}]"
        found = find(right if wanted.right else report, wanted.name + index)
        return None if found is None else found[1]

    return fill(text.to(language()), lookup)


def _feedback(trial: Trial, beliefs: tuple[Belief, ...]) -> Iterator[str]:
    for belief in beliefs:
        yield fill_in(belief.choice.feedback, trial, belief.choice)


# --- the table ---------------------------------------------------------------


def _grid(trial: Trial, beliefs: tuple[Belief, ...]) -> Grid:
    question = trial.question
    two_runs = trial.mine != trial.right
    if two_runs:
        other = isinstance(question, SingleQuestion)
        columns = [_("measured"), _("right option's run") if other else _("question's run")]
    elif question.show.columns:
        columns = [text.to(language()) for text in question.show.columns]
    else:
        columns = [_("measured")]
    return Grid(
        headings=(_("you expected"), *columns),
        rows=tuple(_rows(trial, beliefs, len(columns), two_runs)),
    )


def _rows(
    trial: Trial, beliefs: tuple[Belief, ...], columns: int, two_runs: bool
) -> Iterator[GridRow]:
    shown = trial.question.show.rows
    expected = _expectations(trial, beliefs)
    # What was expected but has no row of its own comes first: it decides.
    known = {path for row in shown for path in (row.metric, row.beside) if path}
    extra = tuple(ShownRow(metric=path) for path in expected if path not in known)
    decided = False
    for row in (*extra, *shown)[:6]:
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
            mark: Mark = None if held is None else "held" if held else "refuted"
            found.setdefault(judged.expectation.metric, Expected(words, mark))
    question = trial.question
    if isinstance(question, NumericQuestion) and question.answer.metric is not None:
        found[question.answer.metric] = _number_expected(trial)
    return found


def _number_expected(trial: Trial) -> Expected:
    marks: dict[str | None, Mark] = {"right": "held", "wrong": "refuted"}
    return Expected(trial.answer.text, marks.get(trial.outcome))


def _cells(trial: Trial, row: ShownRow, columns: int, two_runs: bool) -> tuple[str, ...]:
    mine, right = trial.reports.get(trial.mine), trial.reports.get(trial.right)
    if two_runs:
        return _cell(mine, row.metric), _cell(right, row.metric)
    cells = (_cell(mine, row.metric), "" if row.beside is None else _cell(mine, row.beside))
    return cells[:columns]


def _cell(report: Report | None, path: str) -> str:
    found = find(report, path)
    if found is None:
        return "–" if report is not None and report.status != "partial" else "…"
    metric, value, error = found
    return spread(value, error, metric.unit)


def _label(trial: Trial, row: ShownRow) -> str:
    if row.label is not None:
        return row.label.to(language())
    for report in _reports(trial):
        if (found := find(report, row.metric)) is not None:
            return found[0].label.to(language())
    return row.metric


# --- plots and the line to share ----------------------------------------------


def _plots(trial: Trial) -> Iterator[Plot]:
    wanted = trial.question.show.plot
    if wanted is None:
        return
    for planned in dict.fromkeys((trial.mine, trial.right)):
        report = trial.reports.get(planned)
        if report is not None and (plot := report.plot(wanted)) is not None:
            yield plot


def _share_line(trial: Trial, grid: Grid) -> str:
    """ "expected 8.00, measured 4.00 — title, seed 0": from the deciding row, else the first."""
    row = next((r for r in grid.rows if r.deciding), grid.rows[0] if grid.rows else None)
    made = _provenance(trial)
    if row is None or made is None:
        return ""
    title = trial.question.title.to(language())
    seed = _("seed {seed}").format(seed=made.seed)
    measured = _("measured {value}").format(value=row.cells[1])
    expected = _("expected {value}").format(value=row.cells[0]) + ", " if row.cells[0] else ""
    return f"{row.label}: {expected}{measured} — {title}, {seed}"


def allowed_interval(question: Question, trial: Trial) -> str:
    """For a numeric question: what would have been taken, "7.6 to 8.4"; empty before the run."""
    if not isinstance(question, NumericQuestion):
        return ""
    wanted = wanted_number(question.answer, trial.deciding_run)
    if wanted is None:
        return ""
    around = tolerance(question.answer, wanted)
    unit = question.answer.unit
    low, high = quantity(wanted - around, unit), quantity(wanted + around, unit)
    return _("taken as right: {low} to {high}").format(low=low, high=high)
