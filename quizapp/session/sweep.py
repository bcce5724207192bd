"""`Sweep`: one number over the values of one parameter, everything else as the form has it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from quizapp.report import Curve, Metric, ParamInfo, ParamValue, Report, Row, Series, Table
from quizapp.session.steps import neighbour
from quizapp.session.takes import written
from quizapp.text import Text

#: Runs of one sweep, at most, where the values are numbers.
POINTS: Final = 9


def ladder(info: ParamInfo, now: ParamValue) -> tuple[ParamValue, ...]:
    """The values to run, in order: every choice; sizes by factors of two; else even steps.

    Of numbers at most `POINTS`, from end to end of the range; `now` is one of the sizes.
    Empty for a list, which has no order.
    """
    if info.kind == "choice":
        return tuple(info.choices)
    if info.kind == "bool":
        return (False, True)
    if info.step == "double":
        return _sizes(info, now)
    return _even(info, now)


def _sizes(info: ParamInfo, now: ParamValue) -> tuple[ParamValue, ...]:
    down = list(_walk(info, now, -1))[::-1]
    every = [*down, now, *_walk(info, now, 1)]
    stride = math.ceil(len(every) / POINTS)
    return tuple(every[len(down) % stride :: stride])


def _even(info: ParamInfo, now: ParamValue) -> tuple[ParamValue, ...]:
    if not isinstance(now, int | float) or info.low is None or info.high is None:
        return ()
    if info.name == "seed":
        return tuple(int(now) + more for more in range(POINTS))
    reach = info.high - info.low
    even = [info.low + reach * step / (POINTS - 1) for step in range(POINTS)]
    if info.kind == "int":
        return tuple(dict.fromkeys(round(value) for value in even))
    return tuple(round(value, 10) for value in even)


def _walk(info: ParamInfo, value: ParamValue, direction: int) -> Iterator[ParamValue]:
    while (following := neighbour(info, value, direction)) is not None:
        yield following
        value = following


@dataclass(slots=True)
class Sweep:
    """A sweep as far as it has come.

    base: the parameters that stay. points: value, number, its standard error. refused: values
    that do not go with the others, or whose run failed.
    """

    param: ParamInfo
    metric: str
    base: Mapping[str, ParamValue]
    values: tuple[ParamValue, ...]
    points: list[tuple[ParamValue, float, float | None]] = field(default_factory=list)
    refused: list[ParamValue] = field(default_factory=list)
    found: Metric | None = None  # the last run's: label and unit
    device: str = ""
    running: bool = True

    def take(self, value: ParamValue, report: Report) -> None:
        """The complete report of the run with `value`."""
        metric = report.metrics.get(self.metric)
        if report.failure is not None or metric is None or isinstance(metric.value, tuple):
            self.refused.append(value)
            return
        self.found = metric
        self.device = report.provenance.device if report.provenance is not None else ""
        self.points.append((value, metric.value, metric.error()))

    @property
    def curve(self) -> Curve | None:
        """The numbers over the values; None where the values are no numbers, or none came yet."""
        if self.found is None or self.param.kind in ("bool", "choice"):
            return None
        label = self.found.label
        return Curve(
            id="sweep",
            title=label,
            x_label=Text.of(self.param.name),
            y_label=Text.of(self.found.unit) if self.found.unit else label,
            x=tuple(float(value) for value, _, _ in self.points if not isinstance(value, tuple)),
            series=(Series(name=label, values=tuple(y for _, y, _ in self.points)),),
            log_x=self.param.step == "double",
        )

    @property
    def table(self) -> Table | None:
        """The same as a table, standard errors beside the numbers; None before the first."""
        if self.found is None:
            return None
        sampled = any(error is not None for _, _, error in self.points)
        return Table(
            id="sweep",
            title=Text.of(self.param.name),
            columns=(self.found.label, *((Text.of("±"),) if sampled else ())),
            units=(self.found.unit, *((self.found.unit,) if sampled else ())),
            rows=tuple(
                Row(label=Text.of(written(value)), cells=(y, *((error,) if sampled else ())))
                for value, y, error in self.points
            ),
        )
