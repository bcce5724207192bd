"""Which keys of an exercise work now, most useful first, and what they would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quizapp.text.i18n import _

if TYPE_CHECKING:
    from quizapp.tui.screens.practice import PracticeScreen


def hints(screen: PracticeScreen) -> tuple[str, ...]:
    """Names of keys; in the editor every printable key types."""
    if screen.bench is None:
        return ("back", "quit")
    if screen.asks_reset:
        return ("reset", "back")
    if screen.typing:
        return ("grade", "hint", "side", "external", "keep", "back", "quit")
    more = ("hint",) if screen.bench.more_hints else ()
    return (
        *(("cancel",) if screen.bench.grading else ()),
        *(("open",) if screen.choosing else ("write",)),
        "grade",
        *more,
        "side",
        *(("in_lab",) if screen.in_lab else ()),
        *("back", "external", "help", "reset", "language"),
    )


def word(screen: PracticeScreen, name: str) -> str | None:
    """The footer's word for a key whose word depends on what would happen; else None."""
    if screen.asks_reset:
        return {"reset": _("yes, start over"), "back": _("no")}.get(name)
    if name == "back" and screen.typing:
        return _("leave")
    if name == "side":
        return {
            "statement": _("statement"),
            "editor": _("editor"),
            "results": _("results"),
            "solution": _("solution"),
        }[screen.next_pane]
    if name == "cancel":
        return _("stop")
    return _("run in the lab") if name == "in_lab" else None
