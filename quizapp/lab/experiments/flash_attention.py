"""Tiling changes the memory, not the result: FlashAttention keeps the scale and is exact.

    m' = max(m, max s),  c = exp(m − m'),  l ← c·l + Σ exp(s − m'),  o ← c·o + exp(s − m')·V
    output = o/l;  backward finds the weights again as exp(s − lse), lse = m + ln l

s = q·k/√d_k of one tile; Q, K, V (S, d_k), one head, entries i.i.d. N(0,1). Leave out the
scale, or the factor c, and see what it costs. In the sorted orders every query takes its
keys from its highest score down, or from its lowest up. A causal mask skips the tiles whose
keys all come later. The tiled code runs in eager Python: its memory is FlashAttention's, its
speed is not; beside it stands torch's own `F.scaled_dot_product_attention`, by the backend
that torch picks for this device and call.

Dao et al. 2022, "FlashAttention", sections 2 and 3.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, UnfitError, param
from quizapp.lab.wording import flash_attention as wording
from quizapp.report import Curve, Report

if TYPE_CHECKING:
    import torch

    from quizapp.lab.maths.flash import Head
    from quizapp.lab.maths.tiled import Tiling
    from quizapp.lab.pictures.tiled import Told

CLAIM = {
    "en": "an online softmax over tiles gives the same output in a fraction of the memory",
    "zh": "分块的在线 softmax 给出相同输出，只用一小部分内存",
}
#: Each query sorts its own keys, which multiplies the work by d_k.
LONGEST_SORTED: Final = 1024
MOST_TILES: Final = 32
#: seq_len² · (d_k + SOFTMAX), twice that in float64: a few seconds of work.
MOST_WORK: Final = 4096**2 * (64 + 64)
#: What the softmax of a score costs, in terms of its dot product.
SOFTMAX: Final = 64
#: S × S matrices held at once: by autograd, and by the curve's own standard pass.
MATRICES: Final = 5
#: Sequence lengths of the memory curve; the longer ones only where the run is as long.
SIZES: Final = (64, 128, 256, 512, 1024, 2048, 4096)
ALWAYS: Final = 1024


class Params(BaseParams):
    """The sizes, and what a broken version would leave out."""

    seq_len: int = param(
        1024, low=16, high=4096, step="double", en="queries, and keys", zh="查询数（也是键数）"
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
    causal: bool = param(False, en="hide later keys", zh="隐藏后面的键")
    scale: Literal["kept", "dropped"] = param(
        "kept", en="1/√d_k inside the tiled loop", zh="分块循环内的 1/√d_k"
    )
    rescale: Literal["kept", "dropped"] = param(
        "kept", en="factor c when the maximum rises", zh="最大值上升时的因子 c"
    )
    order: Literal["random", "descending", "ascending"] = param(
        "random", en="order of each query's keys by score", zh="每个查询的键按分数的次序"
    )
    fused_call: Literal["batched", "matrix"] = param(
        "batched",
        en="torch's kernel is given (1, 1, S, d_k), or (S, d_k)",
        zh="传给 torch 内核的形状：(1, 1, S, d_k) 或 (S, d_k)",
    )
    dtype: Literal["float32", "float64"] = param("float32", en="number format", zh="数值格式")

    @model_validator(mode="after")
    def _bounded(self) -> Params:
        if self.seq_len > MOST_TILES * self.block:
            least = -(-self.seq_len // MOST_TILES)
            raise UnfitError(
                f"seq_len {self.seq_len} in blocks of {self.block} makes more than "
                f"{MOST_TILES} tiles: raise block to at least {least}",
                f"seq_len {self.seq_len} 按每块 {self.block} 切分，超过 {MOST_TILES} 块："
                f"请把 block 调到至少 {least}",
            )
        if self.order != "random" and self.seq_len > LONGEST_SORTED:
            raise UnfitError(
                f"order {self.order} takes seq_len up to {LONGEST_SORTED}",
                f"order {self.order} 时 seq_len 最大为 {LONGEST_SORTED}",
            )
        if self.order != "random" and self.causal:
            raise UnfitError(
                "causal goes with order=random only", "causal 只能与 order=random 一起使用"
            )
        work = self.seq_len**2 * (self.d_k + SOFTMAX) * (2 if self.dtype == "float64" else 1)
        if work > MOST_WORK:
            times = f"{work / MOST_WORK:.2g}"
            raise UnfitError(
                f"seq_len {self.seq_len} at d_k {self.d_k} in {self.dtype} is "
                f"{times} times the work of one run: lower seq_len or d_k",
                f"{self.dtype} 下 seq_len {self.seq_len}、d_k {self.d_k} 的工作量是一次运行上限的 "
                f"{times} 倍：请调小 seq_len 或 d_k",
            )
        return self


def memory(params: Params) -> int:
    """Bytes a run holds at its peak: the standard way's matrices, which the tiled way has not."""
    size = 8 if params.dtype == "float64" else 4
    return size * params.seq_len * (MATRICES * params.seq_len + 32 * params.d_k) + 2**26


METRICS = wording.METRICS
PLOTS = ("running", "memory")


def run(params: Params, ctx: Context) -> Run:
    """One tile of queries; all; what backward keeps, then finds; torch's kernel; costs."""
    from quizapp.lab.maths import flash
    from quizapp.lab.pictures import tiled as words

    head = _head(params, ctx, params.seq_len)
    tiling, told = _tiling(params, head), _told(params, ctx, head)
    metrics: dict[str, Measured] = {}
    curves: list[Curve] = []
    kernel = ""

    def report(progress: float) -> Report:
        return ctx.report(
            metrics=metrics,
            progress=progress,
            final=progress == 1,
            summary=words.summary(metrics, kernel),
            tables=[told.table(), *([words.ways_table(metrics, kernel)] if kernel else [])],
            curves=[told.curve(), *curves],
            trace=told.steps(),
        )

    for compared in flash.compared(head, tiling, ctx):
        metrics |= compared.metrics
        yield report(0.1)
    upstream = _drawn(params, ctx, "upstream", params.seq_len)
    found, graph = flash.keep(head, compared.kept, upstream)
    metrics |= found
    yield report(0.2)
    found, gradients = flash.backward(head, graph, compared.kept, tiling, ctx)
    del graph  # and with it an S × S matrix
    metrics |= found
    yield report(0.4)
    found, kernel = flash.fused(head, compared.standard, gradients, upstream, ctx)
    metrics |= found
    yield report(0.5)
    plain = _plain(head, params.block)
    metrics |= flash.costs(head, plain, ctx)
    yield report(0.7)
    metrics |= flash.seconds(head, plain, ctx)
    own = [metrics.get(f"peak_bytes_{way}") for way in wording.WAYS]
    curves.append(words.memory_curve(_peaks_by_size(params, ctx, own)))
    yield report(1)


def _drawn(params: Params, ctx: Context, name: str, rows: int) -> torch.Tensor:
    """(rows, d_k): the same numbers in every dtype, so that only the arithmetic differs."""
    return ctx.cast(ctx.normal(name, rows, params.d_k), params.dtype)


def _head(params: Params, ctx: Context, rows: int, prefix: str = "") -> Head:
    from quizapp.lab.maths.flash import Head

    q, k, v = (_drawn(params, ctx, prefix + name, rows) for name in "qkv")
    return Head((q, k, v), params.d_k**-0.5, params.causal, params.fused_call == "batched")


def _plain(head: Head, block: int) -> Tiling:
    """The tiled loop with nothing left out."""
    from quizapp.lab.maths.tiled import Tiling

    return Tiling(block, head.scale, causal=head.causal)


def _tiling(params: Params, head: Head) -> Tiling:
    from quizapp.lab.maths.tiled import Tiling

    down = params.order == "descending"

    def order(rows: slice) -> torch.Tensor:
        places: torch.Tensor = head.scores(rows).argsort(-1, descending=down)
        return places

    return Tiling(
        params.block,
        head.scale if params.scale == "kept" else 1.0,
        params.rescale == "kept",
        params.causal,
        None if params.order == "random" else order,  # the draws have no order of their own
    )


def _told(params: Params, ctx: Context, head: Head) -> Told:
    """The trace of one query: the first, or in the middle where the mask hides keys from it."""
    from quizapp.lab.maths import tiled
    from quizapp.lab.pictures.tiled import Told

    q, k, v = head.qkv
    query = params.seq_len // 2 if params.causal else 0
    row = slice(query, query + 1)
    states = list(tiled.running(q[row], k, v, _tiling(params, head), query))
    standard = ctx.attention(q[row], k, v, mask=head.seen(row))[0][0]
    return Told.of(query, -(-params.seq_len // params.block), states, standard)


def _peaks_by_size(
    params: Params, ctx: Context, own: list[Measured | None]
) -> dict[int, list[Measured | None]]:
    """Peak bytes of each way at each sequence length, in blocks no larger than half of it.

    own: those of the run's own length, measured already.
    """
    from quizapp.lab.maths import flash

    peaks: dict[int, list[Measured | None]] = {}
    for size in SIZES:
        block = max(min(params.block, size // 2), size // MOST_TILES)
        if size > max(ALWAYS, params.seq_len):
            break
        if (size, block) == (params.seq_len, params.block):
            peaks[size] = own
            continue
        head = _head(params, ctx, size, "memory_")
        standard = flash.standard_peak(head, ctx)
        tiles, _ = flash.tiled_peak(head, _plain(head, block), ctx)
        peaks[size] = [standard, tiles, flash.fused_peak(head)]
    return peaks


METHOD = {
    "en": "whole rows in float64: each key weighed against the running maximum of its tile",
    "zh": "float64 整行计算：每个键相对其所在块的当前最大值加权",
}


def check(params: Params, ctx: Context) -> Reference:
    """Closed forms of what the tiled loop sums, with no loop over tiles; sizes by hand."""
    from quizapp.lab.second_way.flash_attention import sizes, sums

    return sums(params, ctx) | sizes(params, ctx.device)
