"""What an initialiser promises for q, k and their scores, and what one fresh layer makes of them.

Shapes: x (S, d_model), W_q and W_k (d_model, d_model), q and k (heads, S, d_k), raw scores
(heads, S, S). Promises are expectations over fresh layers and i.i.d. inputs of mean 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quizapp.lab.experiment import Context

if TYPE_CHECKING:
    import torch

    from quizapp.lab.experiments.init_variance import Params
    from quizapp.lab.maths.projections import Projection
    from quizapp.lab.maths.rows import Rows

#: std of an entry of W where it depends on no width.
_FIXED = {"gpt2": 0.02, "too_large": 1.0, "too_small": 0.002}


@dataclass(frozen=True)
class Promise:
    """Var(q), Var(k) and the standard deviation of the scaled scores that theory gives."""

    var_q: float
    var_k: float
    scaled_std: float


def promise(params: Params) -> Promise:
    """Var(q) = d_model · Var(W) · Var(x) + Var(b); scores of two different tokens.

    With W_q = W_k the entries of q and k share a matrix, which adds (d_k + 1)/d_model to
    the variance of a score (Gaussian W).
    """
    d_model, d_k = params.d_model, params.d_model // params.heads
    if params.init == "identity":
        var_q = var_k = (params.gain * params.input_std) ** 2
        return Promise(var_q, var_k, var_q)
    per_weight = params.gain**2 * params.input_std**2 * d_model
    bias = 1 / (3 * d_model) if params.init == "linear_default" else 0.0
    var_q = per_weight * _weight_variance(params.init, d_model, d_k) + bias
    var_k = var_q if params.tied or params.init != "t5" else var_q * d_k
    shared = 1 + (d_k + 1) / d_model if params.tied else 1.0
    return Promise(var_q, var_k, math.sqrt(var_q * var_k * shared))


def _weight_variance(init: str, d_model: int, d_k: int) -> float:
    """Variance of one entry of W_q. A uniform draw from ±a has a²/3, which is the same form."""
    if init in _FIXED:
        return _FIXED[init] ** 2
    return {
        "xavier": 2 / (d_model + d_model),
        "xavier_narrow": 2 / (d_model + d_k),
        "mha_packed": 2 / (d_model + 3 * d_model),
        "kaiming": 2 / d_model,
        "linear_default": 1 / (3 * d_model),
        "t5": 1 / (d_model * d_k),
    }[init]


def layers(params: Params, ctx: Context, draw: int) -> tuple[Projection, Projection]:
    """Fresh W_q and W_k of one draw, the gain on their weights; the same one twice if tied."""
    from quizapp.lab.maths.projections import projections

    made = projections(params.init, params.d_model, params.heads, ctx.stream(f"layer#{draw}"))
    q, k = (
        layer if layer.weight is None else replace(layer, weight=layer.weight * params.gain)
        for layer in made[:2]
    )
    return (q, q) if params.tied else (q, k)


def outer_gain(params: Params) -> float:
    """What is left of the gain where there is no weight to multiply."""
    return params.gain if params.init == "identity" else 1.0


@dataclass(frozen=True)
class Draw:
    """One fresh layer on one input. Scores are scaled; `others` leaves out a token with itself.

    others (heads·S·(S−1),), own (heads·S,) in float64 on the CPU.
    """

    var_q: float
    var_k: float
    others: torch.Tensor
    own: torch.Tensor
    rows: Rows
    weights: torch.Tensor


def draw(params: Params, ctx: Context, index: int) -> Draw:
    """Self-attention's q, k, scores and rows for input and layer number `index`."""
    import torch

    from quizapp.lab.maths.rows import Rows

    ctx.checkpoint()
    x = ctx.normal(f"x#{index}", params.positions, params.d_model) * params.input_std
    q, k = (
        (layer(x) * outer_gain(params)).view(len(x), params.heads, -1).transpose(0, 1)
        for layer in layers(params, ctx, index)
    )
    _, weights = ctx.attention(q, k, k)
    scores = (q @ k.mT).cpu().double() / math.sqrt(q.shape[-1])
    itself = torch.eye(len(x), dtype=torch.bool)
    return Draw(
        var_q=q.var().item(),
        var_k=k.var().item(),
        others=scores[:, ~itself].flatten(),
        own=scores.diagonal(dim1=-2, dim2=-1).flatten(),
        rows=Rows.of(weights.flatten(0, 1)[None]),
        weights=weights,
    )


def widths(heads: int, near: tuple[int, ...]) -> list[int]:
    """The multiples of `heads` next to `near`: widths the heads can share."""
    return [heads * max(1, round(width / heads)) for width in near]
