"""The verdict's table of numbers on the screen."""

from __future__ import annotations

from collections.abc import Hashable

from quizapp.plot import Grid, Look, Row, grid_rows
from quizapp.tui.widgets.cells import CellWidget


class NumbersTable(CellWidget):
    """A `Grid`: headings, rows with marks ✗ and ✓, the deciding row pointed at and bold."""

    def __init__(
        self,
        grid: Grid,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._grid = grid

    @property
    def grid(self) -> Grid:
        """The grid on show."""
        return self._grid

    def update(self, grid: Grid) -> None:
        """Show `grid` in place of the last one."""
        look, width = self.current_look, self.size.width
        before = len(grid_rows(self._grid, width, look))
        self._grid = grid
        self.refresh(layout=len(grid_rows(grid, width, look)) != before)

    def drawing_key(self) -> Hashable:
        return self._grid

    def cell_rows(self, width: int, height: int | None, look: Look) -> list[Row]:  # noqa: ARG002
        return grid_rows(self._grid, width, look)
