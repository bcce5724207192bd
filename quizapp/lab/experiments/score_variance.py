"""The variance of a dot product of d_k independent terms is d_k.

    q, k ∈ R^{d_k}: entries of mean μ and variance 1, corr(qᵢ, kᵢ) = ρ, else independent
    E[q·k] = d_k (μ² + ρ)
    Var[q·k] = d_k (1 + ρ² + 2μ²(1 + ρ))        = d_k when μ = ρ = 0
    cosine = q·k / (‖q‖‖k‖), of standard deviation about 1/√d_k

Vaswani et al. 2017, the footnote in section 3.2.1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from quizapp.lab.experiment import BaseParams, Context, Reference, Run, metric, param
from quizapp.report import Histogram, Series
from quizapp.text import Text

if TYPE_CHECKING:
    import torch

CLAIM = {
    "en": "q·k of independent unit entries has variance d_k: measured, and what breaks it",
    "zh": "独立单位方差元素的 q·k 方差为 d_k：实测，以及何时被打破",
}

#: Numbers drawn at a time: 8 MiB each of q and k, well under 100 ms of work.
CHUNK = 2**21
BINS = 48


class Params(BaseParams):
    """The width, and how the entries are drawn."""

    d_k: int = param(64, low=1, high=4096, step="double", en="width of one head", zh="单个头的维度")
    mean: float = param(
        0.0, low=-4, high=4, en="mean of every entry of q and k", zh="q、k 每个元素的均值"
    )
    correlation: float = param(
        0.0,
        low=-1,
        high=1,
        en="correlation of each entry of q with its partner in k",
        zh="q 与 k 对应元素的相关系数",
    )
    pairs: int = param(
        100_000, low=1000, high=400_000, step="double", en="independent pairs", zh="独立样本对数"
    )


METRICS = {
    "score_mean": metric(
        "",
        {"en": "mean of q·k", "zh": "q·k 的均值"},
        {"en": "mean of the raw dot product over all pairs", "zh": "所有样本对的点积均值"},
        sampled=True,
    ),
    "score_variance": metric(
        "",
        {"en": "variance of q·k", "zh": "q·k 的方差"},
        {"en": "variance of the raw dot product over all pairs", "zh": "所有样本对的点积方差"},
        low=0,
        sampled=True,
    ),
    "score_std": metric(
        "",
        {"en": "std of q·k", "zh": "q·k 的标准差"},
        {"en": "standard deviation of the raw dot product", "zh": "点积的标准差"},
        low=0,
        sampled=True,
    ),
    "scaled_std": metric(
        "",
        {"en": "std of q·k / √d_k", "zh": "q·k / √d_k 的标准差"},
        {"en": "standard deviation after dividing by √d_k", "zh": "除以 √d_k 之后的标准差"},
        low=0,
        sampled=True,
    ),
    "scaled_rms": metric(
        "",
        {"en": "rms of q·k / √d_k", "zh": "q·k / √d_k 的均方根"},
        {
            "en": "root mean square of the scaled score: mean and spread together",
            "zh": "缩放后分数的均方根：均值与离散程度合在一起",
        },
        low=0,
        sampled=True,
    ),
    "within_three_sigma": metric(
        "share",
        {"en": "|q·k| < 3√d_k", "zh": "|q·k| < 3√d_k 的比例"},
        {"en": "share of scores within ±3√d_k", "zh": "落在 ±3√d_k 之内的分数比例"},
        low=0,
        high=1,
        sampled=True,
    ),
    "three_sigma": metric(
        "",
        {"en": "mean ± 3 std", "zh": "均值 ± 3 标准差"},
        {
            "en": "measured mean minus and plus three standard deviations",
            "zh": "实测均值加减三个标准差",
        },
    ),
    "cosine_std": metric(
        "",
        {"en": "std of the cosine", "zh": "余弦的标准差"},
        {"en": "standard deviation of cos(q, k)", "zh": "cos(q, k) 的标准差"},
        low=0,
        high=1,
        sampled=True,
    ),
    "norm_mean": metric(
        "",
        {"en": "mean of ‖q‖", "zh": "‖q‖ 的均值"},
        {"en": "mean length of q", "zh": "q 的平均长度"},
        low=0,
        sampled=True,
    ),
}
PLOTS = ("scores",)


def run(params: Params, ctx: Context) -> Run:
    """Draw pairs chunk by chunk; report after the first chunk and at the end."""
    import torch

    rows = max(1, CHUNK // params.d_k)
    done, dots, norms_q, norms_k = 0, [], [], []
    while done < params.pairs:
        ctx.checkpoint()
        n = min(rows, params.pairs - done)
        q, k = _pair(params, ctx, done, n)
        dots.append((q * k).sum(-1))  # (n,)
        norms_q.append(q.norm(dim=-1))
        norms_k.append(k.norm(dim=-1))
        first, done = done == 0, done + n
        if first or done == params.pairs:
            joined = [torch.cat(parts).cpu().double() for parts in (dots, norms_q, norms_k)]
            yield ctx.report(
                metrics=_measure(params.d_k, *joined),
                histograms=[_histogram(params, joined[0])],
                progress=done / params.pairs,
                final=done == params.pairs,
            )


def _pair(params: Params, ctx: Context, start: int, n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """q and k of pairs start … start+n, each (n, d_k)."""
    a = ctx.normal(f"q{start}", n, params.d_k)
    b = ctx.normal(f"k{start}", n, params.d_k)
    if params.correlation:
        b = params.correlation * a + math.sqrt(1 - params.correlation**2) * b
    return (a + params.mean, b + params.mean) if params.mean else (a, b)


def _measure(
    d_k: int, dots: torch.Tensor, norm_q: torch.Tensor, norm_k: torch.Tensor
) -> dict[str, float | tuple[float, float] | list[float]]:
    """Every metric with its standard error, from (n,) scores and norms in float64."""
    n = len(dots)
    mean = dots.mean().item()
    deviation = dots - mean
    variance = deviation.square().sum().item() / (n - 1)
    # Standard error of a variance: √((m₄ − s⁴)/n), whatever the distribution.
    fourth = deviation.pow(4).mean().item()
    variance_error = math.sqrt(max(fourth - variance**2, 0.0) / n)
    std = math.sqrt(variance)
    std_error = variance_error / (2 * std) if std else 0.0
    mean_square = dots.square().mean().item()
    rms = math.sqrt(mean_square)
    rms_error = dots.square().std().item() / (2 * rms * math.sqrt(n)) if rms else 0.0
    inside = (dots.abs() < 3 * math.sqrt(d_k)).double().mean().item()
    cosine = dots / (norm_q * norm_k)
    cosine_std = cosine.std().item()
    root = math.sqrt(d_k)
    return {
        "score_mean": (mean, std / math.sqrt(n)),
        "score_variance": (variance, variance_error),
        "score_std": (std, std_error),
        "scaled_std": (std / root, std_error / root),
        "scaled_rms": (rms / root, rms_error / root),
        "within_three_sigma": (inside, math.sqrt(inside * (1 - inside) / n)),
        "three_sigma": [mean - 3 * std, mean + 3 * std],
        "cosine_std": (cosine_std, cosine_std / math.sqrt(2 * n)),
        "norm_mean": (norm_q.mean().item(), norm_q.std().item() / math.sqrt(n)),
    }


def _histogram(params: Params, dots: torch.Tensor) -> Histogram:
    """Raw scores, and the same divided by √d_k, on one axis that holds both."""
    import torch

    high = max(dots.abs().max().item(), 1e-9)
    edges = torch.linspace(-high, high, BINS + 1, dtype=torch.float64)
    series = [
        Series(
            name=Text.of(name),
            values=tuple(torch.histogram(values, edges).hist.tolist()),
        )
        for name, values in (("q·k", dots), ("q·k / √d_k", dots / math.sqrt(params.d_k)))
    ]
    return Histogram(
        id="scores",
        title=Text.of({"en": "scores", "zh": "分数"}),
        x_label=Text.of({"en": "score", "zh": "分数"}),
        edges=tuple(edges.tolist()),
        series=tuple(series),
    )


METHOD = {
    "en": "polarisation: q·k = (‖q+k‖² − ‖q−k‖²)/4",
    "zh": "极化恒等式：q·k = (‖q+k‖² − ‖q−k‖²)/4",
}


def check(params: Params, ctx: Context) -> Reference:
    """The same scores from lengths alone, never from a product of entries."""
    import numpy as np

    rows = max(1, CHUNK // params.d_k)
    dots, norms = [], []
    for start in range(0, params.pairs, rows):
        ctx.checkpoint()
        n = min(rows, params.pairs - start)
        a = ctx.normal64(f"q{start}", n, params.d_k)
        b = ctx.normal64(f"k{start}", n, params.d_k)
        q = a + params.mean
        k = params.correlation * a + np.sqrt(1 - params.correlation**2) * b + params.mean
        total, difference = q + k, q - k
        squares = [np.einsum("nd,nd->n", x, x) for x in (total, difference, q)]
        dots.append((squares[0] - squares[1]) / 4)
        norms.append(np.sqrt(squares[2]))
    score = np.concatenate(dots)
    std = float(score.std(ddof=1))
    return {
        "score_variance": std**2,
        "score_std": std,
        "scaled_std": std / params.d_k**0.5,
        "norm_mean": float(np.concatenate(norms).mean()),
    }
