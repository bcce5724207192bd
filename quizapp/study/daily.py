"""Decide the question of the day: the same for everybody with the same questions.

With n questions, time is cut into cycles of n days by the date's ordinal; each cycle is a
permutation seeded by its number, so every question comes exactly once a cycle. A question
of one cycle's last quarter never comes in the next cycle's first quarter.

After the set of questions changes, the rest of the running cycle (of the new length)
takes the new order from that day on but puts questions shown within the last n days last;
then the pure rule holds again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from hashlib import sha256

_SALT = "quizapp-daily/1"


@dataclass(frozen=True, slots=True)
class Shown:
    """A question of the day that this learner got, and the set it was chosen from."""

    day: date
    question: str
    set_hash: str


def set_hash(ids: Iterable[str]) -> str:
    """A name for a set of questions: 16 hex digits, whatever the order."""
    return sha256("\n".join(sorted(set(ids))).encode()).hexdigest()[:16]


def daily_question(ids: Collection[str], day: date) -> str:
    """The question of `day` for an unchanged set of ids. ValueError for an empty set."""
    order = _order_of(frozenset(ids), _cycle(day, len(set(ids))))
    return order[day.toordinal() % len(order)]


def pick(ids: Collection[str], day: date, history: Iterable[Shown] = ()) -> str:
    """The question of `day` for a learner who was shown `history`.

    Only what was shown in the 2n days before `day` matters. ValueError for an empty set.
    """
    questions = frozenset(ids)
    n = len(questions)
    cycle = _cycle(day, n)
    earlier = [shown for shown in history if shown.day < day]
    since = _changed_on(earlier, set_hash(questions), day)
    if since is None or _cycle(since, n) != cycle:
        return daily_question(questions, day)
    return _rest_of_cycle(questions, since, earlier)[(day - since).days]


def window(ids: Collection[str]) -> timedelta:
    """How far back `pick` looks."""
    return timedelta(days=2 * len(set(ids)))


def _cycle(day: date, n: int) -> int:
    if n == 0:
        raise ValueError("there is no question to choose from")
    return day.toordinal() // n


def _changed_on(earlier: list[Shown], current: str, day: date) -> date | None:
    """The first day on which the current set decided, after another set had."""
    others = [shown.day for shown in earlier if shown.set_hash != current]
    if not others:
        return None
    last_other = max(others)
    return min((shown.day for shown in earlier if shown.day > last_other), default=day)


def _rest_of_cycle(ids: frozenset[str], since: date, earlier: list[Shown]) -> list[str]:
    """One question for each day from `since` to the end of its cycle, none twice."""
    n = len(ids)
    start = since.toordinal() % n
    order = _order_of(ids, _cycle(since, n))
    last_shown: dict[str, date] = {}
    for shown in earlier:
        if since - timedelta(days=n) <= shown.day < since:
            last_shown[shown.question] = max(shown.day, last_shown.get(shown.question, shown.day))
    rotated = [*order[start:], *order[:start]]
    plan = sorted(rotated, key=lambda question: last_shown.get(question, date.min))
    remaining = n - start
    opens_next = _order_of(ids, _cycle(since, n) + 1)[0]
    if plan[remaining - 1] == opens_next and n > 2:
        # Yesterday's question again would look like a fault.
        other = remaining if remaining < n else remaining - 2
        plan[remaining - 1], plan[other] = plan[other], plan[remaining - 1]
    return plan[:remaining]


@lru_cache(maxsize=8)
def _order_of(ids: frozenset[str], cycle: int) -> tuple[str, ...]:
    """The order of one cycle: its own shuffle, with the border to the cycle before mended.

    Only the part before the last quarter is mended, so the tail of every cycle is that of
    its plain shuffle and no cycle has to know more than the one before it.
    """
    n = len(ids)
    if n < 3:
        # Two questions can only alternate.
        return _shuffle(ids, 0)
    quarter = max(1, n // 4)
    plain = _shuffle(ids, cycle)
    just_seen = set(_shuffle(ids, cycle - 1)[-quarter:])
    body, tail = plain[:-quarter], plain[-quarter:]
    head = [question for question in body if question not in just_seen][:quarter]
    opened = set(head)
    return (*head, *(question for question in body if question not in opened), *tail)


def _shuffle(ids: frozenset[str], cycle: int) -> tuple[str, ...]:
    def key(question: str) -> tuple[bytes, str]:
        return sha256(f"{_SALT}\0{cycle}\0{question}".encode()).digest(), question

    return tuple(sorted(ids, key=key))
