"""Turn an instant into the learner's study day, wherever on Earth they are.

A study day begins at the day-start hour (4:00 unless set otherwise), so that a night
owl's last answer belongs to the evening it ended. The wall clock decides, so days with
23 or 25 hours need no special case.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

DAY_START = 4


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant, and how far the learner's wall clock was from UTC at that instant.

    utc: aware, in UTC. offset_minutes: local time minus UTC, in minutes, east positive.
    Raises ValueError for a naive or non-UTC datetime and for an offset of a day or more.
    """

    utc: datetime
    offset_minutes: int

    def __post_init__(self) -> None:
        if self.utc.tzinfo is not UTC:
            raise ValueError(f"utc must carry datetime.UTC, got {self.utc!r}")
        if abs(self.offset_minutes) >= 24 * 60:
            raise ValueError(f"offset must be under 24 hours, got {self.offset_minutes} minutes")

    @classmethod
    def of(cls, local: datetime) -> Moment:
        """The moment of an aware datetime in the learner's zone; ValueError when naive."""
        offset = local.utcoffset()
        if offset is None:
            raise ValueError(f"an aware datetime is needed, got {local!r}")
        return cls(local.astimezone(UTC), round(offset.total_seconds() / 60))

    @property
    def local(self) -> datetime:
        """What the learner's wall clock showed, naive."""
        return self.utc.replace(tzinfo=None) + timedelta(minutes=self.offset_minutes)

    @property
    def local_date(self) -> date:
        return self.local.date()

    def study_day(self, day_start: int = DAY_START) -> date:
        """The local date once `day_start` hours are taken off the wall clock."""
        return (self.local - timedelta(hours=day_start)).date()
