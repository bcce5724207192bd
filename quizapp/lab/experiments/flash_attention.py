"""Tiling changes the memory, not the result: FlashAttention keeps the scale and is exact.

    m' = max(m, max s),  c = exp(m − m'),  l ← c·l + Σ exp(s − m'),  o ← c·o + exp(s − m')·V
    output = o/l;  backward finds the weights again as exp(s − lse), lse = m + ln l

s = q·k/√d_k of one tile; Q, K, V (S, d_k), one head, entries i.i.d. N(0,1). Leave out the
scale, or the factor c, and see what it costs. In the sorted orders every query takes its
keys from its highest score down, or from its lowest up. The tiled code runs in eager
Python: its memory is FlashAttention's, its speed is not.

Dao et al. 2022, "FlashAttention", sections 2 and 3.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, Tolerant, param
from quizapp.lab.wording import flash_attention as wording
from quizapp.report import Curve, Report

if TYPE_CHECKING:
    import torch

    from quizapp.lab.maths.tiled import Kept, Tiling

CLAIM = {
    "en": "an online softmax over tiles gives the same output in a fraction of the memory",
    "zh": "分块的在线 softmax 给出相同输出，只用一小部分内存",
}
#: Each query sorts its own keys, which multiplies the work by d_k.
LONGEST_SORTED = 1024
MOST_TILES = 32
SIZES = (64, 128, 256, 512, 1024)


class Params(BaseParams):
    """The sizes, and what a broken version would leave out."""

    seq_len: int = param(
        1024, low=16, high=2048, step="double", en="queries, and keys", zh="查询数（也是键数）"
    )
    d_k: int = param(64, low=8, high=128, step="double", en="width of one head", zh="单个头的维度")
    block: int = param(
        128,
        low=8,
        high=512,
        step="double",
        en="queries and keys in a tile",
        zh="每块的查询、键数",
    )
    scale: Literal["kept", "dropped"] = param(
        "kept", en="1/√d_k inside the tiled loop", zh="分块循环内的 1/√d_k"
    )
    rescale: Literal["kept", "dropped"] = param(
        "kept", en="factor c when the maximum rises", zh="最大值上升时的因子 c"
    )
    order: Literal["random", "descending", "ascending"] = param(
        "random", en="order of each query's keys by score", zh="每个查询的键按分数的次序"
    )
    dtype: Literal["float32", "float64"] = param("float32", en="number format", zh="数值格式")

    @model_validator(mode="after")
    def _bounded(self) -> Params:
        if self.seq_len > MOST_TILES * self.block:
            raise ValueError(
                f"seq_len {self.seq_len} in blocks of {self.block} makes more than "
                f"{MOST_TILES} tiles: raise block to at least {-(-self.seq_len // MOST_TILES)}"
            )
        if self.order != "random" and self.seq_len > LONGEST_SORTED:
            raise ValueError(f"order {self.order} takes seq_len up to {LONGEST_SORTED}")
        return self


METRICS = wording.METRICS
PLOTS = ("running", "memory")


def run(params: Params, ctx: Context) -> Run:
    """Result and trace first; then memory and gradients; then work, time and other sizes."""
    from quizapp.lab.maths import tiled
    from quizapp.lab.pictures import tiled as words

    q, k, v = (_drawn(params, ctx, n, params.seq_len) for n in "qkv")
    ctx.checkpoint()
    standard, _ = ctx.attention(q, k, v)
    scores = (q @ k.mT) / math.sqrt(params.d_k)  # (S, S)
    tiling = _tiling(params, scores)
    output, lse, rises = tiled.forward(q, k, v, tiling, ctx.checkpoint)
    metrics: dict[str, Measured] = {
        **_errors(standard, output),
        "lse_mean": lse.double().mean().item(),
        "lse_error": (lse - scores.logsumexp(-1)).abs().max().item(),
        "max_rises": rises.double().mean().item(),
        "key_tiles": float(-(-params.seq_len // params.block)),
    }
    del scores
    states = list(tiled.running(q[:1], k, v, tiling))
    told = words.Told.of(states, standard[0])

    def report(*, progress: float, final: bool = False) -> Report:
        return ctx.report(
            metrics=metrics,
            progress=progress,
            final=final,
            summary=words.summary(metrics),
            tables=[told.table()],
            curves=[told.curve(), *curves],
            trace=told.steps(),
        )

    curves: list[Curve] = []
    yield report(progress=0.2)
    metrics |= _backward(params, ctx, (q, k, v), tiled.Kept(output, lse), tiling)
    metrics |= words.peaks(*_peaks(ctx, (q, k, v), params.block))
    yield report(progress=0.6)
    metrics |= _work(params, ctx, (q, k, v))
    curves.append(words.memory_curve(_peaks_by_size(params, ctx)))
    yield report(progress=1, final=True)


def _drawn(params: Params, ctx: Context, name: str, rows: int) -> torch.Tensor:
    """(rows, d_k): the same numbers in every dtype, so that only the arithmetic differs."""
    return ctx.cast(ctx.normal(name, rows, params.d_k), params.dtype)


def _tiling(params: Params, scores: torch.Tensor) -> Tiling:
    from quizapp.lab.maths.tiled import Tiling

    order = None
    if params.order != "random":  # the draws have no order of their own
        order = scores.argsort(-1, descending=params.order == "descending")
    scale = params.d_k**-0.5 if params.scale == "kept" else 1.0
    return Tiling(params.block, scale, params.rescale == "kept", order)


def _errors(standard: torch.Tensor, output: torch.Tensor) -> dict[str, Measured]:
    error = output - standard
    return {
        "max_abs_error": error.abs().max().item(),
        "relative_error": (error.norm() / standard.norm()).item(),
        "output_rms": output.square().mean().sqrt().item(),
        "standard_rms": standard.square().mean().sqrt().item(),
    }


def _backward(
    params: Params,
    ctx: Context,
    qkv: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    kept: Kept,
    tiling: Tiling,
) -> dict[str, Measured]:
    """The gradients by recomputation against autograd's, and what each had to keep."""
    import torch

    from quizapp.lab.attention import attention
    from quizapp.lab.maths import tiled
    from quizapp.lab.maths.live_bytes import saved_bytes

    ctx.checkpoint()
    upstream = _drawn(params, ctx, "upstream", params.seq_len)
    leaves = tuple(x.detach().requires_grad_() for x in qkv)
    saved = saved_bytes(leaves, lambda: attention(*leaves)[0])
    ctx.checkpoint()
    expected = torch.autograd.grad(attention(*leaves)[0], leaves, upstream)
    found = tiled.backward(qkv, kept, upstream, tiling, ctx.checkpoint)
    error = max((a - b).abs().max().item() for a, b in zip(found, expected, strict=True))
    return {
        "grad_error": error,
        "saved_bytes_standard": float(saved),
        "saved_bytes_tiled": float(kept.output.nbytes + kept.lse.nbytes),
    }


def _peaks(
    ctx: Context, qkv: tuple[torch.Tensor, torch.Tensor, torch.Tensor], block: int
) -> tuple[int, int]:
    """Peak bytes of one forward pass, standard and tiled."""
    from quizapp.lab.attention import attention
    from quizapp.lab.maths import tiled
    from quizapp.lab.maths.live_bytes import peak_bytes

    tiling = tiled.Tiling(block, qkv[0].shape[-1] ** -0.5)
    ctx.checkpoint()
    return (
        peak_bytes(qkv, lambda: attention(*qkv)),
        peak_bytes(qkv, lambda: tiled.forward(*qkv, tiling, ctx.checkpoint)),
    )


def _peaks_by_size(params: Params, ctx: Context) -> dict[int, tuple[int, int]]:
    """Peak bytes at each sequence length, in blocks no larger than half of it."""
    peaks = {}
    for size in SIZES:
        qkv = tuple(_drawn(params, ctx, f"memory_{n}", size) for n in "qkv")
        block = max(min(params.block, size // 2), size // 16)
        peaks[size] = _peaks(ctx, (qkv[0], qkv[1], qkv[2]), block)
    return peaks


def _work(
    params: Params, ctx: Context, qkv: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
) -> dict[str, Measured]:
    """FLOPs of the matrix products as torch counts them, and the time of a forward pass."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from quizapp.lab.attention import attention
    from quizapp.lab.maths import tiled

    tiling = tiled.Tiling(params.block, params.d_k**-0.5)

    def flops(work: Callable[[], object]) -> float:
        ctx.checkpoint()
        with FlopCounterMode(display=False) as counter:
            work()
        return float(counter.get_total_flops())

    def seconds(work: Callable[[], object]) -> float:
        taken = []
        for _ in range(3):
            ctx.checkpoint()
            started = ctx.seconds()
            work()
            if ctx.device == "cuda":
                torch.cuda.synchronize()
            taken.append(ctx.seconds() - started)
        return min(taken)

    leaves = tuple(x.detach().requires_grad_() for x in qkv)
    both_ways = flops(lambda: torch.autograd.grad(attention(*leaves)[0].sum(), leaves))
    standard = flops(lambda: attention(*qkv))
    output, lse, _ = tiled.forward(*qkv, tiling, ctx.checkpoint)
    kept, upstream = tiled.Kept(output, lse), torch.ones_like(output)
    again = flops(lambda: tiled.backward(qkv, kept, upstream, tiling, ctx.checkpoint))
    return {
        "flops_standard": standard,
        "flops_tiled": flops(lambda: tiled.forward(*qkv, tiling, ctx.checkpoint)),
        "backward_flops_ratio": again / (both_ways - standard),
        "seconds_standard": seconds(lambda: attention(*qkv)),
        "seconds_tiled": seconds(lambda: tiled.forward(*qkv, tiling, ctx.checkpoint)),
    }


METHOD = {
    "en": "whole rows in float64: each key weighed against the running maximum of its tile",
    "zh": "float64 整行计算：每个键相对其所在块的当前最大值加权",
}


def check(params: Params, ctx: Context) -> Reference:
    """Closed forms of what the tiled loop sums, with no loop over tiles; sizes by hand."""
    import numpy as np

    S, d = params.seq_len, params.d_k
    q, k, v = (ctx.normal64(n, S, d) for n in "qkv")
    starts = np.arange(0, S, params.block)
    squares, exact_squares, lse_sum, rises, largest = 0.0, 0.0, 0.0, 0, 0.0
    for first in range(0, S, 128):
        ctx.checkpoint()
        scores = q[first : first + 128] @ k.T / math.sqrt(d)
        exact = np.exp(scores - np.logaddexp.reduce(scores, axis=-1)[:, None]) @ v
        order = np.argsort(scores, axis=-1)  # ascending; the draws' own order is the identity
        if params.order == "random":
            order = np.broadcast_to(np.arange(S), scores.shape)
        elif params.order == "descending":
            order = order[:, ::-1]
        taken = np.take_along_axis(scores, order, -1)
        taken = taken * (math.sqrt(d) if params.scale == "dropped" else 1.0)
        peaks = np.maximum.accumulate(np.maximum.reduceat(taken, starts, axis=-1), axis=-1)
        rises += int((np.diff(peaks, axis=-1) > 0).sum())
        # Without the rescale a key keeps the weight it got under its own tile's maximum.
        under = np.repeat(peaks, params.block, axis=-1)[:, :S]
        against = under if params.rescale == "dropped" else peaks[:, -1:]
        totals = np.logaddexp.reduce(taken - against, axis=-1)
        weights = np.empty_like(taken)
        np.put_along_axis(weights, order, np.exp(taken - against - totals[:, None]), -1)
        output = weights @ v
        squares += float((output**2).sum())
        exact_squares += float((exact**2).sum())
        lse_sum += float((peaks[:, -1] + totals).sum())
        largest = max(largest, float(np.abs(output - exact).max()))
    size = 8 if params.dtype == "float64" and ctx.device != "mps" else 4
    return {
        "output_rms": math.sqrt(squares / (S * d)),
        "standard_rms": math.sqrt(exact_squares / (S * d)),
        "lse_mean": lse_sum / S,
        "max_rises": Tolerant(rises / S, 1.5 / S),
        "flops_standard": 4.0 * S * S * d,
        "flops_tiled": 4.0 * S * S * d,
        "saved_bytes_tiled": float(size * S * (d + 1)),
        # Where both are exact, the difference is rounding alone and has no second way.
        **({"max_abs_error": largest} if largest > 1e-3 else {}),
        # Scores, weights and output; the allocator of a GPU rounds each up.
        **({"peak_bytes_standard": float(size * S * (2 * S + d))} if ctx.device == "cpu" else {}),
    }
