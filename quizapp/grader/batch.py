"""Many submissions through several judges at once. One's crash never touches the next."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence

from quizapp.grader.client import Judge
from quizapp.grader.wire import Grade, Task


def default_jobs(tasks: int) -> int:
    """As many judges as there are processors and work: each holds some 400 MB."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(usable or 1, tasks, 8))


async def grade_all(tasks: Sequence[Task], jobs: int) -> AsyncIterator[tuple[int, Grade]]:
    """(position, grade) in the order of completion. Raises MachineError without a judge."""
    waiting = iter(enumerate(tasks))
    done: asyncio.Queue[tuple[int, Grade] | BaseException] = asyncio.Queue()

    async def work() -> None:
        judge = Judge()
        try:
            for index, task in waiting:
                done.put_nowait((index, await judge.grade(task)))
        except BaseException as error:
            done.put_nowait(error)
            raise
        finally:
            await judge.close()

    ended = False
    workers = [asyncio.create_task(work()) for _ in range(min(jobs, len(tasks)))]
    try:
        for _ in tasks:
            item = await done.get()
            if isinstance(item, BaseException):
                raise item
            yield item
        ended = True
    finally:
        if not ended:
            for worker in workers:
                worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
