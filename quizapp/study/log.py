"""What the review log holds, as frozen data, and the few statements that write and read it.

Every function takes an open connection; the caller decides the transaction.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal

from quizapp.study.days import Moment
from quizapp.study.rating import Confidence, Rating, Verdict
from quizapp.study.schedule import Scheme
from quizapp.study.streak import Mark

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer as the learner gave it.

    id: made by the caller (`new_id`) before the first try to save, kept for every retry.
    question: ``bank/question``. kind: of the question. answer: what was chosen or typed.
    share: of an open question's points, 0–1. meaning, wording: the question's hashes.
    seed, parameters, device, metrics: of the run shown with it; None where none ran.
    """

    id: str
    question: str
    kind: str
    answer: Json
    verdict: Verdict
    meaning: str
    wording: str
    hints: int = 0
    confidence: Confidence | None = None
    share: float | None = None
    seed: int | None = None
    parameters: Mapping[str, Json] = field(default_factory=dict)
    device: str | None = None
    metrics: Mapping[str, Json] = field(default_factory=dict)
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedAnswer:
    """An answer as it stands in the log. JSON fields come back as lists and dicts.

    rating: the one given by the answer; EASY when the learner said so and did not take
    it back. seq: grows with every row of the log.
    """

    seq: int
    id: str
    question: str
    kind: str
    answer: Json
    verdict: Verdict
    rating: Rating | None
    hints: int
    confidence: Confidence | None
    meaning: str
    wording: str
    seed: int | None
    parameters: Mapping[str, Json]
    device: str | None
    metrics: Mapping[str, Json]
    scheme: Scheme | None
    duration_ms: int | None
    moment: Moment
    local_date: date
    study_day: date


@dataclass(frozen=True, slots=True)
class Outcome:
    """The little of an answer that figures are made of."""

    question: str
    verdict: Verdict
    confidence: Confidence | None


def new_id() -> str:
    """A fresh id for an answer or an undo."""
    from uuid import uuid4

    return str(uuid4())


def plain_json(value: object) -> str:
    """JSON text; what is not finite travels as "NaN", "Infinity", "-Infinity", as in a Report."""
    # ASCII only: half of a surrogate pair from a terminal must not make an answer unsavable.
    return json.dumps(_finite(value), allow_nan=False, separators=(",", ":"))


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(item) for item in value]
    return value


def insert_answer(
    db: sqlite3.Connection,
    given: Answer,
    *,
    rating: Rating | None,
    scheme: Scheme | None,
    now: Moment,
    study_day: date,
) -> None:
    """Append an answer. scheme: who decided the card, None exactly when rating is None."""
    _insert(
        db,
        {
            **_when(now, study_day),
            "id": given.id,
            "event": "answer",
            "question": given.question,
            "kind": given.kind,
            "answer": plain_json(given.answer),
            "verdict": given.verdict,
            "rating": rating,
            "hints": given.hints,
            "confidence": given.confidence,
            "meaning": given.meaning,
            "wording": given.wording,
            "seed": given.seed,
            "parameters": plain_json(given.parameters),
            "device": given.device,
            "metrics": plain_json(given.metrics),
            "scheduler": None if scheme is None else plain_json(asdict(scheme)),
            "duration_ms": given.duration_ms,
        },
    )


def insert_act(
    db: sqlite3.Connection,
    event: Literal["undo", "easy"],
    *,
    row_id: str,
    refers: str,
    now: Moment,
    study_day: date,
) -> None:
    """Append an undo of, or an easy for, the row `refers`."""
    _insert(db, {**_when(now, study_day), "id": row_id, "event": event, "refers": refers})


def standing_answers(
    db: sqlite3.Connection,
    *,
    question: str | None = None,
    kind: str | None = None,
    study_day: date | None = None,
    newest: int | None = None,
) -> Iterator[LoggedAnswer]:
    """Answers not taken back, of one question, kind and study day or all, oldest first; or
    the `newest` so many, newest first.
    """
    where = "" if question is None else "AND answer.question = :question"
    where += "" if kind is None else " AND answer.kind = :kind"
    where += "" if study_day is None else " AND answer.study_day = :study_day"
    order = "" if newest is None else "DESC LIMIT :newest"
    rows = db.execute(
        f"""
        SELECT answer.*, EXISTS (
            SELECT 1 FROM standing AS easy
            WHERE easy.event = 'easy' AND easy.refers = answer.id) AS called_easy
        FROM standing AS answer
        WHERE answer.event = 'answer' {where} ORDER BY answer.seq {order}""",
        {
            "question": question,
            "kind": kind,
            "study_day": None if study_day is None else study_day.isoformat(),
            "newest": newest,
        },
    )
    return map(_answer_of, rows)


def outcomes(db: sqlite3.Connection) -> Iterator[Outcome]:
    """Every standing answer, oldest first, without what would have to be parsed."""
    rows = db.execute(
        "SELECT question, verdict, confidence FROM standing WHERE event = 'answer' ORDER BY seq"
    )
    return (Outcome(*row) for row in rows)


def marks(db: sqlite3.Connection) -> Iterator[Mark]:
    """The standing answers a streak needs, oldest first: the first and last of each day's run."""
    rows = db.execute(
        "SELECT study_day, utc, offset_minutes FROM standing WHERE event = 'answer' ORDER BY seq"
    )
    for _, group in groupby(rows, key=itemgetter("study_day")):
        run = list(group)
        for day, utc, offset in (run[0], run[-1]):
            yield Mark(date.fromisoformat(day), datetime.fromisoformat(utc), offset)


def last_seqs(db: sqlite3.Connection) -> dict[str, int]:
    """The newest standing answer's seq of each question answered."""
    rows = db.execute(
        "SELECT question, max(seq) FROM standing WHERE event = 'answer' GROUP BY question"
    )
    return {row[0]: row[1] for row in rows}


def count(db: sqlite3.Connection, question: str) -> int:
    """How many answers to a question stand."""
    found = db.execute(
        "SELECT count(*) FROM standing WHERE event = 'answer' AND question = ?", [question]
    )
    return int(found.fetchone()[0])


def find(db: sqlite3.Connection, row_id: str) -> sqlite3.Row | None:
    """The row of the log with this id, of any event."""
    row: sqlite3.Row | None = db.execute("SELECT * FROM review WHERE id = ?", [row_id]).fetchone()
    return row


def _when(now: Moment, study_day: date) -> dict[str, Any]:
    return {
        "utc": now.utc.isoformat(timespec="microseconds"),
        "offset_minutes": now.offset_minutes,
        "local_date": now.local_date.isoformat(),
        "study_day": study_day.isoformat(),
    }


def _insert(db: sqlite3.Connection, row: Mapping[str, Any]) -> None:
    names = ", ".join(row)
    values = ", ".join(f":{name}" for name in row)
    db.execute(f"INSERT INTO review ({names}) VALUES ({values})", dict(row))


def _answer_of(row: sqlite3.Row) -> LoggedAnswer:
    rating = None if row["rating"] is None else Rating(row["rating"])
    return LoggedAnswer(
        seq=row["seq"],
        id=row["id"],
        question=row["question"],
        kind=row["kind"],
        answer=json.loads(row["answer"]),
        verdict=row["verdict"],
        rating=Rating.EASY if row["called_easy"] and rating is not None else rating,
        hints=row["hints"],
        confidence=row["confidence"],
        meaning=row["meaning"],
        wording=row["wording"],
        seed=row["seed"],
        parameters=json.loads(row["parameters"]),
        device=row["device"],
        metrics=json.loads(row["metrics"]),
        scheme=_scheme_of(row["scheduler"]),
        duration_ms=row["duration_ms"],
        moment=Moment(datetime.fromisoformat(row["utc"]), row["offset_minutes"]),
        local_date=date.fromisoformat(row["local_date"]),
        study_day=date.fromisoformat(row["study_day"]),
    )


def _scheme_of(text: str | None) -> Scheme | None:
    if text is None:
        return None
    stored = json.loads(text)
    return Scheme(
        stored["name"], stored["version"], tuple(stored["parameters"]), stored["desired_retention"]
    )
