"""The costs of an attention layer by closed forms, and its output from powers of e, in NumPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quizapp.lab.experiment import Context

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def counts(lengths: Sequence[int], widths: Sequence[int]) -> dict[str, float]:
    """FLOPs along n at the largest width, and along d at the longest length."""
    n, d = np.array(lengths, float), np.array(widths, float)
    longest, widest = lengths[-1], widths[-1]
    attention_n, attention_d = 4 * n**2 * widest, 4 * longest**2 * d
    layer_n, layer_d = 8 * n * widest**2 + attention_n, 8 * longest * d**2 + attention_d
    return {
        "flops_projections": 8.0 * longest * widest**2,
        "flops_naive": 4.0 * longest**2 * widest,
        "flops_fused": 4.0 * longest**2 * widest,
        "flops_share": longest / (longest + 2 * widest),
        "flops_share_short": lengths[0] / (lengths[0] + 2 * widest),
        "flops_slope_n": _fitted(n, layer_n),
        "flops_slope_n_attention": _fitted(n, attention_n),
        "flops_slope_n_fused": _fitted(n, attention_n),
        "flops_slope_d": _fitted(d, layer_d),
        "flops_slope_d_attention": _fitted(d, attention_d),
        "flops_growth_short": float(layer_n[1] / layer_n[0]),
        "flops_growth_long": float(layer_n[-1] / layer_n[-2]),
        "flops_crossover": 2.0 * widest,
    }


def held(lengths: Sequence[int], d_model: int, heads: int) -> dict[str, float]:
    """Bytes: scores, weights and output against output and one sum of powers for each row."""
    n = np.array(lengths, float)
    naive, fused = 4 * (2 * heads * n**2 + n * d_model), 4 * (n * d_model + heads * n)
    return {
        "peak_bytes_naive": float(naive[-1]),
        "peak_bytes_fused": float(fused[-1]),
        "peak_ratio": float(naive[-1] / fused[-1]),
        "bytes_slope_n_naive": _fitted(n, naive),
        "bytes_slope_n_fused": _fitted(n, fused),
    }


def _fitted(x: Array, y: Array) -> float:
    """Slope of ln y on ln x, by NumPy's own least squares."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def output_rms(ctx: Context, n: int, d_model: int, heads: int) -> float:
    """Root mean square of the output at one size, head by head and row block by row block."""
    d_k = d_model // heads
    x = ctx.normal64("x", n, d_model)
    names = ("w_q", "w_k", "w_v")
    q, k, v = (x @ ctx.normal64(one, d_model, d_model) / math.sqrt(d_model) for one in names)
    squares = 0.0
    for first in range(0, d_model, d_k):
        own = slice(first, first + d_k)
        for rows in np.array_split(q[:, own], max(1, n // 256)):
            ctx.checkpoint()
            powers = np.exp(rows @ k[:, own].T / math.sqrt(d_k))
            squares += float(((powers @ v[:, own] / powers.sum(-1, keepdims=True)) ** 2).sum())
    return math.sqrt(squares / (n * d_model))
