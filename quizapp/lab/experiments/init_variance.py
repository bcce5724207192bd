"""Whether Var(q) = Var(k) = 1 is up to the initialiser: √d_k only divides what it promises.

    q = W_q x (+ b),  Var(q) = d_model · Var(W_q) · Var(x) + Var(b)
    scores = qkᵀ/√d_k,  std = √(Var(q) · Var(k)) for two different tokens

x (S, d_model) of i.i.d. N(0, input_std²) entries, W (d_model, d_model) fresh from the
initialiser and times `gain` (a bias is not), heads of d_k = d_model / heads, self-attention,
untrained. "The scale holds" means |std − 1| ≤ 0.1; "Var(q) = 1" the same for both variances.

Glorot and Bengio 2010, equation 12; He et al. 2015, equation 10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, param
from quizapp.lab.maths import rows
from quizapp.lab.wording import init_variance as wording

if TYPE_CHECKING:
    from quizapp.lab.maths.init_variance import Draw

CLAIM = {
    "en": "standard initialisation gives Var(q) = 1? Each layer's own answer, beside the theory",
    "zh": "标准初始化就能让 Var(q) = 1？各种层的实测与理论对照",
}
#: Draws behind each line of the table, and behind the first report.
FEW = 4
#: About which widths the curve measures Var(q).
WIDTHS = (64, 128, 256, 512, 1024)


class Params(BaseParams):
    """The layer and its inputs."""

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
    ] = param("linear_default", en="layer that makes q and k", zh="产生 q、k 的层")
    d_model: int = param(512, low=32, high=1024, step="double", en="width of x", zh="x 的维度")
    heads: int = param(8, low=1, high=16, step="double", en="heads", zh="头数")
    gain: float = param(
        1.0, low=0.05, high=20, step="double", en="factor on W_q and W_k", zh="W_q、W_k 的倍数"
    )
    input_std: float = param(
        1.0, low=0.05, high=20, step="double", en="std of the inputs x", zh="输入 x 的标准差"
    )
    tied: bool = param(False, en="W_k is the same matrix as W_q", zh="W_k 与 W_q 为同一矩阵")
    positions: int = param(32, low=4, high=64, step="double", en="tokens", zh="token 数")
    draws: int = param(
        8, low=FEW, high=16, step="double", en="independent layers and inputs", zh="独立抽样次数"
    )

    @model_validator(mode="after")
    def _heads_divide(self) -> Params:
        rows.refuse_uneven(self.d_model, self.heads)
        return self


METRICS = wording.METRICS
PLOTS = ("scores", "widths")


def run(params: Params, ctx: Context) -> Run:
    """The chosen layer, then its other widths, then every other layer for the table."""
    from quizapp.lab.maths.init_variance import draw
    from quizapp.lab.pictures import init_variance as pictures

    chosen: list[Draw] = []
    for index in range(params.draws):
        chosen.append(draw(params, ctx, index))
        if len(chosen) in (FEW, params.draws):
            metrics = _metrics(params, chosen)
            yield ctx.report(
                metrics=metrics,
                progress=0.3 * len(chosen) / params.draws,
                summary=pictures.summary(params, metrics),
                histograms=[pictures.scores(chosen)],
            )
    metrics |= _by_width(params, ctx)
    curve = pictures.widths(params, metrics)
    yield ctx.report(
        metrics=metrics,
        progress=0.5,
        summary=pictures.summary(params, metrics),
        histograms=[pictures.scores(chosen)],
        curves=[curve],
    )
    every = _every_layer(params, ctx)
    yield ctx.report(
        metrics={**metrics, **_lists(params, every)},
        final=True,
        summary=pictures.summary(params, metrics),
        tables=[pictures.table(every, FEW)],
        histograms=[pictures.scores(chosen)],
        curves=[curve],
    )


def _metrics(params: Params, draws: Sequence[Draw]) -> dict[str, Measured]:
    import torch

    from quizapp.lab.maths.init_variance import promise
    from quizapp.lab.maths.rows import Rows, over_draws, pooled_std

    d_k = params.d_model // params.heads
    var_q, var_q_error = over_draws(torch.tensor([d.var_q for d in draws], dtype=torch.float64))
    var_k, var_k_error = over_draws(torch.tensor([d.var_k for d in draws], dtype=torch.float64))
    variances = torch.stack([d.others.var() for d in draws])  # (D,)
    std, error = pooled_std(variances)
    theory = promise(params)
    return {
        "var_q": (var_q, var_q_error),
        "var_k": (var_k, var_k_error),
        "score_variance": over_draws(variances * d_k),
        "score_std": (std * math.sqrt(d_k), error * math.sqrt(d_k)),
        "scaled_std": (std, error),
        "own_score": over_draws(torch.stack([d.own.mean() for d in draws])),
        "own_weight": over_draws(
            torch.stack([d.weights.diagonal(dim1=-2, dim2=-1).cpu().double().mean() for d in draws])
        ),
        "gain_for_one": (var_q**-0.5, var_q_error / (2 * var_q**1.5)),
        "promised_var_q": theory.var_q,
        "promised_var_k": theory.var_k,
        "promised_scaled_std": theory.scaled_std,
        "folklore_score_std": math.sqrt(d_k),
        "unit_variance": float(abs(var_q - 1) <= 0.1 and abs(var_k - 1) <= 0.1),
        "scale_holds": float(abs(std - 1) <= 0.1),
        "uniform_entropy": math.log(params.positions),
        **Rows.join([d.rows for d in draws]).summary(),
    }


def _by_width(params: Params, ctx: Context) -> dict[str, Measured]:
    """Var(q) of the chosen layer at other widths, as many heads as before."""
    import torch

    from quizapp.lab.maths.init_variance import draw, promise, widths
    from quizapp.lab.maths.rows import over_draws

    found, promised = [], []
    for width in widths(params.heads, WIDTHS):
        other = params.model_copy(update={"d_model": width})
        drawn = [draw(other, ctx, index).var_q for index in range(FEW)]
        found.append(over_draws(torch.tensor(drawn, dtype=torch.float64)))
        promised.append(promise(other).var_q)
    return {
        "widths": [float(width) for width in widths(params.heads, WIDTHS)],
        "var_q_by_width": ([v for v, _ in found], [e for _, e in found]),
        "promised_by_width": promised,
    }


def _every_layer(params: Params, ctx: Context) -> dict[str, dict[str, Measured]]:
    """The same measures for every layer of INITS, from FEW draws each."""
    from quizapp.lab.maths.init_variance import draw

    every = {}
    for init in wording.LAYERS:
        other = params.model_copy(update={"init": init})
        every[init] = _metrics(other, [draw(other, ctx, index) for index in range(FEW)])
    return every


def _lists(params: Params, every: dict[str, dict[str, Measured]]) -> dict[str, Measured]:
    """One list a metric, in the order of LAYERS."""
    from quizapp.lab.maths.init_variance import promise

    lists: dict[str, Measured] = {
        "promised_by_init": [
            promise(params.model_copy(update={"init": init})).var_q for init in every
        ]
    }
    for name in wording.BY_INIT:
        pairs = [pair for found in every.values() if isinstance(pair := found[name], tuple)]
        lists[f"{name}_by_init"] = ([float(v) for v, _ in pairs], [float(e) for _, e in pairs])
    return lists


METHOD = {
    "en": "Var(q) as a trace of second moments, no q made; W_k folded into the queries; odds",
    "zh": "Var(q) 由二阶矩的迹求得，不生成 q；把 W_k 并入查询；各行由赔率求得",
}


def check(params: Params, ctx: Context) -> Reference:
    """Moments of inputs and weights in float64 NumPy; scores from folded queries."""
    from quizapp.lab.second_way.init_variance import by_init64, by_width64, chosen64

    return {
        **chosen64(params, ctx),
        **by_width64(params, ctx, FEW, WIDTHS),
        **by_init64(params, ctx, FEW),
    }
