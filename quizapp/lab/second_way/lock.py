"""The lock's story a second way, for the cross-check: interval ends in closed form, no clock.

A holds from 0, B from the first retry after A's lock is free, C likewise after B. What
frees a lock: its own unlock, the end of its lease, a failover, or another client's DEL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from quizapp.lab.experiments.redis_lock import Params


def story(params: Params) -> dict[str, float]:
    """The metrics of `redis_lock` by name, all but `renewals`."""
    lost = params.failover == "yes" and params.replication == "async"
    ends = [params.work_ms + params.pause_ms, 0, 0]  # when each writes and unlocks
    starts = [0, 0, 0]
    leases = [_lease_end(params, 0, ends[0], first=True), 0, 0]
    freed = [1 if lost else min(ends[0], leases[0]), 0, 0]
    foreign = 0
    for i in (1, 2):
        starts[i] = -(-max(freed[i - 1], 1) // params.retry_ms) * params.retry_ms
        ends[i] = starts[i] + params.other_work_ms
        leases[i] = _lease_end(params, starts[i], ends[i], first=False)
        freed[i] = min(ends[i], leases[i])
        if params.unlock == "del":
            # An earlier client's DEL strikes this lock if it comes while the lock is held.
            struck = [e for e in ends[:i] if starts[i] < e <= ends[i] and e < leases[i]]
            foreign += bool(struck)
            freed[i] = min([freed[i], *struck])
    begun, done = np.array(starts), np.array(ends)
    counts = _replay(params, begun, done, lost=lost)
    together, most = _overlap(begun, done)
    own = [not lost and ends[0] < leases[0], ends[1] < leases[1], ends[2] < leases[2]]
    return {
        "two_holders_ms": together,
        "max_holders": most,
        **counts,
        "foreign_unlocks": float(foreign),
        "refused_unlocks": float(own.count(False)) if params.unlock == "compare" else 0.0,
        "lease_overrun_ms": float(max(0, ends[0] - _believed_lease(params, leases[0], lost=lost))),
        "a_writes_ms": float(ends[0]),
        "b_enters_ms": float(starts[1]),
        "c_enters_ms": float(starts[2]),
    }


def _lease_end(params: Params, start: int, end: int, *, first: bool) -> int:
    """When the lease runs out: ttl after its last renewal. A renewal at `end` comes too late."""
    if params.watchdog == "no" or params.renew_ms >= params.ttl_ms:
        return start + params.ttl_ms
    last = end - start - 1
    if first and params.pause_stops == "process":
        last = min(last, params.work_ms)
    return start + last // params.renew_ms * params.renew_ms + params.ttl_ms


def _believed_lease(params: Params, lease: int, *, lost: bool) -> int:
    """The end of A's lease as A knows it: no renewal succeeds once a failover lost the key."""
    return params.ttl_ms if lost else lease


def _replay(params: Params, begun: np.ndarray, done: np.ndarray, *, lost: bool) -> dict[str, float]:
    """Reads and writes in order of time; at one instant writes come first."""
    tokens = [1, 1, 2] if lost and params.token_source == "redis" else [1, 2, 3]
    times = np.concatenate([done, begun])
    reads = np.repeat([False, True], 3)
    value = newest = accepted = 0
    stale_writes = {True: 0, False: 0}
    seen = [0, 0, 0]
    for i in np.lexsort((np.tile(np.arange(3), 2), reads, times)):
        client = int(i) % 3
        if not reads[i] and tokens[client] < newest and params.fencing == "yes":
            taken = False
        elif reads[i]:
            seen[client], newest = value, max(newest, tokens[client])
            continue
        else:
            taken, value, newest = True, seen[client] + 1, max(newest, tokens[client])
        accepted += taken
        later = (begun > begun[client]) & (begun < done[client])
        stale_writes[taken] += bool(later.any())
    return {
        "lost_updates": float(accepted - value),
        "counter": float(value),
        "stale_writes_accepted": float(stale_writes[True]),
        "stale_writes_rejected": float(stale_writes[False]),
    }


def _overlap(begun: np.ndarray, done: np.ndarray) -> tuple[float, float]:
    """Length on which two or more intervals lie, and the most at one point."""
    cuts = np.unique(np.concatenate([begun, done]))
    middles = (cuts[:-1] + cuts[1:]) / 2
    inside = ((begun <= middles[:, None]) & (middles[:, None] < done)).sum(-1)
    return float(np.diff(cuts)[inside >= 2].sum()), float(inside.max())
