"""The caller's half: a zygote to ask for workers, and one object per worker. No torch here.

Everything a worker sends is checked; every wait has a deadline; a worker that ends is asked
how, through the zygote, whose child it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

from quizapp.errors import MachineError
from quizapp.sandbox.confinement import CHANNEL_LOST, Isolation, Limits
from quizapp.sandbox.wire import BODY_LIMIT, Frame, ProtocolError, decode, encode

#: Output kept for the learner, and the output at which a worker is ended.
OUTPUT_KEPT: Final = 64 * 1024
OUTPUT_LIMIT: Final = 16 * 1024 * 1024
#: After its end of file a worker gets this long to die by itself, or its status would be ours.
GRACE: Final = 0.25
_START_LIMIT: Final = 60.0


class Fault(Exception):  # noqa: N818 - the worker's, not ours
    """A worker did something else than answer: which kind, and the facts to word it from."""

    def __init__(self, kind: str, **facts: Any) -> None:
        super().__init__(kind, facts)
        self.kind, self.facts = kind, facts


class Zygote:
    """The warm process that workers are forked from. Not for use by several threads."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        # No thread pools: a fork would inherit their locks but not their threads.
        names = ("OMP", "MKL", "OPENBLAS")
        environment = dict(os.environ) | {f"{name}_NUM_THREADS": "1" for name in names}
        # Address space is what limits a worker's memory: threads must not reserve it in bulk.
        environment |= {"OMP_STACKSIZE": "512k", "MALLOC_ARENA_MAX": "1"}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "quizapp.sandbox.zygote", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=2,  # standard output may carry the caller's own protocol
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise MachineError("the sandbox could not be started", remedy=str(error)) from error
        theirs.close()
        ours.settimeout(_START_LIMIT)
        self._control = ours
        self.isolation: Isolation = self._line()["isolation"]

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def fork(self, limits: Limits = Limits()) -> Worker:  # noqa: B008 - a frozen tuple
        """A fresh worker. Raises MachineError when the zygote is gone."""
        channel, theirs = socket.socketpair()
        read, write = os.pipe()
        request = {"op": "fork", "memory": limits.memory, "cpu": limits.cpu}
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], [theirs.fileno(), write])
            pid = self._line()["pid"]
        except OSError as error:
            channel.close()
            os.close(read)
            raise MachineError("the sandbox has ended", remedy="start again") from error
        finally:
            theirs.close()
            os.close(write)
        return Worker(self, pid, channel, read)

    def end(self, pid: int, grace: float) -> dict[str, Any]:
        """How a worker ended, after at most `grace` seconds of waiting and a kill."""
        try:
            self._control.sendall(json.dumps({"op": "end", "pid": pid, "grace": grace}).encode())
            return self._line()
        except OSError as error:
            raise MachineError("the sandbox has ended", remedy="start again") from error

    def _line(self) -> dict[str, Any]:
        data = b""
        while not data.endswith(b"\n"):
            if not (chunk := self._control.recv(4096)):
                raise MachineError("the sandbox ended while it was asked", remedy="start again")
            data += chunk
        answer: dict[str, Any] = json.loads(data)
        return answer

    def close(self) -> None:
        """End it; its workers die with it."""
        self._control.close()
        self._process.kill()
        self._process.wait()


class Worker:
    """One confined process. `request` until it raises; then `end`."""

    def __init__(self, zygote: Zygote, pid: int, channel: socket.socket, output: int) -> None:
        self.pid = pid
        self.isolation: Isolation = zygote.isolation
        self._zygote, self._channel, self._pipe = zygote, channel, output
        channel.setblocking(False)
        os.set_blocking(output, False)
        self._kept = bytearray()
        self._written = 0
        self._ended: dict[str, Any] | None = None

    @property
    def ended(self) -> bool:
        """Whether it can answer no more."""
        return self._ended is not None

    @property
    def output(self) -> str:
        """What it printed, as far as it was kept; control characters are still in it."""
        with contextlib.suppress(Fault):  # a flood that has ended in time is only cut
            self._drain()
        return self._kept.decode(errors="replace")

    def request(self, header: Mapping[str, Any], body: bytes, seconds: float) -> Frame:
        """Its answer. Raises Fault, after which the worker has ended."""
        deadline = time.monotonic() + seconds
        number = secrets.randbits(53)
        try:
            self._send(encode({**header, "id": number}, body), deadline)
            frame = decode(lambda count: self._receive(count, deadline))
            if frame.header.get("id") != number:
                raise ProtocolError("an answer to another request")
        except ProtocolError as error:
            self.end()
            raise Fault("protocol", text=str(error)) from error
        except TimeoutError as error:
            self.end()
            raise Fault("timeout", seconds=seconds) from error
        except EOFError as error:
            raise self._death() from error
        except Fault:
            self.end()
            raise
        return frame

    def _send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            self._wait(deadline, write=True)
            try:
                view = view[self._channel.send(view) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise EOFError from error

    def _receive(self, count: int, deadline: float) -> bytes:
        assert count <= BODY_LIMIT
        parts = bytearray()
        while len(parts) < count:
            self._wait(deadline, write=False)
            try:
                chunk = self._channel.recv(min(count - len(parts), 1 << 20))
            except BlockingIOError:
                continue
            except OSError as error:
                raise EOFError from error
            if not chunk:
                raise EOFError
            parts += chunk
        return bytes(parts)

    def _wait(self, deadline: float, *, write: bool) -> None:
        """Until the channel is ready, reading what is printed meanwhile."""
        while True:
            poll = select.poll()
            poll.register(self._channel, select.POLLOUT if write else select.POLLIN)
            if self._pipe >= 0:
                poll.register(self._pipe, select.POLLIN)
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            ready = {fd for fd, _ in poll.poll(left * 1000)}
            if self._pipe in ready:
                self._drain()
            if self._channel.fileno() in ready:
                return

    def _drain(self) -> None:
        """Take what lies in the pipe. Raises Fault over the limit."""
        while self._pipe >= 0:
            try:
                chunk = os.read(self._pipe, 1 << 16)
            except BlockingIOError:
                return
            if not chunk:
                os.close(self._pipe)
                self._pipe = -1
                return
            self._written += len(chunk)
            self._kept += chunk[: OUTPUT_KEPT - len(self._kept)]
            if self._written > OUTPUT_LIMIT:
                raise Fault("output-flood", bytes=self._written)

    def _death(self) -> Fault:
        """Why the channel closed, from how the process ended."""
        ended = self.end(GRACE)
        if ended["killed"] or ended["status"] == CHANNEL_LOST:
            return Fault("protocol", text="it closed its channel")
        if ended["signal"] in {24, 9}:  # SIGXCPU; a kill that was not ours is the kernel's
            return Fault("timeout" if ended["signal"] == 24 else "memory")
        if ended["signal"] is not None:
            return Fault("crash", signal=ended["signal"])
        return Fault("exit", text=str(ended["status"]))

    def end(self, grace: float = 0.0) -> dict[str, Any]:
        """Make sure it has ended; how it did: status, signal, killed (by us), peak (bytes)."""
        if self._ended is None:
            self._channel.close()
            self._ended = self._zygote.end(self.pid, grace)
            with contextlib.suppress(Fault):
                self._drain()
            if self._pipe >= 0:
                os.close(self._pipe)
                self._pipe = -1
        return self._ended
