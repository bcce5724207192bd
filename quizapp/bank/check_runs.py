"""Rules about runs: experiments, parameters, metrics and plots must exist in the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import (
    BaseQuestion,
    PredictQuestion,
    Run,
    ShapeQuestion,
)
from quizapp.bank.variants import is_slot
from quizapp.bank.walk import Path, expectations, runs, stated_numbers
from quizapp.bank.words import clip, closest, listed
from quizapp.report import Catalogue, ParamInfo
from quizapp.report.catalogue import ParamValue


def check_runs(bank: Bank, catalogue: Catalogue) -> Iterator[Diagnostic]:
    """Findings about everything a bank asks the lab for."""
    for question in bank.questions.values():
        for path, run in runs(question):
            yield from _run(bank, question, path, run, catalogue)
        for path, run, metric in _metrics(question):
            unknown = unknown_metric(run, metric, catalogue)
            if unknown:
                yield bank.diagnose("QB053", question.id, path, *unknown)
        yield from _plot(bank, question, catalogue)


def _run(
    bank: Bank, question: BaseQuestion, path: Path, run: Run, catalogue: Catalogue
) -> Iterator[Diagnostic]:
    experiment = catalogue.experiments.get(run.run)
    if experiment is None:
        known, broken = catalogue.experiments, catalogue.broken.get(run.run)
        message = f"there is no experiment `{clip(run.run)}`{closest(run.run, known)}"
        remedy = f"There are {listed(sorted(known))}." if known else "The lab has none."
        if broken is not None:
            message, remedy = broken.replace("\n  ", ": "), "Mend that file first."
        yield bank.diagnose("QB050", question.id, (*path, "run"), message, remedy)
        return
    for name, value in run.with_.items():
        at = (*path, "with", name)
        info = experiment.params.get(name)
        if info is None:
            guess = closest(name, experiment.params)
            message = f"`{run.run}` has no parameter `{clip(name)}`{guess}"
            remedy = f"It takes {listed(experiment.params)}."
            yield bank.diagnose("QB051", question.id, at, message, remedy, key=True)
            continue
        wanted = None if is_slot(value) else refusal(info, value)  # told by check_variants
        if wanted:
            message = f"`{name}` of `{run.run}` cannot be {_shown(value)}"
            yield bank.diagnose("QB052", question.id, at, message, f"Write {wanted}.")


def refusal(info: ParamInfo, value: ParamValue) -> str | None:
    """What `value` should be instead, in words; None when the parameter takes it."""
    if info.kind == "bool":
        fits, wanted = isinstance(value, bool), "`true` or `false`, without quotes"
    elif info.kind == "choice":
        fits = isinstance(value, str) and value in info.choices
        quoted = " in quotes" if str(value) in info.choices else ""
        wanted = f"one of {listed(info.choices)}{quoted}"
    elif info.kind == "floats":
        fits = isinstance(value, tuple) and all(_within(info, number) for number in value)
        wanted = f"a list of numbers{_bounds(info)}, as in [2, 1, 0.5]"
    else:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        fits = number and (whole or info.kind == "float") and _within(info, value)
        noun = "a whole number" if info.kind == "int" else "a number"
        wanted = f"{noun}{_bounds(info)}{', without quotes' if isinstance(value, str) else ''}"
    return None if fits else wanted


def _within(info: ParamInfo, number: ParamValue) -> bool:
    if not isinstance(number, int | float):
        return False
    low = float("-inf") if info.low is None else info.low
    high = float("inf") if info.high is None else info.high
    return low <= number <= high


def _bounds(info: ParamInfo) -> str:
    if info.low is not None and info.high is not None:
        return f" from {_figure(info.low)} to {_figure(info.high)}"
    if info.low is not None:
        return f" of at least {_figure(info.low)}"
    return "" if info.high is None else f" of at most {_figure(info.high)}"


def _figure(bound: float) -> str:
    # As it would be typed: no thousands separators, no rounding of whole numbers.
    return str(int(bound)) if float(bound).is_integer() and abs(bound) < 1e15 else repr(bound)


def _shown(value: ParamValue) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "a list" if len(value) > 6 else f"`[{', '.join(f'{x:g}' for x in value)}]`"
    if isinstance(value, str):
        return f"the text `{clip(value)}`" if value else "empty"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def _metrics(question: BaseQuestion) -> Iterator[tuple[Path, Run, str]]:
    """Every metric a question names outside its texts: (path, the run it belongs to, name)."""
    for path, run, expectation in expectations(question):
        for field in ("metric", "below", "above", "about"):
            named = getattr(expectation, field)
            if isinstance(named, str):
                yield (*path, field), run, named
    for index, row in enumerate(question.show.rows):
        yield ("show", "rows", index, "metric"), question.experiment, row.metric
        if row.beside is not None:
            yield ("show", "rows", index, "beside"), question.experiment, row.beside
    if isinstance(question, PredictQuestion | ShapeQuestion):
        yield ("answer", "metric"), question.experiment, question.answer.metric
    for place, answer in stated_numbers(question):
        named = {place: answer.metric}
        for index, near in enumerate(answer.near_misses):
            named[(*place, "near_misses", index)] = near.metric
        for where, metric in named.items():
            if metric is not None:
                yield (*where, "metric"), question.experiment, metric


def unknown_metric(run: Run, metric: str, catalogue: Catalogue) -> tuple[str, str] | None:
    """Message and remedy when `run` measures no such metric; None when it does.

    Also None when the experiment itself is unknown, which is told where it is named.
    """
    experiment = catalogue.experiments.get(run.run)
    name = metric.partition("[")[0]
    if experiment is None or name in experiment.metrics:
        return None
    message = f"`{run.run}` measures no `{clip(name)}`{closest(name, experiment.metrics)}"
    return message, f"`quizapp run {run.run} --json` lists its metrics."


def _plot(bank: Bank, question: BaseQuestion, catalogue: Catalogue) -> Iterator[Diagnostic]:
    plot = question.show.plot
    experiment = catalogue.experiments.get(question.experiment.run)
    if plot is None or experiment is None or plot in experiment.plots:
        return
    message = f"`{experiment.name}` draws no plot `{clip(plot)}`{closest(plot, experiment.plots)}"
    known = listed(experiment.plots)
    remedy = f"It draws {known}." if known else "It draws none; remove the line."
    yield bank.diagnose("QB054", question.id, ("show", "plot"), message, remedy)
