"""The shape of a tensor: each axis beside the measured one, and which of them was wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quizapp.bank import Choice, ShapeQuestion
from quizapp.plot.grid import GridRow
from quizapp.report import Report
from quizapp.session.cells import mark_of
from quizapp.session.given import Answer
from quizapp.session.kinds.way import Say, Way
from quizapp.text import Text
from quizapp.text.i18n import _, language

if TYPE_CHECKING:
    from quizapp.session.trial import Trial
    from quizapp.study.log import Json


def measured(question: ShapeQuestion, run: Report | None) -> tuple[int, ...] | None:
    """The shape a complete run has measured; None before, and where it is no shape."""
    if run is None or run.status != "final":
        return None
    metric = run.metrics.get(question.answer.metric)
    if metric is None or not isinstance(metric.value, tuple):
        return None
    sizes = tuple(round(size) for size in metric.value)
    return sizes if all(a == b for a, b in zip(sizes, metric.value, strict=True)) else None


def written(shape: Sequence[int]) -> str:
    """A shape as PyTorch prints it: (8, 24, 40), and (5,) for one axis."""
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"


class ShapeWay(Way[ShapeQuestion]):
    """All axes right, in order, or it is another tensor."""

    partial = False

    @property
    def by_run(self) -> bool:
        return True

    def share(self, answer: Answer, run: Report | None) -> float | None:
        shape = measured(self.question, run)
        if shape is None:
            return None
        same = sum(a == b for a, b in zip(answer.shape, shape, strict=False))
        return same / max(len(shape), len(answer.shape))

    def wrong(self, answer: Answer) -> Sequence[Choice]:
        return [
            Choice(
                id=slip.id,
                text=Text.of(written(slip.shape)),
                feedback=slip.feedback,
                counterfactual=slip.counterfactual,
            )
            for slip in self.question.slips
            if slip.shape == answer.shape
        ]

    def metrics(self) -> Sequence[str]:
        return (self.question.answer.metric,)

    def logged(self, answer: Answer) -> dict[str, Json]:
        return {"typed": answer.text, "shape": list(answer.shape)}

    # --- words -----------------------------------------------------------------------

    def headline(self, answer: Answer, run: Report | None) -> str:
        shape = measured(self.question, run)
        right = "…" if shape is None else written(shape)
        return _("{mine}, right is {right}").format(mine=written(answer.shape), right=right)

    def told(self, answer: Answer, run: Report | None, say: Say) -> Sequence[str]:
        met = [say(choice.feedback, choice) for choice in self.wrong(answer)]
        return [*self._wrong_axes(answer, run), *(met or [say(self.question.feedback, None)])]

    def _wrong_axes(self, answer: Answer, run: Report | None) -> Sequence[str]:
        """Which axes are wrong, a sentence each; one where all of them are, in the same way."""
        shape, mine = measured(self.question, run), answer.shape
        if shape is None or shape == mine:
            return ()
        names = _(", ").join(self._names())
        if len(shape) != len(mine):
            words = _("You gave {mine} axes; it has {right}: {names}.")
            return (words.format(mine=len(mine), right=len(shape), names=names),)
        if sorted(mine) == sorted(shape):
            words = _("The sizes are right, their order is not: it is {names}.")
            return (words.format(names=names),)
        wrong = [axis for axis in range(len(shape)) if shape[axis] != mine[axis]]
        return [self._axis(axis, mine[axis], shape[axis], run) for axis in wrong]

    def _axis(self, axis: int, mine: int, right: int, run: Report | None) -> str:
        """Which axis is wrong and, where one parameter has the size given, whose it is."""
        known = {} if run is None or run.provenance is None else run.provenance.params
        owners = [
            name
            for name, value in known.items()
            if value == mine and not isinstance(value, bool) and name not in ("seed", "draws")
        ]
        words = _("Axis {number}, {name}: you gave {mine}, measured {right}.")
        if len(owners) == 1:
            words = _(
                "Axis {number}, {name}: you gave {mine}, the value of `{owner}`; measured {right}."
            )
        return words.format(
            number=axis + 1,
            name=self._names()[axis],
            mine=mine,
            right=right,
            owner=owners[0] if owners else "",
        )

    def _names(self) -> list[str]:
        return [name.shown(language()) for name in self.question.answer.axes]

    def headings(self, trial: Trial) -> tuple[str, ...]:
        other = (_("run of your shape"),) if self._own_run(trial.answer) else ()
        return (_("you expected"), _("measured"), *other)

    def _own_run(self, answer: Answer) -> Choice | None:
        """The wrong belief that was met, where a run has the shape it states."""
        return next((c for c in self.wrong(answer) if c.counterfactual is not None), None)

    def rows(self, trial: Trial) -> Iterator[GridRow]:
        shape, mine = measured(self.question, trial.deciding_run), trial.answer.shape
        belief, decided = self._own_run(trial.answer), False
        other = None if belief is None else measured(self.question, trial.report_for(belief))
        for axis, name in enumerate(self._names()):
            right = None if shape is None else shape[axis] if axis < len(shape) else None
            same = None if shape is None else axis < len(mine) and mine[axis] == right
            said = str(mine[axis]) if axis < len(mine) else "–"
            deciding = same is False and not decided
            decided = decided or deciding
            label = _("axis {number}: {name}").format(number=axis + 1, name=name)
            cells: tuple[str, ...] = (said, "…" if right is None else str(right))
            if belief is not None:
                found = "…" if other is None else str(other[axis]) if axis < len(other) else "–"
                cells = (*cells, found)
            yield GridRow(label, cells, mark_of(same), deciding)
        for axis in range(len(self._names()), len(mine)):
            label = _("axis {number}: {name}").format(number=axis + 1, name=_("there is none"))
            yield GridRow(label, (str(mine[axis]), "–"), mark_of(False))
