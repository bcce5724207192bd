"""Dividing the scores by √d_k is the choice that makes their variance 1, under i.i.d. entries.

    scores c·QKᵀ for c = 1, 1/ln d_k, 1/∛d_k, 1/√d_k, 1/d_k, 1/√n, 1/√d_model;
    and what people propose instead: Q and K each over d_k^¼ or over √d_k, V over √d_k,
    scores minus their row's maximum, weights over √d_k after the softmax.

q, k (D, n, d_k), v (D, n, d_v), d_v = min(d_k, 64), in float64: D draws, n queries and
n keys, entries of mean 0 and variance 1. With a correlation ρ, query i and its own key i
share it in every entry; their score then has mean ρ·d_k, which √d_k does not remove.
Vaswani et al. 2017, section 3.2.1; Raffel et al. 2020 (T5) for a model without a scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    Tolerant,
    Value,
    both,
    param,
)
from quizapp.lab.maths import rows
from quizapp.lab.maths.rows import Rows, Sampled
from quizapp.lab.maths.scales import SCALES, Attended, Sample, Scale, attend, factor
from quizapp.lab.pictures.rows import measures_table, weight_map
from quizapp.lab.second_way import odds
from quizapp.lab.wording import scale_choice as wording
from quizapp.report import Curve, Series
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "1/√d_k makes the variance of i.i.d. scores 1; every other choice measured beside it",
    "对 i.i.d. 分数，1/√d_k 使方差为 1；与其他取法并排实测",
)

#: How well two float64 routes to an output that differs agree.
RELATIVE = 1e-9
#: Values need not be as wide as a wide head: attention takes any d_v.
WIDEST_VALUE = 64
#: Draws behind the curves over the exponent.
CURVE_DRAWS = 5
#: Powers of d_k to divide by, from none to d_k itself; ½ and ⅓ are among them.
EXPONENTS = tuple(i / 12 for i in range(13))


class Params(BaseParams):
    """What the scores are divided by, and the shape of the head."""

    scale: Scale = param("sqrt_d_k", en="what is done in place of 1/√d_k", zh="用什么来代替 1/√d_k")
    d_k: int = param(64, low=2, high=2048, step="double", en="width of one head", zh="单个头的维度")
    d_model: int = param(
        512, low=2, high=16384, step="double", en="width of the model", zh="模型维度"
    )
    seq_len: int = param(
        100, low=2, high=512, step="double", en="queries, and as many keys", zh="查询数，也是键数"
    )
    draws: int = param(
        20, low=2, high=100, step="double", en="independent draws", zh="独立抽样次数"
    )
    correlation: float = param(
        0.0,
        low=-1,
        high=1,
        en="correlation of a query with its own key",
        zh="查询与自身对应键的相关系数",
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        rows.refuse_too_much(self.draws, self.seq_len, "d_k", self.d_k, part=4)
        return self


METRICS = wording.METRICS
PLOTS = ("entropy_by_exponent", "jacobian_by_exponent", "weights")


def run(params: Params, ctx: Context) -> Run:
    """All ways side by side, shown after two draws; then every exponent between."""

    samples = {name: Sample() for name in SCALES}
    for block in _blocks(params):
        inputs = _inputs(params, ctx, block)
        base = {name: _attend(name, params, ctx, inputs) for name in ("none", "sqrt_d_k")}
        for name, sample in samples.items():
            ctx.checkpoint()
            attended = base.get(name) or _attend(name, params, ctx, inputs)
            if block.start == 0 and name == params.scale:
                picture = weight_map("weights", wording.WEIGHTS, attended.weights[0])
            sample.add(attended, base["sqrt_d_k"], base["none"])
        if block.start < 2 <= block.stop < params.draws:  # two have an error: enough to show
            every = _every(samples, params)
            first: dict[str, Measured] = {**every[params.scale], **_lists(every)}
            yield ctx.report(metrics=first, heat_maps=[picture], progress=0.2)
    every = _every(samples, params)
    found = every[params.scale]
    metrics: dict[str, Measured] = {**found, **_lists(every)}
    table = measures_table(
        "scales",
        both("every way side by side", "各种取法对比"),
        wording.COLUMNS,
        ((wording.SCALE[scale], results) for scale, results in every.items()),
    )
    yield ctx.report(metrics=metrics, heat_maps=[picture], tables=[table], progress=0.7)
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=_summary(params, found),
        heat_maps=[picture],
        tables=[table],
        curves=_curves(params, ctx),
    )


def _every(
    samples: Mapping[Scale, Sample], params: Params
) -> dict[Scale, dict[str, tuple[float, float]]]:
    return {name: one.metrics(_factor(name, params)) for name, one in samples.items()}


def _factor(scale: Scale, params: Params) -> float:
    return factor(scale, d_k=params.d_k, d_model=params.d_model, seq_len=params.seq_len)


def _attend(scale: Scale, params: Params, ctx: Context, inputs: Sequence[torch.Tensor]) -> Attended:
    return attend(scale, _factor(scale, params), ctx, inputs)


def _blocks(params: Params) -> Iterator[range]:
    return rows.blocks(params.draws, params.seq_len * max(params.seq_len, params.d_k))


def _widths(params: Params) -> tuple[tuple[str, int], ...]:
    return ("q", params.d_k), ("k", params.d_k), ("v", min(params.d_k, WIDEST_VALUE))


def _inputs(params: Params, ctx: Context, block: range) -> tuple[torch.Tensor, ...]:
    """q, k (b, n, d_k) and v (b, n, d_v) of those draws, k sharing ρ of q's own entries."""
    q, z, v = (
        rows.drawn(ctx, name, block, params.seq_len, width, dtype="float64")
        for name, width in _widths(params)
    )
    rho = params.correlation
    return q, rho * q + math.sqrt(1 - rho**2) * z, v


def _lists(every: Mapping[Scale, Mapping[str, Sampled]]) -> dict[str, Measured]:
    """One list a metric, in the order of SCALES."""
    return {
        f"{name}_by_scale": (
            [every[scale][name][0] for scale in SCALES],
            [every[scale][name][1] for scale in SCALES],
        )
        for name in wording.BY_SCALE
    }


def _summary(params: Params, found: Mapping[str, Sampled]) -> dict[str, str]:
    shown = {name: figure(found[name][0]) for name in ("score_std", "entropy", "jacobian_median")}
    most, label = figure(math.log(params.seq_len)), wording.SCALE[params.scale]
    return both(
        f"With {label['en']} at d_k = {params.d_k}: std of the scores {shown['score_std']}, "
        f"entropy {shown['entropy']} of at most {most}, median row Jacobian norm "
        f"{shown['jacobian_median']}.",
        f"d_k = {params.d_k}，{label['zh']}：分数标准差 {shown['score_std']}，"
        f"熵 {shown['entropy']}（上限 {most}），行雅可比范数中位数 {shown['jacobian_median']}。",
    )


def _curves(params: Params, ctx: Context) -> list[Curve]:
    """Entropy, and row Jacobian norms, when the scores are divided by d_k to a power."""
    draws = range(min(CURVE_DRAWS, params.draws))
    q, k, _ = _inputs(params, ctx, draws)
    found = []
    for exponent in EXPONENTS:
        ctx.checkpoint()
        weights = ctx.attention(q, k, k[..., :1], scale=params.d_k**-exponent)[1]
        found.append(Rows.of(weights).summary())
    return [
        Curve(
            id=plot_id,
            title=Text.of(title),
            x_label=Text.of(both("exponent of d_k", "d_k 的指数")),
            y_label=Text.of(y_label),
            x=EXPONENTS,
            series=tuple(
                Series(name=Text.of(label), values=tuple(f[name][0] for f in found))
                for name, label in series.items()
            ),
        )
        for plot_id, title, y_label, series in wording.CURVES
    ]


METHOD = odds.METHOD


def check(params: Params, ctx: Context) -> Reference:
    """Every way again, from powers of the same odds."""
    import numpy as np

    from quizapp.lab.second_way.scales import Head64, Way64, summary

    ways: dict[Scale, list[Way64]] = {scale: [] for scale in SCALES}
    rho = params.correlation
    for block in _blocks(params):
        q, z, v = (
            odds.drawn64(ctx, name, block, params.seq_len, width, dtype="float64")
            for name, width in _widths(params)
        )
        head = Head64.of(q, rho * q + np.sqrt(1 - rho**2) * z, v)
        found: dict[Scale, Way64] = {}
        for scale in SCALES:
            ctx.checkpoint()
            found[scale] = Way64.of(scale, _factor(scale, params), head)
        for scale, way in found.items():
            ways[scale].append(way.beside(found["sqrt_d_k"], found["none"]))
    every = {scale: summary(parts, _factor(scale, params)) for scale, parts in ways.items()}
    reference: dict[str, Value] = {**every[params.scale]}
    for name in wording.BY_SCALE:
        reference[f"{name}_by_scale"] = [every[scale][name] for scale in SCALES]
    for name in ("output_difference", "unscaled_difference"):
        # Two routes to one output differ by rounding alone, which has no right size.
        rounding = 1e-5 if ctx.device == "mps" else 1e-12
        value = every[params.scale][name]
        reference[name] = Tolerant(value, max(rounding, RELATIVE * value))
    return reference
