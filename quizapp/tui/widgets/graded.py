"""A grade on the screen: the diagnosis, what failed and how, both weights, and the prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from quizapp.text.i18n import _, language
from quizapp.tui.widgets.checklist import ChecklistView
from quizapp.tui.widgets.plain import PlainText
from quizapp.tui.widgets.plots import HeatMapView

if TYPE_CHECKING:
    from quizapp.plot.checklist import Item
    from quizapp.report import HeatMap
    from quizapp.session.graded import Told

#: Columns from which on two maps stand beside each other.
BESIDE = 64


class GradedView(Vertical):
    """Everything a grade tells; the maps are made at the first grade that has any."""

    DEFAULT_CSS = """
    GradedView { height: auto; }
    GradedView > PlainText { height: auto; }
    GradedView #headline { text-style: bold; }
    GradedView #diagnosis { color: $text-accent; text-style: bold; margin-top: 1; }
    GradedView #problem { margin-top: 1; }
    GradedView #first { margin-top: 1; }
    GradedView #maps { height: auto; margin-top: 1; }
    GradedView #maps HeatMapView { width: 1fr; max-height: 9; margin-right: 2; }
    GradedView #maps.-stacked { layout: vertical; }
    GradedView #maps.-stacked HeatMapView { margin-bottom: 1; }
    GradedView #further { margin-top: 1; }
    GradedView #printed { margin-top: 1; color: $text-muted; }
    GradedView #timing, GradedView #stale { color: $text-muted; }
    GradedView #unlogged { color: $text-warning; }
    """

    def on_resize(self, event: events.Resize) -> None:
        """Two maps beside each other need room for their titles."""
        self.query_one("#maps").set_class(event.size.width < BESIDE, "-stacked")

    def compose(self) -> ComposeResult:
        yield PlainText(id="headline")
        yield PlainText(id="timing")
        yield PlainText(id="stale")
        yield PlainText(id="unlogged")
        yield PlainText(id="diagnosis")
        yield PlainText(id="problem")
        yield ChecklistView(id="first")
        yield Horizontal(id="maps")
        yield ChecklistView(id="further")
        yield PlainText(id="printed")

    def show(self, told: Told | None, waiting: str, *, stale: bool) -> None:
        """Show `told` in its language, or `waiting` while there is a newer one on its way.

        stale: the text has changed since.
        """
        self._say("stale", _("The text has changed since.") if told and stale else "")
        if waiting or told is None:
            self._say("headline", waiting or _("Not graded yet."))
            for part in self.children:
                part.display = part.id == "headline"
            return
        self._say("headline", told.headline)
        self._say("timing", told.made)
        self._say("unlogged", told.unlogged)
        self._say("diagnosis", told.diagnosis)
        self._say("problem", told.problem)
        self._list("first", told.first)
        self._maps(told.pictures)
        self._list("further", told.further)
        printed = _("Printed:") + "\n" + told.printed if told.printed else ""
        self._say("printed", printed)

    def _say(self, name: str, words: str) -> None:
        part = self.query_one(f"#{name}", PlainText)
        part.display = bool(words)
        part.update(words)

    def _list(self, name: str, items: tuple[Item, ...]) -> None:
        part = self.query_one(f"#{name}", ChecklistView)
        part.display = bool(items)
        part.update(items)

    def _maps(self, pictures: tuple[HeatMap, ...]) -> None:
        area = self.query_one("#maps")
        area.display = bool(pictures)
        views = list(area.query(HeatMapView))
        for view, picture in zip(views, pictures, strict=False):
            view.language, view.display = language(), True
            view.update(picture)
        for view in views[len(pictures) :]:
            view.display = False
        for picture in pictures[len(views) :]:
            area.mount(HeatMapView(picture, language=language()))
