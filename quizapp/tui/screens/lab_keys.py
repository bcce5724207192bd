"""Which keys of the lab work now, most useful first, and what they would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quizapp.text.i18n import _
from quizapp.tui.widgets.field_bar import FieldBar
from quizapp.tui.widgets.form_view import FormView
from quizapp.tui.widgets.result_view import ResultView

if TYPE_CHECKING:
    from quizapp.tui.screens.lab import LabScreen


def hints(lab: LabScreen) -> tuple[str, ...]:
    """Names of keys; in the field every printable key types."""
    if lab.bench is None:
        return ("back", "quit")
    if lab.editing:
        return ("edit", "back", "quit")
    param = lab.query_one(FormView).param
    return (
        *(("cancel",) if lab.bench.running else ()),
        *(("whose",) if lab.bench.given_own is not None else ()),
        "next_param",
        *(("up",) if lab.bench.steps(param, 1) else ()),
        *("edit", "pane", "next_part", "pin", "sweep", "help", "reseed", "save", "copy"),
        *(("down",) if lab.bench.steps(param, -1) else ()),
        *("defaults", "language"),
    )


def word(lab: LabScreen, name: str) -> str | None:
    """The footer's word for a key whose word depends on what would happen; else None."""
    bench = lab.bench
    if bench is None or not lab.is_mounted:
        return None
    if name in ("up", "down"):
        param = lab.query_one(FormView).param
        return bench.neighbour_words(param, 1 if name == "up" else -1)
    if name == "whose":
        return _("our attention") if bench.own is not None else _("your attention")
    if name == "edit" and lab.editing:
        return _("save") if lab.query_one(FieldBar).purpose == "save" else _("take it")
    if name == "next_part":
        pane = lab.query_one(ResultView).pane
        words = {
            "numbers": _("number"),
            "tables": _("table"),
            "plots": _("plot"),
            "trace": _("step"),
        }
        return words.get(pane)
    return _("let go") if name == "pin" and bench.pinned is not None else None
