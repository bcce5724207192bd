"""Which assertion catches which bug: probes on a small transformer, healthy or broken in one place.

    x = E[token] + P[position];  a layer: x += W_o attention(LN(x)),  x += W_out relu(W_in LN(x))
    logits = U LN(x);  loss = cross-entropy of the next token
    forward:  mean and std of the scores, Var(q), row sums, weight on hidden keys, largest weight,
              entropy, influence of the last token on earlier ones and of the first on the last
    backward: gradient norms of W_q and W_k, and of W_v, layer by layer

Causal, untrained, LN before each block; sequences whose second half repeats the first. Every
fault starts from the same numbers as the healthy model. One model and one batch: the readings
are exact for it, another seed shows another model. `maths/probe_readings.py` holds the bands.

Vaswani et al. 2017, section 3.2; Radford et al. 2019, section 2.3 (LN first, smaller residuals).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, param
from quizapp.lab.maths import rows
from quizapp.lab.wording import probes as wording

if TYPE_CHECKING:
    from quizapp.lab.maths.probe_readings import Readings

CLAIM = {
    "en": "which probe catches which attention bug, and which bugs no forward probe sees",
    "zh": "哪个探针能查出哪种注意力错误，哪些错误前向看不到",
}
#: What one run may ask for: tokens × layers × d_model², for every pass over a model.
MOST_WORK = 2**31
#: Passes that no step of training adds: each fault forward, backward and perturbed twice.
PASSES = 14


class Params(BaseParams):
    """The model, its fault, and how long it trains on one batch."""

    fault: Literal[
        "none",
        "no_scale",
        "wrong_axis",
        "mask_after_softmax",
        "no_mask",
        "bad_init",
        "tiny_init",
        "wrong_reshape",
        "detached_value",
    ] = param("no_scale", en="what is broken", zh="故障")
    layers: int = param(3, low=1, high=4, en="layers", zh="层数")
    heads: int = param(4, low=2, high=8, step="double", en="heads", zh="头数")
    d_model: int = param(128, low=32, high=256, step="double", en="width", zh="维度")
    seq_len: int = param(
        32, low=16, high=64, step="double", en="tokens in a sequence", zh="序列长度"
    )
    batch: int = param(4, low=2, high=16, step="double", en="sequences", zh="序列数")
    steps: int = param(
        20,
        low=0,
        high=100,
        step="double",
        en="SGD steps on the one batch",
        zh="同一批上的 SGD 步数",
    )
    learning_rate: float = param(
        0.1, low=0.001, high=0.5, step="double", en="learning rate", zh="学习率"
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        rows.refuse_uneven(self.d_model, self.heads)
        passes = PASSES + 2 * self.steps
        work = self.batch * self.seq_len * self.layers * self.d_model**2 * passes
        product = f"batch × seq_len × layers × d_model² × (2 × steps + {PASSES})"
        rows.refuse_above(product, work, MOST_WORK)
        return self


METRICS = wording.METRICS
PLOTS = ("weights", "gradients", "training")


def run(params: Params, ctx: Context) -> Run:
    """The chosen model and the healthy one, then every other fault, then a few steps of both."""
    from quizapp.lab.maths.probes import descend, read
    from quizapp.lab.pictures import probes as pictures

    fault: str = params.fault
    mine, seen = read(params, ctx, fault)
    found = {fault: mine}
    whole = found.setdefault("none", mine if fault == "none" else read(params, ctx, "none")[0])
    metrics, summary = _metrics(mine, whole), pictures.summary(params, mine.fires())
    weights, gradients = pictures.weights(seen), pictures.gradients(mine, whole)
    yield ctx.report(
        metrics=metrics,
        progress=0.1,
        summary=summary,
        heat_maps=[weights],
        curves=[gradients],
    )
    for other in wording.FAULTS:
        if other not in found:
            found[other] = read(params, ctx, other)[0]
    metrics |= _coverage(found)
    tables = [pictures.layers(params, mine), pictures.matrix(found)]
    yield ctx.report(
        metrics=metrics,
        progress=0.4,
        summary=summary,
        tables=tables,
        heat_maps=[weights],
        curves=[gradients],
    )
    losses = {name: list(descend(params, ctx, name)) for name in dict.fromkeys((fault, "none"))}
    metrics |= {"loss_after": losses[fault][-1], "healthy_loss_after": losses["none"][-1]}
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=summary,
        tables=tables,
        heat_maps=[weights],
        curves=[gradients, pictures.training(losses)],
    )


def _metrics(mine: Readings, whole: Readings) -> dict[str, Measured]:
    from quizapp.lab.maths.probe_readings import counts

    fired = mine.fires()
    return {
        **mine.scalars(),
        **{f"healthy_{name}": value for name, value in whole.scalars().items()},
        **mine.lists(),
        **{f"fires_{name}": float(fires) for name, fires in fired.items()},
        **counts(fired),
        "uniform_loss": math.log(mine.vocabulary),
    }


def _coverage(found: dict[str, Readings]) -> dict[str, Measured]:
    from quizapp.lab.maths.probe_readings import coverage

    return dict(coverage({fault: readings.fires() for fault, readings in found.items()}))


METHOD = {
    "en": "the same weights in float64 NumPy, the backward pass derived by hand, no autograd",
    "zh": "同样的权重在 float64 NumPy 中前向，反向传播手工推导，不用自动求导",
}


def check(params: Params, ctx: Context) -> Reference:
    """Every reading of every fault, forward and backward, before the first step."""
    from quizapp.lab.second_way.probes import reference64

    return reference64(params, ctx)
