"""Runs made once, and what is expected of them tried on every seed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Final

from quizapp.bank import Bank, Diagnostic, Expectation, Question, Run
from quizapp.bank.walk import Path
from quizapp.lab.client import Engine
from quizapp.report import Report
from quizapp.session.expect import Judged, judge_expectation
from quizapp.session.plausible import implausible
from quizapp.session.run_cache import RunCache
from quizapp.session.telling import SPREADS
from quizapp.session.trial import Planned

SEEDS: Final = (0, 1, 2, 3, 4)


class Runs:
    """Every run asked for, made once, on as many engines at a time as there are."""

    def __init__(
        self, engines: Iterable[Engine], device: str, cache: RunCache | None = None
    ) -> None:
        self._free: asyncio.Queue[Engine] = asyncio.Queue()
        for engine in engines:
            self._free.put_nowait(engine)
        self._device = device
        self._cache = cache
        self._made: dict[Planned, Report] = {}

    async def each(self, run: Run, seeds: int = len(SEEDS)) -> list[Report]:
        """The complete reports of `run` with every seed, from 0."""
        return await asyncio.gather(*(self.of(run, seed) for seed in range(seeds)))

    async def of(self, run: Run, seed: int) -> Report:
        """The complete report of `run` with that seed, cross-check included."""
        planned = Planned.of(run, {"seed": seed})
        if planned not in self._made:
            known = None if self._cache is None else self._cache.get(planned, self._device)
            self._made[planned] = known or await self._make(planned)
        return self._made[planned]

    async def _make(self, planned: Planned) -> Report:
        engine = await self._free.get()
        last: Report | None = None
        try:
            job = await engine.submit(planned.experiment, dict(planned.params), self._device)
            async for report in job:
                last = report
        finally:
            self._free.put_nowait(engine)
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


def tried(expectation: Expectation, reports: list[Report]) -> Tried:
    """`expectation` held against the report of each seed."""
    return Tried(tuple(judge_expectation(expectation, report) for report in reports))


def troubles(
    bank: Bank, question: Question, place: Path, reports: list[Report]
) -> Iterator[Diagnostic]:
    """The first run that failed, whose cross-check did, or that measured the impossible."""
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
        outside = "; ".join(implausible(report))
        if outside:
            message = f"the run measured with seed {seed} what it cannot: {outside}"
            remedy = "Mend the experiment, or the range that its METRICS state."
            yield bank.diagnose("QB056", question.id, place, message, remedy)
            return
