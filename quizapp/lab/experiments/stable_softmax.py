"""exp overflows at a logit that each number format sets; subtracting the row maximum removes that.

    naive   pⱼ = exp(xⱼ) / Σ exp(xᵢ)
    stable  pⱼ = exp(xⱼ − m) / Σ exp(xᵢ − m),  m = max x:  every exp at most 1, the sum at least 1
    log-sum-exp  ln Σ exp(xᵢ) = m + ln Σ exp(xᵢ − m),  ln pⱼ = xⱼ − that

Where exp becomes ∞ or 0 is found by bisection over the numbers of the format itself.
x (D, R, n): logits, i.i.d. N(shift, logit_std²), rounded to the format; D draws of R rows
of n keys. An untrained head with unit q and k and no scale has logit_std √d_k.
Blanchard, Higham and Higham 2021, "Accurately computing the log-sum-exp and softmax
functions", section 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    Tolerant,
    both,
    param,
)
from quizapp.lab.maths import rows, stable_softmax
from quizapp.lab.maths.stable_softmax import DTYPES, WAYS, Dtype
from quizapp.lab.pictures import stable_softmax as pictures
from quizapp.lab.wording import stable_softmax as wording

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "where exp overflows in each number format, and which softmax survives it",
    "各数值格式中 exp 在哪里上溢，哪种 softmax 写法不受影响",
)
#: Logits one run may hold: 16 MiB in float32.
MOST_LOGITS = 2_000_000
#: Standard deviations of the curve, and the logits it takes at each.
STDS = tuple(2.0 ** (i / 2) for i in range(21))
CURVE_LOGITS = 20_000


class Params(BaseParams):
    """The number format, and logits to put through exp."""

    dtype: Dtype = param("float32", en="number format of softmax", zh="softmax 的数值格式")
    logit_std: float = param(
        32.0,
        low=0.01,
        high=1000,
        step="double",
        en="standard deviation of the logits",
        zh="logits 的标准差",
    )
    shift: float = param(
        0.0, low=-1000, high=1000, en="added to every logit", zh="给每个 logit 加上它"
    )
    keys: int = param(100, low=2, high=4096, step="double", en="keys per row", zh="每行的键数")
    rows: int = param(200, low=1, high=4096, step="double", en="rows per draw", zh="每次抽样的行数")
    draws: int = param(
        20, low=2, high=100, step="double", en="independent draws", zh="独立抽样次数"
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        logits = self.draws * self.rows * self.keys
        rows.refuse_above("draws × rows × keys", logits, MOST_LOGITS, "draws", "rows", "keys")
        return self


METRICS = wording.METRICS
PLOTS = ("broken_by_scale",)


def run(params: Params, ctx: Context) -> Run:
    """The format asked for, block by block; then every format and every standard deviation."""
    import torch

    edges = {
        dtype: (
            stable_softmax.overflow_logit(dtype, ctx.device),
            stable_softmax.underflow_logit(dtype, ctx.device),
        )
        for dtype in DTYPES
    }
    parts: dict[str, list[torch.Tensor]] = {}
    naive: dict[Dtype, list[torch.Tensor]] = {dtype: [] for dtype in DTYPES}
    for block, base in _blocks(params, ctx):
        ctx.checkpoint()
        for name, values in _measure(params, ctx.device, base, edges[params.dtype][0]).items():
            parts.setdefault(name, []).append(values)
        if block.start == 0:
            yield ctx.report(
                metrics={**_edges(params, edges), **_over_draws(parts)},
                tables=[pictures.ways_table(_over_draws(parts))],
                progress=0.4 * block.stop / params.draws,
            )
        for dtype in DTYPES:
            ctx.checkpoint()
            naive[dtype].append(_naive(_logits(params, dtype, ctx.device, base)).mean(-1))
    found = _over_draws(parts)
    broken = {dtype: rows.over_draws(torch.cat(naive[dtype])) for dtype in DTYPES}
    known: dict[str, Measured] = {
        **_edges(params, edges),
        **found,
        "broken_by_dtype": ([broken[d][0] for d in DTYPES], [broken[d][1] for d in DTYPES]),
    }
    tables = [pictures.ways_table(found), pictures.formats_table(edges, broken)]
    yield ctx.report(metrics=known, tables=tables, progress=0.7)
    yield ctx.report(
        metrics=known,
        final=True,
        summary=pictures.summary(params.dtype, edges[params.dtype][0], found),
        tables=tables,
        curves=[pictures.scale_curve(STDS, _by_scale(params, ctx))],
    )


def _blocks(params: Params, ctx: Context) -> Iterator[tuple[range, torch.Tensor]]:
    """N(0,1) draws (b, R, n), a few at a time."""
    for block in rows.blocks(params.draws, params.rows * params.keys):
        yield block, rows.drawn(ctx, "logits", block, params.rows, params.keys)


def _logits(params: Params, dtype: Dtype, device: str, base: torch.Tensor) -> torch.Tensor:
    """Logits in the format, from N(0,1) draws in float32: the same ones for every format."""
    import torch

    place = stable_softmax.home(dtype, device)
    return (base * params.logit_std + params.shift).to(place, getattr(torch, dtype))


def _naive(x: torch.Tensor) -> torch.Tensor:
    """Which rows (…, n) exp / Σ exp breaks, as 0 and 1 on the CPU: (…,)."""
    return stable_softmax.broken(stable_softmax.softmax("naive", x, math.inf)).cpu().double()


def _measure(
    params: Params, device: str, base: torch.Tensor, largest: float
) -> dict[str, torch.Tensor]:
    """Every sampled metric of a block, one number per draw: (b,) float64 on the CPU each."""
    import torch

    x = _logits(params, params.dtype, device, base)
    exact = torch.softmax(x.cpu().double(), -1)
    top, powers = x.amax(-1), x.exp()
    found: dict[str, torch.Tensor] = {
        "largest_logit": top,
        "overflow_share": powers.isinf().any(-1),
        "underflow_share": (powers == 0).all(-1),
    }
    for way in WAYS:
        weights = stable_softmax.softmax(way, x, largest)
        found[f"{way}_broken"] = stable_softmax.broken(weights)
        found[f"{way}_error"] = (weights.cpu().double().nan_to_num() - exact).abs().sum(-1)
        if way == "naive":
            found["nan_share"] = weights.isnan().any(-1)
            found["zero_rows"] = (weights == 0).all(-1)
        elif way == "max":
            found["zero_share"] = weights == 0
            found["log_infinite"] = weights.log().isinf()
    centred = x - top[..., None]
    found["log_softmax_infinite"] = ~(
        centred - centred.exp().sum(-1, keepdim=True).log()
    ).isfinite()
    return {name: v.cpu().double().flatten(1).mean(-1) for name, v in found.items()}


def _over_draws(parts: dict[str, list[torch.Tensor]]) -> dict[str, rows.Sampled]:
    import torch

    return {name: rows.over_draws(torch.cat(values)) for name, values in parts.items()}


def _edges(params: Params, edges: dict[Dtype, tuple[float, float]]) -> dict[str, Measured]:
    over, under = edges[params.dtype]
    return {
        "overflow_logit": over,
        "underflow_logit": under,
        "overflow_by_dtype": [edges[dtype][0] for dtype in DTYPES],
        "underflow_by_dtype": [edges[dtype][1] for dtype in DTYPES],
    }


def _by_scale(params: Params, ctx: Context) -> dict[Dtype, list[float]]:
    """Share of rows that the naive way breaks at each of STDS, by format."""
    lines = max(1, CURVE_LOGITS // params.keys)
    base = ctx.normal("curve", lines, params.keys)
    found: dict[Dtype, list[float]] = {dtype: [] for dtype in DTYPES}
    for std in STDS:
        ctx.checkpoint()
        at = params.model_copy(update={"logit_std": std})
        for dtype in DTYPES:
            found[dtype].append(_naive(_logits(at, dtype, ctx.device, base)).mean().item())
    return found


METHOD = both(
    "range from bit widths, broken rows from logarithms of sums; no exp in the format itself",
    "由位宽推出范围，由和的对数判断坏行；不在该格式里计算 exp",
)


def check(params: Params, ctx: Context) -> Reference:
    """Where each format ends, and which rows pass it, from logarithms in float64."""
    import numpy as np

    from quizapp.lab.second_way import stable_softmax as second
    from quizapp.lab.second_way.formats import FORMATS
    from quizapp.lab.second_way.odds import drawn64

    over, under = second.edges()
    at = DTYPES.index(params.dtype)
    base = drawn64(ctx, "logits", range(params.draws), params.rows, params.keys)
    ctx.checkpoint()
    # One float32 product and one float32 sum, as the inputs of the run are made.
    scaled = base.astype(np.float32) * np.float32(params.logit_std) + np.float32(params.shift)
    flat = scaled.astype(np.float64).reshape(-1, params.keys)
    ctx.checkpoint()
    clamp_at = FORMATS[params.dtype].below(float(over[at])) - math.log(2 * params.keys)
    found = second.figures(FORMATS[params.dtype].round(flat), params.dtype, clamp_at)
    ctx.checkpoint()
    shares = [second.breaks(kind.round(flat), kind).mean() for kind in FORMATS.values()]
    return {
        "overflow_logit": over[at],
        "underflow_logit": under[at],
        "overflow_by_dtype": over,
        "underflow_by_dtype": under,
        "broken_by_dtype": [Tolerant(float(share), 1.5 / len(flat)) for share in shares],
        **found,
    }
