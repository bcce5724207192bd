"""A temperature divides the logits: it sharpens or flattens a row, and attention's is √d_k.

    p = softmax(s / T),  s = q·k;   T → 0: one-hot on the largest score;  T → ∞: uniform
    ∂p/∂s = (diag(p) − ppᵀ) / T: in a typical row it fades at both ends, as the row
    saturates and as 1/T
    m keys sampled from a row: Σⱼ 1 − (1 − pⱼ)ᵐ distinct ones are expected

T = √d_k is scaled dot-product attention, for the raw scores then have std 1. The order of
the keys never changes. q, k (D, n, d_k) with entries i.i.d. N(0,1), untrained: D draws,
n queries and keys.
Hinton, Vinyals and Dean 2015, "Distilling the Knowledge in a Neural Network", section 2;
Vaswani et al. 2017, section 3.2.1.
"""

from __future__ import annotations

import math
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
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.maths.temperature import Sharpened
from quizapp.lab.pictures import temperature as pictures
from quizapp.lab.wording import temperature as wording

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "what a softmax temperature does to entropy, gradient and samples; √d_k is one",
    "softmax 温度如何改变熵、梯度与采样；√d_k 就是一个温度",
)
#: Multiples of the temperature that every list metric has, in this order.
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
#: Temperatures of the curves, in multiples of √d_k, and the draws they take.
CURVE = tuple(2.0 ** (i / 4) for i in range(-20, 21))
CURVE_DRAWS = 2
CURVE_ROWS = 100
#: Where on a curve a line is highest.
PEAKS = {"jacobian_peak": "jacobian_median", "raw_gradient_peak": "raw_gradient_median"}


class Params(BaseParams):
    """The temperature, and the rows it acts on."""

    temperature: float = param(
        8.0, low=0.05, high=1000, step="double", en="q·k is divided by it", zh="q·k 除以它"
    )
    d_k: int = param(64, low=1, high=4096, step="double", en="width of one head", zh="单个头的维度")
    seq_len: int = param(
        100, low=2, high=512, step="double", en="queries, and as many keys", zh="查询数，也是键数"
    )
    samples: int = param(
        20, low=2, high=1000, step="double", en="keys sampled from each row", zh="每行采样的键数"
    )
    draws: int = param(
        20, low=2, high=100, step="double", en="independent draws", zh="独立抽样次数"
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        rows.refuse_too_much(self.draws, self.seq_len, "d_k", self.d_k, part=4)
        return self


METRICS = wording.METRICS
PLOTS = ("sharpness", "gradients")


def run(params: Params, ctx: Context) -> Run:
    """The temperature asked for; then multiples of it; then the curves."""
    scores, difference = _scores(params, ctx)
    t = params.temperature
    own = _at(params, ctx, scores, t)
    same = own.top == scores.argmax(-1).cpu()
    metrics: dict[str, Measured] = {
        **own.summary(),
        "scaled_difference": difference,
        "top_kept": same.double().mean().item(),
        "uniform_entropy": math.log(params.seq_len),
    }
    yield ctx.report(metrics=metrics, progress=0.2)
    by_temperature: dict[float, dict[str, Sampled]] = {}
    for factor in FACTORS:
        rows_there = own if factor == 1 else _at(params, ctx, scores, factor * t)
        by_temperature[factor * t] = rows_there.summary()
    for name in wording.BY_FACTOR:
        pairs = [found[name] for found in by_temperature.values()]
        metrics[f"{name}_by_factor"] = ([p[0] for p in pairs], [p[1] for p in pairs])
    table = pictures.table(by_temperature)
    yield ctx.report(metrics=metrics, progress=0.6, tables=[table])
    temperatures, lines = _curves(params, ctx, scores)
    for name, line in PEAKS.items():
        metrics[name] = temperatures[lines[line].index(max(lines[line]))]
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(t, params.samples, by_temperature[t]),
        tables=[table],
        curves=[
            pictures.sharpness(temperatures, lines, params.seq_len),
            pictures.gradients(temperatures, lines),
        ],
    )


def _scores(params: Params, ctx: Context) -> tuple[torch.Tensor, float]:
    """Raw scores (D, n, n), and the largest difference from weights with scale 1/√d_k."""
    import torch

    parts, difference = [], 0.0
    for block in rows.blocks(params.draws, params.seq_len * max(params.seq_len, params.d_k)):
        ctx.checkpoint()
        q, k = (
            ctx.cast(rows.drawn(ctx, name, block, params.seq_len, params.d_k), "float64")
            for name in "qk"
        )
        weights = ctx.attention(q, k, k)[1]
        parts.append(q @ k.mT)
        mine = (parts[-1] / params.temperature).softmax(-1)
        difference = max(difference, (mine - weights).abs().max().item())
    return torch.cat(parts), difference


def _at(params: Params, ctx: Context, scores: torch.Tensor, temperature: float) -> Sharpened:
    """All rows at one temperature."""
    parts = []
    for block in rows.blocks(len(scores), params.seq_len**2):
        ctx.checkpoint()
        part = scores[block.start : block.stop]
        parts.append(Sharpened.of(part, temperature, params.samples))
    return Sharpened.join(parts)


def _curves(
    params: Params, ctx: Context, scores: torch.Tensor
) -> tuple[list[float], dict[str, list[float]]]:
    """Temperatures, and means at each, of the first rows of the first draws."""
    few = scores[:CURVE_DRAWS, :CURVE_ROWS]
    temperatures = [math.sqrt(params.d_k) * multiple for multiple in CURVE]
    lines: dict[str, list[float]] = {}
    for temperature in temperatures:
        ctx.checkpoint()
        found = Sharpened.of(few, temperature, params.samples).summary()
        for name in ("entropy", "max_weight", "jacobian_median", "raw_gradient_median"):
            lines.setdefault(name, []).append(found[name][0])
    return temperatures, lines


METHOD = both(
    "odds against the top key from key differences, and logarithms of misses; no softmax",
    "由键之差求对首位键的赔率，用对数求未命中概率；不经过 softmax",
)


def check(params: Params, ctx: Context) -> Reference:
    """Every row again from score differences; the spread from second moments."""
    import numpy as np

    from quizapp.lab.second_way import odds
    from quizapp.lab.second_way import temperature as second

    shape = (params.seq_len, params.d_k)
    q, k = (odds.drawn64(ctx, name, range(params.draws), *shape) for name in "qk")
    ctx.checkpoint()
    scores, t = odds.scores64(q, k), params.temperature
    reference: dict[str, Value] = {}
    by_factor = []
    for factor in FACTORS:
        ctx.checkpoint()
        by_factor.append(second.figures(scores, factor * t, params.samples))
    reference |= by_factor[FACTORS.index(1.0)]
    for name in wording.BY_FACTOR:
        reference[f"{name}_by_factor"] = [
            Tolerant(found[name], 1e-6 * found[name] + 1e-12) for found in by_factor
        ]
    reference["scaled_std"] = float(np.sqrt(odds.score_variance64(q, k).mean()) / t)
    if abs(t / math.sqrt(params.d_k) - 1) > 1e-6:  # else rounding is all there is
        reference["scaled_difference"] = second.largest_difference(scores, t, math.sqrt(params.d_k))
    return {
        **reference,
        "top_kept": Tolerant(1.0, 1.5 / scores[..., 0].size),
        "uniform_entropy": float(np.log(params.seq_len)),
    }
