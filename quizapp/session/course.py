"""`Course`: which questions a sitting asks, and what home and the last card tell of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quizapp.errors import ContentError, MachineError
from quizapp.session.evidence import fill_in
from quizapp.session.library import Entry, Library
from quizapp.session.sitting import Kind, Sitting
from quizapp.study.clock import Clock
from quizapp.study.store import Store
from quizapp.text import i18n


@dataclass(frozen=True, slots=True)
class Home:
    """What the home screen tells. due: questions; exercises_due: what is to be written again."""

    today: Entry | None
    today_done: bool
    due: int
    exercises_due: int
    streak: int
    first_visit: bool
    banks: tuple[tuple[str, int, int], ...]  # title, questions, questions answered
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LastCard:
    """What a sitting ends with. done: today's question had been answered before it began."""

    can_say: tuple[str, ...]
    returns: tuple[str, ...]
    tomorrow: str | None
    streak: int
    done: bool


class Course:
    """Synchronous; without a store it still has questions to ask."""

    def __init__(self, library: Library, store: Store | None, clock: Clock) -> None:
        self._library = library
        self._store = store
        self._clock = clock

    def home(self, trouble: tuple[str, ...]) -> Home:
        """Today's question, what is due, the streak, the banks; `trouble` comes before theirs."""
        from quizapp.session.shelf import Shelf  # not before the session is open

        now, ids, store = self._clock.now(), self._library.meanings, self._store
        seen = store.seen() if store else frozenset()
        today = self._today()
        return Home(
            today=today,
            today_done=today is not None and today.reference in self._answered_today(),
            due=len(store.due(now, ids)) if store else 0,
            exercises_due=len(Shelf(self._library, store).due(now)),
            streak=store.streak(now).current if store else 0,
            first_visit=self._first_visit(),
            banks=tuple(
                (
                    bank.title.shown(i18n.language()),
                    len(bank.questions),
                    sum(f"{bank.id}/{name}" in seen for name in bank.questions),
                )
                for bank in self._library.banks
            ),
            problems=(*trouble, *self._library.problems, *(store.notices if store else ())),
        )

    def sit(self, kind: Kind) -> Sitting:
        """Today's question (on a first visit the opening before it; nothing once it is
        answered), what is due, or one more. Raises ContentError without any questions.
        """
        if not self._library.entries:
            raise ContentError(
                "there are no questions to ask",
                remedy="\n".join(self._library.problems) or "Install quizapp again.",
            )
        first = kind == "daily" and self._first_visit()
        opening = list(self._library.opening()) if first else []
        if kind == "due":
            queue = self._due()
        elif kind == "more":
            queue = [self.one_more(())]
        else:
            today = self._today()
            fresh = today is not None and today.reference not in self._answered_today()
            queue = [*opening, *([today] if today and fresh and today not in opening else [])]
        return Sitting(
            kind, self._library, queue, len(opening), first_visit=first, turns=self._turns
        )

    def about(self, reference: str) -> Sitting:
        """A sitting that asks one certain question. Raises ContentError where it is gone."""
        entry = self._library.entries.get(reference)
        if entry is None:
            raise ContentError(
                f"there is no question {reference}",
                remedy="Its bank may have been taken away: `quizapp config banks`.",
            )
        return Sitting("more", self._library, [entry], turns=self._turns)

    def _turns(self, reference: str) -> int:
        """How often a question was answered. A log that cannot be read stops no question."""
        if self._store is None:
            return 0
        try:
            return self._store.times_answered(reference)
        except MachineError:
            return 0

    def one_more(self, skip: Iterable[str]) -> Entry:
        """One more question: due, else new, else longest ago; not one of `skip` if it can be."""
        ids, skipped = self._library.meanings, set(skip)
        found = None
        if self._store is not None:
            found = self._store.one_more(self._clock.now(), ids, skipped)
        # Every question asked already in this sitting: begin again rather than refuse.
        name = found or next((ref for ref in ids if ref not in skipped), next(iter(ids)))
        return self._library.entries[name]

    def last_card(self, sitting: Sitting) -> LastCard:
        """What the learner can now say, what was refuted and returns, tomorrow's title."""
        now, said = self._clock.now(), i18n.language()
        tomorrow = self._entry(
            self._store.tomorrow(now, self._library.meanings) if self._store else None
        )
        right = [trial for trial in sitting.trials if trial.outcome == "right"]
        refuted = [trial for trial in sitting.trials if trial.outcome in ("wrong", "partial")]
        return LastCard(
            can_say=tuple(fill_in(trial.question.summary, trial) for trial in right),
            returns=tuple(trial.question.title.shown(said) for trial in refuted),
            tomorrow=None if tomorrow is None else tomorrow.question.title.shown(said),
            streak=self._store.streak(now).current if self._store else 0,
            done=sitting.kind == "daily" and not sitting.asked,
        )

    def _today(self) -> Entry | None:
        ids = self._library.meanings
        if self._store is None:
            return self._entry(next(iter(ids), None))
        return self._entry(self._store.daily(self._clock.now(), ids))

    def _due(self) -> list[Entry]:
        if self._store is None:
            return []
        due = self._store.due(self._clock.now(), self._library.meanings)
        found = (self._entry(one.question) for one in due)
        return [entry for entry in found if entry is not None]

    def _answered_today(self) -> frozenset[str]:
        if self._store is None:
            return frozenset()
        return frozenset(a.question for a in self._store.answers_today(self._clock.now()))

    def _first_visit(self) -> bool:
        return not (self._store and self._store.ever_answered())

    def _entry(self, reference: str | None) -> Entry | None:
        return None if reference is None else self._library.entries.get(reference)
