"""`Bench`: one experiment in the lab, run anew whenever a parameter changes; the newest wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast

from quizapp.errors import MachineError, UsageError
from quizapp.lab import catalogue, params
from quizapp.lab.client import Job
from quizapp.lab.wire import Own
from quizapp.report import ExperimentInfo, Failure, ParamInfo, ParamValue, Report
from quizapp.session.session import Session
from quizapp.session.steps import neighbour
from quizapp.session.sweep import Sweep, ladder
from quizapp.session.takes import read, takes, written
from quizapp.text import Text
from quizapp.text.i18n import _

#: Seconds a change waits for a further one before it is run: keys repeat faster.
SETTLE: Final = 0.15


@dataclass(frozen=True, slots=True)
class Pinned:
    """A run kept for comparison, with the parameters it was made with."""

    values: Mapping[str, ParamValue]
    report: Report


class Bench:
    """Made by `open_bench`. `values` are those in force; `report` the newest numbers.

    stale: the numbers on show are of earlier parameters. running: more is to come.
    failure: why the newest run has no numbers. cancelled: the learner stopped it.
    sweep: the newest sweep, whole or on its way. own: the learner's function, if it computes
    attention here in place of ours; given_own: theirs, whoever computes now.
    """

    def __init__(
        self,
        session: Session,
        info: ExperimentInfo,
        given: Mapping[str, object],
        own: Own | None = None,
    ) -> None:
        self.info = info
        self.own = self.given_own = own
        self._session = session
        self._start = {
            # A list, as a bank writes it, is a tuple here: values are compared.
            name: cast(ParamValue, tuple(value) if isinstance(value, list) else value)
            for name, param in info.params.items()
            for value in (given.get(name, param.default),)
        }
        self.values = dict(self._start)
        self.report: Report | None = None
        self.pinned: Pinned | None = None
        self.sweep: Sweep | None = None
        self.failure: Failure | None = None
        self.stale = self.running = self.cancelled = False
        self._turn = 0
        self._job: Job | None = None

    # --- parameters --------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters as the form lists them: the seed, which every run has, comes last."""
        return tuple(sorted(self.info.params, key=lambda name: name == "seed"))

    def param(self, name: str) -> ParamInfo:
        """What is known of one parameter."""
        return self.info.params[name]

    def step(self, name: str, direction: int) -> bool:
        """Set the next larger (1) or smaller (-1) value; False at the end of the range."""
        info = self.param(name)
        value = None if info.kind == "floats" else neighbour(info, self.values[name], direction)
        if value is None:
            return False
        self.values[name] = value
        return True

    def neighbour_words(self, name: str, direction: int) -> str:
        """What `step` would set: "d_k 128"."""
        info = self.param(name)
        value = None if info.kind == "floats" else neighbour(info, self.values[name], direction)
        return f"{name} {'–' if value is None else written(value)}"

    def steps(self, name: str, direction: int) -> bool:
        """Whether `step` would set anything: not at the end of a range, nor for a list."""
        info = self.param(name)
        return info.kind != "floats" and neighbour(info, self.values[name], direction) is not None

    def typed(self, name: str) -> str:
        """The value as it can be typed."""
        return written(self.values[name])

    def cycle(self, name: str) -> bool:
        """Set the next choice, the first after the last; False where values are typed."""
        info = self.param(name)
        if info.kind == "bool":
            self.values[name] = not self.values[name]
        elif info.kind == "choice":
            at = info.choices.index(str(self.values[name])) + 1
            self.values[name] = info.choices[at % len(info.choices)]
        else:
            return False
        return True

    def put(self, name: str, typed: str) -> None:
        """Set what was typed. Raises UsageError with what the parameter takes."""
        info = self.param(name)
        value = read(info, typed)
        if value is None:
            words = _("{name} cannot be {typed}.").format(name=name, typed=typed.strip() or "–")
            raise UsageError(words, remedy=takes(info))
        self.values[name] = value

    def reseed(self) -> None:
        """Other draws: the next seed."""
        seed = int(cast(int, self.values["seed"])) + 1
        high = self.param("seed").high
        self.values["seed"] = 0 if high is not None and seed > high else seed

    def swap_attention(self) -> bool:
        """The learner's function for ours, or ours for theirs; False where there is only ours."""
        self.own = self.given_own if self.own is None else None
        return self.given_own is not None

    def reset(self) -> None:
        """Back to the parameters the experiment was opened with."""
        self.values = dict(self._start)

    @property
    def changed(self) -> dict[str, ParamValue]:
        """The parameters that differ from the experiment's defaults."""
        known = self.info.params
        return {name: value for name, value in self.values.items() if value != known[name].default}

    # --- runs --------------------------------------------------------------------

    async def run(self, on_update: Callable[[], None], *, settle: float | None = None) -> None:
        """Run with the values in force, in place of what still runs.

        `on_update` is called after every report. Cancelling the caller's task stops the run.
        """
        self._turn += 1
        turn = self._turn
        self.stale, self.running, self.cancelled = True, True, False
        on_update()
        await asyncio.sleep(SETTLE if settle is None else settle)
        self.failure = self._refusal(self.values)
        if self.failure is None:
            await self._follow(turn, on_update)
        if turn == self._turn:
            self.running = False
            on_update()

    async def _follow(self, turn: int, on_update: Callable[[], None]) -> None:
        try:
            job = await self._session.submit(self.info.name, dict(self.values), self.own)
        except MachineError as error:
            self.failure = Failure(kind="torch", text=Text.of(str(error)))
            return
        self._job = job
        try:
            async for report in job:
                if turn == self._turn:
                    self._take(report)
                    on_update()
        finally:
            await job.cancel()

    def _take(self, report: Report) -> None:
        self.failure = report.failure
        if report.failure is None:
            self.report, self.stale = report, False

    def _refusal(self, values: Mapping[str, ParamValue]) -> Failure | None:
        """Why these values cannot go together, told before anything is run."""
        try:
            params.validate(self.info.name, values)
        except UsageError as error:
            words = "\n".join(part for part in (error.what, error.remedy) if part)
            return Failure(kind="params", text=Text.of(words))
        return None

    async def stop(self) -> None:
        """Stop what is running; the numbers that are there stay."""
        if self.running:
            self._turn += 1
            swept = self.sweep is not None and self.sweep.running
            self.running, self.cancelled = False, not swept
        if self._job is not None:
            await self._job.cancel()

    # --- sweeping ----------------------------------------------------------------

    def begin_sweep(self, name: str, metric: str) -> None:
        """Make ready a sweep of `metric` over `name`; `run_sweep` then runs it.

        Raises UsageError where there is no one number, or no order of values.
        """
        found = None if self.report is None else self.report.metrics.get(metric)
        if found is None or isinstance(found.value, tuple):
            raise UsageError(_("Highlight a single number: that is what a sweep follows."))
        info, base = self.param(name), dict(self.values)
        values = ladder(info, base[name])
        if not values:
            raise UsageError(_("{name} is a list: choose another parameter.").format(name=name))
        self.sweep = Sweep(info, metric, base, values)

    async def run_sweep(self, on_update: Callable[[], None]) -> None:
        """Run every value of the sweep that was begun; its cross-checks are left out.

        `on_update` is called after every run. Cancelling the caller's task stops them all.
        """
        sweep = self.sweep
        assert sweep is not None
        self.running, self.cancelled = True, False
        on_update()
        jobs: list[tuple[ParamValue, Job]] = []
        try:
            # All at once: with a run waiting, the engine puts off the cross-check of the last.
            for value in sweep.values:
                values = {**sweep.base, sweep.param.name: value}
                if self._refusal(values) is not None:
                    sweep.refused.append(value)
                else:
                    job = await self._session.submit(self.info.name, values, self.own)
                    jobs.append((value, job))
            for value, job in jobs:
                async for report in job:
                    if report.status != "partial":
                        sweep.take(value, report)
                        break
                on_update()
        finally:
            self.running = sweep.running = False
            await asyncio.gather(*(job.cancel() for _, job in jobs))
        on_update()

    # --- comparing ---------------------------------------------------------------

    def pin(self) -> bool:
        """Keep the present run beside those to come; again lets go. False without a run."""
        if self.pinned is not None:
            self.pinned = None
            return True
        if self.report is None or self.stale:
            return False
        self.pinned = Pinned(dict(self.values), self.report)
        return True


async def open_bench(
    session: Session, name: str, given: Mapping[str, object] = {}, own: Own | None = None
) -> Bench:
    """The experiment `name` with `given` in place of defaults. Raises UsageError for no such one.

    Reading the experiment's file takes a moment the first time: not on the event loop.
    """
    info = await asyncio.to_thread(catalogue.describe, name)
    return Bench(session, info, given, own)
