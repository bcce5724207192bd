"""The application: opens the session after the first paint, and goes from screen to screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from quizapp.errors import INTERRUPTED, OK, TROUBLE, WRONG, QuizappError
from quizapp.text import i18n
from quizapp.text.i18n import _
from quizapp.text.plain import clean
from quizapp.tui.flow import Flow
from quizapp.tui.opening import open_all, open_session
from quizapp.tui.palette import bound, commands
from quizapp.tui.screens.page import Page

if TYPE_CHECKING:
    from quizapp.session.library import Entry
    from quizapp.session.session import Session
    from quizapp.session.trial import Trial
    from quizapp.tui.screens.card import CardScreen
    from quizapp.tui.screens.folklore import FolkloreScreen
    from quizapp.tui.screens.help import HelpScreen
    from quizapp.tui.screens.home import HomeScreen
    from quizapp.tui.screens.lab import LabScreen
    from quizapp.tui.screens.lab_list import LabListScreen
    from quizapp.tui.screens.practice import PracticeScreen
    from quizapp.tui.screens.practice_list import PracticeListScreen
    from quizapp.tui.screens.question import QuestionScreen
    from quizapp.tui.screens.verdict import VerdictScreen

Start = Literal["home", "daily", "lab", "practice"]
S = TypeVar("S", bound=Page)


class QuizApp(App[None]):
    """quizapp on the screen. `start` is where it opens.

    "lab" on `experiment`, "practice" on `exercise`, written in `file`; or on the list of either.
    """

    CSS_PATH = "quizapp.tcss"
    TITLE = "quizapp"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True, id="interrupt"),
    ]

    def __init__(
        self,
        start: Start = "home",
        *,
        experiment: str | None = None,
        exercise: str | None = None,
        file: Path | None = None,
        language: str | None = None,
        ascii_only: bool = False,
        opener: Callable[[str | None], Session] | None = None,
    ) -> None:
        """opener: makes the session, in a thread; the learner's own by default."""
        super().__init__()
        self.ascii_glyphs = ascii_only
        self.session: Session | None = None
        self.flow = Flow(self)
        self.remapped: dict[str, str] = {}
        self.lab_word = ""
        self.devices: tuple[str, ...] = ()
        self.last_words = ""
        self.start = start
        self.experiment = experiment
        self.exercise, self.file = exercise, file
        self.wanted_language = language
        self.opener = opener or open_session
        i18n.set_language(language or i18n.system_language())

    # --- the screens: each made once; the first paint waits for one of them only ----------

    @cached_property
    def home(self) -> HomeScreen:
        from quizapp.tui.screens.home import HomeScreen

        return self._keep(HomeScreen())

    @cached_property
    def question(self) -> QuestionScreen:
        from quizapp.tui.screens.question import QuestionScreen

        return self._keep(QuestionScreen())

    @cached_property
    def verdict(self) -> VerdictScreen:
        from quizapp.tui.screens.verdict import VerdictScreen

        return self._keep(VerdictScreen())

    @cached_property
    def card(self) -> CardScreen:
        from quizapp.tui.screens.card import CardScreen

        return self._keep(CardScreen())

    @cached_property
    def lab_list(self) -> LabListScreen:
        from quizapp.tui.screens.lab_list import LabListScreen

        return self._keep(LabListScreen())

    @cached_property
    def lab(self) -> LabScreen:
        from quizapp.tui.screens.lab import LabScreen

        return self._keep(LabScreen())

    @cached_property
    def folklore(self) -> FolkloreScreen:
        from quizapp.tui.screens.folklore import FolkloreScreen

        return self._keep(FolkloreScreen())

    @cached_property
    def practice_list(self) -> PracticeListScreen:
        from quizapp.tui.screens.practice_list import PracticeListScreen

        return self._keep(PracticeListScreen())

    @cached_property
    def practice(self) -> PracticeScreen:
        from quizapp.tui.screens.practice import PracticeScreen

        return self._keep(PracticeScreen())

    @cached_property
    def help(self) -> HelpScreen:
        from quizapp.tui.screens.help import HelpScreen

        return self._keep(HelpScreen())

    def _keep(self, screen: S) -> S:
        # An installed screen stays as it is while another is shown; others are taken apart.
        self.install_screen(screen, type(screen).__name__)
        return screen

    # --- opening ---------------------------------------------------------------------

    async def on_mount(self) -> None:
        await self.push_screen(self._first())
        self.call_after_refresh(self.work, "open", self.open_up)

    async def open_up(self) -> None:
        """Open the session, and begin where `start` says."""
        await open_all(self)

    def _first(self) -> Page:
        if self.start == "lab":
            return self.lab_list if self.experiment is None else self.lab
        if self.start == "practice":
            return self.practice_list if self.exercise is None else self.practice
        return self.question if self.start == "daily" else self.home

    def work(self, group: str, doing: Callable[..., Coroutine[Any, Any, None]], *args: Any) -> None:
        """Do `doing(*args)` beside the screen, in place of what `group` was doing."""
        # Not the coroutine itself: one that is never started would complain.
        started = cast(Any, partial(doing, *args))
        self.run_worker(started, group=group, exclusive=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Work that failed is told, wherever it was started; the program goes on."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.trouble(event.worker.error)

    # --- what screens ask for ----------------------------------------------------------

    def tell(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
    ) -> None:
        """A notice in the corner; never markup."""
        self.notify(clean(message), title=title, severity=severity, markup=False)

    def trouble(self, error: BaseException) -> None:
        """Something failed: say what, and go on."""
        known = isinstance(error, QuizappError)
        message = str(error) if known else f"{type(error).__name__}: {error}"
        self.tell(message, title=_("That did not work"), severity="error")

    def keep_draft(self, entry: Entry, text: str) -> None:
        """Keep what is being written, soon: a later call replaces one that still waits."""
        self.work("draft", self._keep_draft, entry, text)

    async def _keep_draft(self, entry: Entry, text: str) -> None:
        await asyncio.sleep(0.4)
        if self.session is not None:
            await self.session.keep_draft(entry, text)

    async def easy(self, trial: Trial) -> None:
        """The learner says that a right answer was easy."""
        assert self.session is not None
        try:
            await self.session.easy(trial)
        except QuizappError as error:
            self.trouble(error)
        else:
            self.tell(_("Noted as easy: it returns much later."))

    async def undo(self) -> None:
        """Take back the last answer, and say which."""
        if self.session is None:
            return
        try:
            title = await self.session.undo()
        except QuizappError as error:
            self.trouble(error)
            return
        words = _("Taken back: {title}").format(title=title) if title else _("Nothing to undo.")
        self.tell(words)

    async def next_device(self) -> bool:
        """Run on the next device from now on; False when there is only one."""
        assert self.session is not None
        if len(self.devices) < 2:
            self.tell(_("This machine has only: {devices}").format(devices=self.lab_word))
            return False
        at = self.devices.index(self.lab_word) if self.lab_word in self.devices else 0
        self.lab_word = self.devices[(at + 1) % len(self.devices)]
        await self.session.use_device(self.lab_word)
        return True

    # --- language, help, leaving ---------------------------------------------------------

    async def action_switch_language(self) -> None:
        """The other language, on every screen at once."""
        if self.session is None:
            i18n.set_language("zh" if i18n.language() == "en" else "en")
        else:
            await self.session.switch_language()
        self.reword()
        if self.screen is self.card:
            self.card.on_language()
        if self.screen is self.home:
            await self.home.reload()

    def reword(self) -> None:
        """Put every word on every screen in the current language."""
        for screen in self.screen_stack:
            if isinstance(screen, Page) and screen.is_mounted:
                screen.words()

    async def action_help(self) -> None:
        """The keys of the current screen; again closes the list."""
        if self.screen is self.help:
            self.pop_screen()
            return
        names = bound(self.screen)
        await self.push_screen(self.help)
        self.help.show(names)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: see `quizapp.tui.palette`."""
        return commands(self, screen)

    async def action_leave(self) -> None:
        """Leave; everything answered is saved first."""
        await self._close()
        self.exit(return_code=self._code())

    async def action_interrupt(self) -> None:
        """Ctrl+C: the same, with the exit code that says so."""
        await self._close()
        self.exit(return_code=INTERRUPTED)

    async def action_quit(self) -> None:
        """Textual's own way out, from its palette."""
        await self.action_leave()

    async def _close(self) -> None:
        await self.flow.leave_verdict()
        if self.session is not None:
            await self.question.keep_draft_now()
            if "practice" in self.__dict__:
                await self.practice.leave()
            await self.session.close()
            self.last_words = self.session.unsaved

    def _code(self) -> int:
        if self.last_words:
            return TROUBLE
        sitting = self.flow.sitting if self.start == "daily" else None
        trials = [] if sitting is None else sitting.trials
        return WRONG if any(trial.outcome == "wrong" for trial in trials) else OK
