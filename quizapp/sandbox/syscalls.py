"""The system calls a worker may still make, by number, for the processors we know.

Numbers: Linux `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`.
What is absent is refused with EPERM: every call that takes a path, sockets, exec, ptrace,
other processes' memory, keys, namespaces, clocks, io_uring, bpf.
"""

from __future__ import annotations

import platform
from typing import Final, NamedTuple


class Machine(NamedTuple):
    """One processor's numbers."""

    audit: int  # AUDIT_ARCH_…: what the kernel reports for a native call
    allowed: tuple[int, ...]
    clone: int  # allowed for threads alone
    clone3: int  # its flags lie in memory a filter cannot read: glibc falls back to clone
    tgkill: int  # allowed towards oneself: abort() and raise()
    prctl: int  # allowed to name a thread
    ioctl: int  # answered "not a terminal"


_X86_64: Final = {
    "read": 0, "write": 1, "close": 3, "poll": 7, "lseek": 8, "mmap": 9, "mprotect": 10,
    "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15,
    "readv": 19, "writev": 20, "select": 23, "sched_yield": 24, "mremap": 25, "madvise": 28,
    "nanosleep": 35, "getpid": 39, "exit": 60, "gettimeofday": 96, "getrusage": 98,
    "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108,
    "getppid": 110, "sigaltstack": 131, "gettid": 186, "futex": 202, "sched_getaffinity": 204,
    "set_tid_address": 218, "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229,
    "clock_nanosleep": 230, "exit_group": 231, "pselect6": 270, "ppoll": 271,
    "set_robust_list": 273, "getcpu": 309, "getrandom": 318, "membarrier": 324, "rseq": 334,
}  # fmt: skip
_AARCH64: Final = {
    "close": 57, "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66,
    "pselect6": 72, "ppoll": 73, "exit": 93, "exit_group": 94, "set_tid_address": 96,
    "futex": 98, "set_robust_list": 99, "nanosleep": 101, "clock_gettime": 113,
    "clock_getres": 114, "clock_nanosleep": 115, "sched_getaffinity": 123, "sched_yield": 124,
    "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135,
    "rt_sigreturn": 139, "times": 153, "getrusage": 165, "getcpu": 168, "gettimeofday": 169,
    "getpid": 172, "getppid": 173, "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177,
    "gettid": 178, "sysinfo": 179, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222,
    "mprotect": 226, "madvise": 233, "getrandom": 278, "membarrier": 283, "rseq": 293,
}  # fmt: skip

MACHINES: Final = {
    "x86_64": Machine(0xC000003E, tuple(_X86_64.values()), 56, 435, 234, 157, 16),
    "aarch64": Machine(0xC00000B7, tuple(_AARCH64.values()), 220, 435, 131, 167, 29),
}


def machine() -> Machine | None:
    """This processor's table; None where there is none, and no filter can be set."""
    return MACHINES.get(platform.machine())
