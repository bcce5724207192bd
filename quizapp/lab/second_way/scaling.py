"""The derivation and the chain a second way, for the cross-check: float64 NumPy, no autograd.

D draws, n queries and keys a draw, d_k the width.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from quizapp.lab.experiment import Context, Tolerant
from quizapp.lab.second_way.odds import drawn64

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quizapp.lab.experiments.scaling_chain import Params


def vectors64(
    params: Params, ctx: Context, name: str, draws: range, n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The very queries and keys of the run, (len(draws), n, d_k) each."""
    q, k = (drawn64(ctx, f"{name}_{side}", draws, n, params.d_k) for side in "qk")
    if params.shared:
        common = [drawn64(ctx, f"{name}_{side}_shared", draws, n, 1) for side in "qk"]
        q, k = (
            np.sqrt(params.shared) * c + np.sqrt(1 - params.shared) * x
            for c, x in zip(common, (q, k), strict=True)
        )
    if params.correlation:
        k = params.correlation * q + np.sqrt(1 - params.correlation**2) * k
    return q * params.std + params.mean, k * params.std + params.mean


def derivation64(params: Params, ctx: Context) -> dict[str, float | Sequence[float]]:
    """The whiteboard's quantities from raw moments and the covariance of whole scores."""
    totals = np.zeros(5)
    for draw in range(params.draws):
        ctx.checkpoint()
        one = range(draw, draw + 1)
        q, k = (x[0] for x in vectors64(params, ctx, "pair", one, params.pairs))
        of_variances = (((q * k) ** 2).mean(0) - (q * k).mean(0) ** 2).sum()
        scores = (((q + k) ** 2).sum(-1) - ((q - k) ** 2).sum(-1)) / 4  # polarisation
        totals += (
            q.sum(0) @ k.sum(0) - scores.sum(),
            scores.mean() / params.d_k,
            (q**2).sum(0) @ (k**2).sum(0) - ((q * k) ** 2).sum(),
            of_variances * params.pairs / (params.pairs - 1),
            scores.var(ddof=1),
        )
    means, term, squares, of_variances, variance = (totals / params.draws).tolist()
    others = params.pairs * (params.pairs - 1) * params.d_k  # products across different pairs
    return {
        "mean_product": means / others,
        "term_mean": term,
        "square_product": squares / others,
        "term_variance": of_variances / params.d_k,
        "sum_of_variances": of_variances,
        # A difference of two near-equal numbers: as exact as they are, however small it is.
        "covariance_sum": Tolerant(variance - of_variances, 2e-5 * variance),
        "score_variance": variance,
        "scaled_variance": variance / params.d_k,
    }


def links64(
    scores: NDArray[np.float64], k: NDArray[np.float64], upstream: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Top gap (1,), and gradient norms at logits and (before its scale) at q, each (n,)."""

    def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        return np.asarray(powers / powers.sum(-1, keepdims=True))

    step = 1e-5
    slope = (softmax(scores + step * upstream) - softmax(scores - step * upstream)) / (2 * step)
    weights = softmax(scores)
    mean_key = weights @ k
    mean_product = (weights * upstream) @ k
    mean_upstream = (weights * upstream).sum(-1, keepdims=True)
    ordered = np.sort(scores, axis=-1)
    return {
        "top_gap": (ordered[..., -1] - ordered[..., -2]).mean(-1),
        "logit_gradient": np.sqrt((slope**2).sum(-1)).ravel(),
        "query_gradient": np.sqrt(((mean_product - mean_upstream * mean_key) ** 2).sum(-1)).ravel(),
    }
