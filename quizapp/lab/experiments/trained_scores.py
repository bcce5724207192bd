"""Training makes q and k correlate: what the scale decided at the start, it decides no more.

    prediction = softmax(c · (x W_q)(m W_k)ᵀ) (m W_v) W_o,   c = 1, 1/√d_k, 1/d_k
    at the start, entries independent of unit variance: std(c·q·k) = c·√d_k = √d_k, 1, 1/√d_k
    trained: std(c·q·k) = alignment · c·√d_k·rms(q)·rms(k), with alignment above 1

x query tokens, m the pairs in memory, W_q and W_k (d_model, d_k). Every weight is trained, from
the same start on the same batches, at every rate of a grid; each scale is then read at its own
best rate, on a batch held out. Tasks: `maths/training_tasks.py`; what is read and how:
`maths/trained_scores.py`. All of it is about this small task, size and number of steps.

Vaswani et al. 2017, section 3.2.1; Yang et al. 2022, "Tensor Programs V", definition 4.1, divide
by d_k because trained q and k correlate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

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
from quizapp.lab.maths import trained_scores as maths
from quizapp.lab.maths import training
from quizapp.lab.maths.scales import factor
from quizapp.lab.maths.training_results import Ended
from quizapp.lab.maths.training_tasks import D_MODEL, QUERIES, Batch, Task, draw, guess_loss
from quizapp.lab.pictures import trained_scores as pictures
from quizapp.lab.wording import trained_scores as wording

if TYPE_CHECKING:
    import torch

CLAIM = {
    "en": "trained q and k correlate: score std, entropy and effective scale after training",
    "zh": "训练使 q、k 相关：训练之后的分数标准差、熵与有效缩放",
}
#: Rates tried, each twice the one before; the best lies inside, for defaults.
RATES: Final = {
    "adam": tuple(2.0**power for power in range(-9, -4)),
    "sgd": tuple(2.0**power for power in range(-3, 3)),
}
#: Multiplications by W_k in a whole run, as `train_scaling` counts them: some six seconds.
MOST_WORK: Final = 50_000_000
OVERHEAD: Final = 512
#: Readings along the training, and seconds between partial reports.
READINGS: Final = 40
PAUSE: Final = 0.07


class Params(BaseParams):
    """The task, the optimiser, and the size of the head."""

    task: Task = param("regression", en="what is learned", zh="学习任务")
    optimiser: training.OptimiserName = param("adam", en="how it is learned", zh="优化器")
    d_k: int = param(64, low=4, high=256, step="double", en="width of the head", zh="头的维度")
    pairs: int = param(
        16,
        low=8,
        high=64,
        step="double",
        en="pairs in the memory of a query",
        zh="记忆中的键值对数",
    )
    qk_std: float = param(
        1.0,
        low=0.05,
        high=4,
        en="standard deviation of an entry of q and of k at the start",
        zh="开始时 q、k 每个元素的标准差",
    )
    steps: int = param(250, low=20, high=1000, step="double", en="training steps", zh="训练步数")
    runs: int = param(4, low=2, high=8, en="seeded runs of each", zh="每种设置的重复次数")

    @model_validator(mode="after")
    def _fits(self) -> Params:
        cells = len(maths.SCALES) * len(RATES[self.optimiser]) * self.runs
        work = cells * self.steps * (self.pairs * self.d_k + OVERHEAD)
        if work > MOST_WORK:
            raise UnfitError(
                f"this is {work / MOST_WORK:.1f} times the training that one run may do: "
                "lower steps, runs, pairs or d_k",
                f"训练量是一次运行上限的 {work / MOST_WORK:.1f} 倍："
                "请调小 steps、runs、pairs 或 d_k",
            )
        return self

    @property
    def rates(self) -> tuple[float, ...]:
        """The learning rates tried."""
        return RATES[self.optimiser]


METRICS = wording.METRICS
PLOTS = ("std", "entropy", "loss", "scores")


def run(params: Params, ctx: Context) -> Run:
    """The start at once; curves as the training goes; then the trained heads, read closely."""
    held_out, guess = _batch(params, ctx, maths.HELD_OUT), guess_loss(params.task)
    weights = training.start(ctx, params.runs, params.d_k, params.qk_std)
    started = [maths.Heads(weights[0], weights[1], by) for by in _factors(params)]
    cells = _cells(params, ctx, weights)
    metrics: dict[str, Measured] = {}
    own = maths.own_keys(params.task, params.pairs)
    every, shown = math.ceil(params.steps / READINGS), 0.0
    readings = [maths.brief(cells, held_out)]
    for step, history in training.train(cells, ctx, _batches(params, ctx), params.steps):
        if step == 1:
            metrics |= maths.at_start(started, history.until(1), held_out)
            metrics |= {"guess_loss": guess, "uniform_entropy": math.log(params.pairs)}
        if step % every == 0:
            readings.append(maths.brief(cells, held_out))
        if step == 1 or ctx.seconds() - shown >= PAUSE:
            yield ctx.report(
                metrics=metrics,
                curves=pictures.curves(readings, every, history.until(step), guess),
                histograms=[pictures.scores(started[1].scores(held_out), own, "start")],
                progress=0.98 * step / params.steps,
            )
            shown = ctx.seconds()
    found = history.until(params.steps)
    trained = maths.chosen(started, cells, Ended.of(found, guess))
    maths.KEPT[ctx] = trained
    metrics |= {**maths.at_end(trained, held_out, params.task), **_best(params, trained.ended)}
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(params.task, params.d_k, metrics),
        tables=[pictures.table(metrics)],
        curves=pictures.curves(readings, every, found, guess),
        histograms=[pictures.scores(trained.final[1].scores(held_out), own, "end")],
    )


def _batch(params: Params, ctx: Context, step: int) -> Batch:
    return draw(params.task, ctx, step, params.runs, params.pairs)


def _batches(params: Params, ctx: Context) -> training.Batches:
    return lambda step: _batch(params, ctx, step)


def _factors(params: Params) -> list[float]:
    sizes = {"d_k": params.d_k, "d_model": D_MODEL, "seq_len": params.pairs}
    return [factor(scale, **sizes) for scale in maths.SCALES]


def _cells(params: Params, ctx: Context, weights: Sequence[torch.Tensor]) -> list[training.Cells]:
    """The models of every scale, each rate's from the same start."""
    rate = ctx.tensor(params.rates)[:, None, None, None]
    return [
        training.Cells(
            scale,
            by,
            [w.expand(len(params.rates), *w.shape).clone() for w in weights],
            [rate] * 4,
            params.optimiser,
        )
        for scale, by in zip(maths.SCALES, _factors(params), strict=True)
    ]


def _best(params: Params, ended: Ended) -> dict[str, Measured]:
    """Each scale's best rate, and whether it is only the end of the grid."""
    best = ended.best.tolist()
    return {
        "best_rate": [params.rates[at] for at in best],
        "best_at_edge": [float(at in (0, len(params.rates) - 1)) for at in best],
    }


METHOD = both(
    "step 0 by hand-written backward formulas; trained scores in float64 from W_q W_kᵀ as one form",
    "第 0 步用手写反向公式；训练后的分数用 float64、把 W_q W_kᵀ 当作一个双线性型重算",
)


def check(params: Params, ctx: Context) -> Reference:
    """Loss and gradient before training, and all scores from the trained weights.

    The weights are those of this context's own run; where there was none, it is run first.
    """
    from quizapp.lab.second_way.trained_scores import final_numbers
    from quizapp.lab.second_way.training import batch64, first_step, weights64

    if ctx not in maths.KEPT:
        for _ in run(params, ctx):
            ctx.checkpoint()
    trained = maths.KEPT[ctx]
    inputs = batch64(params.task, ctx, params.runs, params.pairs, 0)
    weights = weights64(ctx, params.runs, params.d_k, params.qk_std)
    held_out = batch64(params.task, ctx, params.runs, params.pairs, maths.HELD_OUT)
    group = QUERIES if params.task == "regression" else params.pairs
    lists: dict[str, list[float]] = {}
    for by, heads in zip(_factors(params), trained.final, strict=True):
        ctx.checkpoint()
        first = first_step(params.task, inputs, weights, by=by, after=1.0)
        before = final_numbers(held_out, weights[:2], by, group)
        after64 = [w.cpu().double().numpy() for w in (heads.w_q, heads.w_k)]
        after = final_numbers(held_out, after64, by, group)
        numbers = {name: first[name] for name in ("initial_loss", "initial_qk_gradient")}
        numbers |= {f"initial_{name}": before[f"final_{name}"] for name in ("std", "entropy")}
        numbers |= {name: values for name, values in after.items() if name != "lengths"}
        numbers["growth"] = after["final_std"] / before["final_std"]
        numbers["length_growth"] = after["lengths"] / before["lengths"]
        for name, values in numbers.items():
            lists.setdefault(name, []).append(float(values.mean()))
    reference: dict[str, Value] = dict(lists)
    return reference
