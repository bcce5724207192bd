"""Statistics of attention rows: entropy, largest weight and softmax Jacobian, with honest errors.

Rows of one draw share its queries and keys, so they are not independent; draws are.
Every standard error here comes from the spread between draws. Quantiles are of all
rows together, and their errors from leaving out one draw at a time (the jackknife).

`quizapp.lab.second_way.odds` finds the same numbers a second way.

Shapes: D draws, S_q queries, S_k keys, N = D·S_q rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from quizapp.lab.experiment import Context, UnfitError, metric
from quizapp.report import MetricInfo

if TYPE_CHECKING:
    import torch

Sampled = tuple[float, float]
Dtype = Literal["float32", "float64"]

#: A row below this Jacobian norm passes on next to no gradient; above this weight it is saturated.
DEAD, SATURATED = 0.01, 0.99
QUANTILES = {"jacobian_p10": 0.1, "jacobian_median": 0.5, "jacobian_p90": 0.9}
#: No softmax row has a larger Jacobian norm: two keys at one half reach it.
LARGEST_NORM = 0.5
#: Weights or inputs worked on at a time: tens of milliseconds, a few MiB.
BLOCK = 2**18

_MEASURES = {
    # measure: unit, English label, Chinese label, English meaning, Chinese meaning, upper bound
    "entropy": ("nats", "entropy", "熵", "mean entropy of a row", "每行权重的平均熵", math.inf),
    "max_weight": (
        "",
        "largest weight",
        "最大权重",
        "mean of the largest weight in a row",
        "每行最大权重的均值",
        1,
    ),
    "jacobian_mean": (
        "",
        "Jacobian mean",
        "雅可比范数均值",
        "mean Frobenius norm of a row's softmax Jacobian",
        "每行 softmax 雅可比 Frobenius 范数的均值",
        LARGEST_NORM,
    ),
    "jacobian_p10": (
        "",
        "Jacobian p10",
        "雅可比范数 p10",
        "norm of a row's softmax Jacobian that the lowest tenth of rows stays below",
        "最低一成的行低于此 softmax 雅可比范数",
        LARGEST_NORM,
    ),
    "jacobian_median": (
        "",
        "Jacobian median",
        "雅可比范数中位数",
        "median norm of a row's softmax Jacobian",
        "每行 softmax 雅可比范数的中位数",
        LARGEST_NORM,
    ),
    "jacobian_p90": (
        "",
        "Jacobian p90",
        "雅可比范数 p90",
        "norm of a row's softmax Jacobian that the highest tenth of rows exceeds",
        "最高一成的行高于此 softmax 雅可比范数",
        LARGEST_NORM,
    ),
    "dead_share": (
        "share",
        "rows below 0.01",
        "范数低于 0.01 的行",
        "share of rows whose softmax Jacobian norm is below 0.01",
        "softmax 雅可比范数低于 0.01 的行所占比例",
        1,
    ),
    "saturated_share": (
        "share",
        "saturated rows",
        "饱和行",
        "share of rows whose largest weight is above 0.99",
        "最大权重超过 0.99 的行所占比例",
        1,
    ),
}


def row_metrics(
    prefix: str = "", label: tuple[str, str] = ("", ""), meaning: tuple[str, str] = ("", "")
) -> dict[str, MetricInfo]:
    """METRICS entries for what `Rows.summary(prefix)` measures.

    label and meaning: what to add in English and in Chinese, as ", raw" and "without a scale".
    """
    tails = [f", {meaning[0]}" if meaning[0] else "", f"（{meaning[1]}）" if meaning[1] else ""]
    return {
        f"{prefix}{name}": metric(
            unit,
            {"en": en + label[0], "zh": zh + label[1]},
            {"en": en_meaning + tails[0], "zh": zh_meaning + tails[1]},
            low=0,
            high=high,
            sampled=True,
        )
        for name, (unit, en, zh, en_meaning, zh_meaning, high) in _MEASURES.items()
    }


#: What one run may ask for, beside the bounds of each parameter: seconds and tens of MiB.
MOST_WEIGHTS, MOST_ENTRIES = 4_000_000, 16_777_216


def refuse_too_much(draws: int, seq_len: int, width: str, size: int, *, part: int = 1) -> None:
    """UnfitError where draws × seq_len² weights or draws × seq_len × width entries are too many.

    `part`: only that part of the limits, for runs that work that many times as hard.
    """
    weights, entries = draws * seq_len**2, draws * seq_len * size
    refuse_above("draws × seq_len²", weights, MOST_WEIGHTS // part, "draws", "seq_len")
    refuse_above(
        f"draws × seq_len × {width}", entries, MOST_ENTRIES // part, "draws", "seq_len", width
    )


def refuse_above(what: str, found: int, most: int, *lower: str) -> None:
    """UnfitError where the product `what` is above `most`; `lower` are the parameters in it."""
    if found > most:
        en = f"{', '.join(lower[:-1])} or {lower[-1]}" if lower else "one of them"
        zh = f" {'、'.join(lower[:-1])} 或 {lower[-1]}" if lower else "其中之一"
        raise UnfitError(
            f"{what} may be at most {most:,}, here it is {found:,}: lower {en}",
            f"{what} 最多为 {most:,}，现为 {found:,}：请调小{zh}",
        )


def refuse_uneven(d_model: int, heads: int) -> None:
    """UnfitError where the heads do not share the width evenly."""
    if d_model % heads:
        raise UnfitError(
            f"d_model {d_model} must be a multiple of heads {heads}",
            f"d_model {d_model} 须为 heads {heads} 的倍数",
        )


def refuse_odd(d_k: int) -> None:
    """UnfitError where columns cannot be paired, as rotation wants them."""
    if d_k % 2:
        raise UnfitError(
            f"d_k {d_k} leaves a column without a partner: make it even",
            f"d_k {d_k} 会使一列无法配对：请取偶数",
        )


def blocks(draws: int, size: int) -> Iterator[range]:
    """Draws to work on at a time, where one draw has `size` numbers in its largest tensor.

    The first two come alone: they have an error, and so can be shown at once.
    """
    first, step = min(2, draws), max(1, BLOCK // size)
    yield range(first)
    for start in range(first, draws, step):
        yield range(start, min(start + step, draws))


def drawn(
    ctx: Context, name: str, draws: range, *shape: int, dtype: Dtype = "float32"
) -> torch.Tensor:
    """Draws of N(0,1) stacked: (len(draws), *shape). Draw i is the same in any block."""
    import torch

    return torch.stack([ctx.normal(f"{name}.{i}", *shape, dtype=dtype) for i in draws])


def over_draws(values: torch.Tensor) -> Sampled:
    """Mean of one number per draw (D,), and its standard error. D must be at least 2."""
    return values.mean().item(), values.std().item() / math.sqrt(len(values))


def pooled_std(variances: torch.Tensor) -> Sampled:
    """Standard deviation from one variance per draw (D,), and its standard error."""
    variance, error = over_draws(variances)
    std = math.sqrt(variance)
    return std, error / (2 * std) if std else 0.0


@dataclass(frozen=True)
class Rows:
    """What softmax has made of each row, in float64 on the CPU: (D, S_q) each.

    non_finite: share of each draw's weights that are NaN or infinite (D,).
    """

    entropy: torch.Tensor
    max_weight: torch.Tensor
    jacobian: torch.Tensor
    non_finite: torch.Tensor

    @classmethod
    def of(cls, weights: torch.Tensor) -> Rows:
        """Measure weights (D, S_q, S_k) whose rows sum to 1."""
        from quizapp.lab.attention import entropy, jacobian_norm

        measured = (
            entropy(weights),
            weights.amax(-1),
            jacobian_norm(weights),
            (~weights.isfinite()).float().mean((-2, -1)),
        )
        # To the CPU first: MPS has no float64.
        return cls(*(values.cpu().double() for values in measured))

    @classmethod
    def join(cls, parts: Sequence[Rows]) -> Rows:
        """The draws of several blocks, one after another."""
        import torch

        fields = ("entropy", "max_weight", "jacobian", "non_finite")
        return cls(*(torch.cat([getattr(part, field) for part in parts]) for field in fields))

    def summary(self, prefix: str = "") -> dict[str, Sampled]:
        """Every measure of `row_metrics(prefix)` with its standard error. Needs D ≥ 2."""
        found = {
            "entropy": over_draws(self.entropy.mean(-1)),
            "max_weight": over_draws(self.max_weight.mean(-1)),
            "jacobian_mean": over_draws(self.jacobian.mean(-1)),
            **quantiles(self.jacobian),
            "dead_share": over_draws((self.jacobian < DEAD).double().mean(-1)),
            "saturated_share": over_draws((self.max_weight > SATURATED).double().mean(-1)),
        }
        return {prefix + name: found[name] for name in _MEASURES}


def quantiles(values: torch.Tensor) -> dict[str, Sampled]:
    """Lowest tenth, median and highest tenth of all rows (D, S_q), with jackknife errors.

    Quantiles of single draws would average to something else: the tail spans decades.
    """
    import torch

    draws, rows = values.shape
    ordered, order = values.flatten().sort()
    # One line for each draw left out, still in order: (D, (D−1)·S_q).
    kept = (order // rows) != torch.arange(draws)[:, None]
    without = ordered.expand(draws, -1)[kept].view(draws, -1)
    result = {}
    for name, share in QUANTILES.items():
        partial = _at(without, share)  # (D,)
        variance = (partial - partial.mean()).square().sum().item() * (draws - 1) / draws
        result[name] = (_at(ordered[None], share).item(), math.sqrt(variance))
    return result


def _at(ordered: torch.Tensor, share: float) -> torch.Tensor:
    """The `share` quantile of each ordered line, interpolated: (…, n) → (…)."""
    position = share * (ordered.shape[-1] - 1)
    low = math.floor(position)
    high = min(low + 1, ordered.shape[-1] - 1)
    return ordered[..., low].lerp(ordered[..., high], position - low)
