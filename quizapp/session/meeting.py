"""`Meeting`: the runs that meet an answer, all at once, and the end of those still running."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from quizapp.lab.client import Job
from quizapp.session.library import Entry
from quizapp.session.trial import Planned, Trial


class Meeting:
    """submit: asks for one run. settle: saves a trial whose runs have decided."""

    def __init__(
        self,
        submit: Callable[[str, Mapping[str, object]], Awaitable[Job]],
        settle: Callable[[Trial, Entry], Awaitable[str]],
    ) -> None:
        self._submit = submit
        self._settle = settle
        self._running: dict[str, list[Job]] = {}

    async def meet(
        self,
        trial: Trial,
        entry: Entry,
        on_update: Callable[[], None],
        overrides: dict[str, object] | None,
    ) -> None:
        """See `Session.meet`."""
        await self.stop(trial)
        if overrides is not None:
            trial.pending = overrides
            on_update()
        jobs: list[Job] = []
        self._running[trial.answer_id] = jobs

        async def follow(planned: Planned, job: Job) -> None:
            async for report in job:
                trial.take(planned, report)
                on_update()  # the numbers wait for no disk
                if overrides is None and trial.complete and not trial.saved:
                    await self._settle(trial, entry)
                    on_update()

        try:
            async with asyncio.TaskGroup() as group:
                for planned in trial.plan(overrides):
                    job = await self._submit(planned.experiment, dict(planned.params))
                    jobs.append(job)
                    group.create_task(follow(planned, job))
        finally:
            for job in jobs:
                await job.cancel()

    async def stop(self, trial: Trial) -> None:
        """Stop what still runs for `trial`; the numbers it has stay."""
        for job in self._running.pop(trial.answer_id, []):
            await job.cancel()
        trial.pending = None
