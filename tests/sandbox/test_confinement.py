"""The filter, read as the kernel reads it, for both processors."""

from __future__ import annotations

import struct

import pytest

from quizapp.sandbox.confinement import program
from quizapp.sandbox.syscalls import MACHINES, Machine

ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
EPERM, ENOSYS, ENOTTY = 1, 38, 25
PID = 4242


def verdict(table: Machine, number: int, first: int = 0, audit: int | None = None) -> int:
    """Run the filter on one call: classic BPF, as much of it as the filter uses."""
    data = struct.pack("<IIQ6Q", number, audit or table.audit, 0, first, *(0,) * 5)
    code = program(table, PID)
    lines = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at, accumulator = 0, 0
    while True:
        operation, yes, no, value = lines[at]
        at += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == 0x54:
            accumulator &= value
        elif operation == 0x15:
            at += yes if accumulator == value else no
        elif operation == 0x35:
            at += yes if accumulator >= value else no
        else:
            assert operation == 0x06
            return int(value)


@pytest.fixture(params=list(MACHINES), ids=list(MACHINES))
def table(request: pytest.FixtureRequest) -> Machine:
    return MACHINES[request.param]


def test_what_is_listed_is_allowed_and_all_else_refused(table: Machine) -> None:
    special = {table.clone, table.clone3, table.tgkill, table.prctl, table.ioctl}
    for number in set(range(600)) - special:
        expected = ALLOW if number in table.allowed else ERRNO | EPERM
        assert verdict(table, number) == expected, number


def test_another_architecture_is_killed_and_x32_refused(table: Machine) -> None:
    other = next(m.audit for m in MACHINES.values() if m.audit != table.audit)
    assert verdict(table, table.allowed[0], audit=other) == KILL
    assert verdict(table, 0x40000000 | table.allowed[0]) == ERRNO | EPERM


def test_clone_makes_threads_only(table: Machine) -> None:
    thread = 0x3D0F00  # what glibc's pthread_create passes
    fork = 0x01200011
    vfork = 0x4111  # CLONE_VM | CLONE_VFORK | SIGCHLD
    assert verdict(table, table.clone, thread) == ALLOW
    assert verdict(table, table.clone, fork) == ERRNO | EPERM
    assert verdict(table, table.clone, vfork) == ERRNO | EPERM
    assert verdict(table, table.clone3) == ERRNO | ENOSYS


def test_a_worker_may_signal_itself_and_name_its_threads(table: Machine) -> None:
    assert verdict(table, table.tgkill, PID) == ALLOW
    assert verdict(table, table.tgkill, 1) == ERRNO | EPERM
    assert verdict(table, table.prctl, 15) == ALLOW
    assert verdict(table, table.prctl, 22) == ERRNO | EPERM
    assert verdict(table, table.ioctl) == ERRNO | ENOTTY
