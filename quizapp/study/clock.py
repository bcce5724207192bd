"""The one place that asks the machine what time it is; everything else is told."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Protocol

from quizapp.study.days import Moment


class Clock(Protocol):
    """Anything that knows the moment: the machine, or a test."""

    def now(self) -> Moment: ...


class SystemClock:
    """The machine's clock, in the machine's current time zone."""

    def now(self) -> Moment:
        # A laptop changes zones while the program is open; without tzset the C library
        # keeps the zone it started with. Windows has no tzset and re-reads by itself.
        if hasattr(time, "tzset"):
            time.tzset()
        return Moment.of(datetime.now().astimezone())
