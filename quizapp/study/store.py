"""Remember one learner: the only door the session uses to what was answered and what is next.

Synchronous, and safe to call from several threads (`asyncio.to_thread`). Time is always
passed in. Every method can raise `MachineError` when the file or the disk fails; nothing
is then half done, and the same call can be made again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from quizapp.errors import UsageError
from quizapp.study import cards, choose, export, log, settings, shown, stats
from quizapp.study.database import Database
from quizapp.study.days import Moment
from quizapp.study.due import DueQuestion, due_questions
from quizapp.study.log import Answer, LoggedAnswer, Undone
from quizapp.study.rating import Rating, rate
from quizapp.study.schedule import CardState, current_scheme, step
from quizapp.study.streak import Mark, Streak, streak

#: Bytes that can be looked through in a few milliseconds: some 2,000 answers.
SMALL = 1 << 20


@dataclass(frozen=True, slots=True)
class Saved:
    """What recording did. new: False when this very answer had been saved before."""

    answer_id: str
    rating: Rating | None
    card: CardState | None
    new: bool


class Store:
    """One learner's database.

    notices: sentences about what could not be done on opening though nothing is lost.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.path = database.path
        self._tended: date | None = None

    @classmethod
    def open(cls, path: Path, now: Moment) -> Store:
        """Open or create the database at `path`. MachineError: what is wrong, what to do.

        One up to `SMALL` bytes is looked through for damage unless that was done on this
        study day. The rest of the day's care waits for `tend`.
        """
        store = cls(Database.open(path))
        try:
            store._database.look(store.study_day(now), largest=SMALL)
        except BaseException:
            store.close()
            raise
        return store

    @property
    def notices(self) -> tuple[str, ...]:
        return self._database.notices

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def tend(self, now: Moment) -> None:
        """Once a study day: look for damage and keep a backup. Call it when nobody waits (a
        few ms a MB, and a disk's flush); else the day's first answer does.
        MachineError for a damaged database.
        """
        today = self.study_day(now)
        if self._tended != today:
            self._database.tend(today)
            self._tended = today

    def study_day(self, now: Moment) -> date:
        """The study day of `now` under this learner's day-start hour."""
        with self._database.read() as db:
            return settings.study_day(db, now)

    # What the learner does.

    def record_answer(self, given: Answer, now: Moment) -> Saved:
        """Save an answer and its card in one transaction; a retry with its id changes nothing.

        ValueError when the id belongs to something else.
        """
        rating = rate(
            given.verdict, hints=given.hints, confidence=given.confidence, share=given.share
        )
        self.tend(now)
        # Loads fsrs on the first answer: before the transaction, not inside it.
        scheme = None if rating is None else current_scheme()
        with self._database.write() as db:
            if known := log.find(db, given.id):
                if (known["event"], known["question"]) != ("answer", given.question):
                    raise ValueError(f"id {given.id} belongs to another row of the log")
                stored = None if known["rating"] is None else Rating(known["rating"])
                return Saved(given.id, stored, cards.load_one(db, given.question), False)
            today = settings.study_day(db, now)
            log.insert_answer(db, given, rating=rating, scheme=scheme, now=now, study_day=today)
            card = cards.load_one(db, given.question)
            if rating is not None and scheme is not None:
                card = step(card, rating, today, meaning=given.meaning, scheme=scheme)
                cards.save(db, given.question, card)
            return Saved(given.id, rating, card, True)

    def mark_easy(self, answer_id: str, now: Moment) -> CardState:
        """The learner says a right answer was easy; saying it twice is saying it once.

        UsageError when there is no such answer, it was taken back, or it was not right.
        """
        current_scheme()
        with self._database.write() as db:
            row = db.execute(
                "SELECT question, verdict FROM standing WHERE id = ? AND event = 'answer'",
                [answer_id],
            ).fetchone()
            if row is None:
                raise UsageError("there is no such answer to call easy")
            if row["verdict"] != "right":
                raise UsageError("only a right answer can be called easy")
            said = db.execute(
                "SELECT 1 FROM standing WHERE refers = ? AND event = 'easy'", [answer_id]
            ).fetchone()
            if said is None:
                log.insert_act(
                    db,
                    "easy",
                    row_id=log.new_id(),
                    refers=answer_id,
                    now=now,
                    study_day=settings.study_day(db, now),
                )
            card = cards.replay_question(db, row["question"])
            if card is None:
                raise ValueError(f"answer {answer_id} is right but left no card")
            return card

    def undo_last(self, now: Moment, *, undo_id: str | None = None) -> Undone | None:
        """Take back the last standing answer or easy, and nothing else; None when there is none.

        undo_id: makes a retry safe: a second call with the same id undoes no more.
        ValueError when it belongs to something else.
        """
        current_scheme()
        with self._database.write() as db:
            if undo_id is not None and (earlier := log.find(db, undo_id)):
                if earlier["event"] != "undo":
                    raise ValueError(f"id {undo_id} belongs to another row of the log")
                return log.undone_by(db, earlier)
            last = db.execute(
                "SELECT * FROM standing WHERE event = 'answer'"
                " OR refers IN (SELECT id FROM standing WHERE event = 'answer')"
                " ORDER BY seq DESC LIMIT 1"
            ).fetchone()
            if last is None:
                return None
            undone = log.undone_by(db, last)
            log.insert_act(
                db,
                "undo",
                row_id=undo_id or log.new_id(),
                refers=last["id"],
                now=now,
                study_day=settings.study_day(db, now),
            )
            cards.replay_question(db, undone.question)
            return undone

    # What comes next.

    def due(self, now: Moment, questions: Mapping[str, str]) -> list[DueQuestion]:
        """Questions that ask again today, most overdue first, then the least stable.

        questions: id → meaning hash, of the banks at hand. Never-answered ones are not due.
        """
        with self._database.read() as db:
            return due_questions(cards.load(db), questions, settings.study_day(db, now))

    def daily(self, now: Moment, ids: Collection[str]) -> str | None:
        """Today's question, and from now on it stays today's; None when there are no ids.

        The first to ask on a study day decides, also between two programs. Should that
        question have left the banks since, another is chosen for the rest of the day.
        """
        if not ids:
            return None
        with self._database.read() as db:
            stored = shown.shown_on(db, settings.study_day(db, now), ids)
        if stored is not None:
            return stored
        with self._database.write() as db:
            return shown.show(db, settings.study_day(db, now), ids)

    def tomorrow(self, now: Moment, ids: Collection[str]) -> str | None:
        """The question of the next study day if the set stays as it is; stores nothing."""
        if not ids:
            return None
        with self._database.read() as db:
            return shown.preview(db, settings.study_day(db, now), ids)

    def one_more(
        self, now: Moment, questions: Mapping[str, str], skip: Collection[str] = ()
    ) -> str | None:
        """One more question, always: due, else new in the order given, else longest ago.

        questions: id → meaning hash. skip: what was just asked. None only without questions.
        """
        due = [found.question for found in self.due(now, questions)]
        with self._database.read() as db:
            answered = log.last_seqs(db)
        return choose.one_more(list(questions), due=due, last_answered=answered, skip=skip)

    # What was.

    def seen(self) -> frozenset[str]:
        """Questions with an answer that was not taken back."""
        with self._database.read() as db:
            return frozenset(log.last_seqs(db))

    def ever_answered(self) -> frozenset[str]:
        """Questions ever answered, taken back or not: how far the opening has been met."""
        with self._database.read() as db:
            rows = db.execute("SELECT DISTINCT question FROM review WHERE event = 'answer'")
            return frozenset(str(row["question"]) for row in rows)

    def last_answers(self, question: str, limit: int = 10) -> tuple[LoggedAnswer, ...]:
        """The newest standing answers to a question, newest first."""
        with self._database.read() as db:
            return tuple(log.standing_answers(db, question=question, newest=limit))

    def answers_today(self, now: Moment) -> tuple[LoggedAnswer, ...]:
        """The standing answers of this study day, oldest first."""
        with self._database.read() as db:
            today = settings.study_day(db, now)
            return tuple(log.standing_answers(db, study_day=today))

    def streak(self, now: Moment) -> Streak:
        """Study days in a row up to `now`."""
        with self._database.read() as db:
            return _streak(db, now)

    def stats(
        self, now: Moment, questions: Mapping[str, str], tags: Mapping[str, Sequence[str]]
    ) -> stats.Stats:
        """The figures of `quizapp stats`. questions: id → meaning hash. tags: id → tags."""
        with self._database.read() as db:
            return stats.summarise(
                log.outcomes(db),
                cards.load(db),
                questions,
                tags,
                today=settings.study_day(db, now),
                streak=_streak(db, now),
            )

    # Settings, and everything at once.

    def get_setting(self, name: str, default: str | None = None) -> str | None:
        with self._database.read() as db:
            value = settings.get(db, name)
        return default if value is None else value

    def set_setting(self, name: str, value: str | None) -> None:
        """Set, or with None forget, a setting. UsageError for a day start that is no hour."""
        with self._database.write() as db:
            settings.put(db, name, value)

    def export(self) -> dict[str, Any]:
        """Everything, ready for `json.dumps`; see `quizapp.study.export`."""
        with self._database.read() as db:
            return export.export(db)

    def restore(self, data: Mapping[str, Any]) -> None:
        """Fill this empty database from an export. UsageError when it is not empty."""
        with self._database.write() as db:
            export.restore(db, data)

    def rebuild_cards(self) -> dict[str, CardState]:
        """Make every card again from the log."""
        with self._database.write() as db:
            return cards.rebuild(db)


def _streak(db: sqlite3.Connection, now: Moment) -> Streak:
    today = Mark(settings.study_day(db, now), now.utc, now.offset_minutes)
    return streak(log.marks(db), today)
