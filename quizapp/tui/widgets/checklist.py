"""A checklist on the screen, in the colours of what holds and what does not."""

from __future__ import annotations

from collections.abc import Hashable

from quizapp.plot import Look, Row
from quizapp.plot.checklist import Item, draw_checklist
from quizapp.tui.widgets.cells import CellWidget


class ChecklistView(CellWidget):
    """Empty until `update` gives it items."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.items: tuple[Item, ...] = ()

    def update(self, items: tuple[Item, ...]) -> None:
        """Show `items` in place of the last ones."""
        if items != self.items:
            self.items = items
            self.refresh(layout=True)

    def drawing_key(self) -> Hashable:
        return self.items

    def cell_rows(self, width: int, height: int | None, look: Look) -> list[Row]:  # noqa: ARG002
        return draw_checklist(self.items, width, look)
