"""Without 1/√d_k the rows of attention collapse onto few keys, the more so the wider the head.

    raw scores S = QKᵀ,  weights W = softmax(S) against softmax(S / √d_k)
    entropy of a row: −Σⱼ wⱼ ln wⱼ, at most ln n
    Jacobian of a row: diag(w) − wwᵀ; its norm bounds the gradient the row passes on

q, k (D, n, d_k) with entries i.i.d. N(0, 1), untrained: D draws, n queries, n keys.
Vaswani et al. 2017, section 3.2.1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from pydantic import model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, Value, both, param
from quizapp.lab.maths import rows
from quizapp.lab.maths.rows import Rows, Sampled
from quizapp.lab.pictures.rows import measures_table, norm_histogram, weight_map, weight_pair
from quizapp.lab.second_way import odds
from quizapp.lab.second_way.odds import Odds
from quizapp.lab.wording import attention_entropy as wording
from quizapp.report import Curve, HeatMap, Report, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure, percent

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "without 1/√d_k the entropy of a row collapses as d_k grows; with it, it stays",
    "不除以 √d_k，行的熵随 d_k 增大而塌缩；除以后保持不变",
)

#: Seconds between reports that only refine the numbers: each costs a few percent of that.
PAUSE = 0.2
#: The widths of the table and of every list metric, in this order.
WIDTHS = (16, 64, 256, 1024)


class Params(BaseParams):
    """The shape of one head, and how often it is drawn."""

    d_k: int = param(64, low=1, high=4096, step="double", en="width of one head", zh="单个头的维度")
    seq_len: int = param(
        100, low=2, high=512, step="double", en="queries, and as many keys", zh="查询数，也是键数"
    )
    draws: int = param(
        20, low=2, high=100, step="double", en="independent draws", zh="独立抽样次数"
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        rows.refuse_too_much(self.draws, self.seq_len, "d_k", self.d_k)
        return self


METRICS = wording.METRICS
PLOTS = (
    "jacobian_norms",
    "weights_unscaled",
    "weights_scaled",
    "weights_before_after",
    "entropy_by_d_k",
)


@dataclass
class _Sample:
    """The draws of one width so far."""

    unscaled: list[Rows] = field(default_factory=list)
    scaled: list[Rows] = field(default_factory=list)
    variances: list[torch.Tensor] = field(default_factory=list)  # of the raw scores, (b,) each
    same_top: list[torch.Tensor] = field(default_factory=list)  # (b,) each
    draws: int = 0

    def joined(self) -> dict[str, Rows]:
        return {"unscaled": Rows.join(self.unscaled), "scaled": Rows.join(self.scaled)}

    def metrics(self, d_k: int) -> dict[str, Sampled]:
        import torch

        std, error = rows.pooled_std(torch.cat(self.variances))
        root = math.sqrt(d_k)
        parts = self.joined()
        return {
            **parts["unscaled"].summary("unscaled_"),
            **parts["scaled"].summary("scaled_"),
            "unscaled_score_std": (std, error),
            "scaled_score_std": (std / root, error / root),
            "unscaled_entropy_spread": _spread(parts["unscaled"]),
            "scaled_entropy_spread": _spread(parts["scaled"]),
            "same_top_key": rows.over_draws(torch.cat(self.same_top)),
            "unscaled_non_finite": rows.over_draws(parts["unscaled"].non_finite),
        }


def run(params: Params, ctx: Context) -> Run:
    """The head asked for, then every other width, from two draws; then all the draws."""
    chosen, first = _Sample(), _first_weights(params, ctx)
    samples = {params.d_k: chosen} | {w: _Sample() for w in WIDTHS if w != params.d_k}
    work = {width: _measure(params, width, ctx, sample) for width, sample in samples.items()}
    total = len(samples) * params.draws

    def report(*, final: bool = False) -> Report:
        found = chosen.metrics(params.d_k)
        ready = {w: one.metrics(w) for w, one in sorted(samples.items()) if one.draws}
        lists = _lists(ready) if len(ready) == len(samples) else {}
        return ctx.report(
            metrics={**found, "uniform_entropy": math.log(params.seq_len), **lists},
            final=final,
            progress=sum(one.draws for one in samples.values()) / total,
            summary=_summary(params, found) if final else None,
            tables=[_before_after(found), _by_width(ready)],
            curves=[_curve(ready)],
            histograms=[norm_histogram(chosen.joined(), wording.SERIES)],
            heat_maps=_heat_maps(first),
        )

    next(work[params.d_k])  # two draws: enough for a standard error
    yield report()
    for width, blocks in work.items():
        if width != params.d_k:
            next(blocks)
    yield report()
    shown = ctx.seconds()
    for _ in chain.from_iterable(work.values()):
        if ctx.seconds() - shown > PAUSE:
            yield report()
            shown = ctx.seconds()
    yield report(final=True)


def _inputs(params: Params, d_k: int, ctx: Context, block: range) -> list[torch.Tensor]:
    """q and k of those draws: (b, n, d_k) each."""
    return [rows.drawn(ctx, f"{name}{d_k}", block, params.seq_len, d_k) for name in "qk"]


def _blocks(params: Params, d_k: int) -> Iterator[range]:
    return rows.blocks(params.draws, params.seq_len * max(params.seq_len, d_k))


def _measure(params: Params, d_k: int, ctx: Context, sample: _Sample) -> Iterator[None]:
    """Add block after block of heads of width d_k to `sample`."""
    for block in _blocks(params, d_k):
        ctx.checkpoint()
        q, k = _inputs(params, d_k, ctx, block)
        sample.variances.append((q @ k.mT).flatten(1).cpu().double().var(-1))
        ctx.checkpoint()
        # One column of k stands in for the values: only the weights are of interest.
        raw = ctx.attention(q, k, k[..., :1], scale=1.0)[1]
        scaled = ctx.attention(q, k, k[..., :1])[1]
        same = (raw.argmax(-1) == scaled.argmax(-1)).float().mean(-1)
        sample.same_top.append(same.cpu().double())
        sample.unscaled.append(Rows.of(raw))
        sample.scaled.append(Rows.of(scaled))
        sample.draws += len(block)
        yield


def _first_weights(params: Params, ctx: Context) -> dict[str, torch.Tensor]:
    """Both weight matrices of the first draw, (n, n) each."""
    q, k = _inputs(params, params.d_k, ctx, range(1))
    return {
        "unscaled": ctx.attention(q, k, k[..., :1], scale=1.0)[1][0],
        "scaled": ctx.attention(q, k, k[..., :1])[1][0],
    }


def _spread(part: Rows) -> Sampled:
    """Standard deviation between draws of a draw's mean entropy."""
    per_draw = part.entropy.mean(-1)
    spread = per_draw.std().item()
    return spread, spread / math.sqrt(2 * (len(per_draw) - 1))


def _lists(by_width: Mapping[int, Mapping[str, Sampled]]) -> dict[str, Measured]:
    """One list a metric, in the order of WIDTHS whatever d_k the learner chose."""
    lists: dict[str, Measured] = {"widths": [float(width) for width in WIDTHS]}
    for name in wording.BY_WIDTH:
        pairs = [by_width[width][name] for width in WIDTHS]
        lists[f"{name}_by_d_k"] = ([value for value, _ in pairs], [error for _, error in pairs])
    return lists


def _summary(params: Params, found: Mapping[str, Sampled]) -> dict[str, str]:
    raw, scaled = (figure(found[f"{prefix}_entropy"][0]) for prefix in ("unscaled", "scaled"))
    dead, most = percent(found["unscaled_dead_share"][0]), figure(math.log(params.seq_len))
    n, d_k, draws = params.seq_len, params.d_k, params.draws
    return both(
        f"{draws} untrained draws, d_k = {d_k}, {n} keys: mean entropy {raw} without the scale, "
        f"{scaled} with it, of at most {most}; without it {dead} of the rows have a Jacobian "
        "norm below 0.01.",
        f"{draws} 次未训练的抽样，d_k = {d_k}，{n} 个键：不缩放时平均熵为 {raw}，缩放后 {scaled}，"
        f"上限 {most}；不缩放时 {dead} 的行雅可比范数低于 0.01。",
    )


def _before_after(found: Mapping[str, Sampled]) -> Table:
    """The same measures side by side."""
    lines = []
    for name, label in wording.SIDE_BY_SIDE.items():
        show = percent if name.endswith("share") else figure
        cells = [found[f"{prefix}_{name}"][0] for prefix in ("unscaled", "scaled")]
        lines.append(Row(label=Text.of(label), cells=tuple(Text.of(show(cell)) for cell in cells)))
    return Table(
        id="before_after",
        title=Text.of(both("with and without the scale", "缩放前后对比")),
        columns=tuple(Text.of(name) for name in wording.SERIES.values()),
        rows=tuple(lines),
    )


def _by_width(by_width: Mapping[int, Mapping[str, Sampled]]) -> Table:
    """Entropy with its spread between draws, and the tail, width by width."""
    return measures_table(
        "by_d_k",
        both("by the width of the head", "按头的维度"),
        wording.COLUMNS,
        ((f"d_k = {width}", found) for width, found in sorted(by_width.items())),
    )


def _curve(by_width: Mapping[int, Mapping[str, Sampled]]) -> Curve:
    widths = sorted(by_width)
    return Curve(
        id="entropy_by_d_k",
        title=Text.of(both("mean entropy of a row", "每行平均熵")),
        x_label=Text.of("d_k"),
        y_label=Text.of(both("nats", "nats")),
        x=tuple(float(width) for width in widths),
        series=tuple(
            Series(
                name=Text.of(name),
                values=tuple(by_width[width][f"{prefix}_entropy"][0] for width in widths),
                spread=tuple(by_width[width][f"{prefix}_entropy_spread"][0] for width in widths),
            )
            for prefix, name in wording.SERIES.items()
        ),
        log_x=True,
    )


def _heat_maps(first: Mapping[str, torch.Tensor]) -> list[HeatMap]:
    pair = weight_pair("weights_before_after", wording.SIDE_BY_SIDE_MAP, *first.values())
    single = [
        weight_map(f"weights_{key}", wording.HEAT_MAPS[key], weights)
        for key, weights in first.items()
    ]
    return [*single, pair]


METHOD = odds.METHOD


def check(params: Params, ctx: Context) -> Reference:
    """Every width again: rows from their odds, the score's std from second moments."""
    import numpy as np

    reference: dict[str, Value] = {}
    lists: dict[str, list[float]] = {f"{name}_by_d_k": [] for name in wording.BY_WIDTH}
    for width in sorted({*WIDTHS, params.d_k}):
        raw, scaled, variances = [], [], []
        for block in _blocks(params, width):
            ctx.checkpoint()
            q, k = (odds.drawn64(ctx, f"{n}{width}", block, params.seq_len, width) for n in "qk")
            scores = odds.scores64(q, k)
            raw.append(Odds.of(scores))
            scaled.append(Odds.of(scores / np.sqrt(width)))
            if width == params.d_k:
                variances.append(odds.score_variance64(q, k))
        parts = {"unscaled_": Odds.join(raw), "scaled_": Odds.join(scaled)}
        found = {k: v for prefix, part in parts.items() for k, v in part.summary(prefix).items()}
        if width == params.d_k:
            std = float(np.sqrt(np.concatenate(variances).mean()))
            reference |= {"unscaled_score_std": std, "scaled_score_std": std / width**0.5, **found}
            for prefix, part in parts.items():
                spread = part.entropy.mean(-1).std(ddof=1)
                reference[f"{prefix}entropy_spread"] = float(spread)
        if width in WIDTHS:
            for name in wording.BY_WIDTH:
                lists[f"{name}_by_d_k"].append(found[name])
    return {**reference, **lists}
