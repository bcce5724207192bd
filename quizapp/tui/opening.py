"""Opening: banks, study log, settings and engine, none of which the first paint waits for."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from importlib import import_module
from typing import TYPE_CHECKING, Final

from quizapp.errors import QuizappError
from quizapp.text.i18n import _
from quizapp.tui.keys import KEYS

if TYPE_CHECKING:
    from quizapp.session.session import Session
    from quizapp.tui.app import QuizApp

#: What the screens after the first one are made of.
SCREENS: Final = (
    *(f"quizapp.tui.screens.{name}" for name in ("question", "verdict", "card", "help", "home")),
    *(f"quizapp.tui.screens.{name}" for name in ("lab_list", "lab", "folklore")),
    *(f"quizapp.tui.screens.{name}" for name in ("practice_list", "practice")),
    *(f"quizapp.session.{name}" for name in ("evidence", "playing", "readings", "folklore")),
    *(f"quizapp.session.{name}" for name in ("external", "graded", "shelf", "workbench")),
)


def open_session(language: str | None) -> Session:
    """The learner's own session. Everything heavy that is no widget is imported here."""
    from quizapp.session.session import open_session as opened

    return opened(language=language)


async def open_all(app: QuizApp) -> None:
    """Give the app its session, begin where it should, and warm the engine meanwhile."""
    try:
        await _open(app)
    finally:
        never_collect()
        gc.enable()


async def _open(app: QuizApp) -> None:
    try:
        session = await asyncio.to_thread(app.opener, app.wanted_language)
    except QuizappError as error:
        app.exit(return_code=error.exit_code, message=str(error))
        return
    app.session = session
    apply_settings(app)
    app.work("tend", session.tend)
    app.work("warm", warm, app)
    if app.start == "daily":
        for problem in (*session.trouble, *session.library.problems):
            app.tell(problem, title=_("Trouble"), severity="warning")
        await app.flow.sit("daily")
    elif app.start == "lab":
        if app.experiment is not None:
            await app.flow.experiment(app.experiment, {})
    elif app.start == "practice":
        if app.exercise is not None:
            await app.flow.exercise(app.exercise, app.file)
        else:
            await app.practice_list.reload()
    else:
        await app.home.reload()
    await asyncio.to_thread(_import_screens)


def apply_settings(app: QuizApp) -> None:
    """Colours and remapped keys; a key that does not exist is told."""
    assert app.session is not None
    settings = app.session.settings
    if settings.light:
        app.theme = "textual-light"
    for name, keys in settings.keys:
        if name in KEYS or name.startswith("choices."):
            app.remapped[name] = keys
        else:
            app.tell(_("There is no key called {name}.").format(name=name))
    app.set_keymap(app.remapped)
    app.reword()


async def warm(app: QuizApp) -> None:
    """Start the engine; a machine without torch is told that questions still work."""
    assert app.session is not None
    if app.start == "practice":
        with contextlib.suppress(QuizappError):  # the exercise's own screen tells it
            await app.session.practice.warm()
    ready = await app.session.warm()
    never_collect()
    app.devices = ready.devices
    wanted = app.session.settings.device
    app.lab_word = _("no lab") if ready.torch is None else ready.devices[0]
    if ready.torch is not None and wanted in ready.devices:
        app.lab_word = wanted
    if ready.torch is None:
        app.tell(
            _("The lab is not there: {problem}").format(problem=ready.problem),
            title=_("Questions still work"),
            severity="warning",
        )
    app.reword()


def never_collect() -> None:
    """What is loaded by now stays: walking it in each full collection stalls the loop 100 ms."""
    gc.freeze()


def _import_screens() -> None:
    # Before the learner gets there: an import on the event loop would be felt.
    for module in SCREENS:
        import_module(module)
