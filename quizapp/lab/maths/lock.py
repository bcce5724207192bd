"""One Redis, its replica, a guarded store and three clients on a fake clock.

A takes the lock at 0, works, pauses, then writes and unlocks at once. B, and C behind
it, try for the lock every `retry_ms` until they have it, work, write and unlock. Each
adds 1 to a counter: it reads on entering and writes what it read plus 1 on leaving.

At one instant a crash comes first, then writes and unlocks, then renewals, then attempts.
All times in ms.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

#: The master dies this long after it granted A the lock.
CRASH_MS = 1
CRASH, FINISH, RENEW, ATTEMPT = range(4)


@dataclass(frozen=True)
class Plan:
    """One scenario. lost: the crash takes A's key with it (and the token, if Redis counts them)."""

    ttl_ms: int
    work_ms: int
    pause_ms: int
    other_work_ms: int
    retry_ms: int
    renew_ms: int
    compare_on_unlock: bool
    fencing: bool
    watchdog: bool
    watchdog_survives_pause: bool
    failover: bool
    replicated: bool
    tokens_in_redis: bool


@dataclass(frozen=True)
class Event:
    """Something that happened. kind is a key of `quizapp.lab.pictures.lock.KINDS`."""

    time: int
    who: str
    kind: str
    values: dict[str, Any]


@dataclass
class Server:
    """The lock key: SET NX PX, compare-and-expire, DEL and compare-and-delete."""

    owner: str | None = None
    expires: int = 0
    granted: int = 0  # the last fencing token

    def holder(self, now: int) -> str | None:
        """Whose lock it is; a key whose time has come is gone."""
        return self.owner if now < self.expires else None

    def set_nx_px(self, who: str, now: int, ttl: int) -> int | None:
        """The fencing token, or None where somebody holds the lock."""
        if self.holder(now) is not None:
            return None
        self.owner, self.expires = who, now + ttl
        self.granted += 1
        return self.granted

    def renew(self, who: str, now: int, ttl: int) -> bool:
        """Extend the lease of `who` alone."""
        if self.holder(now) != who:
            return False
        self.expires = now + ttl
        return True

    def delete(self) -> None:
        """DEL: whoever's lock it is."""
        self.owner = None


@dataclass
class Store:
    """The data behind the lock. With fencing it refuses a token older than one it has seen."""

    fencing: bool
    value: int = 0
    newest: int = 0

    def read(self, token: int) -> int:
        """The value; a read shows the store its token too."""
        self.newest = max(self.newest, token)
        return self.value

    def write(self, token: int, value: int) -> bool:
        """Whether the write was taken."""
        if self.fencing and token < self.newest:
            return False
        self.newest = max(self.newest, token)
        self.value = value
        return True


@dataclass
class Client:
    """One contender; entered and left bound the time it believes it holds the lock."""

    name: str
    duration: int
    entered: int | None = None
    left: int | None = None
    token: int = 0
    read: int = 0
    lease_end: int = 0


@dataclass
class World:
    """Everything at one instant, and what happened so far."""

    plan: Plan
    server: Server = field(default_factory=Server)
    events: list[Event] = field(default_factory=list)
    accepted: int = 0
    stale_accepted: int = 0
    stale_rejected: int = 0
    foreign_unlocks: int = 0
    refused_unlocks: int = 0
    renewals: int = 0

    def __post_init__(self) -> None:
        plan = self.plan
        self.store = Store(plan.fencing)
        self.clients = [
            Client("A", plan.work_ms + plan.pause_ms),
            Client("B", plan.other_work_ms),
            Client("C", plan.other_work_ms),
        ]
        self._queue: list[tuple[int, int, int, Callable[[int], None]]] = []
        self._scheduled = 0

    def at(self, time: int, rank: int, action: Callable[[int], None]) -> None:
        """Schedule; ties go by rank, then by who asked first."""
        self._scheduled += 1
        heapq.heappush(self._queue, (time, rank, self._scheduled, action))

    def run(self, between: Callable[[], None] = lambda: None) -> World:
        """Play every event; calls `between` every thousand of them."""
        a, *others = self.clients
        self._attempt(a, 0)
        if self.plan.failover:
            self.at(CRASH_MS, CRASH, self._crash)
        if self.plan.pause_ms:
            self._tell(self.plan.work_ms, "A", "paused", pause=self.plan.pause_ms)
        for client in others:
            self.at(self.plan.retry_ms, ATTEMPT, partial(self._attempt, client))
        count = 0
        while self._queue:
            if count % 1000 == 0:
                between()
            count += 1
            now, _, _, action = heapq.heappop(self._queue)
            action(now)
        self.events.sort(key=lambda event: event.time)
        return self

    def _tell(self, time: int, who: str, kind: str, **values: Any) -> None:
        self.events.append(Event(time, who, kind, values))

    def _crash(self, now: int) -> None:
        plan = self.plan
        if not plan.replicated:
            kept = 0 if plan.tokens_in_redis else self.server.granted
            self.server = Server(granted=kept)
        self._tell(now, "Redis", "failover_kept" if plan.replicated else "failover_lost")

    def _attempt(self, client: Client, now: int) -> None:
        plan = self.plan
        holder = self.server.holder(now)
        token = self.server.set_nx_px(client.name, now, plan.ttl_ms)
        if token is None:
            if now == plan.retry_ms:  # the first of many refusals
                self._tell(now, client.name, "refused", holder=holder, retry=plan.retry_ms)
            self.at(now + plan.retry_ms, ATTEMPT, partial(self._attempt, client))
            return
        client.entered, client.token = now, token
        client.read = self.store.read(token)
        client.lease_end = now + plan.ttl_ms
        self._tell(now, client.name, "acquired", ttl=plan.ttl_ms, token=token, read=client.read)
        self.at(now + client.duration, FINISH, partial(self._finish, client))
        if plan.watchdog:
            self.at(now + plan.renew_ms, RENEW, partial(self._renew, client))

    def _renew(self, client: Client, now: int) -> None:
        plan = self.plan
        if client.left is not None:
            return
        self.at(now + plan.renew_ms, RENEW, partial(self._renew, client))
        paused = client.name == "A" and now > plan.work_ms
        if paused and not plan.watchdog_survives_pause:
            return
        if self.server.renew(client.name, now, plan.ttl_ms):
            self.renewals += 1
            client.lease_end = now + plan.ttl_ms
            self._tell(now, client.name, "renewed", ttl=plan.ttl_ms)

    def _finish(self, client: Client, now: int) -> None:
        client.left = now
        stale = any(
            other.entered is not None and other.entered > (client.entered or 0)
            for other in self.clients
        )
        taken = self.store.write(client.token, client.read + 1)
        self.accepted += taken
        self.stale_accepted += taken and stale
        self.stale_rejected += stale and not taken
        kind = f"wrote{'_stale' if stale else ''}" if taken else "fenced"
        newest = self.store.newest
        self._tell(now, client.name, kind, value=client.read + 1, token=client.token, newest=newest)
        self._unlock(client, now)

    def _unlock(self, client: Client, now: int) -> None:
        holder = self.server.holder(now)
        mine = holder == client.name
        if self.plan.compare_on_unlock and not mine:
            self.refused_unlocks += 1
            self._tell(now, client.name, "unlock_refused", holder=holder)
            return
        self.server.delete()
        if mine or holder is None:
            self._tell(now, client.name, "unlocked" if mine else "unlocked_nothing")
        else:
            self.foreign_unlocks += 1
            self._tell(now, client.name, "unlocked_foreign", holder=holder)
