"""Opens the screen, or says why it cannot be opened."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from quizapp.errors import MachineError

if TYPE_CHECKING:
    from pathlib import Path

    from quizapp.tui.app import Start


def home(options: dict[str, Any]) -> int:
    """The home screen; returns the exit code."""
    return screen("home", options)


def screen(
    start: Start,
    options: dict[str, Any],
    *,
    experiment: str | None = None,
    exercise: str | None = None,
    file: Path | None = None,
) -> int:
    """The program at `start`; returns the exit code. Raises MachineError without a terminal.

    experiment: what the lab opens on. exercise, file: what is practised, and where it is written.
    """
    others = {"lab": "`quizapp run NAME`", "practice": "`quizapp practice NAME --plain`"}
    ascii_only = needs_terminal(others.get(start, "`quizapp daily --plain`"), options)
    gc.disable()  # nothing made until the session is open is garbage; the app enables it
    from quizapp.tui.app import QuizApp

    app = QuizApp(
        start,
        experiment=experiment,
        exercise=exercise,
        file=file,
        language=options["lang"],
        ascii_only=ascii_only,
    )
    app.run()
    if app.last_words:
        click.echo("quizapp: these answers could not be saved:", err=True)
        click.echo(app.last_words, err=True)
    return app.return_code or 0


def needs_terminal(instead: str, options: dict[str, Any]) -> bool:
    """Raises MachineError, with what to use `instead`, where no screen can be drawn.

    Returns whether to draw with ASCII glyphs only.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise MachineError(
            "there is no terminal to draw on", remedy=f"Run it in a terminal, or use {instead}."
        )
    if os.environ.get("TERM", "") in ("", "dumb"):
        raise MachineError(
            f"the terminal cannot draw a screen (TERM={os.environ.get('TERM', '')!r})",
            remedy=f"Use {instead}.",
        )
    from quizapp.session.terminal import draws_wide

    return options["ascii"] or draws_wide()
