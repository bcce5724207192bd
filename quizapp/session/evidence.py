"""What the verdict shows: expectations beside measurements, as strings and plots.

Both fronts draw this same object; they decide nothing. It is made anew from a Trial
whenever a report arrives or the language changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quizapp.bank import (
    Choice,
    ClaimQuestion,
    NumericQuestion,
    PredictQuestion,
    Question,
    SingleQuestion,
)
from quizapp.plot.grid import Grid
from quizapp.report import Curve, HeatMap, Histogram, Provenance
from quizapp.session.answers import HOLDS, score, tolerance, wanted_number
from quizapp.session.expect import find
from quizapp.session.kinds import Way
from quizapp.session.table import verdict_grid
from quizapp.session.trial import Belief, Trial
from quizapp.text import Text
from quizapp.text.i18n import _, language
from quizapp.text.numbers import ends, figure, percent, quantity
from quizapp.text.placeholders import Placeholder, fill
from quizapp.text.tex import shown

Plot = Curve | Histogram | HeatMap

#: How many parts of an answer are spoken of: the rest stands in the table.
MOST_TOLD = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything below the question on the verdict, in the current language.

    plots: the plot of the learner's run, then the right option's where that differs.
    share_line: one line worth copying.
    troubles: runs that failed, numbers that are NaN, a cross-check that disagrees, an answer
    not saved yet.
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
    progress: float | None
    troubles: tuple[str, ...]
    argued: str
    interval: str


def evidence(trial: Trial) -> Evidence:
    """What `trial` shows now, with as many numbers as have arrived."""
    question, reports = trial.question, trial.planned_reports()
    beliefs = trial.beliefs()
    grid = verdict_grid(trial, beliefs)
    running = [r.progress or 0.0 for r in reports if r.status == "partial"]
    return Evidence(
        headline=headline(trial),
        grid=grid,
        plots=tuple(_plots(trial)),
        feedback=_feedback(trial, beliefs),
        explanation=fill_in(question.explanation, trial),
        summary=fill_in(question.summary, trial),
        say=fill_in(question.say, trial),
        share_line=_share_line(trial, grid),
        provenance=_provenance(trial),
        progress=None if trial.complete else (min(running) if running else 0.0),
        troubles=tuple(_troubles(trial)),
        argued="\n".join(
            belief.choice.argued.shown(language())
            for belief in beliefs
            if belief.choice.argued is not None
        ),
        interval=allowed_interval(question, trial),
    )


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
    if isinstance(trial.question, ClaimQuestion) and trial.outcome in ("right", "wrong"):
        return _claim_headline(trial)
    told = trial.outcome in ("wrong", "partial")
    if told and trial.way is not None:
        how = trial.way.headline(trial.answer, trial.deciding_run)
        partly = trial.outcome == "partial"
        return (_("PARTLY: {how}") if partly else _("NOT YET: {how}")).format(how=how)
    if trial.outcome == "partial" and trial.share is not None and trial.question.kind == "multi":
        return _("PARTLY: {share} of it counts").format(share=percent(trial.share))
    pair = _mine_and_right(trial) if told else None
    if pair is None:
        return words
    if trial.outcome == "partial":
        return _("PARTLY: {mine}, measured {right}").format(mine=pair[0], right=pair[1])
    return _("NOT YET: {mine}, right is {right}").format(mine=pair[0], right=pair[1])


def _claim_headline(trial: Trial) -> str:
    said_holds = HOLDS in trial.answer.chosen
    if trial.outcome == "right":
        return _("RIGHT: this run bears it out") if said_holds else _("RIGHT: this run refutes it")
    if said_holds:
        return _("NOT YET: you said it holds; this run refutes it")
    return _("NOT YET: you said it does not; this run bears it out")


def _mine_and_right(trial: Trial) -> tuple[str, str] | None:
    question = trial.question
    if isinstance(question, SingleQuestion) and trial.answer.chosen:
        right = next(choice.id for choice in question.choices if choice.correct)
        return _number_of(question, trial.answer.chosen[0]), _number_of(question, right)
    if isinstance(question, NumericQuestion | PredictQuestion):
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

    return shown(fill(text.to(language()), lookup))


def _troubles(trial: Trial) -> Iterator[str]:
    reports = trial.planned_reports()
    yield from (r.failure.text.to(language()) for r in reports if r.failure is not None)
    yield from (warning.to(language()) for r in reports for warning in r.warnings)
    if any(r.cross_check is not None and not r.cross_check.ok for r in reports):
        yield _("The cross-check disagrees with these numbers: do not trust them.")
    if trial.problem:
        yield _("Not saved yet: {problem}").format(problem=trial.problem)


def _feedback(trial: Trial, beliefs: tuple[Belief, ...]) -> str:
    """What the wrong choices, or the right one, are told; several as a list."""
    if trial.way is not None:
        return _of_parts(trial, trial.way)
    near = trial.near_miss
    if near is not None:
        return fill_in(near.feedback, trial)
    told = [fill_in(belief.choice.feedback, trial, belief.choice) for belief in beliefs]
    return told[0] if len(told) == 1 else "\n".join(f"- {one}" for one in told)


def _of_parts(trial: Trial, parts: Way[Any]) -> str:
    """What was wrong, part by part, or why it is right; as a list where it is several."""

    def say(text: Text, choice: Choice | None) -> str:
        return fill_in(text, trial, choice)

    told = list(parts.told(trial.answer, trial.deciding_run, say))
    if len(told) > MOST_TOLD:
        more = _("{n} more: see the table.").format(n=len(told) - MOST_TOLD)
        told = [*told[:MOST_TOLD], more]
    return told[0] if len(told) == 1 else "\n".join(f"- {one}" for one in told)


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
    title = trial.question.title.shown(language())
    seed = _("seed {seed}").format(seed=made.seed)
    measured = _("measured {value}").format(value=row.cells[1])
    kinds = {"claim": _("claimed {value}"), "predict": _("predicted {value}")}
    first = kinds.get(trial.question.kind, _("expected {value}"))
    expected = first.format(value=row.cells[0]) + ", " if row.cells[0] else ""
    return f"{row.label}: {expected}{measured} — {title}, {seed}"


def allowed_interval(question: Question, trial: Trial) -> str:
    """What would have been taken of a numeric question, "taken as right: 7.6 to 8.4"; how a
    prediction was scored. Empty before the run, and for the other kinds.
    """
    if isinstance(question, PredictQuestion):
        return _scored(question, trial)
    if not isinstance(question, NumericQuestion):
        return ""
    wanted = wanted_number(question.answer, trial.deciding_run)
    if wanted is None:
        return ""
    around = tolerance(question.answer, wanted)
    low, high = ends(wanted - around, wanted + around, question.answer.unit)
    return _("taken as right: {low} to {high}").format(low=low, high=high)


def _scored(question: PredictQuestion, trial: Trial) -> str:
    wanted, stated = wanted_number(question.answer, trial.deciding_run), trial.answer.number
    if wanted is None or stated is None:
        return ""
    answer = question.answer
    return _("ratio {ratio}, score {score} (full within {full}, none from {none} off)").format(
        ratio=figure(stated / wanted) if wanted else "–",
        score=percent(score(answer, stated, wanted)),
        full=f"{100 * answer.full:g} %",
        none=f"{100 * answer.none:g} %",
    )
