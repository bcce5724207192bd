"""One step of a trace on the screen: what happens, and the matrices it leaves."""

from __future__ import annotations

from collections.abc import Hashable

from quizapp.plot import Look, Row
from quizapp.plot.drawings import draw_step
from quizapp.report import Step
from quizapp.tui.widgets.cells import CellWidget


class StepView(CellWidget):
    """Empty until `update` gives it a step."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._step: Step | None = None
        self._version = 0  # not the step's id(), which a later step may be given again

    @property
    def step(self) -> Step | None:
        """The step on show."""
        return self._step

    def update(self, step: Step | None) -> None:
        """Show `step` in place of the last one."""
        if step is not self._step:
            self._step = step
            self._version += 1
            self.refresh(layout=True)

    def drawing_key(self) -> Hashable:
        return self._version

    def cell_rows(self, width: int, height: int | None, look: Look) -> list[Row]:  # noqa: ARG002
        return [] if self._step is None else draw_step(self._step, width, look, self.language)
