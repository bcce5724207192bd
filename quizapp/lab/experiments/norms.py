"""A norm fixes what enters W_q and W_k, not what leaves them: it does not replace the scale.

    x̂ = N(x),  q = x̂W_q,  k = x̂W_k,  scores = c·q·k,  c = 1/√d_k or 1
    Var(q·k) = d_k·Var(q)·Var(k): N makes Var(x̂) 1, and W_q, W_k decide the rest
    QK-norm acts after W_q and W_k: q, k of rms 1 (or length 1), whatever their weights
    soft-cap: scores ← cap·tanh(scores/cap), after the scale

A small untrained transformer, pre- or post-norm, inputs i.i.d. N(mean, std²) whose size
the learner varies, in float64: score spread, entropy, saturation over depth, growth of
the residual stream, and the gradient that comes back, for one of rms 1 at the output.
Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", section 3;
Henry et al. 2020, "Query-Key Normalization for Transformers"; Gemma 2, section 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, both, param
from quizapp.lab.maths import norms, rows
from quizapp.lab.maths.norms import Model, Norm, Place, QKNorm
from quizapp.lab.maths.rows import Rows, Sampled
from quizapp.lab.pictures import norms as pictures
from quizapp.lab.pictures.rows import weight_map
from quizapp.lab.wording import norms as wording

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "LayerNorm and RMSNorm complement the scale; only QK-norm survives growing W_q and W_k",
    "LayerNorm、RMSNorm 与缩放互补；W_q、W_k 变大时只有 QK-norm 顶得住",
)
#: Numbers in all weights of a run: 128 MiB.
MOST_WEIGHTS = 2**24
#: Draws worked on at a time: two have an error already, and their backward pass is short.
AT_ONCE = 2


class Params(BaseParams):
    """Which norms, and what comes in."""

    norm: Norm = param("layernorm", en="norm of the residual stream", zh="残差流的归一化")
    place: Place = param("pre", en="before each block, or after its sum", zh="前置或后置归一化")
    scale: Literal["kept", "dropped"] = param("kept", en="1/√d_k on q·k", zh="q·k 上的 1/√d_k")
    qk_norm: QKNorm = param(
        "off", en="q and k over their rms or length", zh="q、k 除以均方根或长度"
    )
    soft_cap: float = param(0.0, low=0, high=100, en="soft-cap of scores, 0 is none", zh="软上限")
    input_std: float = param(
        1.0, low=0.1, high=64, step="double", en="std of the input", zh="输入的标准差"
    )
    input_mean: float = param(0.0, low=-8, high=8, en="mean of the input", zh="输入的均值")
    qk_gain: float = param(
        1.0, low=0.1, high=16, step="double", en="factor on W_q and W_k", zh="W_q、W_k 的倍数"
    )
    layers: int = param(6, low=1, high=16, step="double", en="layers", zh="层数")
    d_k: int = param(64, low=2, high=256, step="double", en="width of one head", zh="单个头的维度")
    heads: int = param(2, low=1, high=8, step="double", en="heads", zh="头数")
    seq_len: int = param(32, low=2, high=256, step="double", en="tokens", zh="词元数")
    draws: int = param(4, low=2, high=20, step="double", en="independent draws", zh="独立抽样次数")

    @model_validator(mode="after")
    def _fits(self) -> Params:
        d = self.d_k * self.heads
        numbers = self.draws * self.layers * 4 * (1 + norms.WIDER) * d * d
        rows.refuse_above("draws × layers × 12 × (d_k × heads)²", numbers, MOST_WEIGHTS)
        stacked = self.draws * self.layers * self.heads
        rows.refuse_too_much(stacked, self.seq_len, "d_k", self.d_k)
        return self

    @property
    def model(self) -> Model:
        """The model they describe."""
        return Model(
            norm=self.norm,
            place=self.place,
            factor=self.d_k**-0.5 if self.scale == "kept" else 1.0,
            qk_norm=self.qk_norm,
            soft_cap=self.soft_cap,
            heads=self.heads,
            d_k=self.d_k,
            layers=self.layers,
            qk_gain=self.qk_gain,
        )


METRICS = wording.METRICS
PLOTS = ("by_depth", "gradient_by_depth", "weights")


@dataclass
class _Sample:
    """All draws so far: rows of each layer, and numbers per draw, (b,) or (b, layers)."""

    rows: list[list[Rows]] = field(default_factory=list)  # block by block, then by layer
    numbers: dict[str, list[torch.Tensor]] = field(default_factory=dict)

    def add(self, found: Mapping[str, torch.Tensor], layers: list[Rows]) -> None:
        self.rows.append(layers)
        for name, values in found.items():
            self.numbers.setdefault(name, []).append(values.cpu().double())

    def metrics(self) -> tuple[dict[str, Sampled], pictures.Lists]:
        """Single numbers, and the lists over the layers, all with standard errors."""
        import torch

        by_layer = [Rows.join(parts) for parts in zip(*self.rows, strict=True)]
        single: dict[str, Sampled] = {
            **by_layer[0].summary(),
            **by_layer[-1].summary("last_"),
        }
        lists: dict[str, list[Sampled]] = {
            name: [layer.summary()[name] for layer in by_layer]
            for name in ("entropy", "saturated_share")
        }
        for name, parts in self.numbers.items():
            values = torch.cat(parts)
            # Every one of these is a root mean square: the draws' squares are averaged.
            if values.dim() == 1:
                single[name] = _root(values, name)
            else:
                lists[name] = [_root(column, name) for column in values.unbind(1)]
        single["query_gradient"] = lists["query_gradient"][0]
        single["input_gradient"] = lists["gradient"][0]
        single["stream_rms"] = lists["stream_rms"][-1]
        single["score_std"], single["last_score_std"] = (lists["score_std"][i] for i in (0, -1))
        return single, {
            name: ([v for v, _ in pairs], [e for _, e in pairs]) for name, pairs in lists.items()
        }


def _root(values: torch.Tensor, name: str) -> Sampled:
    return rows.over_draws(values) if name == "max_score" else rows.pooled_std(values)


def run(params: Params, ctx: Context) -> Run:
    """Two draws at a time, each report with all so far."""
    sample = _Sample()
    edges = [*range(0, params.draws, AT_ONCE), params.draws]
    for start, stop in pairwise(edges):
        weights = _block(params, ctx, range(start, stop), sample)
        if start == 0:
            picture = weight_map("weights", wording.WEIGHTS, weights)
        single, lists = sample.metrics()
        metrics: dict[str, Measured] = {
            **single,
            **{f"{name}_by_layer": pair for name, pair in lists.items()},
        }
        final = stop == params.draws
        yield ctx.report(
            metrics=metrics,
            final=final,
            progress=stop / params.draws,
            summary=pictures.summary(params.model, single) if final else None,
            heat_maps=[picture],
            tables=[pictures.table(lists)],
            curves=pictures.curves(lists),
        )


def _inputs(params: Params, ctx: Context, draws: range) -> tuple[torch.Tensor, torch.Tensor]:
    """x and the gradient at the output, (b, n, d) each."""
    shape = (params.seq_len, params.d_k * params.heads)
    z, up = (rows.drawn(ctx, name, draws, *shape, dtype="float64") for name in ("x", "up"))
    return params.input_mean + params.input_std * z, up


def _block(params: Params, ctx: Context, draws: range, sample: _Sample) -> torch.Tensor:
    """Forward and backward through those draws; weights (n, n) of the first one's first head."""
    import torch

    x, up = _inputs(params, ctx, draws)
    layers = norms.layers(params.model, ctx, draws, x)
    for layer in layers:
        layer.attention.requires_grad_()
    trace = norms.forward(params.model, ctx, x.requires_grad_(), layers)
    ctx.checkpoint()
    wanted = [*trace.streams, *(layer.attention for layer in layers)]
    found = torch.autograd.grad((trace.output * up).sum(), wanted)
    streams, squares = found[: len(trace.streams)], found[len(trace.streams) :]
    scores = torch.stack([part.detach().flatten(1) for part in trace.scores], 1)  # (b, L, ·)
    first = trace.scores[0].detach()
    rms = [part.detach().square().mean((-2, -1)) for part in trace.streams]
    numbers = {
        "score_std": scores.var(-1),
        "row_std": first.var(-1).mean((-2, -1)),
        "max_score": scores.abs().amax((-2, -1)),
        "stream_rms": torch.stack(rms, 1),
        "stream_growth": rms[-1] / rms[0],
        "gradient": torch.stack([part.square().mean((-2, -1)) for part in streams], 1),
        "query_gradient": torch.stack([part[:, 0].square().mean((-2, -1)) for part in squares], 1),
    }
    weights = [part.detach() for part in trace.weights]
    sample.add(numbers, [Rows.of(part.flatten(1, 2)) for part in weights])
    return weights[0][0, 0]


METHOD = both(
    "float64, heads as bilinear forms x·W_q·W_kᵀ·xᵀ, rows as odds; gradients derived by hand",
    "float64：头写成双线性形 x·W_q·W_kᵀ·xᵀ，行用赔率；梯度手工推导",
)


def check(params: Params, ctx: Context) -> Reference:
    """Every draw through merged weights, and back by formulas worked out on paper."""
    import numpy as np

    from quizapp.lab.second_way import norms as second
    from quizapp.lab.second_way.odds import drawn64

    model, passes = params.model, []
    d, wide = model.d_model, norms.WIDER * model.d_model
    gains = np.array([model.qk_gain, model.qk_gain, 1, 1]).reshape(-1, 1, 1)
    for draw in range(params.draws):
        ctx.checkpoint()
        one = range(draw, draw + 1)
        z, up = (
            drawn64(ctx, name, one, params.seq_len, d, dtype="float64")[0] for name in ("x", "up")
        )
        weights = []
        for i in range(model.layers):
            square = drawn64(ctx, f"attention{i}", one, 4, d, d)[0] * gains / math.sqrt(d)
            mlp = drawn64(ctx, f"mlp{i}", one, 2, d, wide)[0]
            weights.append((square, mlp[0] / math.sqrt(d), mlp[1].T * math.sqrt(2 / wide)))
        x = params.input_mean + params.input_std * z
        passes.append(second.through(model, x, weights, up))
    return second.figures(passes)
