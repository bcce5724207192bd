"""Remember one learner: the only door the session uses to what was answered and what is next.

Synchronous, and safe to call from several threads (`asyncio.to_thread`). Time is always
passed in. Every method can raise `MachineError` when the file or the disk fails; nothing
is then half done, and the same call can be made again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizapp.study import acts, cards, choose, log, settings, shown
from quizapp.study.acts import Saved, Undone
from quizapp.study.database import Database
from quizapp.study.days import Moment
from quizapp.study.due import DueQuestion, due_questions
from quizapp.study.log import Answer, LoggedAnswer
from quizapp.study.schedule import CardState, current_scheme
from quizapp.study.streak import Mark, Streak, streak

if TYPE_CHECKING:
    from quizapp.study.stats import Stats

#: Bytes that can be looked through in a few milliseconds: some 2,000 answers.
SMALL = 1 << 20


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
        self.tend(now)
        # Loads fsrs on the first answer: before the transaction, not inside it.
        current_scheme()
        with self._database.write() as db:
            return acts.record(db, given, now)

    def mark_easy(self, answer_id: str, now: Moment) -> CardState:
        """The learner says a right answer was easy; saying it twice is saying it once.

        UsageError when there is no such answer, it was taken back, or it was not right.
        """
        current_scheme()
        with self._database.write() as db:
            return acts.call_easy(db, answer_id, now)

    def undo_last(self, now: Moment, *, undo_id: str | None = None) -> Undone | None:
        """Take back the last standing answer or easy, and nothing else; None when there is none.

        undo_id: makes a retry safe: a second call with the same id undoes no more.
        ValueError when it belongs to something else.
        """
        current_scheme()
        with self._database.write() as db:
            return acts.undo_last(db, now, undo_id)

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

    def times_answered(self, question: str) -> int:
        """How many answers to a question stand."""
        with self._database.read() as db:
            return log.count(db, question)

    def last_answers(self, question: str, limit: int = 10) -> tuple[LoggedAnswer, ...]:
        """The newest standing answers to a question, newest first."""
        with self._database.read() as db:
            return tuple(log.standing_answers(db, question=question, newest=limit))

    def answers_of_kind(self, kind: str) -> tuple[LoggedAnswer, ...]:
        """The standing answers to questions of one kind, oldest first."""
        with self._database.read() as db:
            return tuple(log.standing_answers(db, kind=kind))

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
    ) -> Stats:
        """The figures of `quizapp stats`. questions: id → meaning hash. tags: id → tags."""
        from quizapp.study.stats import summarise  # the first paint needs none of this

        with self._database.read() as db:
            return summarise(
                log.outcomes(db),
                cards.load(db),
                questions,
                tags,
                today=settings.study_day(db, now),
                streak=_streak(db, now),
            )

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
        from quizapp.study.export import export

        with self._database.read() as db:
            return export(db)

    def restore(self, data: Mapping[str, Any]) -> None:
        """Fill this empty database from an export. UsageError when it is not empty."""
        from quizapp.study.export import restore

        with self._database.write() as db:
            restore(db, data)

    def rebuild_cards(self) -> dict[str, CardState]:
        """Make every card again from the log."""
        with self._database.write() as db:
            return cards.rebuild(db)


def _streak(db: sqlite3.Connection, now: Moment) -> Streak:
    today = Mark(settings.study_day(db, now), now.utc, now.offset_minutes)
    return streak(log.marks(db), today)
