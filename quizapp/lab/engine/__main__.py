"""The engine's main loop: one run at a time, cancels seen between chunks of work."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from pydantic import BaseModel

from quizapp.lab.wire import (
    LOST_DEVICE,
    CancelRequest,
    Done,
    Ready,
    Reported,
    RunRequest,
    requests,
)
from quizapp.report import Report


class Channel:
    """The protocol's own descriptor: whatever else prints goes to standard error."""

    def __init__(self) -> None:
        self._out: BinaryIO = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        self._lock = threading.Lock()

    def send(self, message: BaseModel) -> None:
        line = message.model_dump_json().encode() + b"\n"
        with self._lock:
            self._out.write(line)
            self._out.flush()


class Inbox:
    """Requests read by a thread of its own, so that a cancel is seen while a run works."""

    def __init__(self) -> None:
        self.runs: queue.SimpleQueue[RunRequest] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin.buffer:
            request = requests.validate_json(line)
            if isinstance(request, CancelRequest):
                self._cancelled.add(request.id)
            else:
                self.runs.put(request)
        # The front is gone: nobody reads the result of whatever still runs.
        os._exit(0)

    def cancelled(self, run: int) -> bool:
        return run in self._cancelled

    def forget(self, run: int) -> None:
        self._cancelled.discard(run)


def _without_torch(problem: str, channel: Channel, inbox: Inbox) -> None:
    """Answers every run with what is missing, so that the front need not know two cases."""
    from quizapp.report import Failure, Report
    from quizapp.text import Text

    channel.send(Ready(torch=None, problem=problem))
    while True:
        request = inbox.runs.get()
        failure = Failure(kind="torch", text=Text.of(problem))
        report = Report(experiment=request.experiment, status="failed", failure=failure)
        channel.send(Reported(id=request.id, report=report))
        channel.send(Done(id=request.id))


def main() -> None:
    """Serve until standard input ends."""
    started = time.perf_counter()
    channel, inbox = Channel(), Inbox()
    os.nice(5)  # the screen comes first: starting torch keeps a core busy for seconds
    try:
        import torch

        from quizapp.lab.engine import warm
        from quizapp.lab.engine.devices import devices
    except (ImportError, OSError) as error:
        _without_torch(f"{type(error).__name__}: {error}", channel, inbox)
        return
    # Small tensors: two threads were measured five times slower on a busy two-core machine.
    torch.set_num_threads(1)
    warm.up()
    seconds = round(time.perf_counter() - started, 3)
    channel.send(Ready(torch=torch.__version__, devices=devices(), seconds=seconds))
    serve(channel, inbox)


def serve(channel: Channel, inbox: Inbox) -> None:
    """Run what is asked for; a cross-check waits while somebody waits for numbers."""
    from quizapp.lab.engine.runner import reports

    unchecked: deque[tuple[RunRequest, Iterator[Report]]] = deque()
    while True:
        if unchecked and inbox.runs.empty():
            request, stream = unchecked.popleft()
        else:
            request = inbox.runs.get()
            cancelled = partial(inbox.cancelled, request.id)
            stream = reports(
                request.experiment,
                request.params,
                request.device,
                tf32=request.tf32,
                own=request.own,
                cancelled=cancelled,
            )
        if _advance(request, stream, channel, inbox):
            unchecked.append((request, stream))


def _advance(request: RunRequest, stream: Iterator[Report], channel: Channel, inbox: Inbox) -> bool:
    """Send reports until the run ends; True when only its cross-check is left, and can wait.

    Does not return from a run that has lost its device: this process ends, and the front
    starts another for the runs that wait.
    """
    from quizapp.lab.engine.failures import is_lost
    from quizapp.lab.experiment import Cancelled

    stopped = lost = False
    try:
        for report in stream:
            lost = report.failure is not None and is_lost(report.failure)
            channel.send(Reported(id=request.id, report=report))
            if report.status == "final" and not report.cross_check and not inbox.runs.empty():
                return True
    except Cancelled:
        stopped = True
    channel.send(Done(id=request.id, cancelled=stopped))
    if lost:
        os._exit(LOST_DEVICE)  # no clean end: it would call the device once more
    inbox.forget(request.id)
    return False


if __name__ == "__main__":
    main()
