"""The keys of a screen by name: for the list of keys and for the command palette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from textual.app import App, SystemCommand
from textual.binding import Binding
from textual.screen import Screen

from quizapp.text.i18n import _
from quizapp.tui.keys import KEYS
from quizapp.tui.screens.page import Page


def bound(screen: Screen[Any]) -> tuple[str, ...]:
    """The names of the keys a screen binds, its own first."""
    bindings = (*type(screen).BINDINGS, *Page.BINDINGS)
    names = (b.id for b in bindings if isinstance(b, Binding) and b.id is not None)
    return tuple(name for name in dict.fromkeys(names) if name in KEYS)


def commands(app: App[None], screen: Screen[Any]) -> Iterator[SystemCommand]:
    """The palette: the keys of the screen, in the learner's language."""
    for name in bound(screen):
        key = KEYS[name]
        if key.action:
            yield SystemCommand(_(key.label), _(key.help), _runner(app, screen, key.action))
    yield SystemCommand(_("light or dark"), _("switch the colours"), app.action_toggle_dark)


def _runner(app: App[None], screen: Screen[Any], action: str) -> Callable[[], Awaitable[Any]]:
    async def run() -> None:
        await app.run_action(action, screen)

    return run
