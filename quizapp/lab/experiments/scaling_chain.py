"""From Var(q·k) = d_k to the gradient: each step of the derivation, each link of the chain.

    derivation   E[qᵢkᵢ] = E[qᵢ]E[kᵢ]                  q independent of k
                 Var(qᵢkᵢ) = E[qᵢ²]E[kᵢ²] − E[qᵢkᵢ]²    = 1 with mean 0, variance 1
                 Var(q·k) = Σᵢ Var(qᵢkᵢ) + Σ_{i≠j} Cov   = d_k with independent terms
                 Var(q·k/√d_k) = 1
    chain        std of scores → gap of the top two logits → saturated rows
                 → softmax Jacobian J → gradient at the logits Ju and at the query

D independent draws. Derivation: `pairs` pairs q, k (d_k,) a draw. Chain: n queries and n
keys a draw, one fixed upstream gradient u = ∂L/∂weights with N(0,1) entries; run once raw
and once with scores/√d_k. Row i of Q and of K are partners: only they correlate.
The gradient at q is scale · Kᵀ J u: dividing the scores divides it too.

Vaswani et al. 2017, section 3.2.1 and its footnote.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from quizapp.lab.experiment import BaseParams, Context, Reference, Run, Tolerant, param
from quizapp.lab.wording import scaling_chain as wording

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

    from quizapp.lab.maths.rows import Rows, Sampled

CLAIM = {
    "en": "variance d_k, wide logit gaps, saturated rows, weak gradients: every link measured",
    "zh": "方差 d_k、logit 差距变大、行饱和、梯度变弱：逐环实测",
}
SWEEP = (16, 64, 256, 1024)


class Params(BaseParams):
    """The size, and how the assumptions may break."""

    d_k: int = param(64, low=2, high=1024, step="double", en="width of one head", zh="单个头的维度")
    keys: int = param(
        100, low=4, high=256, step="double", en="keys, and queries", zh="键数（也是查询数）"
    )
    mean: float = param(
        0.0, low=-2, high=2, en="mean of every entry of q and k", zh="q、k 每个元素的均值"
    )
    std: float = param(
        1.0, low=0.1, high=4, en="standard deviation of every entry", zh="每个元素的标准差"
    )
    correlation: float = param(
        0.0, low=-1, high=1, en="correlation of q with its own key", zh="q 与其对应 k 的相关系数"
    )
    shared: float = param(
        0.0,
        low=0,
        high=0.95,
        en="correlation between the dimensions of one vector",
        zh="同一向量各维度之间的相关系数",
    )
    draws: int = param(20, low=8, high=40, en="independent draws", zh="独立抽样次数")
    pairs: int = param(
        500,
        low=100,
        high=2000,
        step="double",
        en="pairs a draw, for the derivation",
        zh="推导部分每次抽样的样本对数",
    )


METRICS = wording.METRICS
PLOTS = ("rows_lost", "gradients")


def run(params: Params, ctx: Context) -> Run:
    """The chosen width first, then the chain at four widths, each in a report."""
    from quizapp.lab.pictures import scaling as words

    measured: dict[str, Sampled] = {}
    for measured in _measured(params, ctx):
        yield ctx.report(metrics=measured, progress=0.0)
    told = words.steps(params.d_k, measured)
    sweep: dict[int, dict[str, Sampled]] = {}
    for d_k in SWEEP:
        if d_k == params.d_k:
            sweep[d_k] = measured
        else:
            *_, sweep[d_k] = _chain(params, ctx, d_k)
        done = len(sweep) == len(SWEEP)
        yield ctx.report(
            metrics=measured,
            final=done,
            progress=len(sweep) / len(SWEEP),
            summary=words.summary(params.d_k, measured),
            tables=[words.links_table(measured), *([words.widths_table(sweep)] if done else [])],
            curves=words.curves(sweep) if done else [],
            trace=told,
        )


def _measured(params: Params, ctx: Context) -> Iterator[dict[str, Sampled]]:
    """The chain at the chosen width and the derivation: a few draws of each, then the others."""
    chains, derivations = _chain(params, ctx, params.d_k), _derivation(params, ctx)
    chain = next(chains)
    yield chain
    derivation = next(derivations)
    yield {**derivation, **chain}
    for chain in chains:
        yield {**derivation, **chain}
    for derivation in derivations:
        yield {**derivation, **chain}


def _vectors(
    params: Params, ctx: Context, name: str, draws: range, *, n: int, d_k: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """q and k of some draws, (len(draws), n, d_k) each."""
    from quizapp.lab.maths.rows import drawn

    q, k = (drawn(ctx, f"{name}_{side}", draws, n, d_k) for side in "qk")
    if params.shared:
        common = [drawn(ctx, f"{name}_{side}_shared", draws, n, 1) for side in "qk"]
        own = math.sqrt(1 - params.shared)
        q, k = (math.sqrt(params.shared) * c + own * x for c, x in zip(common, (q, k), strict=True))
    if params.correlation:
        k = params.correlation * q + math.sqrt(1 - params.correlation**2) * k
    return q * params.std + params.mean, k * params.std + params.mean


def _derivation(params: Params, ctx: Context) -> Iterator[dict[str, Sampled]]:
    """Each quantity on the whiteboard, per draw; mean and error over ever more draws."""
    import torch

    from quizapp.lab.maths.rows import blocks, over_draws

    parts = []
    for draws in blocks(params.draws, params.pairs * params.d_k):
        ctx.checkpoint()
        q, k = _vectors(params, ctx, "pair", draws, n=params.pairs, d_k=params.d_k)
        terms = q * k  # (D, pairs, d_k)
        scores = terms.sum(-1, keepdim=True)
        centred = terms - terms.mean(1, keepdim=True)
        rest = scores - scores.mean(1, keepdim=True) - centred  # the score less that one term
        n = params.pairs - 1
        of_variances = centred.square().sum((1, 2)) / n
        covariances = (centred * rest).sum((1, 2)) / n
        variance = scores.squeeze(-1).var(-1)
        parts.append(
            torch.stack(
                [
                    _product_of_means(q, k),
                    terms.mean((1, 2)),
                    _product_of_means(q.square(), k.square()),
                    of_variances / params.d_k,
                    of_variances,
                    covariances,
                    covariances / variance,
                    variance,
                    variance / params.d_k,
                ]
            )
            .cpu()
            .double()
        )
        found = torch.cat(parts, dim=1)  # (measures, D so far)
        if found.shape[1] > 1:  # one draw has no error
            yield dict(zip(wording.DERIVATION, map(over_draws, found), strict=True))


def _product_of_means(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """E[a]·E[b], mean over dimensions: (D, pairs, d_k) twice → (D,).

    From products across different pairs only: within a pair a and b may be dependent.
    """
    n = a.shape[1]
    across = a.sum(1) * b.sum(1) - (a * b).sum(1)  # (D, d_k)
    return across.mean(-1) / (n * (n - 1))


def _chain(params: Params, ctx: Context, d_k: int) -> Iterator[dict[str, Sampled]]:
    """Every link at width d_k, raw and scaled, from the same inputs; from two draws, then all."""
    from quizapp.lab.maths.rows import blocks, drawn

    n = params.keys
    parts: dict[str, list[tuple[Rows, dict[str, torch.Tensor]]]] = {"raw": [], "scaled": []}
    for draws in blocks(params.draws, n * max(n, d_k)):
        ctx.checkpoint()
        q, k = _vectors(params, ctx, "row", draws, n=n, d_k=d_k)
        upstream = drawn(ctx, "upstream", draws, n, n)
        for way, done in parts.items():
            scale = 1.0 if way == "raw" else d_k**-0.5
            done.append(_links(ctx, q, k, upstream, scale))
        if draws.start == 0 or draws.stop == params.draws:
            yield {
                name: value
                for way, done in parts.items()
                for name, value in _gather(f"{way}_", done).items()
            }


def _links(
    ctx: Context, q: torch.Tensor, k: torch.Tensor, upstream: torch.Tensor, scale: float
) -> tuple[Rows, dict[str, torch.Tensor]]:
    """Rows of weights, and per draw or row: score variance, top gap, both gradient norms."""
    import torch

    from quizapp.lab.maths.rows import Rows

    scores = q @ k.mT * scale  # (D, n, n)
    q = q.detach().requires_grad_()
    _, weights = ctx.attention(q, k, k[..., :1], scale=scale)
    # Given to `grad` itself, an upstream gradient makes torch import 480 modules first.
    (at_query,) = torch.autograd.grad((weights * upstream).sum(), q)  # (D, n, d_k)
    weights = weights.detach()
    at_logits = weights * (upstream - (weights * upstream).sum(-1, keepdim=True))  # (D, n, n)
    top = scores.topk(2, dim=-1).values
    numbers = {
        "variance": scores.flatten(1).var(-1),
        "top_gap": (top[..., 0] - top[..., 1]).mean(-1),
        "logit_gradient": at_logits.norm(dim=-1),
        "query_gradient": at_query.norm(dim=-1),
    }
    return Rows.of(weights), {name: value.cpu().double() for name, value in numbers.items()}


def _gather(prefix: str, parts: list[tuple[Rows, dict[str, torch.Tensor]]]) -> dict[str, Sampled]:
    """The blocks of one way joined into its metrics."""
    import torch

    from quizapp.lab.maths.rows import Rows, over_draws, pooled_std, quantiles

    joined = {name: torch.cat([numbers[name] for _, numbers in parts]) for name in parts[0][1]}
    found = {
        "score_std": pooled_std(joined["variance"]),
        "top_gap": over_draws(joined["top_gap"]),
    }
    for name in ("logit_gradient", "query_gradient"):
        at = quantiles(joined[name])
        found |= {name: at["jacobian_median"], f"{name}_p10": at["jacobian_p10"]}
    rows = Rows.join([rows for rows, _ in parts]).summary(prefix)
    return {**{prefix + name: value for name, value in found.items()}, **rows}


METHOD = {
    "en": "rows from odds against the top key; gradient at q as a covariance under the weights",
    "zh": "各行由对首位键的赔率求得；q 的梯度写成权重下的协方差",
}


def check(params: Params, ctx: Context) -> Reference:
    """Moments and odds in float64; the logit gradient as a slope of the softmax along u."""
    import numpy as np

    from quizapp.lab.second_way.odds import Odds, drawn64, scores64
    from quizapp.lab.second_way.rounding import resolved
    from quizapp.lab.second_way.scaling import derivation64, links64, vectors64

    reference = derivation64(params, ctx)
    rows: dict[str, list[Odds]] = {way: [] for way in wording.WAYS}
    numbers: dict[str, list[NDArray[np.float64]]] = {}
    largest = dict.fromkeys(wording.WAYS, 0.0)
    n = params.keys
    size = math.sqrt(params.d_k * (params.std**2 + params.mean**2))  # of a key
    for draw in range(params.draws):
        ctx.checkpoint()
        one = range(draw, draw + 1)
        q, k = vectors64(params, ctx, "row", one, n)
        upstream = drawn64(ctx, "upstream", one, n, n)
        scores = scores64(q, k)  # up to a constant a row
        whole = scores + q @ k[:, 0, :, None]
        for way in wording.WAYS:
            scale = 1.0 if way == "raw" else params.d_k**-0.5
            rows[way].append(Odds.of(scores * scale))
            found = links64(scores * scale, k, upstream)
            found["score_std"] = (whole * scale).var((1, 2), ddof=1)
            largest[way] = max(largest[way], float(np.abs(whole).max()) * scale)
            found["query_gradient"] *= scale
            for name, value in found.items():
                numbers.setdefault(f"{way}_{name}", []).append(value)
    for name, values in numbers.items():
        joined = np.concatenate(values)
        if name.endswith("gradient"):
            for tail, share in (("", 0.5), ("_p10", 0.1)):
                at = float(np.quantile(joined, share))
                # Saturated rows leave a difference of products of u and k: a few float32 roundings.
                reference[name + tail] = Tolerant(at, max(2e-4 * at, 2.0**-21 * size))
        else:
            mean = float(joined.mean())
            reference[name] = math.sqrt(mean) if name.endswith("std") else mean
    for way, parts in rows.items():
        reference |= resolved(Odds.join(parts).summary(f"{way}_"), largest[way])
    return reference
