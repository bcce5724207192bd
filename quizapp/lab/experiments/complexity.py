"""Attention is n² in FLOPs and time; below a length the projections cost more; fused saves bytes.

    FLOPs of the projections 8·n·d²,  of scores and weighted sum 4·n²·d:  equal at n = 2·d
    bytes naive 4·(2·H·n² + n·d),  fused 4·(n·d + H·n):  quadratic, linear
    slope of log t on log n, fitted in every round of timings; their median and its error

n tokens, d = d_model, H heads, float32, one sequence, forward only, untrained; q, k, v are
projections of x, entries N(0, 1). Bytes are those of tensors made and held at once, inputs
aside; tiles inside the fused kernel are not seen. Times are this machine's, and noisy.

Vaswani et al. 2017, table 1; Dao et al. 2022, "FlashAttention", section 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    UnfitError,
    both,
    param,
)
from quizapp.lab.maths import complexity as maths
from quizapp.lab.maths.complexity import PARTS, Part, Size
from quizapp.lab.pictures import complexity as pictures
from quizapp.lab.wording import complexity as wording

if TYPE_CHECKING:
    import torch

CLAIM = {
    "en": "cost against n and d: FLOPs counted, bytes watched, time taken, naive and fused",
    "zh": "开销随 n、d 的增长：数 FLOPs、看内存、测时间，朴素与融合对照",
}
#: Halvings from the longest sequence to the shortest, and from the widest layer to the narrowest.
HALVINGS_N: Final = 5
HALVINGS_D: Final = 3
#: Attention weights, and FLOPs of a layer: some 100 ms and 150 MiB at the largest size.
MOST_WEIGHTS: Final = 2**24
MOST_FLOPS: Final = 6e9


class Params(BaseParams):
    """The largest size, how many heads share it, and how often each size is timed."""

    seq_len: int = param(
        1024, low=128, high=2048, step="double", en="longest sequence", zh="最长序列"
    )
    d_model: int = param(
        128, low=32, high=1024, step="double", en="width of the widest layer", zh="最宽一层的维度"
    )
    heads: int = param(4, low=1, high=16, step="double", en="heads", zh="头数")
    rounds: int = param(
        7, low=3, high=9, en="rounds of timings, every size in each", zh="计时轮数，每轮各规模一次"
    )

    @model_validator(mode="after")
    def _bounded(self) -> Params:
        if self.d_model % (self.heads << HALVINGS_D):
            raise UnfitError(
                f"d_model {self.d_model} must be a multiple of {self.heads << HALVINGS_D}, as the "
                f"narrowest layer, an eighth as wide, has {self.heads} heads too",
                f"d_model {self.d_model} 须为 {self.heads << HALVINGS_D} 的倍数："
                f"最窄一层只有八分之一宽，也有 {self.heads} 个头",
            )
        if self.heads * self.seq_len**2 > MOST_WEIGHTS:
            raise UnfitError(
                f"heads · seq_len² may be at most {MOST_WEIGHTS:,}: lower heads or seq_len",
                f"heads · seq_len² 最多为 {MOST_WEIGHTS:,}：请调小 heads 或 seq_len",
            )
        work = 8 * self.seq_len * self.d_model**2 + 4 * self.seq_len**2 * self.d_model
        if work > MOST_FLOPS:
            raise UnfitError(
                f"{work / 1e9:.1f} GFLOP in the largest layer, of {MOST_FLOPS / 1e9:.0f} "
                "allowed: lower seq_len or d_model",
                f"最大的一层需 {work / 1e9:.1f} GFLOP，上限为 {MOST_FLOPS / 1e9:.0f}："
                "请调小 seq_len 或 d_model",
            )
        return self

    @property
    def lengths(self) -> list[int]:
        """n of the sequences, shortest first, all of width d_model."""
        return [self.seq_len >> by for by in range(HALVINGS_N, -1, -1)]

    @property
    def widths(self) -> list[int]:
        """d of the layers, narrowest first, all on seq_len tokens."""
        return [self.d_model >> by for by in range(HALVINGS_D, -1, -1)]

    @property
    def sizes(self) -> list[Size]:
        """Every (n, d): along n, then along d up to the one both end in."""
        return [(n, self.d_model) for n in self.lengths] + [
            (self.seq_len, d) for d in self.widths[:-1]
        ]


def memory(params: Params) -> int:
    """Bytes at the peak, as measured: layers of every size, and the largest one's weights."""
    tokens = params.seq_len * (8 * params.heads * params.seq_len + 96 * params.d_model)
    return 9 * 2**24 + tokens + 160 * params.d_model**2


METRICS = wording.METRICS
#: Taken from a clock: the one kind of number that a seed does not fix.
TIMED = wording.TIMED
PLOTS = ("time_by_n", "time_by_d", "flops_by_n", "bytes_by_n")


def run(params: Params, ctx: Context) -> Run:
    """Counts at once; then bytes and outputs; then round after round of timings."""
    counted = {size: maths.flops(size, params.heads, ctx) for size in params.sizes}
    metrics: dict[str, Measured] = {**_counts(params, counted)}
    curves = [
        pictures.flops_by_n(params.lengths, [counted[n, params.d_model] for n in params.lengths])
    ]
    yield ctx.report(metrics=metrics, curves=curves, progress=0.02)
    largest = params.seq_len, params.d_model
    layers = {size: maths.drawn(ctx, largest, size, params.heads) for size in params.sizes}
    peaks: dict[Size, dict[Part, float]] = {}
    for size, layer in layers.items():
        ctx.checkpoint()
        peaks[size] = _peaks(layer, ctx)
    metrics |= {**_bytes(params, peaks), **_outputs(layers[largest], ctx)}
    curves.append(
        pictures.bytes_by_n(params.lengths, [peaks[n, params.d_model] for n in params.lengths])
    )
    yield ctx.report(metrics=metrics, curves=curves, progress=0.1)
    shown = params.lengths[0], *largest
    times: list[list[list[float]]] = []
    repeats: dict[tuple[Size, Part], int] = {}
    for done in range(1, params.rounds + 1):
        times.append(_round(layers, repeats, ctx))
        last = done == params.rounds
        if done > 1:  # one round alone has no spread
            metrics |= _timings(params, times)
        yield ctx.report(
            metrics=metrics,
            final=last,
            progress=0.1 + 0.9 * done / params.rounds,
            summary=pictures.summary(shown, metrics, ctx.device) if last else None,
            tables=[pictures.table(params.sizes, (counted, peaks, times))],
            curves=[*curves, *pictures.times(params.lengths, params.widths, times)],
        )


def _counts(params: Params, counted: dict[Size, dict[Part, float]]) -> dict[str, float]:
    """FLOPs at the largest size, and how they grow."""
    import torch

    def of(part: Part, sizes: list[Size]) -> torch.Tensor:
        return torch.tensor([counted[size][part] for size in sizes], dtype=torch.float64)

    along_n = [(n, params.d_model) for n in params.lengths]
    along_d = [(params.seq_len, d) for d in params.widths]
    layer_n, layer_d = (of("projections", s) + of("naive", s) for s in (along_n, along_d))
    largest = counted[along_n[-1]]
    first = counted[along_n[0]]
    n = params.lengths[0]
    return {
        **{f"flops_{part}": largest[part] for part in PARTS},
        "flops_share": largest["naive"] / (largest["naive"] + largest["projections"]),
        "flops_share_short": first["naive"] / (first["naive"] + first["projections"]),
        "flops_slope_n": maths.slopes(params.lengths, layer_n).item(),
        "flops_slope_n_attention": maths.slopes(params.lengths, of("naive", along_n)).item(),
        "flops_slope_n_fused": maths.slopes(params.lengths, of("fused", along_n)).item(),
        "flops_slope_d": maths.slopes(params.widths, layer_d).item(),
        "flops_slope_d_attention": maths.slopes(params.widths, of("naive", along_d)).item(),
        "flops_growth_short": (layer_n[1] / layer_n[0]).item(),
        "flops_growth_long": (layer_n[-1] / layer_n[-2]).item(),
        # One is a multiple of n, the other of n².
        "flops_crossover": n * first["projections"] / first["naive"],
    }


def _peaks(layer: maths.Layer, ctx: Context) -> dict[Part, float]:
    from quizapp.lab.maths.live_bytes import peak_bytes

    attention: tuple[Part, ...] = ("naive", "fused")
    return {part: float(peak_bytes(layer.qkv, layer.work(part, ctx))) for part in attention}


def _bytes(params: Params, peaks: dict[Size, dict[Part, float]]) -> dict[str, float]:
    import torch

    largest = peaks[params.seq_len, params.d_model]
    by_n = torch.tensor(
        [[peaks[n, params.d_model][part] for n in params.lengths] for part in PARTS[1:]]
    )
    naive, fused = maths.slopes(params.lengths, by_n).tolist()
    return {
        "peak_bytes_naive": largest["naive"],
        "peak_bytes_fused": largest["fused"],
        "peak_ratio": largest["naive"] / largest["fused"],
        "bytes_slope_n_naive": naive,
        "bytes_slope_n_fused": fused,
    }


def _outputs(layer: maths.Layer, ctx: Context) -> dict[str, float]:
    """Naive and fused outputs at the largest size: is it the same function?"""
    naive, fused = (layer.work(part, ctx)().cpu().double() for part in PARTS[1:])
    return {
        "output_rms_naive": naive.square().mean().sqrt().item(),
        "output_rms_fused": fused.square().mean().sqrt().item(),
        "max_difference": (naive - fused).abs().max().item(),
    }


def _round(
    layers: dict[Size, maths.Layer], repeats: dict[tuple[Size, Part], int], ctx: Context
) -> list[list[float]]:
    """Seconds of every part at every size, once: S lists of 3. Fills `repeats` where empty."""
    found = []
    for size, layer in layers.items():
        taken = []
        for part in PARTS:
            ctx.checkpoint()
            work = layer.work(part, ctx)
            if (size, part) not in repeats:
                repeats[size, part] = maths.repeats(work, ctx)
            taken.append(maths.seconds(work, repeats[size, part], ctx))
        found.append(taken)
    return found


def _timings(params: Params, times: list[list[list[float]]]) -> dict[str, Measured]:
    """Every number from the clock: found in each round, then the median over rounds."""
    import torch

    taken = torch.tensor(times, dtype=torch.float64)  # (R, S, 3)
    count = len(params.lengths)
    by_n = taken[:, :count].movedim(-1, 0)  # (3, R, n)
    by_d = torch.cat([taken[:, count:], taken[:, count - 1 : count]], 1).movedim(-1, 0)
    projections, naive, fused = by_n
    layer = projections + naive
    in_rounds = {
        "ms_projections": 1e3 * projections[:, -1],
        "ms_naive": 1e3 * naive[:, -1],
        "ms_fused": 1e3 * fused[:, -1],
        "fused_speedup": naive[:, -1] / fused[:, -1],
        "time_share": naive[:, -1] / layer[:, -1],
        "time_share_short": naive[:, 0] / layer[:, 0],
        "time_growth_short": layer[:, 1] / layer[:, 0],
        "time_growth_long": layer[:, -1] / layer[:, -2],
        "time_slope_n": maths.slopes(params.lengths, layer),
        "time_slope_d": maths.slopes(params.widths, by_d[0] + by_d[1]),
        **{
            f"time_slope_n_{part}": maths.slopes(params.lengths, one)
            for part, one in zip(PARTS, by_n, strict=True)
        },
        **{
            f"time_slope_d_{part}": maths.slopes(params.widths, one)
            for part, one in zip(PARTS, by_d, strict=True)
        },
        "time_crossover": maths.crossings(params.lengths, naive, projections),
    }
    return {name: maths.over_rounds(values) for name, values in in_rounds.items()}


METHOD = both(
    "counts and bytes by closed forms, outputs in float64, head by head; times have no second way",
    "计数与字节用闭式公式，输出用 float64 逐头重算；时间无法用第二种方法核对",
)


def check(params: Params, ctx: Context) -> Reference:
    """What can be counted, from formulas; the output of both ways, from powers of e."""
    from quizapp.lab.second_way import complexity as second

    heads, d_model = params.heads, params.d_model
    reference = second.counts(params.lengths, params.widths)
    output = second.output_rms(ctx, params.seq_len, d_model, heads)
    reference |= {"output_rms_naive": output, "output_rms_fused": output}
    if ctx.device == "cpu":  # a GPU's allocator rounds up, and its kernels keep other things
        reference |= second.held(params.lengths, d_model, heads)
    return reference
