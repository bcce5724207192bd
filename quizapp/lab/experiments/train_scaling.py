"""Whether unscaled training fails depends on the learning rate, the optimiser and the task.

    prediction = softmax(c · (x W_q)(m W_k)ᵀ) (m W_v) W_o
    c = 1, 1/ln d_k, 1/∛d_k, 1/√d_k, 1/d_k; every weight trained, from the same start and batches
    exactly the scaled training: c = 1, W_q and W_k started at d_k^(−¼) times their size, their
    rate over √d_k under SGD (over d_k^¼ under Adam), every other rate as it was

x (S_q, d_model) query tokens, m (S_k, d_model) the pairs in memory, W_q and W_k (d_model, d_k),
W_v (d_model, C), W_o (C, C). A run is trained at every rate of a grid: compare scales at one
shared rate, and each at its own best, before any conclusion; both are about this task, size and
number of steps. Tasks are in `maths/training_tasks.py`, the optimisers in `maths/training.py`.

Vaswani et al. 2017, section 3.2.1; Raffel et al. 2020 (T5) train without a scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

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
from quizapp.lab.maths import training, training_results
from quizapp.lab.maths.scales import SCALES, Scale, factor
from quizapp.lab.maths.training_tasks import D_MODEL, Batch, Task, draw, guess_loss
from quizapp.lab.maths.training_twins import MOST_STEPS, twins
from quizapp.lab.pictures import training as pictures
from quizapp.lab.wording import train_scaling as wording
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import torch

CLAIM = {
    "en": "without the scale, does training fail? One rate says yes, another no: a grid of both",
    "zh": "去掉缩放，训练会失败吗？换个学习率，答案就变：整个网格实测",
}

#: Which scales are trained, in the order of SCALES.
SETS: Final[dict[str, tuple[Scale, ...]]] = {
    "two": ("none", "sqrt_d_k"),
    "five": SCALES[:5],
    "all": SCALES,
}
#: The lowest rate of the grid; each next one is twice as large.
LOWEST: Final = {"sgd": 2.0**-5, "adam": 2.0**-11}
#: Multiplications by W_k in a whole run, counted in one sequence: some ten seconds of work.
MOST_WORK: Final = 100_000_000
#: What a small step costs beside the work that grows with its size.
OVERHEAD: Final = 512
#: Seconds between partial reports: no eye follows more than 15 a second.
PAUSE: Final = 0.07
#: Steps before the rates have done enough to be compared.
EARLY: Final = 5
#: Functions of a head that only scale its output: their scores are the unscaled ones.
AFTER: Final = ("values_only", "after_softmax")


class Params(BaseParams):
    """The task, the optimiser, and the grid of scales, rates and seeded runs."""

    task: Task = param("recall", en="what is learned", zh="学习任务")
    optimiser: training.OptimiserName = param("sgd", en="how it is learned", zh="优化器")
    scales: Literal["two", "five", "all"] = param(
        "five",
        en="scales to train: none and √d_k; with ln, ∛ and d_k; or every way of scale_choice",
        zh="训练哪些取法：不缩放与 √d_k；再加 ln、∛、d_k；或 scale_choice 的全部",
    )
    d_k: int = param(64, low=4, high=256, step="double", en="width of the head", zh="头的维度")
    pairs: int = param(
        16,
        low=4,
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
    shared: int = param(
        5, low=1, high=12, en="which rate of the grid all scales share", zh="共用第几个学习率"
    )
    rates: int = param(8, low=2, high=12, en="learning rates in the grid", zh="学习率个数")
    shift: int = param(
        0, low=-6, high=6, en="doublings by which the grid is moved", zh="网格整体翻倍次数"
    )
    steps: int = param(250, low=20, high=1000, step="double", en="training steps", zh="训练步数")
    runs: int = param(4, low=2, high=8, en="seeded runs of each", zh="每种设置的重复次数")

    @model_validator(mode="after")
    def _fits(self) -> Params:
        if self.shared > self.rates:
            raise UnfitError(
                f"shared is the place of a rate among {self.rates}, not {self.shared}: "
                "lower shared or raise rates",
                f"shared 是 {self.rates} 个学习率中的第几个，不能是 {self.shared}："
                "请调小 shared 或调大 rates",
            )
        work = self.cells * self.steps * (self.pairs * self.d_k + OVERHEAD)
        if work > MOST_WORK:
            raise UnfitError(
                f"this is {work / MOST_WORK:.1f} times the training that one run may do: "
                "lower steps, runs, rates, pairs or d_k",
                f"训练量是一次运行上限的 {work / MOST_WORK:.1f} 倍："
                "请调小 steps、runs、rates、pairs 或 d_k",
            )
        return self

    @property
    def cells(self) -> int:
        """Heads that are trained at once."""
        return len(SETS[self.scales]) * self.rates * self.runs


def memory(params: Params) -> int:
    """Bytes at the peak, as measured: weights and moments of all heads, and the batches."""
    batches = 740 * params.runs * params.pairs * params.d_k
    return 2**26 + 800 * params.cells * params.d_k + batches


METRICS = wording.METRICS
PLOTS = ("loss", "gradient", "entropy", "loss_at_best", "loss_by_rate", "same_training")


def run(params: Params, ctx: Context) -> Run:
    """The first step's numbers, then all of them as the training goes; the twins' last."""
    scales, grid = SETS[params.scales], _grid(params)
    started = training.start(ctx, params.runs, params.d_k, params.qk_std)
    cells = [_cells(scale, started, grid, params, ctx) for scale in scales]
    shown, metrics = 0.0, _axes(params)
    for step, history in training.train(cells, ctx, _batches(params, ctx), params.steps):
        if step not in (1, EARLY, params.steps) and ctx.seconds() - shown < PAUSE:
            continue
        found = history.until(step)
        metrics |= training_results.at_start(found, grid) if step == 1 else {}
        # The last tenth of the steps so far, until these are all.
        metrics |= training_results.at_end(found, grid) if step >= EARLY else {}
        curves = pictures.live(found, scales, grid, params.steps)
        yield ctx.report(metrics=metrics, curves=curves, progress=0.9 * step / params.steps)
        shown = ctx.seconds()
    curves.append(pictures.at_best(found, scales, grid))
    table = pictures.table(scales, metrics)
    yield ctx.report(metrics=metrics, curves=curves, tables=[table], progress=0.9)
    for losses in twins(
        ctx,
        started,
        _batches(params, ctx),
        d_k=params.d_k,
        rate=training_results.best_rate(found, grid, "scaled"),
        optimiser=params.optimiser,
        steps=params.steps,
    ):
        metrics |= training_results.differences(losses, grid.guess)
        if ctx.seconds() - shown >= PAUSE:
            yield ctx.report(
                metrics=metrics,
                curves=[*curves, pictures.same_training(losses, grid.guess)],
                tables=[table],
                progress=0.9 + 0.1 * len(losses) / min(params.steps, MOST_STEPS),
            )
            shown = ctx.seconds()
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=_summary(params, metrics),
        tables=[table],
        curves=[*curves, pictures.same_training(losses, grid.guess)],
    )


def _grid(params: Params) -> training_results.Grid:
    lowest = LOWEST[params.optimiser] * 2.0**params.shift
    scales = SETS[params.scales]
    return training_results.Grid(
        rates=tuple(lowest * 2**at for at in range(params.rates)),
        shared=params.shared - 1,
        pair=(scales.index("none"), scales.index("sqrt_d_k")),
        guess=guess_loss(params.task),
    )


def _batches(params: Params, ctx: Context) -> training.Batches:
    def batch(step: int) -> Batch:
        return draw(params.task, ctx, step, params.runs, params.pairs)

    return batch


def _by(scale: Scale, params: Params) -> float:
    return factor(scale, d_k=params.d_k, d_model=D_MODEL, seq_len=params.pairs)


def _cells(
    scale: Scale,
    started: Sequence[torch.Tensor],
    grid: training_results.Grid,
    params: Params,
    ctx: Context,
) -> training.Cells:
    """The models of one scale, each rate's from the same start."""
    rate = ctx.tensor(grid.rates)[:, None, None, None]
    weights = [w.expand(params.rates, *w.shape).clone() for w in started]
    return training.Cells(scale, _by(scale, params), weights, [rate] * 4, params.optimiser)


def _axes(params: Params) -> dict[str, Measured]:
    grid = _grid(params)
    return {
        "divisors": [1 / _by(scale, params) for scale in SETS[params.scales]],
        "rates": list(grid.rates),
        "shared_rate": grid.rates[grid.shared],
        "guess_loss": grid.guess,
    }


def _summary(params: Params, found: dict[str, Measured]) -> dict[str, str]:
    """One sentence on both rates, shared and own, of this regime."""

    def n(name: str) -> str:
        value = found[name]
        number = value[0] if isinstance(value, tuple) else value
        return figure(number) if isinstance(number, int | float) else "…"

    edges = found["best_at_edge_by_scale"]
    bounded = isinstance(edges, list) and not any(edges[at] for at in _grid(params).pair)
    # A best rate at the end of the grid is only the best of those tried.
    beyond = both("", "") if bounded else wording.BEYOND
    task, optimiser = wording.TASKS[params.task], wording.OPTIMISERS[params.optimiser]
    return both(
        f"{task['en'].capitalize()}, {optimiser}, d_k = {params.d_k}, {params.steps} steps: at the "
        f"shared rate {n('shared_rate')} the loss ends at {n('unscaled_loss')} unscaled and "
        f"{n('scaled_loss')} over √d_k (guessing: {n('guess_loss')}); each at its own best rate, "
        f"{n('unscaled_best_loss')} (at {n('unscaled_best_rate')}) and {n('scaled_best_loss')} "
        f"(at {n('scaled_best_rate')}).{beyond['en']}",
        f"{task['zh']}，{optimiser}，d_k = {params.d_k}，{params.steps} 步：共用学习率 "
        f"{n('shared_rate')} 时，末尾损失不缩放为 {n('unscaled_loss')}，除以 √d_k 为 "
        f"{n('scaled_loss')}（瞎猜：{n('guess_loss')}）；各用最佳学习率时为 "
        f"{n('unscaled_best_loss')}（{n('unscaled_best_rate')}）与 {n('scaled_best_loss')}"
        f"（{n('scaled_best_rate')}）。{beyond['zh']}",
    )


METHOD = {
    "en": "loss and gradient of step 0 by hand-written backward formulas, one sequence at a time",
    "zh": "第 0 步的损失与梯度：逐序列、用手写的反向公式求得",
}


def check(params: Params, ctx: Context) -> Reference:
    """The first step of every scale and run, without autograd."""
    from quizapp.lab.second_way.training import first_batch, first_step, weights64

    inputs = first_batch(params.task, ctx, params.runs, params.pairs)
    weights = weights64(ctx, params.runs, params.d_k, params.qk_std)
    lists: dict[str, list[float]] = {}
    for scale in SETS[params.scales]:
        ctx.checkpoint()
        after = params.d_k**-0.5 if scale in AFTER else 1.0
        found = first_step(params.task, inputs, weights, by=_by(scale, params), after=after)
        for name, values in found.items():
            lists.setdefault(name, []).append(float(values.mean()))
    reference: dict[str, Value] = {}
    for name, values_by_scale in lists.items():
        reference[f"{name}_by_scale"] = values_by_scale
        for prefix, at in zip(wording.PREFIXES, _grid(params).pair, strict=True):
            reference[f"{prefix}_{name}"] = values_by_scale[at]
    return reference
