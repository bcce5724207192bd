"""`Flow`: from the first question of a sitting to its last card, screen by screen."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.errors import QuizappError
from quizapp.text.i18n import _, language
from quizapp.text.plain import clean

if TYPE_CHECKING:
    from quizapp.session.library import Entry
    from quizapp.session.own import Own
    from quizapp.session.session import Session
    from quizapp.session.sitting import Kind, Sitting
    from quizapp.session.trial import Trial
    from quizapp.tui.app import QuizApp

#: How long the verdict waits for its first numbers before it is shown without: a fast run
#: then needs one painting instead of two.
PATIENCE = 0.06


class Flow:
    """Which question is on, and what follows. The session decides; the app's screens show."""

    def __init__(self, app: QuizApp) -> None:
        self._app = app
        self.sitting: Sitting | None = None
        self._own: Own | None = None

    @property
    def _session(self) -> Session:
        assert self._app.session is not None
        return self._app.session

    def place(self) -> str:
        """Title and position, for the top line."""
        if self.sitting is None or self.sitting.current is None:
            return ""
        title = self.sitting.current.question.title.shown(language())
        return f"{clean(title)} {self.sitting.position}/{self.sitting.total}"

    # Each of these is started by a screen and goes on beside it: a screen that waited for
    # its own replacement would wait for ever.

    def begin(self, kind: Kind) -> None:
        """Start a sitting."""
        if self._app.session is not None:
            self._app.work("flow", self.sit, kind)

    def show_verdict(self, entry: Entry, trial: Trial) -> None:
        """The answer is in: show what it meets."""
        self._app.work("flow", self._show_verdict, entry, trial)

    def go_on(self, entry: Entry, trial: Trial) -> None:
        """From a verdict to the follow-up, the next question, or the last card."""
        self._app.work("flow", self._go_on, entry, trial)

    def one_more(self) -> None:
        """One more question, always."""
        if self._app.session is not None:
            self._app.work("flow", self._one_more)

    def finish(self) -> None:
        """The last card of this sitting."""
        self._app.work("flow", self._finish)

    def go_home(self) -> None:
        """Back to the home screen."""
        self.sitting = None
        self._app.switch_screen(self._app.home)

    def open_lab(self, own: Own | None = None) -> None:
        """Every experiment, over the screen that is on; `own` computes attention in them."""
        self._own = own
        self._app.push_screen(self._app.lab_list)

    @property
    def own(self) -> Own | None:
        """The learner's function the lab was opened with."""
        return self._own if self._app.lab_list in self._app.screen_stack else None

    def open_folklore(self) -> None:
        """The claims met, over the screen that is on."""
        if self._app.session is not None:
            self._app.push_screen(self._app.folklore)

    def open_practice(self) -> None:
        """The exercises, over the screen that is on."""
        if self._app.session is not None:
            self._app.push_screen(self._app.practice_list)

    def open_exercise(self, name: str) -> None:
        """One exercise, over the screen that is on."""
        if self._app.session is not None:
            self._app.work("flow", self.exercise, name)

    async def exercise(self, name: str, file: Path | None = None) -> None:
        """Put one exercise on the screen; the list where it cannot be opened."""
        app = self._app
        try:
            bench = await self._session.take(name, file)
            text = await bench.open()
        except QuizappError as error:
            app.trouble(error)
            if app.screen is app.practice:
                await app.switch_screen(app.practice_list)
            return
        with app.batch_update():
            if app.screen is not app.practice:
                await app.push_screen(app.practice)
            app.practice.open(bench, text)

    def about(self, reference: str) -> None:
        """From the board of claims, or from an exercise, to one certain question."""
        if self._app.session is not None:
            self._app.work("flow", self._about, reference)

    def open_experiment(self, name: str, given: Mapping[str, object] | None = None) -> None:
        """One experiment, with `given` in place of its defaults, over the screen that is on."""
        if self._app.session is not None:
            self._app.work("flow", self.experiment, name, given or {})

    async def experiment(self, name: str, given: Mapping[str, object]) -> None:
        """Put one experiment on the screen and run it."""
        from quizapp.session.bench import open_bench

        app = self._app
        try:
            bench = await open_bench(self._session, name, given, self.own)
        except QuizappError as error:
            app.trouble(error)
            return
        with app.batch_update():
            if app.screen is not app.lab:
                await app.push_screen(app.lab)
            app.lab.open(bench)

    def leave_lab(self) -> None:
        """Back to the screen the lab or the board was opened over; home where there is none."""
        app = self._app
        below = (
            app.screen_stack[-2] if len(app.screen_stack) > 2 else None
        )  # the first is Textual's
        if below is None:
            app.switch_screen(app.home)
        else:
            app.pop_screen()

    async def sit(self, kind: Kind) -> None:
        """Ask the first question of a sitting; the card where there is none left today."""
        try:
            self.sitting = await self._session.sit(kind)
            entry = self.sitting.start()
        except QuizappError as error:
            self._app.trouble(error)
            return
        if entry is None:
            await self._show_card()
        else:
            await self.ask(entry)

    async def _about(self, reference: str) -> None:
        try:
            self.sitting = self._session.about(reference)
        except QuizappError as error:
            self._app.trouble(error)
            return
        entry = self.sitting.start()
        assert entry is not None
        with self._app.batch_update():
            while len(self._app.screen_stack) > 2:  # the first is Textual's
                await self._app.pop_screen()
            await self.ask(entry)

    async def ask(self, entry: Entry) -> None:
        """Put one question on the screen."""
        assert self.sitting is not None
        app = self._app
        with app.batch_update():  # the last question is not painted once more
            if app.screen is not app.question:
                await app.switch_screen(app.question)
            await app.question.ask(entry, self.sitting)

    async def _show_verdict(self, entry: Entry, trial: Trial) -> None:
        assert self.sitting is not None
        app, verdict = self._app, self._app.verdict
        self.sitting.trials.append(trial)
        arrived = verdict.start(entry, trial, self.sitting)
        # A slower run's numbers come to a verdict that is on the screen already.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(arrived.wait(), PATIENCE)
        with app.batch_update():
            await app.switch_screen(verdict)
            verdict.show()
        if entry.question.kind == "open":
            await self._session.keep_draft(entry, "")

    async def _go_on(self, entry: Entry, trial: Trial) -> None:
        assert self.sitting is not None
        await self._settle(entry, trial)
        following = self.sitting.advance(trial)
        if following is None:
            await self._show_card()
        else:
            await self.ask(following)

    async def _one_more(self) -> None:
        await self.leave_verdict()
        if self.sitting is None:
            await self.sit("more")
        else:
            await self.ask(await self._session.one_more(self.sitting))

    async def _finish(self) -> None:
        await self.leave_verdict()
        await self._show_card()

    async def _show_card(self) -> None:
        if self.sitting is not None:
            with self._app.batch_update():
                await self._app.switch_screen(self._app.card)
                await self._app.card.show(self.sitting)

    async def leave_verdict(self) -> None:
        """Stop what still runs for the verdict on the screen, and save its answer."""
        verdict = self._app.verdict
        if (
            verdict in self._app.screen_stack
            and verdict.entry is not None
            and verdict.trial is not None
        ):
            await self._settle(verdict.entry, verdict.trial)

    async def _settle(self, entry: Entry, trial: Trial) -> None:
        await self._session.stop(trial)
        problem = await self._session.settle(trial, entry)
        if problem:
            self._app.tell(problem, title=_("Not saved yet"), severity="warning")
