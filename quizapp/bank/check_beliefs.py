"""Rules about beliefs: each is another one, and each could turn out either way.

What an expectation says is compared with the range the metric can plausibly have, so that
one which holds, or fails, whatever is measured is found without a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quizapp.bank.bank import Bank
from quizapp.bank.diagnostics import Diagnostic
from quizapp.bank.models import (
    BaseQuestion,
    Choice,
    Expectation,
    MultiQuestion,
    Sentence,
    SingleQuestion,
)
from quizapp.bank.walk import choices, expectations, options, run_behind
from quizapp.report import Catalogue, MetricInfo


def check_beliefs(bank: Bank, catalogue: Catalogue) -> Iterator[Diagnostic]:
    """Findings about what the choices and sentences of a bank expect."""
    for question in bank.questions.values():
        if isinstance(question, SingleQuestion | MultiQuestion):
            yield from _same(bank, question)
        yield from _decided(bank, question, catalogue)


def _same(bank: Bank, question: SingleQuestion | MultiQuestion) -> Iterator[Diagnostic]:
    """A right and a wrong choice that expect the same of the same run.

    Two wrong ones may: one number refutes both.
    """
    first: dict[Any, Choice] = {}
    for index, choice in sorted(enumerate(choices(question)), key=lambda one: not one[1].correct):
        if not choice.expects:
            continue
        run = run_behind(question, choice)
        believed = frozenset(_compared(one) for one in choice.expects)
        other = first.setdefault((run.run, frozenset(run.with_.items()), believed), choice)
        if other.correct and not choice.correct:
            message = f"`{choice.id}` is wrong and expects the same as `{other.id}`, which is right"
            remedy = "Let it expect another value, or the same of another run."
            at = ("choices", index, "expects")
            yield bank.diagnose("QB062", question.id, at, message, remedy)


def _compared(one: Expectation) -> tuple[Any, ...]:
    return one.metric, one.below, one.above, one.about, one.times, one.rtol, one.atol


def _decided(bank: Bank, question: BaseQuestion, catalogue: Catalogue) -> Iterator[Diagnostic]:
    believers = dict(options(question))
    for path, run, expectation in expectations(question):
        experiment = catalogue.experiments.get(run.run)
        name = expectation.metric.partition("[")[0]
        if experiment is None or name not in experiment.metrics:
            continue
        choice = believers.get(path[:-2])
        right = isinstance(expectation, Sentence) or (choice is not None and choice.correct)
        wrong = choice is not None and not choice.correct
        info = experiment.metrics[name]
        field, always = _foregone(expectation, info)
        if (right and always is False) or (wrong and always is True):
            verb = "always holds" if always else "can never hold"
            message = f"this {verb}: `{name}` lies {_range(info)}"
            remedy = "Compare with a value that the run could contradict, and could bear out."
            yield bank.diagnose("QB055", question.id, (*path, field), message, remedy)


def _foregone(one: Expectation, info: MetricInfo) -> tuple[str, bool | None]:
    """The comparison, and whether it holds all over the metric's range; None if that depends."""
    if isinstance(one.below, float):
        limit = one.below * one.times
        return "below", True if limit > info.high else False if limit <= info.low else None
    if isinstance(one.above, float):
        limit = one.above * one.times
        return "above", True if limit < info.low else False if limit >= info.high else None
    if isinstance(one.about, float):
        value = one.about * one.times
        reach = one.atol if one.atol is not None else abs(value) * (one.rtol or 0.0)
        outside = value + reach < info.low or value - reach > info.high
        return "about", False if outside else None
    return "metric", None


def _range(info: MetricInfo) -> str:
    low, high = f"{info.low:g}", f"{info.high:g}"
    if info.low == float("-inf"):
        return f"at {high} or below"
    return f"at {low} or above" if info.high == float("inf") else f"from {low} to {high}"
