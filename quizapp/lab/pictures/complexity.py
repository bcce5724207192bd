"""The plots, the table and the sentence of `complexity`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from quizapp.lab.experiment import Measured, both
from quizapp.lab.maths.complexity import PARTS, Part, Size
from quizapp.lab.wording.complexity import PART
from quizapp.report import Curve, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

Counted = Mapping[Part, float]
#: Seconds of every part at every size in every round: (R, S, 3).
Times = Sequence[Sequence[Sequence[float]]]

_N: Final = both("tokens n", "词元数 n")
_D: Final = both("width d", "维度 d")


def flops_by_n(lengths: Sequence[int], counted: Sequence[Counted]) -> Curve:
    """FLOPs of the projections and of attention against n."""
    return _by_n("flops_by_n", both("FLOPs", "FLOPs"), lengths, counted, PARTS[:2])


def bytes_by_n(lengths: Sequence[int], peaks: Sequence[Counted]) -> Curve:
    """Peak bytes of naive and fused attention against n."""
    return _by_n("bytes_by_n", both("bytes at the peak", "峰值字节数"), lengths, peaks, PARTS[1:])


def _by_n(
    plot_id: str,
    title: Mapping[str, str],
    lengths: Sequence[int],
    values: Sequence[Counted],
    parts: Sequence[Part],
) -> Curve:
    lines = {part: [at[part] for at in values] for part in parts}
    return _curve(plot_id, title, (_N, lengths), lines)


def _curve(
    plot_id: str,
    title: Mapping[str, str],
    along: tuple[Mapping[str, str], Sequence[int]],
    lines: Mapping[Part, Sequence[float]],
) -> Curve:
    label, sizes = along
    return Curve(
        id=plot_id,
        title=Text.of(title),
        x_label=Text.of(label),
        y_label=Text.of(title),
        x=tuple(float(size) for size in sizes),
        series=tuple(
            Series(name=Text.of(PART[part]), values=tuple(values)) for part, values in lines.items()
        ),
        log_x=True,
        log_y=True,
    )


def times(lengths: Sequence[int], widths: Sequence[int], taken: Times) -> Iterator[Curve]:
    """Median milliseconds so far against n, and against d.

    The sizes of `taken` run along n, then along d up to the last of n.
    """
    medians = _medians(taken)
    count = len(lengths)
    title = both("milliseconds", "毫秒")
    for plot_id, along, at in (
        ("time_by_n", (_N, lengths), medians[:count]),
        ("time_by_d", (_D, widths), [*medians[count:], medians[count - 1]]),
    ):
        lines = {part: [1e3 * one[i] for one in at] for i, part in enumerate(PARTS)}
        yield _curve(plot_id, title, along, lines)


def _medians(taken: Times) -> list[list[float]]:
    """(R, S, 3) → (S, 3)."""
    sizes = range(len(taken[0]))
    return [[median(one[s][p] for one in taken) for p in range(len(PARTS))] for s in sizes]


def table(
    sizes: Sequence[Size],
    found: tuple[Mapping[Size, Counted], Mapping[Size, Counted], Times],
) -> Table:
    """Each (n, d): attention's share of FLOPs and of time, both times, and both peaks' ratio."""
    counted, peaks, taken = found
    rows = []
    for size, (projections, naive, fused) in zip(sizes, _medians(taken), strict=True):
        flops = counted[size]
        cells = (
            flops["naive"] / (flops["naive"] + flops["projections"]),
            naive / (naive + projections),
            1e3 * naive,
            1e3 * fused,
            peaks[size]["naive"] / peaks[size]["fused"],
        )
        rows.append(Row(label=Text.of(f"n = {size[0]}, d = {size[1]}"), cells=cells))
    columns = (
        both("attention, FLOPs", "注意力 FLOPs"),
        both("attention, time", "注意力用时"),
        both("naive, ms", "朴素，毫秒"),
        both("fused, ms", "融合，毫秒"),
        both("peak, n/f", "峰值之比"),
    )
    return Table(
        id="sizes",
        title=Text.of(both("every size", "各规模")),
        columns=tuple(Text.of(words) for words in columns),
        units=("share", "share", "", "", ""),
        rows=tuple(rows),
    )


def summary(
    size: tuple[int, int, int], metrics: Mapping[str, Measured], device: str
) -> Mapping[str, str]:
    """One sentence with the figures of this run; size: shortest and longest n, d_model."""
    shortest, longest, d_model = size

    def n(name: str, digits: int = 3) -> str:
        value = metrics[name]
        number = value[0] if isinstance(value, tuple) else value
        if not isinstance(number, int | float):
            raise TypeError(f"{name} is a single number")
        return figure(number, digits)

    return both(
        f"d_model = {d_model}, n = {shortest} to {longest}, forward on {device}: the layer's FLOPs "
        f"grow like n^{n('flops_slope_n')}, its time like n^{n('time_slope_n')}; attention passes "
        f"the projections at n = {n('flops_crossover')} in FLOPs, near "
        f"{n('time_crossover')} in time; the naive peak in memory is {n('peak_ratio')} times the "
        "fused one.",
        f"d_model = {d_model}，n = {shortest}～{longest}，{device} 前向：整层 FLOPs 按 "
        f"n^{n('flops_slope_n')} 增长，用时按 n^{n('time_slope_n')}；注意力的 FLOPs 在 "
        f"n = {n('flops_crossover')} 超过投影，用时约在 {n('time_crossover')} 超过；"
        f"融合核的峰值内存是朴素的 1/{n('peak_ratio')}。",
    )
