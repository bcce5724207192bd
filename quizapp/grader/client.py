"""The parent half of the grader: starts a judge, hands it tasks, outlives its end.

No torch and no pytest here. One judge takes one task at a time; several judges run side
by side for a batch.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Final

from quizapp.errors import MachineError
from quizapp.grader.wire import LINE_LIMIT, Grade, Ready, Task, answers
from quizapp.text import Text

COMMAND: Final = (sys.executable, "-m", "quizapp.grader.judge")
#: A grade may take this many of its calls' deadlines, and this long on top, before the judge
#: itself counts as stuck.
_CALLS: Final = 8
_PATIENCE: Final = 30.0
#: How much of a judge's standard error is kept for the report of its end.
_KEPT_STDERR: Final = 16 * 1024
#: A judge's memory grows a little with each grade; after this many it starts afresh.
GRADES_PER_JUDGE: Final = 500


class Judge:
    """One warm judge. Safe to use from one event loop."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = tuple(command)
        self._process: asyncio.subprocess.Process | None = None
        self._ready: Ready | None = None
        self._drain: asyncio.Task[None] | None = None
        self._stderr = b""
        self._graded = 0
        self._turn = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._process.pid if self._process is not None else None

    async def ready(self) -> Ready:
        """Start if needed, and wait until it can grade. Raises MachineError where it cannot."""
        async with self._turn:
            return await self._start()

    async def grade(self, task: Task) -> Grade:
        """The grade of one submission; `could_not_run` when the judge ends without one.

        Raises MachineError where no judge can be started.
        """
        async with self._turn:
            if self._graded >= GRADES_PER_JUDGE:
                await self._stop()
            await self._start()
            self._graded += 1
            try:
                async with asyncio.timeout(task.seconds * _CALLS + _PATIENCE):
                    answer = await self._ask(task)
            except TimeoutError:
                await self._stop()
                return self._lost(task, "the judge did not answer in time")
            if answer is None:
                await self._stop()
                return self._lost(task, f"the judge ended: {self._last_words()}")
            if answer.verdict == "could_not_run":
                await self._stop()
            return answer

    async def _start(self) -> Ready:
        if self._process is not None and self._process.returncode is None and self._ready:
            return self._ready
        await self._stop()
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LINE_LIMIT,
                env=dict(os.environ) | {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL")},
                # Ctrl+C in the terminal is for the front; the child ends with its stdin.
                start_new_session=True,
            )
        except OSError as error:
            raise MachineError(
                "the grader could not be started", where=self._command[0], remedy=str(error)
            ) from error
        self._process, self._stderr, self._graded = process, b"", 0
        self._drain = asyncio.create_task(self._read_stderr(process))
        answer = await self._read(process)
        if not isinstance(answer, Ready) or answer.isolation is None:
            problem = answer.problem if isinstance(answer, Ready) else self._last_words()
            await self._stop()
            raise MachineError("the grader could not be started", remedy=problem)
        self._ready = answer
        return answer

    async def _ask(self, task: Task) -> Grade | None:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):  # its end is noticed by the read
            process.stdin.write(task.model_dump_json().encode() + b"\n")
            await process.stdin.drain()
        answer = await self._read(process)
        return answer if isinstance(answer, Grade) and answer.id == task.id else None

    @staticmethod
    async def _read(process: asyncio.subprocess.Process) -> Ready | Grade | None:
        assert process.stdout is not None
        try:
            line = await process.stdout.readline()
            return answers.validate_json(line) if line else None
        except ValueError:  # not our protocol, or a line over the limit
            return None

    async def _read_stderr(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(4096):
            self._stderr = (self._stderr + chunk)[-_KEPT_STDERR:]

    def _last_words(self) -> str:
        lines = self._stderr.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "without a word"

    def _lost(self, task: Task, why: str) -> Grade:
        isolation = self._ready.isolation if self._ready is not None else None
        return Grade(
            id=task.id,
            verdict="could_not_run",
            kind=None,
            message=Text.of(why),
            seconds=0.0,
            isolation=isolation or "limits",
        )

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            assert process.stdin is not None
            process.stdin.close()
            await process.wait()
            with contextlib.suppress(ConnectionError):
                await process.stdin.wait_closed()
        if self._drain is not None:
            await self._drain
            self._drain = None

    async def close(self) -> None:
        """End the judge and everything it started."""
        async with self._turn:
            await self._stop()
