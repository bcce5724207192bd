"""The engine's main loop: one run at a time, cancels seen between chunks of work."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from typing import BinaryIO

from pydantic import BaseModel

from quizapp.lab.wire import CancelRequest, Done, Ready, Reported, RunRequest, requests


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
        # Ids only grow, so an old cancel can never meet a new run.
        self._cancelled = {other for other in self._cancelled if other > run}


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
        from quizapp.lab.engine.runner import devices, reports
        from quizapp.lab.experiment import Cancelled
    except (ImportError, OSError) as error:
        _without_torch(f"{type(error).__name__}: {error}", channel, inbox)
        return
    # Small tensors: two threads were measured five times slower on a busy two-core machine.
    torch.set_num_threads(1)
    warm.up()
    seconds = round(time.perf_counter() - started, 3)
    channel.send(Ready(torch=torch.__version__, devices=devices(), seconds=seconds))
    while True:
        request = inbox.runs.get()
        stop = False
        try:
            for report in reports(
                request.experiment,
                request.params,
                request.device,
                cancelled=lambda run=request.id: inbox.cancelled(run),  # type: ignore[misc]
            ):
                channel.send(Reported(id=request.id, report=report))
        except Cancelled:
            stop = True
        channel.send(Done(id=request.id, cancelled=stop))
        inbox.forget(request.id)


if __name__ == "__main__":
    main()
