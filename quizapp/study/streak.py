"""Count study days in a row, so that travel and clock changes neither break nor double a streak.

Two days are in a row when they differ by 1; or by 2 when the UTC offset changed and under
36 hours of UTC lie between the answers, because a flight west to east over the date line
skips a date that nobody could have studied on. Answers count in the order in which they
were given: one dated before the day already reached (a flight east to west, a clock set
back) neither adds nor breaks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

ACROSS_THE_DATE_LINE = timedelta(hours=36)
#: A jump ahead of more than this, studied on one day only and then gone back on, was a
#: wrong clock and not an absence.
IMPLAUSIBLE_LEAP = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Mark:
    """One answer as the streak sees it: its study day, its instant, its UTC offset."""

    day: date
    utc: datetime
    offset_minutes: int


@dataclass(frozen=True, slots=True)
class Streak:
    """Study days in a row, ending today or yesterday; the longest ever; is today done."""

    current: int = 0
    longest: int = 0
    today_done: bool = False


@dataclass(frozen=True, slots=True)
class _Chain:
    last: Mark
    length: int


def continues(last: Mark, new: Mark) -> bool:
    """Whether `new` is on the study day right after that of `last`."""
    gap = (new.day - last.day).days
    if gap == 1:
        return True
    moved = new.offset_minutes != last.offset_minutes
    return gap == 2 and moved and new.utc - last.utc < ACROSS_THE_DATE_LINE


def _extend(chain: _Chain, new: Mark) -> _Chain:
    if new.day == chain.last.day:
        return _Chain(new, chain.length)
    return _Chain(new, chain.length + 1 if continues(chain.last, new) else 1)


def streak(marks: Iterable[Mark], now: Mark) -> Streak:
    """The streak at `now`; `marks` in the order in which the answers were given.

    It is alive as long as an answer given `now` would continue it, or is on its last day
    (or before it, when the clock was set back).
    """
    chain: _Chain | None = None
    before_leap: _Chain | None = None
    longest = 0
    for mark in marks:
        if chain is None:
            chain = _Chain(mark, 1)
        elif mark.day >= chain.last.day:
            if mark.day > chain.last.day:
                leapt = mark.day - chain.last.day > IMPLAUSIBLE_LEAP
                before_leap = chain if leapt else None
            chain = _extend(chain, mark)
        elif before_leap is not None and mark.day >= before_leap.last.day:
            chain, before_leap = _extend(before_leap, mark), None
        longest = max(longest, chain.length)
    if chain is None:
        return Streak()
    alive = now.day <= chain.last.day or continues(chain.last, now)
    return Streak(chain.length if alive else 0, longest, chain.last.day == now.day)
