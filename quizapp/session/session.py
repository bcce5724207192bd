"""`Session`: the one door the fronts use. It knows the learner, the banks and the lab."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from quizapp.errors import ContentError, MachineError, QuizappError
from quizapp.lab.catalogue import describe
from quizapp.lab.client import Engine, Job
from quizapp.lab.wire import Ready
from quizapp.report import ParamInfo
from quizapp.session import library as libraries
from quizapp.session import paths
from quizapp.session import settings as preferences
from quizapp.session.answers import Answer, Confidence
from quizapp.session.library import Entry, Library
from quizapp.session.records import Records
from quizapp.session.settings import Settings
from quizapp.session.sitting import Kind, Sitting
from quizapp.session.trial import Planned, Trial
from quizapp.study.clock import Clock, SystemClock
from quizapp.study.log import new_id
from quizapp.study.stats import Stats
from quizapp.study.store import Store
from quizapp.text import i18n

__all__ = ["Home", "LastCard", "Session", "Stats", "open_session", "open_store"]


@dataclass(frozen=True, slots=True)
class Home:
    """What the home screen tells."""

    today: Entry | None
    today_done: bool
    due: int
    streak: int
    first_visit: bool
    banks: tuple[tuple[str, int, int], ...]  # title, questions, questions answered
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LastCard:
    """What a sitting ends with."""

    can_say: tuple[str, ...]
    returns: tuple[str, ...]
    tomorrow: str | None
    streak: int


class Session:
    """One learner at one screen. Made by `open_session`; ended by `close`."""

    def __init__(
        self,
        library: Library,
        store: Store | None,
        clock: Clock,
        engine: Engine,
        trouble: tuple[str, ...] = (),
    ) -> None:
        self.library = library
        self.settings: Settings = preferences.read(store)
        self.engine = engine
        self.trouble = trouble
        self._store = store
        self._clock = clock
        self._records = Records(store)
        self._running: dict[str, list[Job]] = {}

    async def tend(self) -> None:
        """The study day's damage check and backup; raises MachineError. After the first paint."""
        if self._store is not None:
            await asyncio.to_thread(self._store.tend, self._clock.now())

    # --- the lab ---------------------------------------------------------------

    async def warm(self) -> Ready:
        """Start the engine and wait for it. A machine without torch is told in `problem`."""
        try:
            return await self.engine.ready()
        except MachineError as error:
            return Ready(torch=None, problem=str(error))

    async def meet(
        self,
        trial: Trial,
        entry: Entry,
        on_update: Callable[[], None] = lambda: None,
        overrides: dict[str, object] | None = None,
    ) -> None:
        """Make the runs that meet `trial`'s answer, and save it once they decide.

        overrides: parameters changed on the spot; these runs decide nothing. `on_update`
        is called after every report. Cancelling the caller's task stops the runs.
        """
        await self.stop(trial)
        if overrides is not None:
            trial.pending = overrides
            on_update()
        jobs: list[Job] = []
        self._running[trial.answer_id] = jobs

        async def follow(planned: Planned, job: Job) -> None:
            async for report in job:
                trial.take(planned, report)
                if overrides is None and trial.complete and not trial.saved:
                    await self.settle(trial, entry)
                on_update()

        try:
            async with asyncio.TaskGroup() as group:
                for planned in trial.plan(overrides):
                    job = await self.engine.submit(
                        planned.experiment, dict(planned.params), self.settings.device or "auto"
                    )
                    jobs.append(job)
                    group.create_task(follow(planned, job))
        finally:
            for job in jobs:
                await job.cancel()

    async def use_device(self, device: str) -> None:
        """Run on `device` from now on, and next time."""
        self.settings = replace(self.settings, device=device)
        if self._store is not None:
            with contextlib.suppress(MachineError):
                await asyncio.to_thread(preferences.put, self._store, "device", device)

    async def stop(self, trial: Trial) -> None:
        """Stop what still runs for `trial`; the numbers it has stay."""
        for job in self._running.pop(trial.answer_id, []):
            await job.cancel()
        trial.pending = None

    def parameters(self, trial: Trial) -> dict[str, ParamInfo]:
        """The parameters of the question's experiment."""
        return dict(describe(trial.question.experiment.run).params)

    # --- answers -----------------------------------------------------------------

    def answer(
        self,
        entry: Entry,
        answer: Answer,
        *,
        confidence: Confidence | None = None,
        hints: int = 0,
        seconds: float = 0.0,
    ) -> Trial:
        """Take an answer; `meet` then runs what meets it."""
        return Trial(
            question=entry.question,
            reference=entry.reference,
            answer=answer,
            confidence=confidence,
            hints=hints,
            seconds=seconds,
            answer_id=new_id(),
        )

    async def settle(self, trial: Trial, entry: Entry) -> str:
        """Save `trial` as it stands; returns what is wrong, in words, or "".

        Called when the runs have decided, and when the learner moves on without them.
        Saving twice is saving once.
        """
        if trial.saved:
            return ""
        now = self._clock.now()
        try:
            await asyncio.to_thread(self._records.save, entry, trial, now)
        except QuizappError as error:
            trial.problem = str(error)
            return trial.problem
        trial.problem = ""
        return ""

    async def easy(self, trial: Trial) -> None:
        """The learner says that a right answer was easy. Raises QuizappError."""
        store = self._need_store()
        await asyncio.to_thread(store.mark_easy, trial.answer_id, self._clock.now())

    async def undo(self) -> str | None:
        """Take back the last answer; returns the question's title, or None without one."""
        store = self._need_store()
        undone = await asyncio.to_thread(store.undo_last, self._clock.now())
        if undone is None:
            return None
        entry = self.library.entries.get(undone.question)
        return undone.question if entry is None else entry.question.title.to(i18n.language())

    def stats(self) -> Stats:
        """The figures of `quizapp stats`. Raises MachineError without a study log."""
        return self._need_store().stats(self._clock.now(), self.library.meanings, self.library.tags)

    def _need_store(self) -> Store:
        if self._store is None:
            raise MachineError("the study log is not open", remedy="\n".join(self.trouble))
        return self._store

    @property
    def unsaved(self) -> str:
        """Answers the disk refused, as JSON lines; empty when everything is saved."""
        waiting = self._records.waiting.values()
        return "\n".join(
            json.dumps({**asdict(answer), "utc": moment.utc.isoformat()}, ensure_ascii=False)
            for answer, moment in waiting
        )

    # --- what comes next -----------------------------------------------------------

    async def home(self) -> Home:
        """What the home screen tells now."""
        return await asyncio.to_thread(self._home)

    def _home(self) -> Home:
        now, ids = self._clock.now(), self.library.meanings
        store = self._store
        seen = store.seen() if store else frozenset()
        today = self._entry(store.daily(now, ids) if store else next(iter(ids), None))
        answered = {a.question for a in store.answers_today(now)} if store else set()
        return Home(
            today=today,
            today_done=today is not None and today.reference in answered,
            due=len(store.due(now, ids)) if store else 0,
            streak=store.streak(now).current if store else 0,
            first_visit=not (store and store.ever_answered()),
            banks=tuple(
                (
                    bank.header.title.to(i18n.language()),
                    len(bank.questions),
                    sum(f"{bank.id}/{name}" in seen for name in bank.questions),
                )
                for bank in self.library.banks
            ),
            problems=(*self.trouble, *self.library.problems, *(store.notices if store else ())),
        )

    def _entry(self, reference: str | None) -> Entry | None:
        return None if reference is None else self.library.entries.get(reference)

    async def sit(self, kind: Kind) -> Sitting:
        """A new sitting: today's question (on a first visit the opening before it), what is
        due, or one more. Raises ContentError where there are no questions at all.
        """
        return await asyncio.to_thread(self._sit, kind)

    def _sit(self, kind: Kind) -> Sitting:
        if not self.library.entries:
            raise ContentError(
                "there are no questions to ask",
                remedy="\n".join(self.library.problems) or "Install quizapp again.",
            )
        now, ids = self._clock.now(), self.library.meanings
        first = kind == "daily" and not (self._store and self._store.ever_answered())
        opening = list(self.library.opening()) if first else []
        if kind == "due" and self._store is not None:
            due = [self._entry(found.question) for found in self._store.due(now, ids)]
            queue = [entry for entry in due if entry is not None]
        elif kind == "more":
            queue = [self._one_more(())]
        else:
            name = self._store.daily(now, ids) if self._store else next(iter(ids))
            today = self._entry(name)
            queue = [*opening, *([today] if today and today not in opening else [])]
        return Sitting(kind, self.library, queue, len(opening), first_visit=first)

    async def one_more(self, sitting: Sitting) -> Entry:
        """One more question, always."""
        asked = tuple(sitting.asked)
        return sitting.more(await asyncio.to_thread(self._one_more, asked))

    def _one_more(self, skip: Iterable[str]) -> Entry:
        ids, skipped = self.library.meanings, set(skip)
        found = None
        if self._store is not None:
            found = self._store.one_more(self._clock.now(), ids, skipped)
        # Every question asked already in this sitting: begin again rather than refuse.
        name = found or next((ref for ref in ids if ref not in skipped), next(iter(ids)))
        return self.library.entries[name]

    async def last_card(self, sitting: Sitting) -> LastCard:
        """What the learner can now say, what was refuted, and tomorrow's title."""
        return await asyncio.to_thread(self._last_card, sitting)

    def _last_card(self, sitting: Sitting) -> LastCard:
        from quizapp.session.evidence import fill_in

        now, said = self._clock.now(), i18n.language()
        tomorrow = self._entry(
            self._store.tomorrow(now, self.library.meanings) if self._store else None
        )
        can_say, returns = [], []
        for trial in sitting.trials:
            if trial.outcome == "right":
                can_say.append(
                    fill_in(trial.question.summary, trial.first.get(trial.deciding_plan), trial)
                )
            elif trial.outcome in ("wrong", "partial"):
                returns.append(trial.question.title.to(said))
        return LastCard(
            can_say=tuple(can_say),
            returns=tuple(returns),
            tomorrow=None if tomorrow is None else tomorrow.question.title.to(said),
            streak=self._store.streak(now).current if self._store else 0,
        )

    # --- drafts --------------------------------------------------------------------

    async def draft(self, entry: Entry) -> str:
        """What was written of an answer to `entry` before, and not handed in."""
        if self._store is None:
            return ""
        return await asyncio.to_thread(self._store.get_setting, _draft(entry)) or ""

    async def keep_draft(self, entry: Entry, text: str) -> None:
        """Keep what is written so far. Raises MachineError."""
        if self._store is not None:
            await asyncio.to_thread(self._store.set_setting, _draft(entry), text or None)

    # --- settings, and the end ------------------------------------------------------

    async def switch_language(self) -> str:
        """The other language, from now on and next time; returns it."""
        other = "zh" if i18n.language() == "en" else "en"
        i18n.set_language(other)
        if self._store is not None:
            # A log that cannot be written must not keep anyone from reading.
            with contextlib.suppress(MachineError):
                await asyncio.to_thread(preferences.put, self._store, "language", other)
        return other

    async def close(self) -> None:
        """Save what still waits, stop the engine. `unsaved` tells what could not be saved."""
        if self._records.waiting:
            with contextlib.suppress(QuizappError):
                await asyncio.to_thread(self._records.retry)
        await self.engine.close()
        if self._store is not None:
            await asyncio.to_thread(self._store.close)


def _draft(entry: Entry) -> str:
    return f"draft {entry.reference}"


def open_session(
    *,
    language: str | None = None,
    home: Path | None = None,
    clock: Clock | None = None,
    engine: Engine | None = None,
    banks: Path | None = None,
) -> Session:
    """A session with the shipped banks (or those at `banks` instead) and the learner's own.

    A study log that cannot be opened is told in `trouble`, and answers then wait unsaved:
    the questions still work. Synchronous: call it in a thread where a screen is waiting.
    """
    clock = clock or SystemClock()
    trouble: tuple[str, ...] = ()
    store = None
    try:
        store = open_store(home, clock)
    except MachineError as error:
        trouble = (str(error),)
    settings = preferences.read(store)
    i18n.set_language(language or settings.language or i18n.system_language())
    library = libraries.read((banks or paths.shipped_banks(), *settings.banks))
    return Session(library, store, clock, engine or Engine(), trouble)


def open_store(home: Path | None = None, clock: Clock | None = None) -> Store:
    """The learner's study log. Raises MachineError with what to do about it."""
    folder = home or paths.data_folder()
    return Store.open(folder / "study.db", (clock or SystemClock()).now())
