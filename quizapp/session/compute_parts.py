"""Runs the parts of answers: is a shape measured, a pair borne out, a step's number there?"""

from __future__ import annotations

from collections.abc import Iterator

from quizapp.bank import Bank, Diagnostic, MatchQuestion, OrderQuestion, Question, ShapeQuestion
from quizapp.bank.kinds.matching import belief
from quizapp.bank.walk import run_behind
from quizapp.report import Report
from quizapp.session.kinds.shape import measured, written
from quizapp.session.tried import Runs, tried, troubles


async def try_parts(
    bank: Bank, question: Question, own: list[Report], runs: Runs
) -> list[Diagnostic]:
    """Findings about a question whose answer has parts; `own`: its run with every seed."""
    if isinstance(question, OrderQuestion):
        return list(_steps(bank, question, own))
    if isinstance(question, MatchQuestion):
        return await _pairs(bank, question, runs)
    if isinstance(question, ShapeQuestion):
        found = list(_axes(bank, question, own))
        return found or await _slips(bank, question, own, runs)
    return []


def _steps(bank: Bank, question: OrderQuestion, own: list[Report]) -> Iterator[Diagnostic]:
    for index, step in enumerate(question.steps):
        for number, expectation in enumerate(step.expects):
            one = tried(expectation, own)
            if not one.borne_out:
                message = f"the step `{step.id}` is not borne out: {one.figures()}"
                remedy = "Expect what the run measures on every seed, or mend the step."
                where = ("steps", index, "expects", number)
                yield bank.diagnose("QB071", question.id, where, message, remedy)


async def _pairs(bank: Bank, question: MatchQuestion, runs: Runs) -> list[Diagnostic]:
    """Each item's run bears out its own partner, and refutes every other one."""
    found = []
    for index, item in enumerate(question.items):
        reports = await runs.each(run_behind(question, belief(item, None)))
        if item.counterfactual is not None:
            where = ("items", index, "counterfactual")
            found += list(troubles(bank, question, where, reports))
        for partner in question.partners:
            every = [tried(expectation, reports) for expectation in partner.expects]
            shown = "; ".join(one.figures() for one in every)
            place = ("items", index, "partner")
            if partner.id == item.partner:
                if not all(one.borne_out for one in every):
                    message = f"`{item.id}` with its `{partner.id}` is not borne out: {shown}"
                    remedy = "Expect what the item's run measures on every seed."
                    found.append(bank.diagnose("QB071", question.id, place, message, remedy))
            elif not any(one.refuted for one in every):
                message = f"`{item.id}` with the wrong `{partner.id}` is not refuted: {shown}"
                remedy = "Every seed must contradict it by more than 3 times the seed spread."
                found.append(bank.diagnose("QB072", question.id, place, message, remedy))
    return found


def _axes(bank: Bank, question: ShapeQuestion, own: list[Report]) -> Iterator[Diagnostic]:
    """The metric is a shape, the same on every seed, with as many axes as are named."""
    shapes = {measured(question, report) for report in own}
    shape = next(iter(shapes))
    where = ("answer", "metric")
    if len(shapes) > 1 or shape is None:
        message = f"`{question.answer.metric}` is no shape: not the same whole numbers always"
        remedy = "Name a metric that lists the sizes of a tensor."
        yield bank.diagnose("QB079", question.id, where, message, remedy)
    elif len(shape) != len(question.answer.axes):
        names = len(question.answer.axes)
        message = f"{names} axes are named, but the measured shape is {written(shape)}"
        remedy = "Name every axis, in order."
        yield bank.diagnose("QB079", question.id, ("answer", "axes"), message, remedy)


async def _slips(
    bank: Bank, question: ShapeQuestion, own: list[Report], runs: Runs
) -> list[Diagnostic]:
    """A wrong shape is not the measured one; and it is that of its own run, if it has one."""
    found, right = [], measured(question, own[0])
    for index, slip in enumerate(question.slips):
        if slip.shape == right:
            message = f"the wrong shape `{slip.id}` is what the run measures: {written(right)}"
            place: tuple[str | int, ...] = ("slips", index, "shape")
            remedy = "Give the shape somebody wrongly believes in."
            found.append(bank.diagnose("QB072", question.id, place, message, remedy))
        if slip.counterfactual is None:
            continue
        reports = await runs.each(run_behind(question, slip))
        place = ("slips", index, "counterfactual")
        failed = list(troubles(bank, question, place, reports))
        found += failed
        other = measured(question, reports[0])
        if not failed and other != slip.shape:
            shown = "no shape" if other is None else written(other)
            message = f"the run of `{slip.id}` measures {shown}, not {written(slip.shape)}"
            remedy = "Mend its run or its shape, or let it do without a run."
            found.append(bank.diagnose("QB078", question.id, place, message, remedy))
    return found
