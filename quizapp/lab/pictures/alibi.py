"""The table, the plots and the sentence of `alibi`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from quizapp.lab.experiment import Measured, both
from quizapp.lab.wording.alibi import METHODS
from quizapp.report import Curve, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

    from quizapp.lab.experiments.alibi import Params
    from quizapp.lab.maths.alibi_rows import Heads, Methods

#: Points of a curve over distances.
POINTS: Final = 100
#: The lowest weight that is drawn on a log axis.
FLOOR: Final = 1e-9
_DISTANCE: Final = both("distance + 1", "距离 + 1")
_WEIGHT: Final = both("weight, from 1e-9", "权重，1e-9 起")


def _distances(length: int) -> list[int]:
    """Some distances from 0 to `length` − 1, closer together where they are small."""
    ratio = length ** (1 / (POINTS - 1))
    return sorted({min(length, round(ratio**i)) - 1 for i in range(POINTS)})


def by_distance(heads: Heads) -> Curve:
    """Mean weight by distance after 2n tokens: steepest, middle and gentlest head."""
    order = heads.slopes.argsort(descending=True).tolist()
    shown = dict.fromkeys((order[0], order[len(order) // 2], order[-1]))
    at = _distances(heads.reach.profile.shape[-1])
    return Curve(
        id="by_distance",
        title=Text.of(both("mean weight by distance, at 2n", "各距离的平均权重（2n 处）")),
        x_label=Text.of(_DISTANCE),
        y_label=Text.of(_WEIGHT),
        x=tuple(float(d + 1) for d in at),
        series=tuple(
            Series(
                name=Text.of(f"m = {figure(heads.slopes[head].item())}"),
                values=tuple(heads.reach.profile[head, at].clamp(min=FLOOR).tolist()),
            )
            for head in shown
        ),
        log_x=True,
        log_y=True,
    )


def windows(heads: Heads) -> Curve:
    """Keys that hold 90 % of the weight, head by head, after n and after 2n tokens."""
    rows = {
        f"n = {heads.length:,}": heads.reach.window,
        f"2n = {2 * heads.length:,}": heads.reach.doubled,
    }
    return Curve(
        id="windows",
        title=Text.of(both("keys that hold 90 % of the weight", "占 90 % 权重的键数")),
        x_label=Text.of(both("head", "头")),
        y_label=Text.of(both("keys", "键数")),
        x=tuple(float(h) for h in range(1, len(heads.slopes) + 1)),
        series=tuple(
            Series(name=Text.of(name), values=tuple(values.mean(0).tolist()))
            for name, values in rows.items()
        ),
        log_y=True,
    )


def reach(methods: Methods, length: int) -> Curve:
    """Share of the weight within each distance after 2n tokens, method by method."""
    profiles = [_one_line(one.profile) for one in methods.reaches]
    at = _distances(len(profiles[0]))
    return Curve(
        id="reach",
        title=Text.of(
            both(
                f"share of the weight within a distance, at {2 * length:,} tokens",
                f"某距离之内的权重占比（{2 * length:,} 个词元）",
            )
        ),
        x_label=Text.of(_DISTANCE),
        y_label=Text.of(both("share", "占比")),
        x=tuple(float(d + 1) for d in at),
        series=tuple(
            Series(name=Text.of(name), values=tuple(profile.cumsum(-1)[at].tolist()))
            for name, profile in zip(METHODS.values(), profiles, strict=True)
        ),
        log_x=True,
    )


def _one_line(profile: torch.Tensor) -> torch.Tensor:
    """(2n,), or the mean over heads of (H, 2n)."""
    return profile if profile.dim() == 1 else profile.mean(0)


def table(metrics: Mapping[str, Measured]) -> Table:
    """Every head: slope, windows, weight past n, weight on the match."""
    columns = {
        "slopes": both("slope", "斜率"),
        "window_by_head": both("window at n", "n 处窗口"),
        "doubled_window_by_head": both("at 2n", "2n 处"),
        "far_weight_by_head": both("past n", "n 之外"),
        "match_weight_by_head": both("match", "匹配键"),
    }
    lists = [_values(metrics[name]) for name in columns]
    return Table(
        id="heads",
        title=Text.of(both("head by head", "逐头")),
        columns=tuple(Text.of(words) for words in columns.values()),
        rows=tuple(
            Row(label=Text.of(str(head)), cells=tuple(cells))
            for head, cells in enumerate(zip(*lists, strict=True), start=1)
        ),
    )


def _values(measured: Measured) -> Sequence[float]:
    value = measured[0] if isinstance(measured, tuple) else measured
    return value if isinstance(value, Sequence) else [value]


def summary(params: Params, metrics: Mapping[str, Measured]) -> dict[str, str]:
    """One sentence with the figures of this run."""

    def n(name: str, at: int = 0) -> str:
        return figure(_values(metrics[name])[at])

    short, long = f"{params.seq_len:,}", f"{2 * params.seq_len:,}"
    return both(
        f"From {short} to {long} tokens the steepest head's 90 % of the weight goes from "
        f"{n('window_steepest')} to {n('doubled_window_steepest')} keys, the gentlest one's from "
        f"{n('window_gentlest')} to {n('doubled_window_gentlest')}; without positions the window "
        f"grows {n('window_growth_by_method', 3)} times, with rotary "
        f"{n('window_growth_by_method', 1)} times.",
        f"从 {short} 到 {long} 个词元，占 90 % 权重的键数：最陡的头由 {n('window_steepest')} 变为 "
        f"{n('doubled_window_steepest')}，最缓的头由 {n('window_gentlest')} 变为 "
        f"{n('doubled_window_gentlest')}；无位置时窗口变为 {n('window_growth_by_method', 3)} 倍，"
        f"旋转编码为 {n('window_growth_by_method', 1)} 倍。",
    )
