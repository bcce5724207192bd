"""`init_variance` a second way, for the cross-check: second moments, and folded queries.

The mean square of q is tr(W M Wᵀ)/d_model with M = xᵀx/S, so it needs no q. Scores come from
(x W_qᵀ W_k) xᵀ a head, so they need no k. A bias is the weight of a column of ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from quizapp.lab.experiment import Context, Tolerant, Value
from quizapp.lab.maths.init_variance import layers, outer_gain, widths
from quizapp.lab.second_way.odds import Odds
from quizapp.lab.second_way.rounding import resolved
from quizapp.lab.wording.init_variance import LAYERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quizapp.lab.experiments.init_variance import Params
    from quizapp.lab.maths.projections import Projection

    Array = NDArray[np.float64]

#: Relative disagreement that float32 rounding explains.
OWN = 2e-4


def chosen64(params: Params, ctx: Context) -> dict[str, Value]:
    """The measures of the chosen layer, over all draws."""
    d_k = params.d_model // params.heads
    rows, found, largest = [], [], 0.0
    for draw in range(params.draws):
        ctx.checkpoint()
        x, (w_q, w_k) = _augmented(params, ctx, draw)
        scores = _folded(params, x, w_q, w_k) / math.sqrt(d_k)
        rows.append(Odds.of(scores.reshape(1, -1, params.positions)))
        own = np.trace(scores, axis1=-2, axis2=-1).sum() / (params.heads * params.positions)
        found.append((_variance(x, w_q), _variance(x, w_k), _others(scores), own))
        largest = max(largest, float(np.abs(scores).max()))
    var_q, var_k, variance, own_score = np.array(found).mean(0).tolist()
    noise = OWN * largest  # a mean near 0 is a difference of scores of that size
    return {
        "var_q": var_q,
        "var_k": var_k,
        "score_variance": variance * d_k,
        "score_std": math.sqrt(variance * d_k),
        "scaled_std": math.sqrt(variance),
        "own_score": Tolerant(own_score, max(OWN * abs(own_score), 1e-3 * noise)),
        "gain_for_one": 1 / math.sqrt(var_q),
        **resolved(Odds.join(rows).summary(), largest),
    }


def by_width64(
    params: Params, ctx: Context, draws: int, near: tuple[int, ...]
) -> dict[str, list[float]]:
    """Var(q) at each width."""
    found: list[float] = []
    for width in widths(params.heads, near):
        other = params.model_copy(update={"d_model": width})
        values = []
        for draw in range(draws):
            ctx.checkpoint()
            x, (w_q, _) = _augmented(other, ctx, draw)
            values.append(_variance(x, w_q))
        found.append(Tolerant(float(np.mean(values)), OWN * float(np.mean(values))))
    return {"var_q_by_width": found}


def by_init64(params: Params, ctx: Context, draws: int) -> dict[str, list[float]]:
    """Var(q), Var(k) and the scaled standard deviation for every layer.

    Each has a tolerance of its own size: the largest layer is far larger than the others.
    """
    d_k = params.d_model // params.heads
    found: dict[str, list[float]] = {
        "var_q_by_init": [],
        "var_k_by_init": [],
        "scaled_std_by_init": [],
    }
    for init in LAYERS:
        other, values = params.model_copy(update={"init": init}), []
        for draw in range(draws):
            ctx.checkpoint()
            x, (w_q, w_k) = _augmented(other, ctx, draw)
            scores = _folded(params, x, w_q, w_k)
            values.append((_variance(x, w_q), _variance(x, w_k), _others(scores) / d_k))
        var_q, var_k, variance = np.array(values).mean(0).tolist()
        for name, value in zip(found, (var_q, var_k, math.sqrt(variance)), strict=True):
            found[name].append(Tolerant(value, OWN * value))
    return found


def _augmented(params: Params, ctx: Context, draw: int) -> tuple[Array, tuple[Array, Array]]:
    """x̃ (S, d_model [+ 1]), and W̃_q, W̃_k (d_model, d_model [+ 1]) with the bias inside."""
    x = ctx.normal64(f"x#{draw}", params.positions, params.d_model) * params.input_std
    q, k = layers(params, ctx, draw)
    if q.weight is None:
        identity = np.eye(params.d_model) * outer_gain(params)
        return x, (identity, identity)
    if q.bias is not None:
        x = np.hstack([x, np.ones((len(x), 1))])
    return x, (_weight64(q), _weight64(k))


def _weight64(layer: Projection) -> Array:
    assert layer.weight is not None
    weight = layer.weight.double().numpy()
    if layer.bias is None:
        return weight
    return np.hstack([weight, layer.bias.double().numpy()[:, None]])


def _variance(x: Array, w: Array) -> float:
    """Unbiased variance of all entries of x Wᵀ from moments of x and of W alone."""
    count = len(x) * len(w)
    if len(x) < w.shape[1]:
        # M = xᵀx/S has rank S at most: its singular vectors are all that W is asked about.
        _, size, along = np.linalg.svd(x, full_matrices=False)
        total = float((size**2 * ((w @ along.T) ** 2).sum(0)).sum())
    else:
        total = float(((x.T @ x) * (w.T @ w)).sum())
    summed = float(x.sum(0) @ w.sum(0))
    return (total - summed**2 / count) / (count - 1)


def _folded(params: Params, x: Array, w_q: Array, w_k: Array) -> Array:
    """Raw scores (heads, S, S)."""
    q = (x @ w_q.T).reshape(len(x), params.heads, -1).swapaxes(0, 1)
    return np.asarray(q @ w_k.reshape(params.heads, -1, w_k.shape[-1]) @ x.T)


def _others(scores: Array) -> float:
    """Unbiased variance of the scores of different tokens, the diagonals taken off the sums."""
    own = np.diagonal(scores, axis1=-2, axis2=-1)
    count = scores.size - own.size
    mean = (scores.sum() - own.sum()) / count
    squares = ((scores - mean) ** 2).sum() - ((own - mean) ** 2).sum()
    return float(squares / (count - 1))
