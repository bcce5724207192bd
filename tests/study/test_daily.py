"""The question of the day: once a cycle, never twice running, stable when questions are added."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date, timedelta
from itertools import pairwise

import pytest
from study_helpers import day

from quizapp.study.daily import Shown, daily_question, pick, set_hash

START = day("2026-05-10")


def ids(n: int, bank: str = "attention") -> list[str]:
    return [f"{bank}/q{number}" for number in range(n)]


def cycle_start(n: int, near: date = START) -> date:
    return near - timedelta(days=near.toordinal() % n)


def live(questions: list[str], first: date, days: int, history: list[Shown]) -> list[str]:
    """Show `days` daily questions to a learner; extends `history`."""
    shown = []
    for offset in range(days):
        today = first + timedelta(days=offset)
        question = pick(questions, today, history)
        history.append(Shown(today, question, set_hash(questions)))
        shown.append(question)
    return shown


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 24, 26, 101])
def test_each_once_a_cycle_and_no_repeat_across_the_border(n: int) -> None:
    first = cycle_start(n)
    days = [daily_question(ids(n), first + timedelta(days=offset)) for offset in range(6 * n)]
    for cycle in range(6):
        assert sorted(days[cycle * n : (cycle + 1) * n]) == sorted(ids(n))
    last_seen: dict[str, int] = {}
    for position, question in enumerate(days):
        if question in last_seen:
            assert position - last_seen[question] > (n // 4 if n > 1 else 0)
        last_seen[question] = position


def test_cycles_differ_and_every_place_is_used() -> None:
    n = 12
    first = cycle_start(n)
    orders = [
        tuple(
            daily_question(ids(n), first + timedelta(days=cycle * n + place)) for place in range(n)
        )
        for cycle in range(400)
    ]
    assert len(set(orders)) == 400
    # 400 cycles put each question about 33 times at each place; far less would be a bias.
    for place in range(n):
        counts = Counter(order[place] for order in orders)
        assert len(counts) == n
        assert min(counts.values()) > 12


def test_a_pure_function_of_date_and_set() -> None:
    shuffled = ids(24)
    random.Random(3).shuffle(shuffled)
    assert daily_question(ids(24), START) == daily_question([*shuffled, *shuffled], START)
    assert set_hash(ids(24)) == set_hash(shuffled)
    assert set_hash(ids(24)) != set_hash(ids(23))


def test_golden_days() -> None:
    """Everybody's daily question would move if this did."""
    found = [daily_question(ids(5), START + timedelta(days=offset)) for offset in range(6)]
    assert found == [
        "attention/q4",
        "attention/q0",
        "attention/q1",
        "attention/q3",
        "attention/q4",
        "attention/q3",
    ]


@pytest.mark.parametrize("n", [1, 2, 5, 24])
def test_an_unchanged_set_ignores_history_and_absence(n: int) -> None:
    draw = random.Random(n)
    history: list[Shown] = []
    for offset in range(4 * n):
        if draw.random() < 0.5:
            continue
        today = START + timedelta(days=offset)
        assert live(ids(n), today, 1, history) == [daily_question(ids(n), today)]


@pytest.mark.parametrize("position", [0, 1, 7, 19, 24])
def test_a_grown_set_skips_what_was_had_lately(position: int) -> None:
    old, new = ids(20), [*ids(20), *ids(5, "backend")]
    n = len(new)
    change = cycle_start(n) + timedelta(days=n + position)
    history: list[Shown] = []
    live(old, change - timedelta(days=30), 30, history)
    lately = [shown.question for shown in history if shown.day >= change - timedelta(days=n)]
    remaining = n - position
    rest = live(new, change, remaining, history)
    assert len(set(rest)) == remaining
    assert set(rest[: min(5, remaining)]) <= set(new) - set(lately)
    assert rest[0] != lately[-1]
    after = change + timedelta(days=remaining)
    following = live(new, after, n, history)
    assert following == [daily_question(new, after + timedelta(days=o)) for o in range(n)]
    assert following[0] != rest[-1]


def test_a_shrunk_set_starts_with_what_was_had_longest_ago() -> None:
    old, new = ids(20), ids(10)
    change = cycle_start(10) + timedelta(days=3)
    history: list[Shown] = []
    live(old, change - timedelta(days=40), 40, history)
    rest = live(new, change, 7, history)
    assert len(set(rest)) == 7
    recent = {shown.question for shown in history if change > shown.day >= change - timedelta(10)}
    never = [question for question in new if question not in recent]
    assert set(rest[: len(never)]) <= set(never)
    assert rest[0] != history[39].question


def test_absence_right_after_a_change_keeps_the_plan() -> None:
    """Days away use up their places: those who were there and those who were not agree."""
    old, new = ids(20), ids(24)
    change = cycle_start(24) + timedelta(days=24 + 4)
    before: list[Shown] = []
    live(old, change - timedelta(days=10), 10, before)
    daily_learner, sometimes = list(before), list(before)
    every_day = live(new, change, 20, daily_learner)
    assert live(new, change, 1, sometimes) == every_day[:1]
    assert live(new, change + timedelta(days=6), 1, sometimes) == every_day[6:7]


def test_a_new_set_after_a_long_absence_is_the_pure_rule() -> None:
    old, new = ids(20), ids(24)
    history: list[Shown] = []
    live(old, START - timedelta(days=90), 10, history)
    assert live(new, START, 24, history) == [
        daily_question(new, START + timedelta(days=offset)) for offset in range(24)
    ]


@pytest.mark.parametrize("seed", range(30))
def test_never_the_same_twice_running_through_random_changes(seed: int) -> None:
    draw = random.Random(seed)
    history: list[Shown] = []
    today, questions = START, ids(draw.randint(3, 12))
    for _ in range(8):
        live(questions, today, days := draw.randint(1, 20), history)
        today += timedelta(days=days)
        questions = ids(draw.randint(3, 12))
    days_running = list(pairwise(history))
    assert all(one.question != two.question for one, two in days_running)


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(ValueError, match="no question"):
        pick([], START)
    with pytest.raises(ValueError, match="no question"):
        daily_question([], START)
