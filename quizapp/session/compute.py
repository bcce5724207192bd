"""Runs a bank's beliefs: is every right choice borne out, and every wrong one refuted?

Each `expects` is tried on five seeds. A right choice must hold on all of them; a
wrong one must fail on all of them, by more than three times the seed spread, and a run of
its own must show numbers other than the right choice's. What a claim expects must be decided
on all of them, one way or the other, by as much. A sentence of the explanation tied to a run
must hold on as many seeds as it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Final

from quizapp.bank import (
    Bank,
    Choice,
    ClaimQuestion,
    Diagnostic,
    MultiQuestion,
    NumericQuestion,
    Question,
    Run,
    Sentence,
    SingleQuestion,
)
from quizapp.bank.walk import run_behind
from quizapp.lab.client import Engine
from quizapp.report import Report
from quizapp.session.answers import tolerance, wanted_number
from quizapp.session.expect import Judged, find, judge_expectation
from quizapp.session.run_cache import RunCache
from quizapp.session.telling import SPREADS, alike, rows
from quizapp.session.trial import Planned

SEEDS: Final = (0, 1, 2, 3, 4)
#: How many standard errors a numeric tolerance must span.
ERRORS: Final = 4.0

Place = tuple[str | int, ...]


class Runs:
    """Every run asked for, made once."""

    def __init__(self, engine: Engine, device: str, cache: RunCache | None = None) -> None:
        self._engine = engine
        self._device = device
        self._cache = cache
        self._made: dict[Planned, Report] = {}

    async def of(self, run: Run, seed: int) -> Report:
        """The complete report of `run` with that seed, cross-check included."""
        planned = Planned.of(run, {"seed": seed})
        if planned not in self._made:
            known = None if self._cache is None else self._cache.get(planned, self._device)
            self._made[planned] = known or await self._make(planned)
        return self._made[planned]

    async def _make(self, planned: Planned) -> Report:
        job = await self._engine.submit(planned.experiment, dict(planned.params), self._device)
        last: Report | None = None
        async for report in job:
            last = report
        assert last is not None
        if self._cache is not None:
            self._cache.put(planned, self._device, last)
        return last


@dataclass(frozen=True, slots=True)
class Tried:
    """One expectation on every seed."""

    judged: tuple[Judged, ...]

    @property
    def borne_out(self) -> bool:
        """True on every seed."""
        return all(judged.held is True for judged in self.judged)

    @property
    def refuted(self) -> bool:
        """False on every seed, by more than three times the seed spread."""
        return self._clear and not any(judged.held for judged in self.judged)

    @property
    def decided(self) -> bool:
        """The same on every seed, true or false, by more than three times the seed spread."""
        return self._clear and len({judged.held for judged in self.judged}) == 1

    @property
    def _clear(self) -> bool:
        margins = [judged.margin for judged in self.judged if judged.margin is not None]
        if len(margins) < len(self.judged):
            return False
        return abs(mean(margins)) > SPREADS * stdev(margins)

    def figures(self) -> str:
        """What the seeds measured, for the author."""
        values = [judged.measured for judged in self.judged]
        shown = ", ".join("–" if value is None else f"{value:.4g}" for value in values)
        threshold = self.judged[0].threshold
        against = "" if threshold is None else f" against {threshold:.4g}"
        return f"{self.judged[0].expectation.metric} = {shown}{against}"


async def try_bank(
    bank: Bank,
    engine: Engine,
    *,
    device: str = "cpu",
    only: frozenset[str] | None = None,
    cache: RunCache | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Diagnostic, ...]:
    """Every finding of running `bank`'s questions (`only` those ids, when given)."""
    runs, found = Runs(engine, device, cache), []
    for number, question in enumerate(bank.questions.values(), 1):
        if only is not None and question.id not in only:
            continue
        progress(f"{bank.id}/{question.id} ({number} of {len(bank.questions)})")
        found += await _try_question(bank, question, runs)
    return tuple(found)


async def _try_question(bank: Bank, question: Question, runs: Runs) -> list[Diagnostic]:
    own = [await runs.of(question.experiment, seed) for seed in SEEDS]
    found = list(_troubles(bank, question, ("experiment",), own))
    if isinstance(question, NumericQuestion):
        found += _tight(bank, question, own)
    if isinstance(question, SingleQuestion | MultiQuestion):
        for index, choice in enumerate(question.choices):
            run, place = run_behind(question, choice), ("choices", index)
            reports = [await runs.of(run, seed) for seed in SEEDS]
            if choice.counterfactual is not None:
                found += _troubles(bank, question, (*place, "counterfactual"), reports)
            if choice.expects:
                found += _judge_choice(bank, question, choice, place, reports)
            if choice.expects and not choice.correct:
                found += await _separates(bank, question, choice, place, runs)
    if isinstance(question, ClaimQuestion):
        found += _decides(bank, question, own)
    for index, sentence in enumerate(question.claims):
        run = sentence.run or question.experiment
        reports = [await runs.of(run, seed) for seed in range(sentence.seeds)]
        found += _bears_out(bank, question, sentence, ("claims", index), reports)
    return found


def _decides(bank: Bank, question: ClaimQuestion, reports: list[Report]) -> Iterator[Diagnostic]:
    for index, expectation in enumerate(question.expects):
        tried = Tried(tuple(judge_expectation(expectation, report) for report in reports))
        if not tried.decided:
            message = f"the claim is neither borne out nor refuted: {tried.figures()}"
            remedy = (
                "The verdict must be the same on every seed, by more than 3 times the seed "
                "spread; a claim no run can decide is no claim."
            )
            yield bank.diagnose("QB075", question.id, ("expects", index), message, remedy)


def _bears_out(
    bank: Bank, question: Question, sentence: Sentence, place: Place, reports: list[Report]
) -> Iterator[Diagnostic]:
    found = list(_troubles(bank, question, place, reports))
    yield from found
    tried = Tried(tuple(judge_expectation(sentence, report) for report in reports))
    if not found and not tried.borne_out:
        said = "" if sentence.text is None else f" “{sentence.text.to('en')}”"
        message = f"the sentence{said} is not borne out: {tried.figures()}"
        remedy = "Say what the run measures on every seed, or mend the run."
        yield bank.diagnose("QB076", question.id, place, message, remedy)


def _troubles(
    bank: Bank, question: Question, place: Place, reports: list[Report]
) -> Iterator[Diagnostic]:
    for seed, report in enumerate(reports):
        if report.failure is not None:
            message = f"the run failed with seed {seed}: {report.failure.text.to('en')}"
            yield bank.diagnose("QB070", question.id, place, message)
            return
        check = report.cross_check
        if check is None or not check.ok:
            message = f"the cross-check of {report.experiment} failed with seed {seed}: {check}"
            yield bank.diagnose("QB074", question.id, place, message)
            return


def _judge_choice(
    bank: Bank, question: Question, choice: Choice, place: Place, reports: list[Report]
) -> Iterator[Diagnostic]:
    tried = [
        Tried(tuple(judge_expectation(expectation, report) for report in reports))
        for expectation in choice.expects
    ]
    if choice.correct:
        for index, one in enumerate(tried):
            if not one.borne_out:
                message = f"the right choice `{choice.id}` is not borne out: {one.figures()}"
                remedy = "Expect what the run measures on every seed, or mend the choice."
                where = (*place, "expects", index)
                yield bank.diagnose("QB071", question.id, where, message, remedy)
    elif not any(one.refuted for one in tried):
        shown = "; ".join(one.figures() for one in tried)
        message = f"the wrong choice `{choice.id}` is not refuted: {shown}"
        remedy = (
            "Every seed must contradict it by more than 3 times the seed spread; "
            "where no run can, say why with `argued:`."
        )
        yield bank.diagnose("QB072", question.id, (*place, "expects"), message, remedy)


async def _separates(
    bank: Bank,
    question: SingleQuestion | MultiQuestion,
    choice: Choice,
    place: Place,
    runs: Runs,
) -> list[Diagnostic]:
    """A wrong choice with a run of its own shows the numbers of no right one."""
    own, found = run_behind(question, choice), []
    mine = [await runs.of(own, seed) for seed in SEEDS]
    for right in (other for other in question.choices if other.correct):
        run = run_behind(question, right)
        if Planned.of(run) == Planned.of(own):
            continue  # the same run: what is expected of it tells the two apart
        theirs = [await runs.of(run, seed) for seed in SEEDS]
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


def _tight(bank: Bank, question: NumericQuestion, reports: list[Report]) -> Iterator[Diagnostic]:
    answer = question.answer
    for seed, report in zip(SEEDS, reports, strict=True):
        wanted = wanted_number(answer, report)
        found = None if answer.metric is None else find(report, answer.metric)
        if wanted is None or found is None or found[2] is None:
            continue
        allowed, error = tolerance(answer, wanted), found[2]
        if allowed < ERRORS * error:
            message = (
                f"the tolerance is {allowed:.3g}, under {ERRORS:.0f} standard errors "
                f"({ERRORS * error:.3g}) of {answer.metric} with seed {seed}"
            )
            remedy = "Allow more, or draw more samples."
            yield bank.diagnose("QB073", question.id, ("answer",), message, remedy)
            return
