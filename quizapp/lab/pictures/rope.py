"""The table, the plots and the sentence of `rope`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizapp.lab.experiment import Measured, both
from quizapp.lab.wording import rope as wording
from quizapp.report import Curve, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

DISTANCE = both("distance", "距离")


def by_distance(
    distances: Sequence[float], itself: Sequence[float], other: Sequence[float]
) -> Curve:
    """Scores against distance: a vector with itself, and the rms of independent ones."""
    return Curve(
        id="score_by_distance",
        title=Text.of(wording.TABLE),
        x_label=Text.of(DISTANCE),
        y_label=Text.of(both("score", "分数")),
        x=tuple(distances),
        series=(
            Series(name=Text.of(wording.ITSELF), values=tuple(itself)),
            Series(name=Text.of(both("independent, rms", "独立，均方根")), values=tuple(other)),
        ),
        log_x=True,
    )


def wavelengths(lengths: Sequence[float]) -> Curve:
    """Positions to a whole turn, pair by pair."""
    return Curve(
        id="wavelengths",
        title=Text.of(both("wavelength of each pair", "各对的波长")),
        x_label=Text.of(both("pair", "对")),
        y_label=Text.of(both("positions", "位置数")),
        x=tuple(float(j) for j in range(len(lengths))),
        series=(Series(name=Text.of(both("wavelength", "波长")), values=tuple(lengths)),),
        log_y=True,
    )


def table(metrics: Mapping[str, Measured]) -> Table:
    """Both kinds of score at each distance."""
    columns = [_values(metrics[name]) for name in ("self_score", "independent_std")]
    return Table(
        id="distances",
        title=Text.of(wording.TABLE),
        columns=(Text.of(wording.ITSELF), Text.of(both("independent, std", "独立，标准差"))),
        rows=tuple(
            Row(label=Text.of(str(d)), cells=cells)
            for d, *cells in zip(wording.DISTANCES, *columns, strict=True)
        ),
    )


def _values(measured: Measured) -> Sequence[float]:
    value = measured[0] if isinstance(measured, tuple) else measured
    return value if isinstance(value, Sequence) else [value]


def summary(shift: int, metrics: Mapping[str, Measured]) -> dict[str, str]:
    """One sentence with the figures of this run."""
    names = ("shift_error", "shift_error_added", "output_shift")
    change, added, output = (figure(_values(metrics[name])[0]) for name in names)
    return both(
        f"Shifting all positions by {shift:,} changes the scores by up to {change} (with added "
        f"embeddings {added}) and the output by {output} of its size.",
        f"所有位置平移 {shift:,}，分数最多变化 {change}（相加式编码为 {added}），"
        f"输出变化为其大小的 {output}。",
    )
