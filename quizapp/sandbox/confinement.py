"""What a worker gives up between the fork and the first line of foreign code.

In order: its session and terminal, its descriptors, its environment, its limits, its
capabilities, the file system (Landlock), and every system call not on the list (seccomp).
Each step is final: nothing that runs later can take it back. About two milliseconds.

Needs no root, no namespace and no package: the calls go through ctypes.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
import struct
import sys
from typing import Final, Literal, NamedTuple

from quizapp.sandbox.syscalls import Machine, machine

#: `strict`: the kernel refuses files, network, exec, and other processes.
#: `limits`: memory, time and output are bounded, nothing else.
Isolation = Literal["strict", "limits"]

CHANNEL: Final = 3  # the worker's descriptor for frames
#: Exit status of a worker whose channel was taken from it.
CHANNEL_LOST: Final = 71
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NAME, _PR_SET_NO_NEW_PRIVS = 1, 22, 15, 38
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446  # the same on every processor
_THREAD_FLAGS: Final = 0x100 | 0x800 | 0x10000  # CLONE_VM | CLONE_SIGHAND | CLONE_THREAD

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS, _ENOTTY = 1, 38, 25
_LOAD, _JEQ, _JGE, _RET, _AND = 0x20, 0x15, 0x35, 0x06, 0x54


class Limits(NamedTuple):
    """What one worker may use."""

    memory: int = 512 * 2**20  # bytes of address space beyond the warm process
    cpu: int = 60  # seconds of processor time in its whole life
    descriptors: int = 16


def available() -> Isolation:
    """What this system can give, without giving it."""
    return "strict" if sys.platform == "linux" and machine() is not None else "limits"


def detach(channel: int, output: int, null: int) -> None:
    """A session of its own; descriptors 0 to 3 and no others; an empty environment."""
    os.setsid()
    if sys.platform == "linux":
        _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    # Copies above the range first: the given numbers may lie inside it.
    above = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, CHANNEL + 1) for fd in (null, output, channel)]
    for target, fd in zip(
        (0, 1, 2, CHANNEL), (above[0], above[1], above[1], above[2]), strict=True
    ):
        os.dup2(fd, target, inheritable=False)
    os.closerange(CHANNEL + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.environ.clear()


def confine(limits: Limits) -> Isolation:
    """Give up everything else, and say what could be given up. Call it once, in a lone thread."""
    _bound(limits)
    table = machine()
    if sys.platform != "linux" or table is None:
        return "limits"
    libc = _libc()
    _drop_capabilities(libc)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return "limits"
    _deny_files(libc)
    return "strict" if _filter(libc, table) else "limits"


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _bound(limits: Limits) -> None:
    """Resource limits, hard and soft alike: memory counts from what the process has now."""
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_CPU, limits.cpu)
    _set(resource.RLIMIT_FSIZE, 0)
    _set(resource.RLIMIT_NOFILE, limits.descriptors)
    if (taken := _address_space()) is not None:
        _set(resource.RLIMIT_AS, taken + limits.memory)
    for name in ("RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE"):
        if (which := getattr(resource, name, None)) is not None:
            _set(which, 0)


def _set(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(which, (value, value))


def _address_space() -> int | None:
    """Bytes of address space in use; None where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - no pathlib after a fork
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return None


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Root without its powers is nobody."""
    header = struct.pack("=Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    libc.capset(header, bytes(24))


def _deny_files(libc: ctypes.CDLL) -> None:
    """Landlock, where the kernel has it: every kind of access handled, none allowed.

    A second lock behind the filter: it also holds if a path call ever slips through.
    """
    attributes = struct.pack("=Q", (1 << 13) - 1)  # the rights of its first version
    ruleset = libc.syscall(_LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset >= 0:
        libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _filter(libc: ctypes.CDLL, table: Machine) -> bool:
    code = program(table, os.getpid())
    packed = _Program(len(code) // 8, code)
    return bool(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(packed), 0, 0) == 0)


def program(table: Machine, pid: int) -> bytes:
    """The filter, as classic BPF: eight bytes an instruction (code, jump true, false, value)."""
    number, architecture, first = 0, 4, 16  # offsets in struct seccomp_data
    lines: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, architecture),
        (_JEQ, 1, 0, table.audit),
        (_RET, 0, 0, _KILL),
        (_LOAD, 0, 0, number),
        (_JGE, 0, 1, 0x40000000),  # the x32 calls share x86-64's architecture
        (_RET, 0, 0, _ERRNO | _EPERM),
    ]
    for call in sorted(table.allowed):
        lines += [(_JEQ, 0, 1, call), (_RET, 0, 0, _ALLOW)]
    lines += [(_JEQ, 0, 1, table.clone3), (_RET, 0, 0, _ERRNO | _ENOSYS)]
    lines += [(_JEQ, 0, 1, table.ioctl), (_RET, 0, 0, _ERRNO | _ENOTTY)]
    for call, wanted in ((table.tgkill, pid), (table.prctl, _PR_SET_NAME)):
        lines += [
            (_JEQ, 0, 4, call),
            (_LOAD, 0, 0, first),
            (_JEQ, 0, 1, wanted),
            (_RET, 0, 0, _ALLOW),
            (_RET, 0, 0, _ERRNO | _EPERM),
        ]
    lines += [
        (_JEQ, 0, 5, table.clone),
        (_LOAD, 0, 0, first),
        (_AND, 0, 0, _THREAD_FLAGS),
        (_JEQ, 0, 1, _THREAD_FLAGS),
        (_RET, 0, 0, _ALLOW),
        (_RET, 0, 0, _ERRNO | _EPERM),
        (_RET, 0, 0, _ERRNO | _EPERM),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
