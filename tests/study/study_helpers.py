"""Short ways to say when, and what was answered."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from quizapp.study.days import Moment
from quizapp.study.log import Answer
from quizapp.study.streak import Mark

TOKYO = "Asia/Tokyo"
SAN_FRANCISCO = "America/Los_Angeles"
BERLIN = "Europe/Berlin"


def at(text: str, zone: str | float = 0) -> Moment:
    """`text` on the wall clock of a zone, or of a fixed offset in hours."""
    tz = ZoneInfo(zone) if isinstance(zone, str) else timezone(timedelta(hours=zone))
    return Moment.of(datetime.fromisoformat(text).replace(tzinfo=tz))


def mark(text: str, zone: str | float = 0, *, day_start: int = 4) -> Mark:
    moment = at(text, zone)
    return Mark(moment.study_day(day_start), moment.utc, moment.offset_minutes)


def day(text: str) -> date:
    return date.fromisoformat(text)


def answer(row_id: str, question: str = "attention/scale", **changed: Any) -> Answer:
    """A right answer to a single-choice question, unless said otherwise."""
    given: dict[str, Any] = {
        "id": row_id,
        "question": question,
        "kind": "single",
        "answer": "sqrt",
        "verdict": "right",
        "meaning": "m1",
        "wording": "w1",
        "seed": 7,
        "parameters": {"d_k": 64, "logits": [2.0, 1.0]},
        "device": "cpu",
        "metrics": {"score_std": 8.01},
        "duration_ms": 41_000,
    }
    return Answer(**{**given, **changed})
