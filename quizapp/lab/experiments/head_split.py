"""A narrow head still needs its scale: what counts is its own width, d_k = d_model / H.

    head h reads its own d_k columns of q and k:  S⁽ʰ⁾ = Q⁽ʰ⁾K⁽ʰ⁾ᵀ,  Var = d_k
    softmax(S⁽ʰ⁾) against softmax(S⁽ʰ⁾ / √d_k), and against the wrong softmax(S⁽ʰ⁾ / √d_model)

q, k (D, n, d_model) with entries i.i.d. N(0, 1), untrained, split into (D, H, n, d_k):
D draws, H heads, n queries and n keys. Such heads are alike, so at most 8 are measured.
Vaswani et al. 2017, section 3.2.2: d_model = 512, H = 8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, Value, both, param
from quizapp.lab.maths import rows
from quizapp.lab.maths.rows import Rows, Sampled
from quizapp.lab.pictures.rows import measures_table, norm_histogram
from quizapp.lab.second_way import odds
from quizapp.lab.second_way.odds import Odds
from quizapp.lab.wording import head_split as wording
from quizapp.report import Curve, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "a head of width d_model / heads still has scores of std √d_k, and needs the scale",
    "宽度为 d_model / heads 的头，分数标准差仍是 √d_k，仍需缩放",
)

#: Heads with i.i.d. inputs are alike: more of them would only cost time.
MOST_HEADS = 8
#: The kinds of scale that every head count is run under.
ALIKE = ("unscaled", "scaled")


class Params(BaseParams):
    """The model's width, and into how many heads it is split."""

    d_model: int = param(
        512, low=1, high=4096, step="double", en="width of the model", zh="模型维度"
    )
    heads: int = param(8, low=1, high=512, step="double", en="number of heads", zh="头数")
    seq_len: int = param(
        100, low=2, high=256, step="double", en="queries, and as many keys", zh="查询数，也是键数"
    )
    draws: int = param(5, low=2, high=50, step="double", en="independent draws", zh="独立抽样次数")

    @model_validator(mode="after")
    def _fits(self) -> Params:
        rows.refuse_uneven(self.d_model, self.heads)
        rows.refuse_too_much(self.draws, self.seq_len, "d_model", self.d_model, part=8)
        return self

    @property
    def counts(self) -> list[int]:
        """Head counts of the lists: every power of two that divides d_model, up to 512."""
        return [2**i for i in range(10) if self.d_model % 2**i == 0]


METRICS = wording.METRICS
PLOTS = ("entropy_by_width", "jacobian_norms")


@dataclass
class _Sample:
    """The heads of one split, each a draw of its own: (draws · heads) in all."""

    width: int
    rows: dict[str, list[Rows]] = field(default_factory=dict)  # by kind of scaling
    variances: list[torch.Tensor] = field(default_factory=list)  # of the raw scores

    def joined(self) -> dict[str, Rows]:
        return {kind: Rows.join(parts) for kind, parts in self.rows.items()}

    def metrics(self, params: Params) -> dict[str, Sampled]:
        import torch

        std, error = rows.pooled_std(torch.cat(self.variances))
        found: dict[str, Sampled] = {}
        for kind, part in self.joined().items():
            by = _factor(kind, self.width, params)
            found[f"{kind}_score_std"] = (std * by, error * by)
            found |= part.summary(f"{kind}_")
        return found


def run(params: Params, ctx: Context) -> Run:
    """The split asked for under all three scales; then every other head count."""
    sample = _measure(params, params.heads, tuple(wording.KINDS), ctx)
    found = sample.metrics(params)
    histogram = norm_histogram(sample.joined(), wording.KINDS)
    known: dict[str, Measured] = {"head_width": sample.width, **found}
    known |= _per_head(sample, params)
    kinds = measures_table(
        "kinds",
        both("one head under three scales", "单个头在三种缩放下"),
        wording.MEASURES,
        ((label, _of_kind(found, kind)) for kind, label in wording.KINDS.items()),
    )
    yield ctx.report(metrics=known, tables=[kinds], histograms=[histogram], progress=0.2)
    splits: dict[int, _Sample] = {}
    every = sorted({*params.counts, params.heads})
    for i, heads in enumerate(every):
        splits[heads] = _measure(params, heads, ALIKE, ctx)
        if i < len(every) - 1:
            yield ctx.report(
                metrics=known,
                tables=[kinds],
                curves=[_curve(splits)],
                histograms=[histogram],
                progress=0.2 + 0.8 * (i + 1) / len(every),
            )
    by_heads = {heads: split.metrics(params) for heads, split in splits.items()}
    yield ctx.report(
        metrics={**known, **_lists(by_heads, params)},
        final=True,
        summary=_summary(params, found),
        tables=[kinds, _heads_table(by_heads, params)],
        curves=[_curve(splits)],
        histograms=[histogram],
    )


def _factor(kind: str, width: int, params: Params) -> float:
    """What the raw scores of a head are multiplied by."""
    root = {"scaled": width, "wrong": params.d_model}.get(kind, 1)
    return 1 / math.sqrt(root)


def _blocks(params: Params) -> Iterator[range]:
    return rows.blocks(
        params.draws, params.seq_len * max(MOST_HEADS * params.seq_len, params.d_model)
    )


def _measure(params: Params, heads: int, kinds: tuple[str, ...], ctx: Context) -> _Sample:
    """Split the model's width into `heads`, and run attention in each under every kind of scale."""
    sample = _Sample(params.d_model // heads)
    for block in _blocks(params):
        ctx.checkpoint()
        q, k = (_split(name, block, params, heads, ctx) for name in "qk")
        sample.variances.append((q @ k.mT).flatten(1).cpu().double().var(-1))
        for kind in kinds:
            ctx.checkpoint()
            # One column of k stands in for the values: only the weights are of interest.
            by = _factor(kind, sample.width, params)
            weights = ctx.attention(q, k, k[..., :1], scale=by)[1]
            sample.rows.setdefault(kind, []).append(Rows.of(weights))
    return sample


def _split(name: str, block: range, params: Params, heads: int, ctx: Context) -> torch.Tensor:
    """The first 8 heads of those draws: (b · H, n, d_k). The same numbers however many heads."""
    whole = rows.drawn(ctx, name, block, params.seq_len, params.d_model)
    split = whole.view(len(block), params.seq_len, heads, -1).transpose(1, 2)  # (b, H, n, d_k)
    return split[:, :MOST_HEADS].flatten(0, 1)


def _per_head(sample: _Sample, params: Params) -> dict[str, Measured]:
    """Each measured head by itself, over the draws: lists of at most 8."""
    import torch

    joined, heads = sample.joined(), min(params.heads, MOST_HEADS)
    per_head = {
        "unscaled_std_per_head": torch.cat(sample.variances),
        "unscaled_entropy_per_head": joined["unscaled"].entropy.mean(-1),
        "scaled_entropy_per_head": joined["scaled"].entropy.mean(-1),
    }
    found: dict[str, Measured] = {}
    for name, values in per_head.items():
        reduce = rows.pooled_std if "std" in name else rows.over_draws
        pairs = [reduce(one) for one in values.view(params.draws, heads).unbind(1)]
        found[name] = ([value for value, _ in pairs], [error for _, error in pairs])
    return found


def _lists(by_heads: Mapping[int, Mapping[str, Sampled]], params: Params) -> dict[str, Measured]:
    """One list a metric, in the order of `params.counts`."""
    lists: dict[str, Measured] = {"head_counts": [float(count) for count in params.counts]}
    for name in wording.BY_HEADS:
        pairs = [by_heads[count][name] for count in params.counts]
        lists[f"{name}_by_heads"] = ([value for value, _ in pairs], [error for _, error in pairs])
    return lists


def _of_kind(found: Mapping[str, Sampled], kind: str) -> dict[str, Sampled]:
    """The metrics of one kind of scaling, without its prefix."""
    prefix = f"{kind}_"
    return {n.removeprefix(prefix): pair for n, pair in found.items() if n.startswith(prefix)}


def _heads_table(by_heads: Mapping[int, Mapping[str, Sampled]], params: Params) -> Table:
    return measures_table(
        "by_heads",
        both("by the number of heads", "按头数"),
        wording.COLUMNS,
        ((f"{heads} × {params.d_model // heads}", found) for heads, found in by_heads.items()),
    )


def _summary(params: Params, found: Mapping[str, Sampled]) -> dict[str, str]:
    width = params.d_model // params.heads
    std, raw, scaled = (
        figure(found[name][0])
        for name in ("unscaled_score_std", "unscaled_entropy", "scaled_entropy")
    )
    most = figure(math.log(params.seq_len))
    return both(
        f"{params.d_model} split into heads of {width}, untrained: a head's raw scores have std "
        f"{std}; its mean entropy is {raw} without the scale, {scaled} with it, of at most {most}.",
        f"{params.d_model} 拆成宽度 {width} 的头，未训练：单头原始分数标准差为 {std}；"
        f"不缩放时平均熵 {raw}，缩放后 {scaled}，上限 {most}。",
    )


def _curve(splits: Mapping[int, _Sample]) -> Curve:
    """Entropy against the width of a head; the spread is between heads."""
    ordered = sorted(splits.values(), key=lambda split: split.width)
    per_head = [
        {kind: part.entropy.mean(-1) for kind, part in split.joined().items()} for split in ordered
    ]
    return Curve(
        id="entropy_by_width",
        title=Text.of(both("mean entropy of a row", "每行平均熵")),
        x_label=Text.of(both("width of a head", "头的宽度")),
        y_label=Text.of(both("nats", "nats")),
        x=tuple(float(split.width) for split in ordered),
        series=tuple(
            Series(
                name=Text.of(wording.KINDS[kind]),
                values=tuple(found[kind].mean().item() for found in per_head),
                spread=tuple(found[kind].std().item() for found in per_head),
            )
            for kind in ALIKE
        ),
        log_x=True,
    )


METHOD = odds.METHOD


def check(params: Params, ctx: Context) -> Reference:
    """Every split again: rows from their odds, the scores' std from second moments."""
    reference: dict[str, Value] = {}
    lists: dict[str, list[float]] = {f"{name}_by_heads": [] for name in wording.BY_HEADS}
    for heads in sorted({*params.counts, params.heads}):
        own = heads == params.heads
        found = _reference(params, heads, tuple(wording.KINDS) if own else ALIKE, ctx)
        if own:
            reference |= found
        if heads in params.counts:
            for name in wording.BY_HEADS:
                lists[f"{name}_by_heads"].append(found[name])
    return {**reference, **lists}


def _reference(
    params: Params, heads: int, kinds: tuple[str, ...], ctx: Context
) -> dict[str, float]:
    """The metrics of one split, under those kinds of scale."""
    import numpy as np

    width = params.d_model // heads
    parts: dict[str, list[Odds]] = {kind: [] for kind in kinds}
    variances = []
    for block in _blocks(params):
        q, k = (
            odds.drawn64(ctx, name, block, params.seq_len, params.d_model)
            .reshape(len(block), params.seq_len, heads, width)
            .swapaxes(1, 2)[:, :MOST_HEADS]  # (b, H, n, d_k)
            .reshape(-1, params.seq_len, width)
            for name in "qk"
        )
        variances.append(odds.score_variance64(q, k))
        scores = odds.scores64(q, k)
        for kind, part in parts.items():
            ctx.checkpoint()
            part.append(Odds.of(scores * _factor(kind, width, params)))
    std = float(np.sqrt(np.concatenate(variances).mean()))
    found: dict[str, float] = {}
    for kind, part in parts.items():
        found[f"{kind}_score_std"] = std * _factor(kind, width, params)
        found |= Odds.join(part).summary(f"{kind}_")
    return found
