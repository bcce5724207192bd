"""The lock's story in words: each event, the timeline and who was inside when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from quizapp.lab.experiment import Measured
from quizapp.lab.maths.lock import Event, World
from quizapp.report import Curve, Row, Series, Step, Table
from quizapp.text import Text

#: Event kind → English and Chinese; braces are filled from the event's values.
KINDS = {
    "acquired": (
        "SET lock {who} NX PX {ttl}: OK, token {token}; reads {read}",
        "SET lock {who} NX PX {ttl}：成功，token {token}；读到 {read}",
    ),
    "refused": (
        "SET … NX: refused, {holder} holds it; tries again every {retry} ms",
        "SET … NX：被拒，{holder} 持有；每 {retry} ms 重试",
    ),
    "paused": ("pauses for {pause} ms, just before its write", "写入之前停顿 {pause} ms"),
    "renewed": ("watchdog: lease again {ttl} ms", "看门狗：租约续为 {ttl} ms"),
    "wrote": ("writes {value}", "写入 {value}"),
    "wrote_stale": (
        "writes {value}, though another client took the lock since: accepted",
        "写入 {value}，其间锁已被他人取得：仍被接受",
    ),
    "fenced": (
        "writes {value} with token {token}: rejected, {newest} was seen",
        "带 token {token} 写入 {value}：被拒，已见过 {newest}",
    ),
    "unlocked": ("unlocks", "解锁"),
    "unlocked_nothing": ("DEL: there is no lock", "DEL：锁已不存在"),
    "unlocked_foreign": ("DEL: deletes the lock of {holder}", "DEL：删掉了 {holder} 的锁"),
    "unlock_refused": (
        "compare-and-delete: not its lock any more, nothing deleted",
        "比较后删除：已不是自己的锁，不删除",
    ),
    "failover_lost": (
        "master dies; the replica has not seen A's key",
        "主节点宕机；副本上没有 A 的键",
    ),
    "failover_kept": ("master dies; the replica has A's key", "主节点宕机；副本上有 A 的键"),
}
#: Renewals told of each client: the rest say the same.
SHOWN_RENEWALS = 2
POINTS = 200


def said(event: Event) -> Text:
    """One event as a sentence."""
    en, zh = (words.format(who=event.who, **event.values) for words in KINDS[event.kind])
    return Text.of({"en": en, "zh": zh})


def summary(world: World, metrics: Mapping[str, Measured]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    together, lost = metrics["two_holders_ms"], metrics["lost_updates"]
    refused = metrics["stale_writes_rejected"]
    return {
        "en": f"two or more clients were inside for {together:.0f} ms; of {world.accepted} "
        f"accepted increments {lost:.0f} got lost, and {refused:.0f} stale writes were refused",
        "zh": f"两个或更多客户端同时在内共 {together:.0f} ms；接受了 {world.accepted} 次加一，丢失 "
        f"{lost:.0f} 次，拒绝了 {refused:.0f} 次过期写",
    }


def _shown(world: World) -> list[Event]:
    """All events but the later renewals of each client."""
    renewals: Counter[str] = Counter()
    shown = []
    for event in world.events:
        renewals[event.who] += event.kind == "renewed"
        if event.kind != "renewed" or renewals[event.who] <= SHOWN_RENEWALS:
            shown.append(event)
    return shown


def steps(world: World) -> list[Step]:
    """The story event by event."""
    return [
        Step(title=Text.of(f"{event.time} ms, {event.who}"), note=said(event))
        for event in _shown(world)
    ]


def timeline(world: World) -> Table:
    """Time, who, what."""
    return Table(
        id="timeline",
        title=Text.of({"en": "what happened", "zh": "经过"}),
        columns=(
            Text.of({"en": "who", "zh": "谁"}),
            Text.of({"en": "event", "zh": "事件"}),
        ),
        rows=tuple(
            Row(label=Text.of(f"{event.time} ms"), cells=(Text.of(event.who), said(event)))
            for event in _shown(world)
        ),
    )


def holders(world: World) -> Curve:
    """How many clients believe they hold the lock, over time."""
    spans = [(c.entered, c.left) for c in world.clients]
    end = max(left for _, left in spans if left is not None)
    times = [end * i / (POINTS - 1) for i in range(POINTS)]
    counts = [
        float(sum(a is not None and b is not None and a <= t < b for a, b in spans)) for t in times
    ]
    return Curve(
        id="holders",
        title=Text.of({"en": "clients that believe they hold the lock", "zh": "自认持锁的客户端"}),
        x_label=Text.of({"en": "time, s", "zh": "时间（秒）"}),
        y_label=Text.of({"en": "clients", "zh": "客户端数"}),
        x=tuple(t / 1000 for t in times),
        series=(Series(name=Text.of({"en": "inside", "zh": "在临界区内"}), values=tuple(counts)),),
    )
