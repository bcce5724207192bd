"""The simulated lock: pauses, failovers and precautions, against closed-form intervals."""

from __future__ import annotations

import random
from typing import Any

import pytest

from quizapp.lab.context import RunContext
from quizapp.lab.experiments import redis_lock
from quizapp.report import Report


def context(params: redis_lock.Params) -> RunContext:
    return RunContext("redis_lock", redis_lock.METRICS, params, "cpu")


def report(**settings: Any) -> Report:
    params = redis_lock.Params(**settings)
    return list(redis_lock.run(params, context(params)))[-1]


def values(**settings: Any) -> dict[str, float]:
    return {name: metric.scalar() for name, metric in report(**settings).metrics.items()}


def test_a_pause_past_the_ttl_makes_two_holders_and_loses_an_update() -> None:
    found = values()
    assert found["b_enters_ms"] == 10_000  # the instant A's lease ends
    assert found["two_holders_ms"] == 4_000  # until A writes at 2,000 + 12,000
    assert found["stale_writes_accepted"] == 1
    assert found["lost_updates"] == 1
    assert found["counter"] == 2


def test_a_short_pause_harms_nobody() -> None:
    found = values(pause_ms=7_999)
    assert found["two_holders_ms"] == 0
    assert found["max_holders"] == 1
    assert found["counter"] == 3
    assert found["refused_unlocks"] == 0


def test_a_longer_ttl_covers_the_pause_and_delays_everybody_after_a_crash() -> None:
    assert values(ttl_ms=15_000)["two_holders_ms"] == 0
    # a client that never wakes in time: the next one waits for the whole lease
    assert values(ttl_ms=60_000, pause_ms=120_000)["b_enters_ms"] == 60_000


def test_fencing_refuses_the_stale_write_but_not_the_second_holder() -> None:
    found = values(fencing="yes")
    assert found["stale_writes_rejected"] == 1
    assert found["stale_writes_accepted"] == 0
    assert found["lost_updates"] == 0
    assert found["two_holders_ms"] == 4_000


def test_del_without_a_token_deletes_the_next_holder_s_lock() -> None:
    plain, compared = values(unlock="del"), values(unlock="compare")
    assert plain["foreign_unlocks"] == 2  # A deletes B's lock, and B then C's
    assert plain["c_enters_ms"] == 14_000
    assert compared["foreign_unlocks"] == 0
    assert compared["refused_unlocks"] == 1
    assert compared["c_enters_ms"] == 18_000
    assert compared["two_holders_ms"] == 4_000  # comparing does not keep the lease


def test_a_watchdog_helps_only_while_it_runs() -> None:
    stopped = values(watchdog="yes", work_ms=4_000, pause_stops="process")
    assert stopped["renewals"] >= 1
    assert stopped["b_enters_ms"] == 13_000  # renewed at 3,000, then paused with its process
    assert stopped["two_holders_ms"] == 3_000
    surviving = values(watchdog="yes", work_ms=4_000, pause_stops="thread")
    assert surviving["two_holders_ms"] == 0
    assert surviving["counter"] == 3


def test_a_watchdog_slower_than_the_lease_is_none() -> None:
    slow = values(watchdog="yes", pause_stops="thread", renew_ms=10_000)
    assert slow["two_holders_ms"] == values()["two_holders_ms"]


def test_a_failover_that_lost_the_key_needs_no_pause() -> None:
    lost = values(failover="yes", pause_ms=0)
    assert lost["b_enters_ms"] == 100
    assert lost["two_holders_ms"] == 1_900
    assert values(failover="yes", pause_ms=0, replication="sync")["two_holders_ms"] == 0


def test_tokens_counted_by_the_lost_master_fence_nothing() -> None:
    settings: dict[str, Any] = {"failover": "yes", "pause_ms": 0, "fencing": "yes"}
    same = values(**settings, token_source="redis")
    assert same["stale_writes_accepted"] == 1  # A and B both hold token 1
    assert same["lost_updates"] == 1
    apart = values(**settings, token_source="separate")
    assert apart["stale_writes_rejected"] == 1
    assert apart["lost_updates"] == 0


def random_settings(generator: random.Random) -> dict[str, Any]:
    """Round times on purpose: ties at one instant are where stories go wrong."""

    def times(low: int, high: int, step: int) -> int:
        return generator.randrange(low, high, step)

    return {
        "ttl_ms": times(200, 4_000, 100),
        "work_ms": times(100, 3_000, 50),
        "pause_ms": times(0, 8_000, 100),
        "other_work_ms": times(100, 5_000, 50),
        "retry_ms": generator.choice([10, 50, 100, 130, 1_000]),
        "renew_ms": generator.choice([70, 100, 300, 1_000, 3_000]),
        "unlock": generator.choice(["compare", "del"]),
        "fencing": generator.choice(["no", "yes"]),
        "token_source": generator.choice(["redis", "separate"]),
        "watchdog": generator.choice(["no", "yes"]),
        "pause_stops": generator.choice(["process", "thread"]),
        "failover": generator.choice(["no", "yes"]),
        "replication": generator.choice(["async", "sync"]),
    }


@pytest.mark.parametrize("seed", range(8))
def test_simulation_and_closed_form_tell_the_same_story(seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(50):
        settings = random_settings(generator)
        params = redis_lock.Params(**settings)
        reference = redis_lock.check(params, context(params))
        found = values(**settings)
        assert set(redis_lock.METRICS) - set(reference) == {"renewals"}
        assert {name: found[name] for name in reference} == reference, settings


def test_the_timeline_is_told_in_both_languages_and_keeps_renewals_short() -> None:
    last = report(watchdog="yes", renew_ms=10, pause_stops="thread", fencing="yes")
    (table,) = last.tables
    assert 10 < len(table.rows) < 40
    assert len(last.trace) == len(table.rows)
    times = [int(step.title.to("en").split()[0]) for step in last.trace]
    assert times == sorted(times)
    assert all(step.note.languages == {"en", "zh"} for step in last.trace)


def test_the_curve_shows_two_inside() -> None:
    curve = report().plot("holders")
    assert curve is not None
    assert max(report().curves[0].series[0].values) == 2
    assert max(report(pause_ms=0).curves[0].series[0].values) == 1


def test_the_seed_changes_nothing() -> None:
    assert values(seed=1) == values(seed=2)
