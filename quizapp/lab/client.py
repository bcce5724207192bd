"""The parent half of the lab: starts the engine, hands it runs, survives its death."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from typing import Final

from quizapp.errors import MachineError
from quizapp.lab.wire import (
    LINE_LIMIT,
    LOST_DEVICE,
    CancelRequest,
    Done,
    Own,
    Ready,
    Reported,
    RunRequest,
    answers,
)
from quizapp.report import Failure, Report
from quizapp.text import Text

COMMAND: Final = (sys.executable, "-m", "quizapp.lab.engine")
#: After a cancel, this much silence means the engine is stuck and is replaced.
PATIENCE: Final = 2.0
#: How much of the engine's standard error is kept for a crash report.
KEPT_STDERR: Final = 16 * 1024


class Job:
    """One run: iterate over it for its Reports; `cancel` ends it early."""

    def __init__(self, engine: Engine, request: RunRequest) -> None:
        self.request = request
        self.number = request.id
        self.experiment = request.experiment
        self.begun = False  # a report has come
        self._engine = engine
        self._reports: asyncio.Queue[Report | None] = asyncio.Queue()
        self._ended = asyncio.Event()
        self.numbers_in = False  # only the cross-check is to come

    def __aiter__(self) -> AsyncIterator[Report]:
        return self._stream()

    async def _stream(self) -> AsyncIterator[Report]:
        while (report := await self._reports.get()) is not None:
            yield report

    async def cancel(self) -> None:
        """Stop the run. Returns once it has stopped: promptly, or after a forced restart."""
        if not self._ended.is_set():
            await self._engine.cancel(self)

    def put(self, report: Report) -> None:
        if not self._ended.is_set():
            self.begun = True
            self.numbers_in = report.status != "partial"
            self._reports.put_nowait(report)

    def end(self) -> None:
        if not self._ended.is_set():
            self._ended.set()
            self._reports.put_nowait(None)

    async def wait(self) -> None:
        """Until the run has ended, however it ended."""
        await self._ended.wait()


class Engine:
    """The one long-lived child. Safe to use from one event loop."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = tuple(command)
        self._process: asyncio.subprocess.Process | None = None
        self._ready: asyncio.Future[Ready] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._jobs: dict[int, Job] = {}
        self._last = 0
        self._stderr = b""
        self._starting = asyncio.Lock()
        self._closing = False

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        alive = self._process is not None and self._process.returncode is None
        return self._process.pid if alive and self._process else None

    @property
    def warm(self) -> bool:
        """Whether a run would start at once."""
        return self.pid is not None and self._ready is not None and self._ready.done()

    @property
    def stderr(self) -> str:
        """The end of what the engine wrote to standard error."""
        return self._stderr.decode(errors="replace")

    async def start(self) -> None:
        """Start the child if it does not run. Raises MachineError where it cannot be started."""
        async with self._starting:
            self._closing = False
            if self.pid is None:
                await self._spawn()

    async def _spawn(self) -> None:
        environment = dict(os.environ)
        # Read once when torch and NumPy load their libraries. NumPy's own threads made the
        # cross-checks ten times slower on a busy two-core machine.
        environment |= {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LINE_LIMIT,
                env=environment,
                # Ctrl+C in the terminal is for the front; the child ends with its stdin.
                start_new_session=True,
            )
        except OSError as error:
            raise MachineError(
                "the lab's engine could not be started", where=self._command[0], remedy=str(error)
            ) from error
        self._process, self._stderr = process, b""
        self._ready = asyncio.get_running_loop().create_future()
        self._keep(self._listen(process, self._ready))
        self._keep(self._drain(process))

    async def ready(self) -> Ready:
        """Start if needed, and wait until the engine says what it has. Raises MachineError."""
        await self.start()
        assert self._ready is not None
        return await asyncio.shield(self._ready)

    async def submit(
        self,
        experiment: str,
        params: Mapping[str, object],
        device: str = "auto",
        *,
        tf32: bool = False,
        own: Own | None = None,
    ) -> Job:
        """Queue a run behind those already asked for. Raises MachineError.

        tf32: let float32 products on CUDA be of TF32, which is faster and has fewer digits.
        own: the function that computes attention in this run, instead of ours.
        """
        await self.start()
        self._last += 1
        request = RunRequest(
            id=self._last,
            experiment=experiment,
            params=dict(params),
            device=device,
            tf32=tf32,
            own=own,
        )
        job = Job(self, request)
        self._jobs[job.number] = job
        self._send(request)
        return job

    def _send(self, request: RunRequest | CancelRequest) -> None:
        if self._process is not None and self._process.stdin is not None:
            # A dead child is noticed by `_listen`, which ends its jobs.
            with contextlib.suppress(ConnectionError, RuntimeError):
                self._process.stdin.write(request.model_dump_json().encode() + b"\n")

    async def cancel(self, job: Job) -> None:
        """Ask the child to stop `job`; replace the child if it does not answer."""
        self._send(CancelRequest(id=job.number))
        if job.numbers_in:
            # Its cross-check may wait behind another run: that is no sign of a stuck engine.
            self._jobs.pop(job.number, None)
            job.end()
            return
        try:
            await asyncio.wait_for(job.wait(), PATIENCE)
        except TimeoutError:
            await self._kill()

    async def _listen(
        self, process: asyncio.subprocess.Process, ready: asyncio.Future[Ready]
    ) -> None:
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                self._take(answers.validate_json(line), ready)
        except ValueError:
            # Not our protocol, or a line over the limit: this child cannot be trusted further.
            process.kill()
        status = await process.wait()
        await asyncio.sleep(0)  # lets `_drain` take the last words
        self._bury(process, ready, status)

    def _take(self, answer: Ready | Reported | Done, ready: asyncio.Future[Ready]) -> None:
        if isinstance(answer, Ready):
            if not ready.done():
                ready.set_result(answer)
        elif isinstance(answer, Reported):
            if (job := self._jobs.get(answer.id)) is not None:  # a stale id is dropped
                job.put(answer.report)
        elif (job := self._jobs.pop(answer.id, None)) is not None:
            job.end()

    def _bury(
        self, process: asyncio.subprocess.Process, ready: asyncio.Future[Ready], status: int
    ) -> None:
        text = _death(status)
        if not ready.done():
            ready.set_result(Ready(torch=None, problem=text.to("en")))
        if process is not self._process:
            return
        self._process = None
        jobs, self._jobs = list(self._jobs.values()), {}
        if status == LOST_DEVICE:
            # Another run has told what happened; those that had not begun begin anew.
            self._jobs = {job.number: job for job in jobs if not job.begun}
            self._keep(self._begin_anew())
        for job in jobs:
            if job.number in self._jobs:
                continue
            if status != LOST_DEVICE or not job.numbers_in:  # numbers without a check stay numbers
                failure = Failure(kind="crashed", text=text)
                job.put(Report(experiment=job.experiment, status="failed", failure=failure))
            job.end()

    async def _begin_anew(self) -> None:
        """A new child, which gets the runs that wait."""
        waiting = list(self._jobs.values())
        if self._closing:
            for job in waiting:
                job.end()
            return
        try:
            await self.start()
        except MachineError as error:
            failure = Failure(kind="crashed", text=Text.of(str(error)))
            for job in waiting:
                job.put(Report(experiment=job.experiment, status="failed", failure=failure))
                job.end()
            return
        for job in waiting:
            self._send(job.request)

    def _keep(self, work: Coroutine[None, None, None]) -> None:
        """Do `work` in a task that is remembered, and so neither lost nor left behind."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _drain(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(4096):
            self._stderr = (self._stderr + chunk)[-KEPT_STDERR:]

    async def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """End the child and everything that waits for it."""
        self._closing = True
        await self._kill()
        if self._process is not None:  # one was just being started in place of another
            await self._kill()


def _death(status: int) -> Text:
    if status == -signal.SIGKILL:
        return Text.of(
            {
                "en": "The lab's engine was killed, most likely for want of memory. "
                "It starts afresh with the next run.",
                "zh": "实验引擎被强行终止，多半是内存不足。下次运行时会重新启动。",
            }
        )
    how = f"signal {-status}" if status < 0 else f"status {status}"
    return Text.of(
        {
            "en": f"The lab's engine ended unexpectedly ({how}). "
            "It starts afresh with the next run.",
            "zh": f"实验引擎意外退出（{how}）。下次运行时会重新启动。",
        }
    )
