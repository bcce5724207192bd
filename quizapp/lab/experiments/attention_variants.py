"""What the scale does depends on the kernel: with normalised ReLU features it cancels exactly.

    φ(c·q)·φ(k) = c·φ(q)·φ(k) for φ = ReLU and c > 0: c leaves the row with its sum
    elu(c·q) + 1 is no multiple of elu(q) + 1: c changes the weights
    softmax over fewer keys (a window, the best k): c sets how peaky those rows are

q, k, v (D, n, d_k) in float64, entries i.i.d. N(0,1), untrained: D draws, n queries and
keys; c = 1/√d_k multiplies q. With a correlation, query i shares it with its own key i.
Errors are against full softmax attention under the same scale, and are those of random
inputs: nothing here is local, as text is. Multiply-adds are counted, and the time is
measured, on each variant's cheap route.
Katharopoulos et al. 2020, "Transformers are RNNs", section 3.2; Beltagy et al. 2020,
"Longformer", section 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    Tolerant,
    UnfitError,
    Value,
    both,
    param,
)
from quizapp.lab.maths import rows, variants
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.maths.variants import VARIANTS, Attended, Pattern, Variant
from quizapp.lab.pictures import attention_variants as pictures
from quizapp.lab.pictures.rows import weight_map
from quizapp.lab.wording import attention_variants as wording
from quizapp.report import Curve

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "linear, windowed and top-k attention: what the scale does in each, error and cost",
    "线性、滑动窗口与 top-k 注意力：缩放各起什么作用，误差与开销如何",
)
#: Numbers in the keys that a sparse variant gathers: 64 MiB.
MOST_GATHERED = 2**23
#: Factors on q·k of the curve, and lengths of the other.
FACTORS = tuple(2.0**i for i in range(-6, 4))
LENGTHS = tuple(4**i for i in range(3, 8))
#: Variants worth a line each: the raw ones have the entropy and the cost of the others.
DRAWN: tuple[Variant, ...] = ("full", "linear_relu", "linear_elu", "window", "top_k")


class Params(BaseParams):
    """Which variant, and its sizes."""

    variant: Variant = param("linear_relu", en="kind of attention", zh="注意力的种类")
    scale: Literal["kept", "dropped"] = param("kept", en="1/√d_k on q·k", zh="q·k 上的 1/√d_k")
    seq_len: int = param(
        256, low=16, high=1024, step="double", en="queries, and as many keys", zh="查询数，也是键数"
    )
    d_k: int = param(64, low=1, high=256, step="double", en="width of one head", zh="单个头的维度")
    window: int = param(
        16, low=0, high=128, step="double", en="keys seen on each side", zh="窗口每侧的键数"
    )
    top_k: int = param(
        8, low=1, high=256, step="double", en="keys each query keeps", zh="每个查询保留的键数"
    )
    layers: int = param(4, low=1, high=32, step="double", en="layers for the reach", zh="层数")
    correlation: float = param(
        0.0,
        low=-1,
        high=1,
        en="correlation of a query with its own key",
        zh="查询与自身对应键的相关系数",
    )
    draws: int = param(5, low=2, high=50, step="double", en="independent draws", zh="独立抽样次数")

    @model_validator(mode="after")
    def _fits(self) -> Params:
        if max(self.top_k, self.window + 1) > self.seq_len:
            raise UnfitError(
                f"seq_len is {self.seq_len}: top_k may be at most that and window less, "
                f"not {self.top_k} and {self.window}",
                f"seq_len 为 {self.seq_len}：top_k 不得超过它，window 须小于它，"
                f"而不是 {self.top_k} 与 {self.window}",
            )
        rows.refuse_too_much(self.draws, self.seq_len, "d_k", self.d_k)
        most = max(2 * self.window + 1, self.top_k)
        gathered = self.draws * self.seq_len * most * self.d_k
        what = "draws × seq_len × d_k × max(2·window + 1, top_k)"
        rows.refuse_above(what, gathered, MOST_GATHERED)
        return self

    @property
    def factor(self) -> float:
        """What multiplies q·k."""
        return self.d_k**-0.5 if self.scale == "kept" else 1.0

    @property
    def pattern(self) -> Pattern:
        """Which keys the sparse variants keep."""
        return Pattern(self.window, self.top_k)


def memory(params: Params) -> int:
    """Bytes at the peak, as measured: weights of every variant in float64, and gathered keys."""
    n, kept = params.seq_len, max(2 * params.window + 1, params.top_k)
    return 2**25 + 8 * params.draws * n * (18 * n + (4 + 2 * kept) * params.d_k)


METRICS = wording.METRICS
PLOTS = ("entropy_by_factor", "cost_by_length", "weights")


@dataclass(frozen=True)
class _Pair:
    """One variant with 1/√d_k and without."""

    variant: Variant
    scaled: Attended
    unscaled: Attended

    def chosen(self, params: Params) -> Attended:
        return self.scaled if params.scale == "kept" else self.unscaled


def run(params: Params, ctx: Context) -> Run:
    """The chosen variant with its cost first; then all of them, and the curves."""
    qkv = _inputs(params, ctx)
    full, pair = (_pair(variant, params, ctx, qkv) for variant in ("full", params.variant))
    found = _measure(params, pair, full)
    weights, costs = pair.chosen(params).weights, _costs(params, ctx)
    picture = weight_map("weights", wording.WEIGHTS, weights[0])
    metrics: dict[str, Measured] = {
        **found,
        "route_difference": rows.over_draws(
            variants.relative(pair.chosen(params).output, weights @ qkv[2]).cpu().double()
        ),
        "keys_used": (weights > 0).double().sum(-1).mean().item(),
        "reach": variants.reach(weights[0], params.layers),
        **costs,
    }
    yield ctx.report(metrics=metrics, heat_maps=[picture], progress=0.2)
    metrics |= {**_ratios(params, ctx), **_seconds(params, ctx, qkv)}
    known = {"full": full, params.variant: pair}
    every: dict[Variant, Mapping[str, Sampled]] = {}
    for variant in VARIANTS:
        one = known.get(variant) or _pair(variant, params, ctx, qkv)
        every[variant] = _measure(params, one, full)
    for name in wording.BY_VARIANT:
        pairs = [every[variant][name] for variant in VARIANTS]
        metrics[f"{name}_by_variant"] = ([p[0] for p in pairs], [p[1] for p in pairs])
    yield ctx.report(metrics=metrics, heat_maps=[picture], progress=0.7)
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(params.variant, found, costs),
        heat_maps=[picture],
        tables=[pictures.table(every)],
        curves=_curves(params, ctx, qkv),
    )


def _inputs(params: Params, ctx: Context) -> tuple[torch.Tensor, ...]:
    """q, k, v (D, n, d_k), k sharing the correlation with q."""
    draws, n, d = range(params.draws), params.seq_len, params.d_k
    q, z, v = (rows.drawn(ctx, name, draws, n, d, dtype="float64") for name in "qkv")
    rho = params.correlation
    return q, rho * q + math.sqrt(1 - rho**2) * z, v


def _pair(variant: Variant, params: Params, ctx: Context, qkv: Sequence[torch.Tensor]) -> _Pair:
    ctx.checkpoint()
    scaled = variants.attend(variant, ctx, qkv, params.d_k**-0.5, params.pattern)
    ctx.checkpoint()
    return _Pair(variant, scaled, variants.attend(variant, ctx, qkv, 1.0, params.pattern))


def _measure(params: Params, pair: _Pair, full: _Pair) -> dict[str, Sampled]:
    """The sampled metrics of one variant; standard errors over draws."""
    from quizapp.lab.attention import entropy

    scaled, unscaled, chosen = pair.scaled, pair.unscaled, pair.chosen(params)
    normal = [variants.normalised(a.weights) for a in (scaled, unscaled, chosen)]
    entropies = [entropy(weights) for weights in normal]
    exact, dense = full.chosen(params), chosen.weights
    # Features leave no key out, even where their product happens to be 0.
    kept = exact.weights if variants.linear(pair.variant) else exact.weights * (dense > 0)
    per_draw = {
        "scale_change": variants.relative(unscaled.output, scaled.output),
        "output_ratio": variants.size(unscaled.output) / variants.size(scaled.output),
        "entropy_scaled": entropies[0].mean(-1),
        "entropy_unscaled": entropies[1].mean(-1),
        "effective_keys": entropies[2].exp().mean(-1),
        "max_weight": normal[2].amax(-1).mean(-1),
        "mass_kept": kept.sum(-1).mean(-1),
        "row_sum": dense.sum(-1).mean(-1),
        "error": variants.relative(chosen.output, exact.output),
    }
    return {name: rows.over_draws(values.cpu().double()) for name, values in per_draw.items()}


def _count(variant: Variant, params: Params, ctx: Context) -> float:
    return variants.multiply_adds(variant, ctx, params.seq_len, params.d_k, params.pattern)


def _costs(params: Params, ctx: Context) -> dict[str, float]:
    """Multiply-adds of the chosen variant and of full attention."""
    mine, full = (_count(variant, params, ctx) for variant in (params.variant, "full"))
    return {"multiply_adds": mine, "multiply_adds_full": full, "cost_ratio": full / mine}


def _ratios(params: Params, ctx: Context) -> dict[str, Measured]:
    counted = [_count(variant, params, ctx) for variant in VARIANTS]
    return {"cost_ratio_by_variant": [counted[0] / count for count in counted]}


def _seconds(params: Params, ctx: Context, qkv: Sequence[torch.Tensor]) -> dict[str, Measured]:
    """Best times of one head."""
    head = [x[:1] for x in qkv]

    def best(variant: Variant) -> float:
        return variants.seconds(
            lambda: variants.cheap(variant, ctx, head, params.factor, params.pattern), ctx
        )

    return {"seconds": best(params.variant), "seconds_full": best("full")}


def _curves(params: Params, ctx: Context, qkv: Sequence[torch.Tensor]) -> list[Curve]:
    from quizapp.lab.attention import entropy

    entropies: dict[Variant, list[float]] = {variant: [] for variant in DRAWN}
    costs: dict[Variant, list[float]] = {}
    head = [x[:1] for x in qkv[:2]]
    for variant in DRAWN:
        for factor in FACTORS:
            ctx.checkpoint()
            weights = variants.dense(variant, ctx, head, factor, params.pattern)
            entropies[variant].append(entropy(weights).mean().item())
        costs[variant] = [
            variants.multiply_adds(variant, ctx, length, params.d_k, params.pattern)
            for length in LENGTHS
        ]
    return [pictures.entropy_curve(FACTORS, entropies), pictures.cost_curve(LENGTHS, costs)]


METHOD = both(
    "kept scores as odds, kernels as ln Z − Σ a ln a / Z, in float64; costs by hand",
    "float64：保留的分数用赔率，核函数用 ln Z − Σ a ln a / Z；开销手算",
)


def check(params: Params, ctx: Context) -> Reference:
    """Every variant again from the scores it keeps, or from its undivided kernel."""
    import numpy as np

    from quizapp.lab.second_way import variants as second
    from quizapp.lab.second_way.odds import drawn64

    draws, n, d = range(params.draws), params.seq_len, params.d_k
    q, z, v = (drawn64(ctx, name, draws, n, d, dtype="float64") for name in "qkv")
    k = params.correlation * q + np.sqrt(1 - params.correlation**2) * z
    factors, kept = (d**-0.5, 1.0), params.scale == "kept"
    exact = second.Way64.of("full", params.factor, (q, k, v), params.pattern)
    every = {}
    for variant in VARIANTS:
        ctx.checkpoint()
        pair = [second.Way64.of(variant, by, (q, k, v), params.pattern) for by in factors]
        every[variant] = second.figures(pair, pair[0 if kept else 1], exact)
    # The same output twice differs by rounding alone, which has no right size.
    rounding = 1e-4 if ctx.device == "mps" else 1e-11
    reference: dict[str, Value] = {
        name: Tolerant(value, max(rounding, rounding * value))
        for name, value in every[params.variant].items()
    }
    for name in wording.BY_VARIANT:
        reference[f"{name}_by_variant"] = [
            Tolerant(found[name], max(rounding, rounding * found[name])) for found in every.values()
        ]
    costs = [second.multiply_adds(variant, n, d, params.pattern) for variant in VARIANTS]
    keys = second.used(params.variant, params.factor, q, k, params.pattern)
    return {
        **reference,
        "reach": second.reach(keys[0], params.layers),
        "keys_used": float((keys >= 0).sum(-1).mean()),
        "multiply_adds": costs[VARIANTS.index(params.variant)],
        "multiply_adds_full": costs[0],
        "cost_ratio_by_variant": [costs[0] / cost for cost in costs],
    }
