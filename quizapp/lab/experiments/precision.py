"""Few digits move attention by little; sums kept in few digits, and scores out of range, by much.

    scores s = q·k/√d_k,  weights softmax(s),  output Σ wⱼvⱼ:  each rounded to the format
    a format of p significant bits rounds by at most 2⁻ᵖ of the number, so a running sum S
    loses terms below S·2⁻ᵖ:  adding 1 changes nothing from 2ᵖ on
    float16 ends at 65504:  raw scores of entries of std σ are of std σ²√d_k

Compared with float64 on the same inputs, the rounded ones; what rounding the inputs costs
is a number of its own. q, k (D, n, d_k) with entries i.i.d. N(0, entry_std²), v (D, n, d_k)
N(0,1), untrained; sums of T products or squares of N(0,1) entries, 256 of them.
Micikevicius et al. 2018, "Mixed Precision Training", section 3.3; Higham 2002, "Accuracy
and Stability of Numerical Algorithms", section 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    Tolerant,
    Value,
    both,
    param,
)
from quizapp.lab.maths import precision, rows
from quizapp.lab.maths.precision import DTYPES, ORDERS, TERMS, Dtype, Order, Way
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.pictures import precision as pictures
from quizapp.lab.wording import precision as wording
from quizapp.report import Curve

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "what attention and long sums lose in fp16, bf16 and fp32, against float64",
    "与 float64 相比，fp16、bf16、fp32 的注意力与长求和损失多少",
)
#: Long sums measured at once.
SUMS_AT_ONCE = 256
#: Queries and keys of the search for an overflow, and of the curve: enough, and quick.
FEW = 64
#: Standard deviations of the entries on the curve, and the draws it takes.
STDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
CURVE_DRAWS = 2
#: Lines of the curve of long sums.
DRAWN = ("norm_sequential", "dot_sequential", "norm_fp32")


class Params(BaseParams):
    """The number format, where the scale goes, and how large things get."""

    dtype: Dtype = param("bfloat16", en="number format", zh="数值格式")
    scale_on: Order = param("q", en="where 1/√d_k is applied", zh="在哪里乘 1/√d_k")
    entry_std: float = param(
        1.0,
        low=0.01,
        high=1000,
        step="double",
        en="standard deviation of the entries of q and k",
        zh="q、k 元素的标准差",
    )
    d_k: int = param(64, low=1, high=1024, step="double", en="width of one head", zh="单个头的维度")
    seq_len: int = param(
        100, low=2, high=256, step="double", en="queries, and as many keys", zh="查询数，也是键数"
    )
    draws: int = param(10, low=2, high=25, step="double", en="independent draws", zh="独立抽样次数")
    terms: int = param(
        4096, low=2, high=16384, step="double", en="terms of the long sums", zh="长求和的项数"
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        rows.refuse_too_much(self.draws, self.seq_len, "d_k", self.d_k, part=16)
        return self


def memory(params: Params) -> int:
    """Bytes at the peak, as measured: the cross-check's running sums in float64."""
    sums, tokens = SUMS_AT_ONCE * params.terms, params.draws * params.seq_len
    return 2**24 + 88 * sums + tokens * (128 * params.d_k + 64 * params.seq_len)


METRICS = wording.METRICS
PLOTS = ("accumulation", "error_by_std")


def run(params: Params, ctx: Context) -> Run:
    """Every format and place of the scale from two draws; long sums; all draws; magnitudes."""
    errors, blocks = precision.Errors(_ways(params)), _blocks(params)
    stalls = [precision.stall(dtype) for dtype in DTYPES]
    stall = stalls[DTYPES.index(params.dtype)]
    known: dict[str, Measured] = {"stall": stall, "stall_by_dtype": stalls}
    errors.add(ctx, _inputs(params, ctx, next(blocks)))
    known |= _named(params, errors.found())
    yield ctx.report(metrics=known, progress=0.1)
    known |= _overflow(params, ctx)
    yield ctx.report(metrics=known, progress=0.2)
    sums, curve = _sums(params, ctx)
    known |= sums
    yield ctx.report(metrics=known, progress=0.5, tables=[pictures.sums(sums)], curves=[curve])
    for block in blocks:
        errors.add(ctx, _inputs(params, ctx, block))
    found = errors.found()
    known |= _named(params, found)
    by_dtype = {str(dtype): found[dtype, params.scale_on] for dtype in DTYPES}
    by_order = {str(order): found[params.dtype, order] for order in ORDERS}
    yield ctx.report(
        metrics=known,
        final=True,
        summary=pictures.summary(
            params.dtype, params.terms, {**found[params.dtype, params.scale_on], **sums}
        ),
        tables=[pictures.formats(by_dtype), pictures.orders(by_order), pictures.sums(sums)],
        curves=[curve, pictures.by_std(STDS, _by_std(params, ctx))],
    )


def _named(params: Params, found: Mapping[Way, Mapping[str, Sampled]]) -> dict[str, Measured]:
    """Errors of the format and place asked for; of every format; of every place."""
    known: dict[str, Measured] = {}
    for (dtype, order), errors in found.items():
        if (dtype, order) == (params.dtype, params.scale_on):
            known |= errors
        prefixes: list[str] = [dtype] if order == params.scale_on else []
        prefixes += [order] if dtype == params.dtype else []
        named = {f"{prefix}_{n}": v for prefix in prefixes for n, v in errors.items()}
        known |= {name: value for name, value in named.items() if name in METRICS}
    return known


def _ways(params: Params) -> tuple[Way, ...]:
    """The format and place asked for; every format there; every place in that format."""
    by_dtype = [(dtype, params.scale_on) for dtype in DTYPES]
    by_order = [(params.dtype, order) for order in ORDERS]
    return tuple(dict.fromkeys([(params.dtype, params.scale_on), *by_dtype, *by_order]))


def _overflow(params: Params, ctx: Context) -> dict[str, Measured]:
    """Where scores overflow, for each place of the scale."""
    q, k, _ = _inputs(params.model_copy(update={"entry_std": 1.0}), ctx, range(1))
    few = q[0, :FEW], k[0, :FEW]
    return {
        f"overflow_std_{order}": precision.overflow_std(order, ctx, *few, params.dtype)
        for order in ORDERS
    }


def _inputs(params: Params, ctx: Context, block: range) -> tuple[torch.Tensor, ...]:
    """q, k and v (b, n, d_k) of those draws in float32, before they are rounded."""
    q, k, v = (rows.drawn(ctx, name, block, params.seq_len, params.d_k) for name in "qkv")
    return q * params.entry_std, k * params.entry_std, v


def _blocks(params: Params) -> Iterator[range]:
    return rows.blocks(params.draws, params.seq_len**2 * max(1, params.d_k // 64))


def _pair(params: Params, ctx: Context) -> tuple[torch.Tensor, torch.Tensor]:
    """Factors (P, T) of the long sums, in the format."""
    import torch

    kind = getattr(torch, params.dtype)
    a, b = (ctx.normal(name, SUMS_AT_ONCE, params.terms).to(kind) for name in ("a", "b"))
    return a, b


def _sums(params: Params, ctx: Context) -> tuple[dict[str, Sampled], Curve]:
    """Errors of sums of all T terms, and of their first 16, 32, …"""
    a, b = _pair(params, ctx)
    marks = [2**i for i in range(4, 14) if 2**i < params.terms] + [params.terms]
    found: dict[str, Sampled] = {}
    lines: dict[str, list[float]] = {}
    for kind, terms_of in TERMS.items():
        terms, wide = terms_of(a, b), terms_of(a.float(), b.float())
        exact = terms_of(a.cpu().double(), b.cpu().double()).cumsum(-1)
        one_by_one = dict(precision.running(terms, ctx, marks))
        for mark in marks:
            ctx.checkpoint()
            got = {
                "sequential": one_by_one[mark],
                "pairwise": precision.pairwise(terms[:, :mark]),
                "fp32": wide[:, :mark].sum(-1).to(a.dtype),
            }
            for way, sums in got.items():
                found[f"{kind}_{way}"] = precision.relative(sums, exact[:, mark - 1])
                lines.setdefault(f"{kind}_{way}", []).append(found[f"{kind}_{way}"][0])
        if kind == "norm":
            lost = 1 - one_by_one[params.terms].cpu().double() / exact[:, -1]
            found["norm_lost"] = rows.over_draws(lost)
    drawn = {name: lines[name] for name in DRAWN}
    return found, pictures.accumulation(marks, drawn)


def _by_std(params: Params, ctx: Context) -> Mapping[str, list[float]]:
    """Output error in each format at each of STDS, with at most FEW queries and keys."""
    found: dict[str, list[float]] = {dtype: [] for dtype in DTYPES}
    for std in STDS:
        at = params.model_copy(update={"entry_std": std, "seq_len": min(FEW, params.seq_len)})
        errors = precision.Errors([(dtype, params.scale_on) for dtype in DTYPES])
        errors.add(ctx, _inputs(at, ctx, range(CURVE_DRAWS)))
        for (dtype, _), numbers in errors.found().items():
            found[dtype].append(numbers["output_error"][0])
    return found


METHOD = both(
    "float64 with every result rounded to the format by hand; range by a square root",
    "用 float64 计算并逐步手工舍入到该格式；溢出点由开方求得",
)


def check(params: Params, ctx: Context) -> Reference:
    """Every half-precision number again; float32 rounds as its library orders the sums."""
    import numpy as np

    from quizapp.lab.second_way import precision as second
    from quizapp.lab.second_way.formats import FORMATS
    from quizapp.lab.second_way.odds import drawn64

    draws, shape = range(params.draws), (params.seq_len, params.d_k)
    q, k, v = (drawn64(ctx, name, draws, *shape) for name in "qkv")
    # One float32 product, as the inputs of the run are made.
    wide = *((x.astype("f4") * np.float32(params.entry_std)).astype(float) for x in (q, k)), v
    reference: dict[str, Value] = {}
    for dtype in dict.fromkeys((*DTYPES[:2], params.dtype)):
        few = tuple(FORMATS[dtype].round(x) for x in wide)
        true = second.exact(*few)
        mine = dtype == params.dtype
        if mine:
            reference |= second.inputs(true, second.exact(*wide))
        if dtype == "float32":
            continue
        for order in ORDERS if mine else (params.scale_on,):
            ctx.checkpoint()
            found = second.errors(second.rounded(order, FORMATS[dtype], *few), true)
            if order == params.scale_on:
                reference |= {f"{dtype}_{name}": value for name, value in found.items()}
            if mine:
                reference |= {f"{order}_{name}": value for name, value in found.items()}
            if mine and order == params.scale_on:
                reference |= found
    a, b = (
        FORMATS[params.dtype].round(ctx.normal64(name, SUMS_AT_ONCE, params.terms)) for name in "ab"
    )
    return {
        **reference,
        **second.long_sums(a, b, params.dtype, ctx),
        **(second.overflow(q[0, :FEW], k[0, :FEW]) if params.dtype == "float16" else {}),
        "stall_by_dtype": [Tolerant(2.0 ** FORMATS[dtype].significand, 0.5) for dtype in DTYPES],
        "stall": 2.0 ** FORMATS[params.dtype].significand,
    }
