"""The application: opens the session after the first paint, and goes from screen to screen."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterable
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeVar, cast

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from quizapp.errors import INTERRUPTED, OK, TROUBLE, WRONG, QuizappError
from quizapp.text import i18n
from quizapp.text.i18n import _
from quizapp.text.plain import clean
from quizapp.tui.keys import KEYS
from quizapp.tui.screens.page import Page

if TYPE_CHECKING:
    from quizapp.session.library import Entry
    from quizapp.session.session import Session
    from quizapp.session.sitting import Kind, Sitting
    from quizapp.session.trial import Trial
    from quizapp.tui.screens.card import CardScreen
    from quizapp.tui.screens.help import HelpScreen
    from quizapp.tui.screens.home import HomeScreen
    from quizapp.tui.screens.question import QuestionScreen
    from quizapp.tui.screens.verdict import VerdictScreen

Start = Literal["home", "daily"]
S = TypeVar("S", bound=Page)

#: What the screens after the first one are made of.
SCREENS: Final = (
    *(f"quizapp.tui.screens.{name}" for name in ("question", "verdict", "card", "help", "home")),
    "quizapp.session.evidence",
    "quizapp.session.playing",
)


class QuizApp(App[None]):
    """quizapp on the screen. `start` is where it opens."""

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
        language: str | None = None,
        ascii_only: bool = False,
        opener: Callable[[str | None], Session] | None = None,
    ) -> None:
        """opener: makes the session, in a thread; the learner's own by default."""
        super().__init__()
        self.ascii_glyphs = ascii_only
        self.session: Session | None = None
        self.sitting: Sitting | None = None
        self.remapped: dict[str, str] = {}
        self.lab_word = ""
        self.devices: tuple[str, ...] = ()
        self.last_words = ""
        self._start = start
        self._language = language
        self._opener = opener or _open_session
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
    def help(self) -> HelpScreen:
        from quizapp.tui.screens.help import HelpScreen

        return self._keep(HelpScreen())

    def _keep(self, screen: S) -> S:
        # An installed screen stays as it is while another is shown; others are taken apart.
        self.install_screen(screen, type(screen).__name__)
        return screen

    # --- opening ---------------------------------------------------------------------

    async def on_mount(self) -> None:
        await self.push_screen(self.question if self._start == "daily" else self.home)
        self.call_after_refresh(self._open)

    def _open(self) -> None:
        self.work("open", self._load)

    async def _load(self) -> None:
        """Banks, study log and engine, none of which the first paint waits for."""
        try:
            await self._open_session_and_screens()
        finally:
            _never_collect()
            gc.enable()

    async def _open_session_and_screens(self) -> None:
        try:
            self.session = await asyncio.to_thread(self._opener, self._language)
        except QuizappError as error:
            self.exit(return_code=error.exit_code, message=str(error))
            return
        self._apply_settings()
        self.work("tend", self.session.tend)
        self.work("warm", self._warm)
        if self._start == "daily":
            for problem in (*self.session.trouble, *self.session.library.problems):
                self.tell(problem, title=_("Trouble"), severity="warning")
            await self._begin("daily")
        else:
            await self.home.reload()
        await asyncio.to_thread(_import_screens)

    def _apply_settings(self) -> None:
        assert self.session is not None
        settings = self.session.settings
        if settings.light:
            self.theme = "textual-light"
        for name, keys in settings.keys:
            if name in KEYS or name.startswith("choices."):
                self.remapped[name] = keys
            else:
                self.tell(_("There is no key called {name}.").format(name=name))
        self.set_keymap(self.remapped)
        self._reword()

    async def _warm(self) -> None:
        assert self.session is not None
        ready = await self.session.warm()
        _never_collect()
        self.devices = ready.devices
        wanted = self.session.settings.device
        self.lab_word = _("no lab") if ready.torch is None else ready.devices[0]
        if ready.torch is not None and wanted in ready.devices:
            self.lab_word = wanted
        if ready.torch is None:
            self.tell(
                _("The lab is not there: {problem}").format(problem=ready.problem),
                title=_("Questions still work"),
                severity="warning",
            )
        self._reword()

    # --- from screen to screen -------------------------------------------------------

    def begin(self, kind: Kind) -> None:
        """Start a sitting."""
        if self.session is not None:
            self.work("begin", self._begin, kind)

    async def _begin(self, kind: Kind) -> None:
        assert self.session is not None
        try:
            self.sitting = await self.session.sit(kind)
            entry = self.sitting.start()
        except QuizappError as error:
            self.trouble(error)
            return
        if entry is None:
            await self._show_card()
        else:
            await self._ask(entry)

    async def _ask(self, entry: Entry) -> None:
        assert self.sitting is not None
        with self.batch_update():  # the last question is not painted once more
            if self.screen is not self.question:
                await self.switch_screen(self.question)
            await self.question.ask(entry, self.sitting)

    def show_verdict(self, entry: Entry, trial: Trial) -> None:
        """The answer is in: show what it meets."""
        self.work("flow", self._show_verdict, entry, trial)

    async def _show_verdict(self, entry: Entry, trial: Trial) -> None:
        assert self.sitting is not None
        self.sitting.trials.append(trial)
        with self.batch_update():
            await self.switch_screen(self.verdict)
            self.verdict.show(entry, trial, self.sitting)
        if entry.question.kind == "open" and self.session is not None:
            await self.session.keep_draft(entry, "")

    def go_on(self, entry: Entry, trial: Trial) -> None:
        """From a verdict to the follow-up, the next question, or the last card."""
        # A worker: a screen that waits for its own replacement waits for ever.
        self.work("flow", self._go_on, entry, trial)

    async def _go_on(self, entry: Entry, trial: Trial) -> None:
        assert self.sitting is not None
        await self._settle(entry, trial)
        following = self.sitting.advance(trial)
        if following is None:
            await self._show_card()
        else:
            await self._ask(following)

    async def _settle(self, entry: Entry, trial: Trial) -> None:
        assert self.session is not None
        await self.session.stop(trial)
        problem = await self.session.settle(trial, entry)
        if problem:
            self.tell(problem, title=_("Not saved yet"), severity="warning")

    def one_more(self) -> None:
        """One more question, always."""
        self.work("flow", self._one_more)

    async def _one_more(self) -> None:
        if self.session is None:
            return
        await self._leave_verdict()
        if self.sitting is None:
            await self._begin("more")
        else:
            await self._ask(await self.session.one_more(self.sitting))

    async def _leave_verdict(self) -> None:
        verdict = self.verdict
        if self.screen is verdict and verdict.entry is not None and verdict.trial is not None:
            await self._settle(verdict.entry, verdict.trial)

    def finish(self) -> None:
        """The last card of this sitting."""
        self.work("flow", self._finish)

    async def _finish(self) -> None:
        await self._leave_verdict()
        await self._show_card()

    async def _show_card(self) -> None:
        if self.sitting is not None:
            with self.batch_update():
                await self.switch_screen(self.card)
                await self.card.show(self.sitting)

    def go_home(self) -> None:
        """Back to the home screen."""
        self.sitting = None
        self.switch_screen(self.home)

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

    def place(self, sitting: Sitting) -> str:
        """Title and position, for the top line."""
        if sitting.current is None:
            return ""
        title = sitting.current.question.title.to(i18n.language())
        return f"{clean(title)} {sitting.position}/{sitting.total}"

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
        self._reword()
        if self.screen is self.card:
            self.card.on_language()
        if self.screen is self.home:
            await self.home.reload()

    def _reword(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Page) and screen.is_mounted:
                screen.words()

    async def action_help(self) -> None:
        """The keys of the current screen; again closes the list."""
        if self.screen is self.help:
            self.pop_screen()
            return
        names = tuple(name for name in self._bound(self.screen) if name in KEYS)
        await self.push_screen(self.help)
        self.help.show(names)

    @staticmethod
    def _bound(screen: Screen[object]) -> tuple[str, ...]:
        """The names of the keys a screen binds, its own first."""
        bindings = (*type(screen).BINDINGS, *Page.BINDINGS)
        names = (b.id for b in bindings if isinstance(b, Binding) and b.id is not None)
        return tuple(dict.fromkeys(names))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: the keys of the screen, in the learner's language."""
        for name in self._bound(screen):
            key = KEYS.get(name)
            if key is not None and key.action:
                yield SystemCommand(_(key.label), _(key.help), self._runner(screen, key.action))
        yield SystemCommand(_("light or dark"), _("switch the colours"), self.action_toggle_dark)

    def _runner(self, screen: Screen[object], action: str):  # type: ignore[no-untyped-def]
        async def run() -> None:
            await self.run_action(action, screen)

        return run

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
        await self._leave_verdict()
        if self.session is not None:
            await self.question.keep_draft_now()
            await self.session.close()
            self.last_words = self.session.unsaved

    def _code(self) -> int:
        if self.last_words:
            return TROUBLE
        trials = self.sitting.trials if self.sitting and self._start == "daily" else []
        return WRONG if any(trial.outcome == "wrong" for trial in trials) else OK


def _open_session(language: str | None) -> Session:
    # Everything heavy that is no widget is imported here, in a thread, after the first paint.
    from quizapp.session.session import open_session

    return open_session(language=language)


def _never_collect() -> None:
    # What is loaded by now stays: walking it in every full collection stalls the loop for 100 ms.
    gc.freeze()


def _import_screens() -> None:
    # Before the learner gets there: an import on the event loop would be felt.
    for module in SCREENS:
        import_module(module)
