"""A mask hides a key only if it acts before the softmax, or if the rows are made to sum to 1 again.

    weights = softmax(QKᵀ/√d_k + M),  M = 0 where visible and −∞ where hidden
    zeroed after the softmax, row i keeps the hidden keys in its denominator Σⱼ exp(sᵢⱼ)

The probe: the last token's key and value are replaced, and the outputs that must not see
it are compared. q, k, v (D, n, d_k) with entries i.i.d. N(0,1), untrained: D draws, n
queries and keys. Under "padding" the last `padding` keys and values are zeros, as padding
often is: a score of 0, and so a weight. A query from which every key is hidden has no
softmax: 0/0 in the forward pass, and what that does to gradients is counted.
Vaswani et al. 2017, section 3.2.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    Tolerant,
    UnfitError,
    Value,
    both,
    param,
)
from quizapp.lab.maths import masks, rows
from quizapp.lab.maths.masks import METHODS, Dtype, Layout, MaskKind, Method
from quizapp.lab.maths.rows import Sampled
from quizapp.lab.pictures import masks as pictures
from quizapp.lab.wording import masks as wording

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "a mask before the softmax hides a token; most of what stands in for it leaks",
    "softmax 之前的掩码才真正隐藏词元；多数替代做法会泄漏",
)
#: How far rounding moves an output near 1, in a few units in the last place of the format.
ROUNDING = {"float64": 1e-14, "float32": 2e-6, "float16": 4e-3, "bfloat16": 3e-2}
#: A number within so many roundings is rounding for the most part, and has no second way.
RESOLVED = 20
#: The next number float16 would need after its largest: from here on it has only ∞.
LARGEST_HALF = 65520.0
#: Penalties of the curve.
PENALTIES = tuple(float(c) for c in range(0, 41, 4))
CURVE_DRAWS = 10


class Params(BaseParams):
    """What is hidden, how, and in which number format."""

    mask: MaskKind = param(
        "causal", en="later tokens hidden, or padding", zh="隐藏后面的词元，或隐藏填充"
    )
    method: Method = param("minus_inf", en="how hidden keys are masked", zh="如何遮蔽隐藏的键")
    dtype: Dtype = param("float32", en="number format of attention", zh="注意力的数值格式")
    seq_len: int = param(
        16, low=3, high=256, step="double", en="queries, and as many keys", zh="查询数，也是键数"
    )
    padding: int = param(4, low=1, high=255, en="padded tokens at the end", zh="末尾的填充词元数")
    hidden_rows: int = param(
        0,
        low=0,
        high=255,
        en="first queries from which every key is hidden",
        zh="所有键都被隐藏的前几个查询",
    )
    loss_rows: Literal["all", "visible"] = param(
        "all",
        en="queries in the loss: all, or those that see a key",
        zh="计入损失的查询：全部，或至少看得到一个键的",
    )
    replaced_std: float = param(
        1.0, low=0.1, high=32, en="std of what replaces the last token", zh="替换内容的标准差"
    )
    d_k: int = param(64, low=1, high=512, step="double", en="width of one head", zh="单个头的维度")
    draws: int = param(
        50, low=2, high=200, step="double", en="independent draws", zh="独立抽样次数"
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        end = 1 if self.mask == "causal" else self.padding
        if self.hidden_rows + end >= self.seq_len:
            raise UnfitError(
                f"of {self.seq_len} queries none is left to judge: lower hidden_rows or padding, "
                "or raise seq_len",
                f"{self.seq_len} 个查询中没有一个可供判断：请调小 hidden_rows 或 padding，"
                "或调大 seq_len",
            )
        rows.refuse_too_much(self.draws, self.seq_len, "d_k", self.d_k, part=16)
        return self

    @property
    def layout(self) -> Layout:
        """Who may look where."""
        return Layout(self.mask, self.seq_len, self.padding, self.hidden_rows)


METRICS = wording.METRICS
PLOTS = ("leak_by_penalty", "weights")


def run(params: Params, ctx: Context) -> Run:
    """The chosen way first; then NaN and its gradients; then every way and every penalty."""
    inputs, replaced = _inputs(params, ctx)
    visible = params.layout.visible(ctx.device)
    exact = _exact(params, ctx, visible)
    found, weights = _measure(params.method, params, ctx, (inputs, replaced, exact), visible)
    picture = pictures.weights(weights[0].float())
    metrics: dict[str, Measured] = {**found, **_facts(params, ctx, inputs, visible, weights)}
    yield ctx.report(metrics=metrics, heat_maps=[picture], progress=0.3)
    every: dict[Method, Mapping[str, Sampled]] = {}
    for method in METHODS:
        ctx.checkpoint()
        every[method] = _measure(method, params, ctx, (inputs, replaced, exact), visible)[0]
    for name in wording.BY_METHOD:
        pairs = [every[method][name] for method in METHODS]
        metrics[f"{name}_by_method"] = ([p[0] for p in pairs], [p[1] for p in pairs])
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(params.method, params.dtype, found),
        heat_maps=[picture],
        tables=[pictures.table(every)],
        curves=[pictures.penalty_curve(PENALTIES, _by_penalty(params, ctx, inputs, replaced))],
    )


def _streams(params: Params) -> tuple[tuple[str, int], ...]:
    return ("q", params.seq_len), ("k", params.seq_len), ("v", params.seq_len)


def _inputs(
    params: Params, ctx: Context
) -> tuple[tuple[torch.Tensor, ...], tuple[torch.Tensor, ...]]:
    """q, k, v (D, n, d_k) in the dtype of the run, and the same with the last token replaced."""
    import torch

    draws = range(params.draws)
    q, k, v = (rows.drawn(ctx, name, draws, n, params.d_k) for name, n in _streams(params))
    other = [rows.drawn(ctx, name, draws, 1, params.d_k) for name in ("new_k", "new_v")]
    if params.mask == "padding":
        k[:, -params.padding :] = 0
        v[:, -params.padding :] = 0
    new_k, new_v = (
        torch.cat([old[:, :-1], params.replaced_std * last], 1)
        for old, last in zip((k, v), other, strict=True)
    )
    dtype = getattr(torch, params.dtype)
    if ctx.device == "mps" and dtype == torch.float64:
        dtype = torch.float32
    q, k, v, new_k, new_v = (x.to(dtype) for x in (q, k, v, new_k, new_v))
    return (q, k, v), (q, new_k, new_v)


def _exact(params: Params, ctx: Context, visible: torch.Tensor) -> torch.Tensor:
    """Judged outputs (D, r, d_k) of exact masking, from the inputs before they lose digits."""
    import torch

    inputs, _ = _inputs(params.model_copy(update={"dtype": "float64"}), ctx)
    judged = params.layout.judged()
    q, k, v = inputs
    output = ctx.attention(q[:, judged], k, v, mask=visible[judged])[0]
    return output if ctx.device == "mps" else output.to(torch.float64)


def _measure(
    method: Method,
    params: Params,
    ctx: Context,
    given: tuple[Sequence[torch.Tensor], Sequence[torch.Tensor], torch.Tensor],
    visible: torch.Tensor,
) -> tuple[dict[str, Sampled], torch.Tensor]:
    """The sampled metrics of one way over all draws, and its weights (D, n, n)."""
    inputs, replaced, exact = given
    judged = params.layout.judged()
    output, weights = masks.attend(method, ctx, inputs, visible)
    after = masks.attend(method, ctx, replaced, visible)[0]
    kept, output, after = (x[:, judged].cpu().double() for x in (weights, output, after))
    change, hidden = after - output, ~visible[judged].cpu()
    per_draw = {
        "leak": change.abs().amax((-2, -1)),
        "leak_share": (change.square().mean((-2, -1)) / output.square().mean((-2, -1))).sqrt(),
        "hidden_weight": (kept * hidden).sum(-1).mean(-1),
        "row_sum": kept.sum(-1).mean(-1),
        "output_error": (output - exact.cpu().double()).abs().amax((-2, -1)),
    }
    return {name: rows.over_draws(values) for name, values in per_draw.items()}, weights


def _facts(
    params: Params,
    ctx: Context,
    inputs: Sequence[torch.Tensor],
    visible: torch.Tensor,
    weights: torch.Tensor,
) -> dict[str, Measured]:
    """What does not vary from draw to draw: the number added, and where NaN appears."""
    import torch

    ctx.checkpoint()
    dtype, empty = inputs[0].dtype, params.hidden_rows
    q, k, v = first = [x[:2] for x in inputs]
    upstream = rows.drawn(ctx, "upstream", range(2), params.seq_len, params.d_k).to(dtype)
    counted = slice(empty if params.loss_rows == "visible" else 0, None)
    fused = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=visible)
    return {
        "hidden_share": (~visible[params.layout.judged()]).double().mean().item(),
        "number_added": masks.held(params.method, dtype),
        "fill_refused": float(masks.refuses(params.method, dtype)),
        "fully_hidden": (~visible.any(-1)).double().mean().item(),
        "hidden_row_sum": weights[:, :empty].double().sum(-1).mean().item() if empty else 0.0,
        **masks.nan_shares(
            params.method, ctx, first, visible=visible, upstream=upstream, rows=counted
        ),
        "nan_fused": fused.isnan().double().mean().item(),
    }


def _by_penalty(
    params: Params,
    ctx: Context,
    inputs: Sequence[torch.Tensor],
    replaced: Sequence[torch.Tensor],
) -> list[float]:
    """The leak when each of PENALTIES is added to hidden scores."""
    judged = params.layout.judged()
    visible = params.layout.visible(ctx.device)[judged]
    parts = [
        [q[:CURVE_DRAWS, judged], k[:CURVE_DRAWS], v[:CURVE_DRAWS]]
        for q, k, v in (inputs, replaced)
    ]
    scored = [((q * params.d_k**-0.5) @ k.mT, v) for q, k, v in parts]
    leaks = []
    for penalty in PENALTIES:
        ctx.checkpoint()
        outputs = [masks.add(scores, visible, penalty).softmax(-1) @ v for scores, v in scored]
        change = (outputs[1] - outputs[0]).float().abs()
        leaks.append(change.amax((-2, -1)).mean().item())
    return leaks


METHOD = both(
    "float64 sums of exp over visible and over hidden keys apart, by position; NaN by counting",
    "float64：按位置分别对可见键与隐藏键求 exp 之和；NaN 用计数得出",
)


def check(params: Params, ctx: Context) -> Reference:
    """Every way again from the same two pairs of sums."""
    import numpy as np

    from quizapp.lab.second_way import masks as second
    from quizapp.lab.second_way.odds import drawn64

    draws, layout = range(params.draws), params.layout
    q, k, v = (drawn64(ctx, name, draws, n, params.d_k) for name, n in _streams(params))
    if params.mask == "padding":
        k[:, -params.padding :] = 0
        v[:, -params.padding :] = 0
    before = second.sums(layout, q, k, v)
    ctx.checkpoint()
    for x, name in ((k, "new_k"), (v, "new_v")):
        x[:, -1:] = params.replaced_std * drawn64(ctx, name, draws, 1, params.d_k)
    after = second.sums(layout, q, k, v)
    every = {method: second.figures(method, before, after) for method in METHODS}
    rounding = ROUNDING["float32" if ctx.device == "mps" else params.dtype]
    reference: dict[str, Value] = {}
    for name, value in every[params.method].items():
        if value > RESOLVED * rounding:
            reference[name] = Tolerant(value, max(2e-4 * value, rounding))
    for name in wording.BY_METHOD:
        listed = [every[method][name] for method in METHODS]
        reference[f"{name}_by_method"] = [
            Tolerant(value, max(2e-4 * max(listed), rounding)) for value in listed
        ]
    reference["hidden_share"] = float(
        np.mean([(layout.n - 1 - i) / layout.n for i in range(layout.n)[layout.judged()]])
        if params.mask == "causal"
        else params.padding / layout.n
    )
    most = LARGEST_HALF if params.dtype == "float16" else math.inf
    infinite = masks.PENALTY.get(params.method, 0.0) >= most
    return {**reference, **second.nan_counts(params.method, layout, infinite=infinite)}
