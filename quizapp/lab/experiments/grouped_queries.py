"""Query heads may share keys and values: the cache shrinks by the group, decoding stays exact.

    head h:  softmax(q_h K_gᵀ/√d_k) V_g,  group g = ⌊h·G/H⌋;  G = H is MHA, G = 1 is MQA
    cache of a layer: 2 · G · n · d_k numbers

q (D, H, n, d_k) with entries i.i.d. N(0,1), untrained, causal: D draws, H heads. The H heads
of K, and of V, have entries N(0,1) that correlate by ρ from head to head; G heads are made
of them by averaging each group, or by keeping its first. That is measured against the MHA
it was made from, and says nothing of a model that is trained on afterwards.
Ainslie et al. 2023, "GQA", section 2; Shazeer 2019, "Fast Transformer Decoding".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    UnfitError,
    Value,
    both,
    param,
)
from quizapp.lab.maths import grouped_queries as gqa
from quizapp.lab.maths import rows
from quizapp.lab.maths.grouped_queries import Layout, Pooling
from quizapp.lab.pictures import grouped_queries as pictures
from quizapp.lab.wording import grouped_queries as wording

if TYPE_CHECKING:
    import torch

    QKV = tuple[torch.Tensor, torch.Tensor, torch.Tensor]

CLAIM = both(
    "heads that share keys and values shrink the cache, not the number of attention patterns",
    "多个头共享键和值会缩小缓存，注意力模式的数目不变",
)
#: What one run may ask for: each step below 100 ms, all of it seconds and a few hundred MiB.
MOST_WEIGHTS, MOST_ENTRIES = 3_000_000, 4_000_000
#: A relative error below this is rounding, and has no second way.
RESOLVED = {"float32": 1e-3, "float64": 1e-9}


class Params(BaseParams):
    """The heads, and how keys and values are shared."""

    heads: int = param(8, low=1, high=32, step="double", en="query heads", zh="查询头数")
    kv_heads: int = param(
        2, low=1, high=32, step="double", en="key/value heads, a divisor", zh="键值头数，须整除"
    )
    d_k: int = param(64, low=2, high=128, step="double", en="width of one head", zh="单个头的维度")
    seq_len: int = param(
        64, low=2, high=512, step="double", en="tokens decoded in all", zh="解码的词元总数"
    )
    correlation: float = param(
        0.0, low=0, high=1, en="correlation of K, V between heads", zh="各头之间 K、V 的相关系数"
    )
    pooling: Pooling = param(
        "mean", en="how a group's K, V become one", zh="组内 K、V 如何合为一个"
    )
    layout: Layout = param(
        "repeat_interleave", en="how K, V are copied for MHA", zh="为 MHA 复制 K、V 的方式"
    )
    draws: int = param(
        10, low=2, high=100, step="double", en="independent draws", zh="独立抽样次数"
    )
    dtype: Literal["float32", "float64"] = param("float32", en="number format", zh="数值格式")

    @model_validator(mode="after")
    def _fits(self) -> Params:
        if self.heads % self.kv_heads:
            divisors = ", ".join(map(str, self.divisors))
            raise UnfitError(
                f"{self.heads} query heads cannot share {self.kv_heads} key/value heads evenly: "
                f"kv_heads must be one of {divisors}",
                f"{self.heads} 个查询头无法平分 {self.kv_heads} 个键值头："
                f"kv_heads 须为 {divisors} 之一",
            )
        for product, most, names in (
            (self.draws * self.heads * self.seq_len**2, MOST_WEIGHTS, "heads × seq_len²"),
            (
                self.draws * self.heads * self.seq_len * self.d_k,
                MOST_ENTRIES,
                "heads × seq_len × d_k",
            ),
        ):
            rows.refuse_above(f"draws × {names}", product, most)
        return self

    @property
    def divisors(self) -> list[int]:
        """Every number of key/value heads there can be, from MQA to MHA."""
        return [g for g in range(1, self.heads + 1) if self.heads % g == 0]


def memory(params: Params) -> int:
    """Bytes at the peak, as measured: outputs and weights of every way to share, in float64."""
    rows = params.draws * params.heads * params.seq_len
    return 2**25 + 8 * rows * len(params.divisors) * (3 * params.d_k + 2 * params.seq_len)


METRICS = wording.METRICS
PLOTS = ("weights", "error_by_kv_heads")


def run(params: Params, ctx: Context) -> Run:
    """The chosen sharing whole; then token by token from a cache; then every other sharing."""
    qkv = _inputs(params, ctx)
    mask = gqa.causal(params.seq_len, ctx.device)
    full, own = ctx.attention(*qkv, mask=mask)
    q, k, v = shared = _shared(params, qkv, params.kv_heads)
    output, weights = gqa.grouped(ctx, q, k, v, mask)
    ctx.checkpoint()
    copies = [gqa.repeated(x, params.heads, params.layout) for x in (k, v)]
    copied, _ = ctx.attention(q, *copies, mask=mask)
    per_draw = {
        "pooling_error": _relative(output, full),
        "copy_error": _relative(copied, output),
        "group_distance": gqa.distance(weights, params.kv_heads),
    }
    metrics: dict[str, Measured] = {
        name: rows.over_draws(values.cpu().double()) for name, values in per_draw.items()
    }
    metrics["copied_bytes"] = sum(x.nbytes for x in copies) / params.draws
    metrics["output_rms"] = rows.over_draws(_rms(output).cpu().double())
    picture = pictures.weights(weights[0], params.heads // params.kv_heads)
    yield ctx.report(metrics=metrics, heat_maps=[picture], progress=0.3)
    metrics |= _decoding(params, ctx, shared, output)
    metrics["cache_bytes_mha"] = gqa.Cache.like(qkv[1]).bytes / params.draws
    # The last row of each head, against its own keys and then its own values.
    metrics["step_products_mha"] = 2.0 * own[0, :, -1].numel() * params.d_k
    yield ctx.report(metrics=metrics, heat_maps=[picture], progress=0.5)
    every = _every_sharing(params, ctx, qkv, full, mask)
    metrics |= every
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(params.heads, params.kv_heads, metrics),
        tables=[pictures.table(params.divisors, every)],
        curves=[pictures.error_curve(params.divisors, every)],
        heat_maps=[picture],
    )


def _inputs(params: Params, ctx: Context) -> QKV:
    """q, k, v (D, H, n, d_k): k and v share a part between heads."""
    shape, draws = (params.seq_len, params.d_k), range(params.draws)
    own, common = math.sqrt(1 - params.correlation), math.sqrt(params.correlation)

    def drawn(name: str, heads: int) -> torch.Tensor:
        ctx.checkpoint()
        return ctx.cast(rows.drawn(ctx, name, draws, heads, *shape), params.dtype)

    q, k, v = (drawn(name, params.heads) for name in "qkv")
    k, v = (own * x + common * drawn(f"shared_{n}", 1) for n, x in (("k", k), ("v", v)))
    return q, k, v


def _shared(params: Params, qkv: QKV, groups: int) -> QKV:
    q, k, v = qkv
    return q, gqa.pooled(k, groups, params.pooling), gqa.pooled(v, groups, params.pooling)


def _rms(x: torch.Tensor) -> torch.Tensor:
    return x.square().mean((1, 2, 3)).sqrt()


def _relative(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """rms of a − b over the rms of b, for each draw (D,)."""
    return _rms(a - b) / _rms(b)


def _decoding(
    params: Params, ctx: Context, shared: QKV, output: torch.Tensor
) -> dict[str, Measured]:
    """Token by token against all at once; what the cache weighs, and what a step multiplies."""
    stepwise, cache, products = gqa.decode(ctx, *shared)
    held = cache.bytes / params.draws
    return {
        "decode_error": rows.over_draws(_relative(stepwise, output).cpu().double()),
        "cache_bytes": held,
        "bytes_per_token": held / params.seq_len,
        "cache_shape": list(cache.k.shape[1:]),
        "step_products": products,
        "products_per_byte": products / held,
    }


def _every_sharing(
    params: Params, ctx: Context, qkv: QKV, full: torch.Tensor, mask: torch.Tensor
) -> dict[str, Measured]:
    """Error against the MHA, and bytes, for every number of key/value heads."""
    errors, held = [], []
    for groups in params.divisors:
        ctx.checkpoint()
        q, k, v = _shared(params, qkv, groups)
        output, _ = gqa.grouped(ctx, q, k, v, mask)
        errors.append(rows.over_draws(_relative(output, full).cpu().double()))
        held.append(gqa.Cache.like(k).bytes / params.draws)
    return {
        "error_by_kv_heads": ([e[0] for e in errors], [e[1] for e in errors]),
        "bytes_by_kv_heads": held,
    }


METHOD = both(
    "float64, no pooled key or value: scores and outputs averaged; a group's queries as one head",
    "float64，不构造合并的键和值：对分数与输出取平均；一组的查询当作一个头",
)


def check(params: Params, ctx: Context) -> Reference:
    """Averages taken of scores and of outputs instead of keys and values; bytes by the formula."""
    from quizapp.lab.second_way import grouped_queries as second
    from quizapp.lab.second_way.odds import drawn64

    shape, draws = (params.seq_len, params.d_k), range(params.draws)
    q, k, v = (drawn64(ctx, name, draws, params.heads, *shape) for name in "qkv")
    common = [drawn64(ctx, name, draws, 1, *shape) for name in ("shared_k", "shared_v")]
    rho = params.correlation
    k, v = (rho**0.5 * c + (1 - rho) ** 0.5 * x for c, x in zip(common, (k, v), strict=True))
    ctx.checkpoint()
    full = second.shared(q, k, v, params.heads, params.pooling)[0]
    outputs = {}
    for groups in params.divisors:
        ctx.checkpoint()
        outputs[groups] = second.shared(q, k, v, groups, params.pooling)
    output, weights = outputs[params.kv_heads]
    errors = {groups: second.relative(outputs[groups][0], full) for groups in params.divisors}
    size = 4 if ctx.device == "mps" or params.dtype == "float32" else 8
    one_head = 2.0 * params.seq_len * params.d_k * size
    products = 2.0 * params.heads * params.seq_len * params.d_k
    reference: dict[str, Value] = {
        "group_distance": second.group_distance(weights, params.kv_heads),
        "output_rms": second.rms(output),
        "cache_bytes": one_head * params.kv_heads,
        "cache_bytes_mha": one_head * params.heads,
        "copied_bytes": one_head * params.heads,
        "bytes_per_token": one_head * params.kv_heads / params.seq_len,
        "cache_shape": [params.kv_heads, params.seq_len, params.d_k],
        "step_products": products,
        "step_products_mha": products,
        "products_per_byte": params.heads / params.kv_heads / size,
        "bytes_by_kv_heads": [one_head * groups for groups in params.divisors],
        "error_by_kv_heads": [errors[groups] for groups in params.divisors],
    }
    mixed = second.misplaced(q, k, v, params.kv_heads, params.pooling)
    resolved = RESOLVED["float32" if size == 4 else "float64"]
    differences = {
        "pooling_error": errors[params.kv_heads],
        "copy_error": second.relative(mixed, output) if params.layout == "repeat" else 0.0,
    }
    return reference | {name: value for name, value in differences.items() if value > resolved}
