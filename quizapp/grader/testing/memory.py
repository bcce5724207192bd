"""Memory: what a call may not hold, by the kernel's own count and not by the submission's word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from quizapp.grader.testing.calling import Submission
from quizapp.grader.testing.mismatch import Mismatch

_MIB: Final = 2**20


def stays_small(
    submission: Submission,
    small: Sequence[Any],
    large: Sequence[Any],
    *,
    mib: int,
    headroom_mib: int,
) -> None:
    """Raise Mismatch where the call `large` holds more than `mib` MiB beyond the call `small`.

    small, large: the arguments of each. headroom_mib: address space that the worker has for
    the large one; a single tensor beyond it fails in there, as the fault `memory`, before it
    can be filled. Each call has a worker of its own and is forgotten: the diagnosis, which
    runs every mistake on every call, need not repeat large ones.
    """
    idle = _peak(submission, small, headroom_mib)
    beyond = (_peak(submission, large, headroom_mib) - idle) / _MIB
    if beyond > mib:
        raise Mismatch(
            "wrong",
            en=f"the call held {beyond:.0f} MiB at its peak, and may hold {mib}",
            zh=f"调用的峰值内存为 {beyond:.0f} MiB，上限是 {mib} MiB",
        )


def _peak(submission: Submission, arguments: Sequence[Any], headroom_mib: int) -> int:
    """Bytes held at most by a worker that makes this one call."""
    apart = submission.fresh(memory_mib=headroom_mib)
    peak = 0
    try:
        apart(*arguments)
    finally:
        peak = apart.peak_bytes()  # ends the worker, whatever came of the call
    return peak
