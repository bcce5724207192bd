"""A head that must attend to nothing parks its weight on a token whose value it has emptied.

    x = E[token] + P[position];  a layer: x += g · (weights V) W_o;  logits = x U
    softmax:     Σⱼ weightᵢⱼ = 1, so a query that needs nothing has to put it somewhere
    off_by_one:  weightᵢⱼ = exp(sᵢⱼ)/(1 + Σ exp(sᵢⱼ));  learned: exp(a) for the 1, a learned
    gate:        softmax, the output of each head times g = σ(xᵢ · w_g)

All four are trained side by side, from the same numbers on the same batches, on a language in
which a few words ask to copy the word before and the others need nothing (`maths/backcopy.py`).
Measured on fresh sequences, over the later half of positions: weight on the first token, length
of its value, how much comes through, and the loss once keys are evicted. Small and attention
alone; positions keep their numbers when keys go.

Xiao et al. 2024 (StreamingLLM), sections 3.1 and 3.2; Guo et al. 2024, section 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    UnfitError,
    both,
    param,
)
from quizapp.lab.wording import attention_sinks as wording

if TYPE_CHECKING:
    import torch

    from quizapp.lab.maths.sinks import Progress

CLAIM = both(
    "where heads look when they need nothing: a sink forms in training, or has a way out",
    "注意力头无所需时看向哪里：训练中形成的汇聚点，与几种出路",
)
#: Tokens read in all training steps, times layers: some ten seconds of work.
MOST_WORK: Final = 4_000_000
#: Arms times sequences of a step.
AT_ONCE: Final = 32
#: Seconds between partial reports: no eye follows more than 15 a second.
PAUSE: Final = 0.07


class Params(BaseParams):
    """The language, the models, and the cache they are tested with."""

    arm: Literal["softmax", "off_by_one", "learned", "gate"] = param(
        "softmax", en="whose numbers are shown; all four are trained", zh="显示哪种；四种都会训练"
    )
    first: Literal["bos", "word"] = param(
        "bos", en="first token: an id of its own, or a word", zh="首词元：专用 id，或普通词"
    )
    copying: int = param(
        3, low=1, high=10, en="words of 11 that ask to copy", zh="11 个词中要求复制的个数"
    )
    layers: int = param(1, low=1, high=2, en="layers", zh="层数")
    heads: int = param(1, low=1, high=4, step="double", en="heads of a layer", zh="每层头数")
    seq_len: int = param(
        16, low=8, high=32, step="double", en="tokens of a sequence", zh="序列长度"
    )
    window: int = param(
        4, low=2, high=16, en="recent keys that a small cache keeps", zh="小缓存保留最近几个键"
    )
    rate: float = param(
        0.03,
        low=0.001,
        high=0.1,
        step="double",
        en="first learning rate of Adam",
        zh="Adam 初始学习率",
    )
    steps: int = param(250, low=20, high=1000, step="double", en="training steps", zh="训练步数")
    runs: int = param(6, low=2, high=8, en="seeded runs of each", zh="每种的重复次数")

    @model_validator(mode="after")
    def _fits(self) -> Params:
        if self.heads not in (1, 2, 4):
            raise UnfitError(
                f"heads must divide the width of 32: 1, 2 or 4, not {self.heads}",
                f"heads 须整除宽度 32：取 1、2 或 4，而不是 {self.heads}",
            )
        if self.window > self.seq_len // 2:
            raise UnfitError(
                f"window may be at most half of seq_len, {self.seq_len // 2}: what is evicted is "
                "measured over the later half",
                f"window 最多为 seq_len 的一半，即 {self.seq_len // 2}：丢弃的影响在后一半上测量",
            )
        work = AT_ONCE * self.runs * self.seq_len * self.steps * self.layers
        if work > MOST_WORK:
            raise UnfitError(
                f"this is {work / MOST_WORK:.1f} times the training that one run may do: "
                "lower steps, runs, seq_len or layers",
                f"训练量是一次运行上限的 {work / MOST_WORK:.1f} 倍："
                "请调小 steps、runs、seq_len 或 layers",
            )
        return self


def memory(params: Params) -> int:
    """Bytes a run holds at its peak: every layer of all arms on the sequences of the test."""
    tokens = 256 * params.runs * params.seq_len  # 4 arms × 64 sequences
    return 4 * tokens * (5 * params.layers * params.heads * params.seq_len + 512) + 2**26


METRICS = wording.METRICS
PLOTS = ("first_weight", "loss", "values", "weights")


def run(params: Params, ctx: Context) -> Run:
    """The first step's numbers, curves as the training goes, then what became of the heads."""
    import torch

    from quizapp.lab.maths import sink_results, sinks
    from quizapp.lab.pictures import attention_sinks as pictures

    weights = sinks.fresh(params, ctx)
    history: list[Progress] = []
    metrics: dict[str, Measured] = {}
    arm, shown = sinks.ARMS.index(params.arm), 0.0
    for progress in sinks.train(params, ctx, weights):
        ctx.checkpoint()
        history.append(progress)
        if len(history) == 1:
            metrics = _at_start(params, progress, arm)
        elif ctx.seconds() - shown < PAUSE:
            continue
        curves = pictures.live(_lines(history))
        yield ctx.report(metrics=metrics, curves=curves, progress=0.9 * len(history) / params.steps)
        shown = ctx.seconds()
    sinks.keep(params, ctx, weights)
    with torch.no_grad():
        found = sink_results.Ended(params, ctx, weights)
    metrics |= sink_results.ended(found)
    # What became of the heads first, the first step's numbers after it.
    metrics = {name: metrics[name] for name in METRICS}
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(params, metrics),
        tables=[pictures.table(metrics)],
        curves=[*pictures.live(_lines(history)), pictures.values(found.value_lengths())],
        heat_maps=[pictures.weights(params, found)],
    )


def _at_start(params: Params, first: Progress, arm: int) -> dict[str, Measured]:
    """What holds before the first step."""
    from quizapp.lab.maths import sink_results

    start = {"initial_loss": first.loss, "initial_gradient": first.gradient}
    later = range(params.seq_len // 2, params.seq_len)
    even = sum(1 / (at + 1) for at in later) / len(later)
    return {**sink_results.every(start, arm), "even_weight": even}


def _lines(history: list[Progress]) -> dict[str, torch.Tensor]:
    """The steps so far, (t, A, N) each."""
    import torch

    return {
        "first_weight": torch.stack([one.first for one in history]).cpu().double(),
        "loss": torch.stack([one.excess for one in history]).cpu().double(),
    }


METHOD = both(
    "first loss and gradient by a backward pass derived by hand; trained heads from odds, their "
    "evicted rows renormalised; float64 NumPy",
    "首步损失与梯度用手工推导的反向传播；训练后的头由赔率求得，删键后重新归一；float64 NumPy",
)


def check(params: Params, ctx: Context) -> Reference:
    """The first step, and everything measured on the trained weights."""
    from quizapp.lab.second_way.sinks import reference64

    return reference64(params, ctx)
