"""In cross-attention the scale holds only if W_q and W_k leave q and k with variance 1.

    q = x_dec W_qᵀ,  k = x_enc W_kᵀ,  scores = qkᵀ/√d_k
    std(scores) = √(Var q · Var k) for independent entries of mean 0

x_dec (S_q, d_model) decoder states, x_enc (S_k, d_model) encoder states, entries i.i.d. of
each side's own mean and standard deviation; heads of d_k = d_model / heads. Weights fresh
from the initialiser, untrained. "The scale holds" means |std − 1| ≤ 0.1.

Vaswani et al. 2017, section 3.2.3; Glorot and Bengio 2010; He et al. 2015.
T5 (Raffel et al. 2020) starts W_q smaller by √d_k, and scales no scores: raw ones have std 1.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, param
from quizapp.lab.maths import rows
from quizapp.lab.wording import cross_attention as wording
from quizapp.report import Histogram, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

    from quizapp.lab.maths.rows import Rows

CLAIM = {
    "en": "queries and keys from two sources: the initialisation decides if the scale holds",
    "zh": "查询与键来自两处：缩放是否成立取决于初始化",
}
#: Draws behind the first report, which two give an error, and behind each line of the table.
FIRST, FEW = 2, 4
BINS = 48


class Params(BaseParams):
    """The two sides, and the layer that projects them."""

    init: Literal[
        "identity",
        "xavier",
        "xavier_narrow",
        "kaiming",
        "linear_default",
        "mha_packed",
        "gpt2",
        "t5",
        "too_large",
        "too_small",
    ] = param("mha_packed", en="layer that makes q and k", zh="产生 q、k 的层")
    d_model: int = param(
        512, low=32, high=1024, step="double", en="width of a state", zh="状态的维度"
    )
    heads: int = param(8, low=1, high=16, step="double", en="heads", zh="头数")
    queries: int = param(
        24, low=4, high=64, step="double", en="decoder positions", zh="解码器位置数"
    )
    keys: int = param(40, low=4, high=64, step="double", en="encoder positions", zh="编码器位置数")
    query_mean: float = param(0.0, low=-4, high=4, en="mean of decoder states", zh="解码器状态均值")
    query_std: float = param(
        1.0, low=0.1, high=8, step="double", en="std of decoder states", zh="解码器状态标准差"
    )
    key_mean: float = param(0.0, low=-4, high=4, en="mean of encoder states", zh="编码器状态均值")
    key_std: float = param(
        1.0, low=0.1, high=8, step="double", en="std of encoder states", zh="编码器状态标准差"
    )
    draws: int = param(
        8, low=FEW, high=16, step="double", en="independent layers and inputs", zh="独立抽样次数"
    )

    @model_validator(mode="after")
    def _heads_divide(self) -> Params:
        rows.refuse_uneven(self.d_model, self.heads)
        return self


METRICS = wording.METRICS
PLOTS = ("scores", "weights")


def run(params: Params, ctx: Context) -> Run:
    """The chosen layer, then every other one for the table."""
    from quizapp.lab.maths.projections import INITS
    from quizapp.lab.pictures.rows import weight_map

    chosen: list[_Draw] = []
    for draw in range(params.draws):
        chosen.append(_attend(params, ctx, params.init, draw))
        if len(chosen) in (FIRST, params.draws):
            metrics = _metrics(params, chosen)
            yield ctx.report(
                metrics=metrics,
                progress=0.5 * len(chosen) / params.draws,
                summary=_summary(params, metrics),
                histograms=[_histogram(chosen)],
                heat_maps=[weight_map("weights", wording.WEIGHTS, chosen[0].weights[0])],
            )
    few = {init: [_attend(params, ctx, init, draw) for draw in range(FEW)] for init in INITS}
    every = {init: _metrics(params, draws) for init, draws in few.items()}
    yield ctx.report(
        metrics={**metrics, **_lists(every.values())},
        final=True,
        summary=_summary(params, metrics),
        tables=[_table([_row(init, INITS[init], found) for init, found in every.items()])],
        histograms=[_histogram(chosen)],
        heat_maps=[weight_map("weights", wording.WEIGHTS, chosen[0].weights[0])],
    )


@dataclass(frozen=True)
class _Draw:
    """What one fresh layer made of one pair of inputs. scores (heads, S_q, S_k) are raw."""

    scores: torch.Tensor
    weights: torch.Tensor
    rows: Rows
    output_shape: list[int]
    difference: float
    moments: tuple[float, float, float, float]  # Var q, Var k, gain of W_q, gain of W_k


def _inputs(params: Params, ctx: Context, draw: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Decoder states (S_q, d_model) and encoder states (S_k, d_model)."""
    x_dec = ctx.normal(f"dec#{draw}", params.queries, params.d_model)
    x_enc = ctx.normal(f"enc#{draw}", params.keys, params.d_model)
    return (
        x_dec * params.query_std + params.query_mean,
        x_enc * params.key_std + params.key_mean,
    )


def _attend(params: Params, ctx: Context, init: str, draw: int) -> _Draw:
    import torch

    from quizapp.lab.maths.projections import projections
    from quizapp.lab.maths.rows import Rows

    ctx.checkpoint()
    x_dec, x_enc = _inputs(params, ctx, draw)
    layers = projections(init, params.d_model, params.heads, ctx.stream(f"layer#{draw}"))
    q, k, v = (
        layer(x).view(len(x), params.heads, -1).transpose(0, 1)  # (heads, S, d_k)
        for layer, x in zip(layers, (x_dec, x_enc, x_enc), strict=True)
    )
    output, weights = ctx.attention(q, k, v)
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    return _Draw(
        scores=(q @ k.mT).cpu().double(),
        weights=weights,
        rows=Rows.of(weights.flatten(0, 1)[None]),
        output_shape=list(output.transpose(0, 1).flatten(1).shape),
        difference=(output - theirs).abs().max().item(),
        moments=(
            q.var().item(),
            k.var().item(),
            (q.square().mean() / x_dec.square().mean()).item(),
            (k.square().mean() / x_enc.square().mean()).item(),
        ),
    )


def _metrics(params: Params, draws: list[_Draw]) -> dict[str, Measured]:
    import torch

    from quizapp.lab.maths.rows import Rows, over_draws, pooled_std

    moments = torch.tensor([d.moments for d in draws], dtype=torch.float64)  # (D, 4)
    std, error = pooled_std(torch.stack([d.scores.var() for d in draws]))
    root = math.sqrt(params.d_model / params.heads)
    return {
        **dict(
            zip(("var_q", "var_k", "gain_q", "gain_k"), map(over_draws, moments.T), strict=True)
        ),
        "score_mean": over_draws(torch.stack([d.scores.mean() for d in draws])),
        "score_std": (std, error),
        "scaled_std": (std / root, error / root),
        "predicted_std": over_draws((moments[:, 0] * moments[:, 1]).sqrt()),
        "scale_holds": float(abs(std / root - 1) <= 0.1),
        "uniform_entropy": math.log(params.keys),
        "weights_shape": list(draws[0].weights.shape),
        "output_shape": draws[0].output_shape,
        "sdpa_difference": max(d.difference for d in draws),
        **Rows.join([d.rows for d in draws]).summary(),
    }


def _lists(every: Collection[Mapping[str, Measured]]) -> dict[str, Measured]:
    """One list a metric, in the order of INITS."""
    lists: dict[str, Measured] = {}
    for name in wording.BY_INIT:
        pairs = [pair for found in every if isinstance(pair := found[name], tuple)]
        lists[f"{name}_by_init"] = ([float(v) for v, _ in pairs], [float(e) for _, e in pairs])
    return lists


def _summary(params: Params, metrics: dict[str, Measured]) -> dict[str, str]:
    from quizapp.lab.maths.projections import INITS

    def shown(name: str) -> str:
        value = metrics[name]
        number = value[0] if isinstance(value, tuple) else value
        assert isinstance(number, float)
        return figure(number)

    held = metrics["scale_holds"] == 1.0
    return {
        "en": f"{INITS[params.init]}, untrained: Var q {shown('var_q')}, Var k {shown('var_k')}, "
        f"std of the scaled scores {shown('scaled_std')}: the scale "
        f"{'holds' if held else 'does not hold'}",
        "zh": f"{INITS[params.init]}，未训练：Var q {shown('var_q')}，Var k {shown('var_k')}，"
        f"缩放后分数标准差 {shown('scaled_std')}：缩放{'成立' if held else '不成立'}",
    }


_COLUMNS = ("var_q", "var_k", "score_std", "scaled_std", "entropy", "max_weight")


def _row(init: str, code: str, metrics: dict[str, Measured]) -> Row:
    cells = [metrics[name] for name in _COLUMNS]
    held = {"en": "yes", "zh": "是"} if metrics["scale_holds"] == 1.0 else {"en": "no", "zh": "否"}
    return Row(
        label=Text.of(init),
        cells=(*(c[0] for c in cells if isinstance(c, tuple)), Text.of(held), Text.of(code)),
    )


def _table(rows: list[Row]) -> Table:
    return Table(
        id="inits",
        title=Text.of({"en": f"{FEW} fresh layers of each kind", "zh": f"每种 {FEW} 个新层"}),
        columns=(*(METRICS[n].label for n in (*_COLUMNS, "scale_holds")), Text.of(wording.MADE_BY)),
        rows=tuple(rows),
    )


def _histogram(draws: list[_Draw]) -> Histogram:
    """Scaled scores of all draws, as far as ±4 of their own standard deviations."""
    import torch

    d_k = draws[0].output_shape[1] / draws[0].weights.shape[0]
    scores = torch.cat([d.scores.flatten() for d in draws]) / math.sqrt(d_k)
    high = max(4 * scores.std().item(), abs(scores.mean().item()), 1e-9)
    edges = torch.linspace(-high, high, BINS + 1, dtype=torch.float64)
    return Histogram(
        id="scores",
        title=Text.of({"en": "scaled scores", "zh": "缩放后的分数"}),
        x_label=Text.of("q·k / √d_k"),
        edges=tuple(edges.tolist()),
        series=(
            Series(
                name=Text.of("q·k / √d_k"),
                values=tuple(torch.histogram(scores, edges).hist.tolist()),
            ),
        ),
    )


METHOD = {
    "en": "W_k folded into the queries, so that no key is made; rows from odds",
    "zh": "把 W_k 并入查询，不生成任何键；各行由赔率求得",
}


def check(params: Params, ctx: Context) -> Reference:
    """scores = (q W_k) x_encᵀ + q b_k in float64, variances from raw moments."""
    import numpy as np

    from quizapp.lab.second_way.odds import Odds
    from quizapp.lab.second_way.projections import by_init64, folded64
    from quizapp.lab.second_way.rounding import resolved

    root = math.sqrt(params.d_model / params.heads)
    rows, moments, largest = [], [], 0.0
    for draw in range(params.draws):
        ctx.checkpoint()
        scores, found = folded64(params, ctx, draw)
        rows.append(Odds.of(scores.reshape(1, -1, params.keys) / root))
        moments.append((*found, scores.mean(), scores.var(ddof=1)))
        largest = max(largest, float(np.abs(scores).max()) / root)
    var_q, var_k, gain_q, gain_k, mean, variance = np.array(moments).T
    std = math.sqrt(variance.mean())
    means = {"var_q": var_q, "var_k": var_k, "gain_q": gain_q, "gain_k": gain_k, "score_mean": mean}
    return {
        **{name: float(values.mean()) for name, values in means.items()},
        "score_std": std,
        "scaled_std": std / root,
        "predicted_std": float(np.sqrt(var_q * var_k).mean()),
        **resolved(Odds.join(rows).summary(), largest),
        **by_init64(params, ctx, FEW),
    }
