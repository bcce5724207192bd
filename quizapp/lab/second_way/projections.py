"""Projected scores a second way, for the cross-check: W_k folded into the queries.

Shapes: x_dec (S_q, d_model), x_enc (S_k, d_model), scores (heads, S_q, S_k).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quizapp.lab.experiment import Context, Tolerant
from quizapp.lab.maths.projections import INITS, Projection, projections

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quizapp.lab.experiments.cross_attention import Params

#: Relative disagreement that float32 rounding explains.
OWN = 2e-4


def folded64(
    params: Params, ctx: Context, draw: int
) -> tuple[NDArray[np.float64], tuple[float, float, float, float]]:
    """Raw scores = (q W_k) x_encᵀ a head; and Var q, Var k, gain of W_q, gain of W_k."""
    layers = projections(params.init, params.d_model, params.heads, ctx.stream(f"layer#{draw}"))
    x_dec, x_enc = (_states64(params, ctx, draw, side) for side in ("dec", "enc"))
    (dec, w_q), (enc, w_k) = _affine(x_dec, layers[0]), _affine(x_enc, layers[1])
    q, k = dec @ w_q.T, enc @ w_k.T  # k for its moments alone
    q_by_head = q.reshape(len(q), params.heads, -1).swapaxes(0, 1)
    w_by_head = w_k.reshape(params.heads, -1, w_k.shape[-1])
    scores = q_by_head @ w_by_head @ enc.T
    return scores, (
        float(((q**2).mean() - q.mean() ** 2) * q.size / (q.size - 1)),
        float(((k**2).mean() - k.mean() ** 2) * k.size / (k.size - 1)),
        float((q**2).sum() / (x_dec**2).sum()),
        float((k**2).sum() / (x_enc**2).sum()),
    )


def by_init64(params: Params, ctx: Context, draws: int) -> dict[str, list[float]]:
    """Var q and the standard deviation of the raw scores for every layer of `INITS`.

    Each has a tolerance of its own size: the largest layer is far larger than the others.
    """
    found: dict[str, list[float]] = {"var_q_by_init": [], "score_std_by_init": []}
    for init in INITS:
        ctx.checkpoint()
        layer = params.model_copy(update={"init": init})
        drawn = [folded64(layer, ctx, draw) for draw in range(draws)]
        var_q = float(np.mean([moments[0] for _, moments in drawn]))
        std = float(np.sqrt(np.mean([scores.var(ddof=1) for scores, _ in drawn])))
        found["var_q_by_init"].append(Tolerant(var_q, OWN * var_q))
        found["score_std_by_init"].append(Tolerant(std, OWN * std))
    return found


def _states64(params: Params, ctx: Context, draw: int, side: str) -> NDArray[np.float64]:
    """The numbers of `_inputs` for one side in float64 NumPy."""
    if side == "dec":
        drawn = ctx.normal64(f"dec#{draw}", params.queries, params.d_model)
        return drawn * params.query_std + params.query_mean
    drawn = ctx.normal64(f"enc#{draw}", params.keys, params.d_model)
    return drawn * params.key_std + params.key_mean


def _affine(
    x: NDArray[np.float64], layer: Projection
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """x and the layer as one product x̃ W̃ᵀ: a bias becomes the weight of a column of ones."""
    import numpy as np

    if layer.weight is None:
        return x, np.eye(x.shape[-1])
    weight = layer.weight.double().numpy()
    if layer.bias is None:
        return x, weight
    bias = layer.bias.double().numpy()
    return np.hstack([x, np.ones((len(x), 1))]), np.hstack([weight, bias[:, None]])
