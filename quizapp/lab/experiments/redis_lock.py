"""A lease is not a lock: a client that pauses past its TTL writes beside the next holder.

    SET lock token NX PX ttl      the lease; it ends at its time, whatever its owner does
    two holders                   when work + pause > ttl, or when a failover loses the key
    fencing                       the store refuses a token below the newest it has seen

Three clients on a fake clock, times in ms. A works, pauses just before its write, wakes,
writes and unlocks at once; B and C wait their turn. Each reads a counter on entering and
writes what it read plus 1 on leaving. A failover comes 1 ms after A got the lock. Reads
show the store their token too. Nothing here is random: the seed changes nothing.

Redis documentation, "Distributed Locks with Redis"; Kleppmann 2016, "How to do
distributed locking".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, param
from quizapp.lab.wording import redis_lock as wording

if TYPE_CHECKING:
    from quizapp.lab.maths.lock import Plan, World

CLAIM = {
    "en": "a lock with a TTL can have two holders: what a token, a watchdog and fencing change",
    "zh": "带 TTL 的锁可能同时有两个持有者：token、看门狗与 fencing 各改变什么",
}


class Params(BaseParams):
    """The times, and the precautions taken."""

    ttl_ms: int = param(
        10_000, low=100, high=60_000, step="double", en="lease, ms", zh="租约（ms）"
    )
    work_ms: int = param(
        2_000,
        low=10,
        high=60_000,
        step="double",
        en="A's work before its pause, ms",
        zh="A 停顿前的工作（ms）",
    )
    pause_ms: int = param(
        12_000, low=0, high=120_000, step="double", en="A's pause, ms", zh="A 的停顿（ms）"
    )
    other_work_ms: int = param(
        8_000,
        low=10,
        high=60_000,
        step="double",
        en="work of B and of C, ms",
        zh="B、C 各自的工作（ms）",
    )
    retry_ms: int = param(
        100,
        low=10,
        high=5_000,
        step="double",
        en="B and C try again after, ms",
        zh="B、C 重试间隔（ms）",
    )
    unlock: Literal["compare", "del"] = param(
        "compare",
        en="compare the token before deleting, or plain DEL",
        zh="先比较 token 再删除，或直接 DEL",
    )
    fencing: Literal["no", "yes"] = param(
        "no", en="the store refuses old tokens", zh="存储端拒绝旧 token"
    )
    token_source: Literal["redis", "separate"] = param(
        "redis",
        en="who counts fencing tokens: this Redis, or a store that survives it",
        zh="fencing token 由谁计数：这台 Redis，或不受其宕机影响的服务",
    )
    watchdog: Literal["no", "yes"] = param("no", en="renew the lease", zh="自动续期")
    renew_ms: int = param(
        3_000,
        low=10,
        high=60_000,
        step="double",
        en="the watchdog renews every, ms",
        zh="看门狗续期间隔（ms）",
    )
    pause_stops: Literal["process", "thread"] = param(
        "process",
        en="what A's pause stops: all of it, or not its watchdog",
        zh="A 的停顿停住什么：整个进程，或只停工作线程",
    )
    failover: Literal["no", "yes"] = param(
        "no", en="the master dies 1 ms after A got the lock", zh="A 得锁 1 ms 后主节点宕机"
    )
    replication: Literal["async", "sync"] = param(
        "async", en="whether the replica has A's key by then", zh="届时副本是否已有 A 的键"
    )


METRICS = wording.METRICS
PLOTS = ("holders",)


def run(params: Params, ctx: Context) -> Run:
    """Play the scenario to its end; there is nothing to show before."""
    from quizapp.lab.maths.lock import World
    from quizapp.lab.pictures import lock as words

    ctx.checkpoint()
    world = World(_plan(params)).run(ctx.checkpoint)
    metrics = _metrics(world)
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=words.summary(world, metrics),
        tables=[words.timeline(world)],
        curves=[words.holders(world)],
        trace=words.steps(world),
    )


def _plan(params: Params) -> Plan:
    from quizapp.lab.maths.lock import Plan

    return Plan(
        ttl_ms=params.ttl_ms,
        work_ms=params.work_ms,
        pause_ms=params.pause_ms,
        other_work_ms=params.other_work_ms,
        retry_ms=params.retry_ms,
        renew_ms=params.renew_ms,
        compare_on_unlock=params.unlock == "compare",
        fencing=params.fencing == "yes",
        watchdog=params.watchdog == "yes",
        watchdog_survives_pause=params.pause_stops == "thread",
        failover=params.failover == "yes",
        replicated=params.replication == "sync",
        tokens_in_redis=params.token_source == "redis",
    )


def _metrics(world: World) -> dict[str, Measured]:
    a, b, c = world.clients
    together, most = _overlap(world)
    assert a.left is not None  # the queue ran dry, so everybody came and went
    assert b.entered is not None
    assert c.entered is not None
    return {
        "two_holders_ms": float(together),
        "max_holders": float(most),
        "lost_updates": float(world.accepted - world.store.value),
        "counter": float(world.store.value),
        "stale_writes_accepted": float(world.stale_accepted),
        "stale_writes_rejected": float(world.stale_rejected),
        "foreign_unlocks": float(world.foreign_unlocks),
        "refused_unlocks": float(world.refused_unlocks),
        "lease_overrun_ms": float(max(0, a.left - a.lease_end)),
        "renewals": float(world.renewals),
        "a_writes_ms": float(a.left),
        "b_enters_ms": float(b.entered),
        "c_enters_ms": float(c.entered),
    }


def _overlap(world: World) -> tuple[int, int]:
    """Time with two or more inside, and the most at once, by walking the comings and goings."""
    together = inside = most = since = 0
    for time, change in sorted(_changes(world)):  # at one instant, leaving comes first
        together += (time - since) * (inside >= 2)
        inside, since = inside + change, time
        most = max(most, inside)
    return together, most


def _changes(world: World) -> Iterator[tuple[int, int]]:
    for client in world.clients:
        if client.entered is not None and client.left is not None:
            yield client.entered, 1
            yield client.left, -1


METHOD = {
    "en": "intervals in closed form: who frees the lock when, without a clock",
    "zh": "闭式区间推算：谁在何时释放锁，不用时钟",
}


def check(params: Params, ctx: Context) -> Reference:
    """The same story from inequalities between interval ends; ctx is not needed."""
    from quizapp.lab.second_way.lock import story

    ctx.checkpoint()
    return story(params)
