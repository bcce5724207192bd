"""What `redis_lock` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric

METRICS = {
    "two_holders_ms": metric(
        "ms",
        both("two or more inside", "两者以上同时在内"),
        both(
            "time in which two or more clients believe they hold the lock",
            "有两个或更多客户端自认持锁的时间",
        ),
        low=0,
    ),
    "max_holders": metric(
        "count",
        both("most at once", "同时最多"),
        both("most clients that believe they hold the lock at once", "同时自认持锁的最多客户端数"),
        low=1,
        high=3,
    ),
    "lost_updates": metric(
        "count",
        both("lost updates", "丢失的更新"),
        both("accepted increments that the counter does not show", "被接受却未计入的加一次数"),
        low=0,
        high=3,
    ),
    "counter": metric(
        "count",
        both("counter at the end", "计数器终值"),
        both("value of the counter after all three clients", "三个客户端之后计数器的值"),
        low=0,
        high=3,
    ),
    "stale_writes_accepted": metric(
        "count",
        both("stale writes accepted", "被接受的过期写"),
        both(
            "writes accepted from a client after another one took the lock",
            "锁已被他人取得后仍被接受的写入次数",
        ),
        low=0,
        high=3,
    ),
    "stale_writes_rejected": metric(
        "count",
        both("stale writes rejected", "被拒绝的过期写"),
        both(
            "writes rejected from a client after another one took the lock",
            "锁已被他人取得后被拒绝的写入次数",
        ),
        low=0,
        high=3,
    ),
    "foreign_unlocks": metric(
        "count",
        both("others' locks deleted", "误删他人的锁"),
        both("unlocks that deleted another client's lock", "删掉他人锁的解锁次数"),
        low=0,
        high=3,
    ),
    "refused_unlocks": metric(
        "count",
        both("unlocks refused", "被拒的解锁"),
        both(
            "compare-and-delete calls that found it not their lock", "比较后发现不是自己的锁的次数"
        ),
        low=0,
        high=3,
    ),
    "lease_overrun_ms": metric(
        "ms",
        both("A past its lease", "A 超出租约"),
        both("time from the end of A's lease to A's write", "从 A 租约到期到 A 写入的时间"),
        low=0,
    ),
    "renewals": metric(
        "count",
        both("renewals", "续期次数"),
        both("leases extended by the watchdogs of all clients", "所有看门狗成功续期的次数"),
        low=0,
    ),
    "a_writes_ms": metric(
        "ms",
        both("A writes at", "A 写入时刻"),
        both("instant of A's write", "A 写入的时刻"),
        low=0,
    ),
    "b_enters_ms": metric(
        "ms",
        both("B has the lock at", "B 得锁时刻"),
        both("instant at which B gets the lock", "B 得到锁的时刻"),
        low=0,
    ),
    "c_enters_ms": metric(
        "ms",
        both("C has the lock at", "C 得锁时刻"),
        both("instant at which C gets the lock", "C 得到锁的时刻"),
        low=0,
    ),
}
