"""Runs a bank's beliefs: is every right choice borne out, and every wrong one refuted?

Each `expects` is tried on five seeds. A right choice must hold on all of them; a
wrong one must fail on all of them, by more than three times the seed spread, and a run of
its own must show numbers other than the right choice's. What a claim expects must be decided
on all of them, one way or the other, by as much. A sentence of the explanation tied to a run
must hold on as many seeds as it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from quizapp.bank import (
    Bank,
    Choice,
    ClaimQuestion,
    Diagnostic,
    NumericAnswer,
    Question,
    Sentence,
)
from quizapp.bank.check_numbers import Meant, roundable, told_apart
from quizapp.bank.check_variants import told
from quizapp.bank.variants import cases
from quizapp.bank.walk import Path, options, run_behind, stated_numbers
from quizapp.lab.client import Engine
from quizapp.report import Report
from quizapp.session.answers import tolerance, wanted_number
from quizapp.session.compute_parts import try_parts
from quizapp.session.given import measured_number, near_number
from quizapp.session.run_cache import RunCache
from quizapp.session.telling import alike, rows
from quizapp.session.trial import Planned
from quizapp.session.tried import SEEDS, Runs, tried, troubles

#: How many standard errors a numeric tolerance must span.
ERRORS: Final = 4.0


async def try_bank(
    bank: Bank,
    engines: Iterable[Engine],
    *,
    device: str = "cpu",
    only: frozenset[str] | None = None,
    cache: RunCache | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Diagnostic, ...]:
    """Every finding of running `bank`'s questions (`only` those ids, when given)."""
    runs, found = Runs(engines, device, cache), []
    for number, question in enumerate(bank.questions.values(), 1):
        if only is not None and question.id not in only:
            continue
        progress(f"{bank.id}/{question.id} ({number} of {len(bank.questions)})")
        for case in cases(question):
            of_case = await _try_question(bank, case.question, runs)
            found += [told(one, case.name) for one in of_case]
    return tuple(found)


async def _try_question(bank: Bank, question: Question, runs: Runs) -> list[Diagnostic]:
    own = await runs.each(question.experiment)
    found = list(troubles(bank, question, ("experiment",), own))
    for place, answer in stated_numbers(question):
        found += _tight(bank, question, answer, place, own)
        found += _apart(bank, question, answer, place, own)
    for place, choice in options(question):
        reports = await runs.each(run_behind(question, choice))
        if choice.counterfactual is not None:
            found += troubles(bank, question, (*place, "counterfactual"), reports)
        if choice.expects:
            found += _judge_choice(bank, question, choice, place, reports)
        if choice.expects and not choice.correct:
            found += await _separates(bank, question, choice, place, runs)
    if isinstance(question, ClaimQuestion):
        found += _decides(bank, question, own)
    found += await try_parts(bank, question, own, runs)
    for index, sentence in enumerate(question.claims):
        reports = await runs.each(sentence.run or question.experiment, sentence.seeds)
        found += _bears_out(bank, question, sentence, ("claims", index), reports)
    return found


def _decides(bank: Bank, question: ClaimQuestion, reports: list[Report]) -> Iterator[Diagnostic]:
    for index, expectation in enumerate(question.expects):
        one = tried(expectation, reports)
        if not one.decided:
            message = f"the claim is neither borne out nor refuted: {one.figures()}"
            remedy = (
                "The verdict must be the same on every seed, by more than 3 times the seed "
                "spread; a claim no run can decide is no claim."
            )
            yield bank.diagnose("QB075", question.id, ("expects", index), message, remedy)


def _bears_out(
    bank: Bank, question: Question, sentence: Sentence, place: Path, reports: list[Report]
) -> Iterator[Diagnostic]:
    found = list(troubles(bank, question, place, reports))
    yield from found
    one = tried(sentence, reports)
    if not found and not one.borne_out:
        said = "" if sentence.text is None else f" “{sentence.text.to('en')}”"
        message = f"the sentence{said} is not borne out: {one.figures()}"
        remedy = "Say what the run measures on every seed, or mend the run."
        yield bank.diagnose("QB076", question.id, place, message, remedy)


def _judge_choice(
    bank: Bank, question: Question, choice: Choice, place: Path, reports: list[Report]
) -> Iterator[Diagnostic]:
    every = [tried(expectation, reports) for expectation in choice.expects]
    if choice.correct:
        for index, one in enumerate(every):
            if not one.borne_out:
                message = f"the right choice `{choice.id}` is not borne out: {one.figures()}"
                remedy = "Expect what the run measures on every seed, or mend the choice."
                where = (*place, "expects", index)
                yield bank.diagnose("QB071", question.id, where, message, remedy)
    elif not any(one.refuted for one in every):
        shown = "; ".join(one.figures() for one in every)
        message = f"the wrong choice `{choice.id}` is not refuted: {shown}"
        remedy = (
            "Every seed must contradict it by more than 3 times the seed spread; "
            "where no run can, say why with `argued:`."
        )
        yield bank.diagnose("QB072", question.id, (*place, "expects"), message, remedy)


async def _separates(
    bank: Bank, question: Question, choice: Choice, place: Path, runs: Runs
) -> list[Diagnostic]:
    """A wrong choice with a run of its own shows the numbers of no right one."""
    own, found = run_behind(question, choice), []
    mine = await runs.each(own)
    beside = [one for path, one in options(question) if path[:-1] == place[:-1]]
    for right in (other for other in beside if other.correct):
        run = run_behind(question, right)
        if Planned.of(run) == Planned.of(own):
            continue  # the same run: what is expected of it tells the two apart
        theirs = await runs.each(run)
        same = alike(rows(question, choice), mine, theirs)
        if same:
            message = (
                f"the numbers of the wrong choice `{choice.id}` cannot be told from those of "
                f"the right choice `{right.id}`: {'; '.join(same)}"
            )
            remedy = (
                "Show a row in which the two runs differ by more than 3 times the seed spread, "
                "or let one of the choices do without its counterfactual."
            )
            where = place if choice.counterfactual is None else (*place, "counterfactual")
            found.append(bank.diagnose("QB077", question.id, where, message, remedy))
    return found


def _tight(
    bank: Bank, question: Question, answer: NumericAnswer, place: Path, reports: list[Report]
) -> Iterator[Diagnostic]:
    for seed, report in zip(SEEDS, reports, strict=True):
        wanted = wanted_number(answer, report)
        path = answer.metric
        found = None if path is None else measured_number(path, answer.unit, report)
        if wanted is None or found is None or found[1] is None:
            continue
        allowed, error = tolerance(answer, wanted), found[1]
        if allowed < ERRORS * error:
            message = (
                f"the tolerance is {allowed:.3g}, under {ERRORS:.0f} standard errors "
                f"({ERRORS * error:.3g}) of {answer.metric} with seed {seed}"
            )
            remedy = "Allow more, or draw more samples."
            yield bank.diagnose("QB073", question.id, place, message, remedy)
            return


def _apart(
    bank: Bank, question: Question, answer: NumericAnswer, place: Path, reports: list[Report]
) -> list[Diagnostic]:
    """What the measured number shows of near misses and digits, on the first seed that does."""
    for report in reports:
        wanted = wanted_number(answer, report)
        if wanted is None:
            continue
        meant = [
            Meant((*place, "near_misses", index), near, number)
            for index, near in enumerate(answer.near_misses)
            if (number := near_number(answer, near, report)) is not None
        ]
        found = [
            *told_apart(bank, question, answer, wanted, meant),
            *roundable(bank, question, answer, wanted, place),
        ]
        if found:
            return found
    return []
