"""What people do in place of dividing the scores by √d_k, each run through attention itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from quizapp.lab.experiment import Context
from quizapp.lab.maths.rows import Rows, Sampled, over_draws, pooled_std

if TYPE_CHECKING:
    import torch

Scale = Literal[
    "none",
    "log_d_k",
    "cbrt_d_k",
    "sqrt_d_k",
    "d_k",
    "sqrt_n",
    "sqrt_d_model",
    "fourth_root_each",
    "sqrt_each",
    "values_only",
    "subtract_max",
    "after_softmax",
]
SCALES: tuple[Scale, ...] = get_args(Scale)


@dataclass(frozen=True)
class Attended:
    """One way of scaling: scores (…, n, n) as the softmax sees them, weights and output."""

    scores: torch.Tensor
    weights: torch.Tensor
    output: torch.Tensor


def factor(scale: Scale, *, d_k: int, d_model: int, seq_len: int) -> float:
    """What q·k is multiplied by in all; 1 where the proposal touches something else."""
    factors: dict[Scale, float] = {
        "log_d_k": 1 / math.log(d_k),
        "cbrt_d_k": d_k ** (-1 / 3),
        "sqrt_d_k": d_k**-0.5,
        "d_k": 1 / d_k,
        "sqrt_n": seq_len**-0.5,
        "sqrt_d_model": d_model**-0.5,
        "fourth_root_each": d_k**-0.5,
        "sqrt_each": 1 / d_k,
    }
    return factors.get(scale, 1.0)


def attend(scale: Scale, by: float, ctx: Context, inputs: Sequence[torch.Tensor]) -> Attended:
    """Attention under `scale`, where `by` is its `factor`.

    Inputs are q, k (…, n, d_k) and v (…, n, d_v).
    """
    import torch

    q, k, v = inputs
    root = q.shape[-1] ** 0.5
    if scale in ("fourth_root_each", "sqrt_each"):
        # Really divided on both sides, so that the rounding is that of this route.
        q, k, by = q * by**0.5, k * by**0.5, 1.0
    elif scale == "subtract_max":
        # One more column makes every dot product q·k − max: attention itself stays as it is.
        top = (q @ k.mT).amax(-1, keepdim=True)
        q, k = torch.cat([q, -top], -1), torch.cat([k, torch.ones_like(k[..., :1])], -1)
    elif scale == "values_only":
        v = v / root
    output, weights = ctx.attention(q, k, v, scale=by)
    if scale == "after_softmax":
        output, weights = output / root, weights / root
    return Attended((q @ k.mT) * by, weights, output)


@dataclass
class Sample:
    """One way of scaling over the draws so far: its rows, and numbers per draw."""

    rows: list[Rows] = field(default_factory=list)
    per_draw: dict[str, list[torch.Tensor]] = field(default_factory=dict)  # (b,) each

    def add(self, found: Attended, scaled: Attended, unscaled: Attended) -> None:
        """Measure one block, beside the block under 1/√d_k and without any scale."""
        row_sum = found.weights.sum(-1, keepdim=True)
        if (row_sum - 1).abs().max() < 1e-3:
            part = Rows.of(found.weights)
        else:  # the weights themselves were scaled, and every derivative with them
            part, total = Rows.of(found.weights / row_sum), row_sum[..., 0].cpu().double()
            part = replace(part, max_weight=part.max_weight * total, jacobian=part.jacobian * total)
        self.rows.append(part)
        own = found.scores.diagonal(dim1=-2, dim2=-1)
        numbers = {
            "score_std": found.scores.flatten(1).var(-1),
            "diagonal_mean": own.mean(-1),
            "diagonal_rms": own.square().mean(-1),
            "diagonal_weight": found.weights.diagonal(dim1=-2, dim2=-1).mean(-1),
            "row_sum": row_sum.mean((-2, -1)),
            "output_std": found.output.flatten(1).var(-1),
            "output_difference": (found.output - scaled.output).abs().amax((-2, -1)),
            "unscaled_difference": (found.output - unscaled.output).abs().amax((-2, -1)),
        }
        for name, values in numbers.items():
            self.per_draw.setdefault(name, []).append(values.cpu().double())

    def metrics(self, by: float) -> dict[str, Sampled]:
        """Every metric of the way that multiplies q·k by `by`."""
        import torch

        found = {}
        for name, values in self.per_draw.items():
            # A standard deviation or root mean square comes from the mean of its squares.
            rooted = name.endswith(("_std", "_rms"))
            found[name] = (pooled_std if rooted else over_draws)(torch.cat(values))
        found |= Rows.join(self.rows).summary()
        median, error = found["jacobian_median"]
        return {**found, "raw_jacobian_median": (median * by, error * by)}
