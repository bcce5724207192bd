"""Torch imported once, then a worker forked for each submission: milliseconds, not seconds.

    python -m quizapp.sandbox.zygote FD

FD is one end of a Unix socket pair. Each request is a line of JSON and is answered by one:

    {"op": "fork", "memory": …, "cpu": …} with two descriptors (channel, output)  → {"pid": …}
    {"op": "end", "pid": …, "grace": seconds}  → {"status": …, "signal": …, "peak": bytes}

It keeps no secret (no test, no reference, no seed), because a fork inherits everything.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
import time
from typing import Any, Final

from quizapp.sandbox.confinement import CHANNEL_LOST, Limits, available, confine, detach

MESSAGE_LIMIT: Final = 4096
_PAUSE: Final = 0.002


def serve(control: socket.socket, null: int) -> None:
    """Answer the caller until it is gone."""
    reply: dict[str, Any] = {"ready": True, "isolation": available()}
    while True:
        try:
            control.sendall(json.dumps(reply).encode() + b"\n")
            line, descriptors = _receive(control)
        except ConnectionError:
            return
        if not line:
            return
        request = json.loads(line)
        if request["op"] == "fork":
            reply = _fork(control, null, Limits(request["memory"], request["cpu"]), descriptors)
        else:
            reply = _end(request["pid"], request["grace"])


def _receive(control: socket.socket) -> tuple[bytes, list[int]]:
    line, descriptors, _, _ = socket.recv_fds(control, MESSAGE_LIMIT, 2)
    return line, descriptors


def _fork(
    control: socket.socket, null: int, limits: Limits, descriptors: list[int]
) -> dict[str, Any]:
    channel, output = descriptors
    pid = os.fork()
    if pid == 0:
        try:
            control.detach()  # its number is closed below; the object must not close another's
            _become_worker(channel, output, null, limits)
        finally:
            os._exit(70)  # only an error of ours leads here
    os.close(channel)
    os.close(output)
    return {"pid": pid}


def _become_worker(channel: int, output: int, null: int, limits: Limits) -> None:
    from quizapp.sandbox.worker import Worker

    detach(channel, output, null)
    worker = Worker(confine(limits))
    try:
        worker.serve()
    except OSError:  # the submission closed the channel
        os._exit(CHANNEL_LOST)
    os._exit(0)


def _end(pid: int, grace: float) -> dict[str, Any]:
    """Wait up to `grace` seconds for its own end, else kill it; either way say how it ended."""
    until = time.monotonic() + grace
    killed = False
    while True:
        found, status, usage = os.wait4(pid, os.WNOHANG)
        if found:
            break
        if not killed and time.monotonic() >= until:
            os.kill(pid, signal.SIGKILL)
            killed = True
        time.sleep(_PAUSE)
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "killed": killed,
        "peak": usage.ru_maxrss * unit,
    }


def main() -> None:
    """Warm everything up, then fork on request."""
    control = socket.socket(fileno=int(sys.argv[1]))
    null = os.open(os.devnull, os.O_RDONLY)
    from quizapp.sandbox import warm

    warm.up()
    # What is alive now stays alive: the collector in a worker need not touch its pages.
    gc.collect()
    gc.freeze()
    serve(control, null)


if __name__ == "__main__":
    main()
