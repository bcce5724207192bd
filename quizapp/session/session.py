"""`Session`: the one door the fronts use. It knows the learner, the banks and the lab."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.errors import MachineError, QuizappError
from quizapp.lab.catalogue import catalogue, describe
from quizapp.lab.client import Engine, Job
from quizapp.lab.wire import Own, Ready
from quizapp.report import ParamInfo
from quizapp.session import library as libraries
from quizapp.session import paths
from quizapp.session import settings as preferences
from quizapp.session.answers import Answer, Confidence
from quizapp.session.by_hand import ByHand
from quizapp.session.course import Course, Home, LastCard
from quizapp.session.folklore import Board, board
from quizapp.session.library import Entry, Library
from quizapp.session.meeting import Meeting
from quizapp.session.records import Records
from quizapp.session.settings import Settings
from quizapp.session.sitting import Kind, Sitting
from quizapp.session.trial import Trial
from quizapp.study.clock import Clock, SystemClock
from quizapp.study.log import new_id
from quizapp.study.stats import Stats
from quizapp.study.store import Store
from quizapp.text import i18n

if TYPE_CHECKING:
    from quizapp.grader.client import Judge

__all__ = ["Home", "LastCard", "Session", "Stats", "open_session", "open_store"]


class Session(ByHand):
    """One learner at one screen. Made by `open_session`; ended by `close`."""

    def __init__(
        self,
        library: Library,
        store: Store | None,
        clock: Clock,
        engine: Engine,
        trouble: tuple[str, ...] = (),
        *,
        judge: Judge | None = None,
    ) -> None:
        super().__init__(library, store, clock, judge)
        self.settings: Settings = preferences.read(store)
        self.engine = engine
        self.trouble = trouble
        self._records = Records(store)
        self._course = Course(library, store, clock)
        self._meeting = Meeting(self.submit, self.settle)

    async def tend(self) -> None:
        """The study day's damage check and backup; raises MachineError. After the first paint."""
        if self._store is not None:
            await asyncio.to_thread(self._store.tend, self._clock.now())

    # --- the lab ---------------------------------------------------------------

    async def warm(self) -> Ready:
        """Start the engine and wait for it. A machine without torch is told in `problem`.

        Meanwhile every experiment is described, so that no verdict has to wait for one.
        """
        describing = asyncio.create_task(asyncio.to_thread(catalogue))
        try:
            return await self.engine.ready()
        except MachineError as error:
            return Ready(torch=None, problem=str(error))
        finally:
            await describing

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
        await self._meeting.meet(trial, entry, on_update, overrides)

    async def submit(
        self, experiment: str, params: Mapping[str, object], own: Own | None = None
    ) -> Job:
        """Ask the engine for a run on the device of the settings. Raises MachineError.

        own: the learner's function, to compute attention in place of ours.
        """
        device, tf32 = self.settings.device or "auto", self.settings.tf32
        return await self.engine.submit(experiment, params, device, tf32=tf32, own=own)

    async def use_device(self, device: str) -> None:
        """Run on `device` from now on, and next time."""
        self.settings = replace(self.settings, device=device)
        if self._store is not None:
            with contextlib.suppress(MachineError):
                await asyncio.to_thread(preferences.put, self._store, "device", device)

    async def stop(self, trial: Trial) -> None:
        """Stop what still runs for `trial`; the numbers it has stay."""
        await self._meeting.stop(trial)

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
        """Take an answer to an entry that was posed; `meet` then runs what meets it."""
        return Trial(
            question=entry.question,
            reference=entry.reference,
            answer=answer,
            confidence=confidence,
            hints=hints,
            seconds=seconds,
            answer_id=new_id(),
            values=entry.values,
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
        return self.title(undone.question)

    def title(self, reference: str) -> str:
        """The title of a question or an exercise; its reference where it is in no bank."""
        entry = self.library.entries.get(reference)
        if entry is not None:
            return entry.question.title.shown(i18n.language())
        return self.shelf.title(reference) or reference

    def stats(self) -> Stats:
        """The figures of `quizapp stats`. Raises MachineError without a study log."""
        meanings = self.library.meanings | self.shelf.meanings()
        tags = self.library.tags | self.shelf.tags()
        return self._need_store().stats(self._clock.now(), meanings, tags)

    def folklore(self) -> Board:
        """The claims met, each with its newest run. Raises MachineError without a study log."""
        return board(self.library, self._need_store())

    def _need_store(self) -> Store:
        if self._store is None:
            raise MachineError("the study log is not open", remedy="\n".join(self.trouble))
        return self._store

    @property
    def unsaved(self) -> str:
        """Answers the disk refused, as JSON lines; empty when everything is saved."""
        return self._records.unsaved

    # --- what comes next -----------------------------------------------------------

    async def home(self) -> Home:
        """What the home screen tells now."""
        return await asyncio.to_thread(self._course.home, self.trouble)

    async def sit(self, kind: Kind) -> Sitting:
        """A new sitting. Raises ContentError where there are no questions at all."""
        return await asyncio.to_thread(self._course.sit, kind)

    def about(self, reference: str) -> Sitting:
        """A sitting on one certain question. Raises ContentError where it is gone."""
        return self._course.about(reference)

    async def one_more(self, sitting: Sitting) -> Entry:
        """One more question in this sitting, always."""
        asked = tuple(sitting.asked)
        return sitting.more(await asyncio.to_thread(self._course.one_more, asked))

    async def last_card(self, sitting: Sitting) -> LastCard:
        """What the learner can now say, what was refuted, and tomorrow's title."""
        return await asyncio.to_thread(self._course.last_card, sitting)

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
        await self.end_practice()
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
    judge: Judge | None = None,
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
    cache = paths.banks_cache(home)
    library = libraries.read((banks or paths.shipped_banks(), *settings.banks), cache)
    return Session(library, store, clock, engine or Engine(), trouble, judge=judge)


def open_store(home: Path | None = None, clock: Clock | None = None) -> Store:
    """The learner's study log. Raises MachineError with what to do about it."""
    folder = home or paths.data_folder()
    return Store.open(folder / "study.db", (clock or SystemClock()).now())
