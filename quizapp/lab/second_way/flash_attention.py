"""`flash_attention` a second way: whole rows in float64, no loop over tiles, sizes by hand.

S queries and keys of width d, one head.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from quizapp.lab.experiment import Context, Tolerant, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quizapp.lab.experiments.flash_attention import Params

#: Queries at a time: tens of milliseconds.
ROWS = 128
#: An error above this is no rounding: it has a second way.
VISIBLE = 1e-3


def sums(params: Params, ctx: Context) -> dict[str, Value]:
    """What the tiled loop sums, in closed form, and how far it is from the exact output."""
    S, d = params.seq_len, params.d_k
    q, k, v = (ctx.normal64(n, S, d) for n in "qkv")
    squares, exact_squares, lse_sum, rises, largest = 0.0, 0.0, 0.0, 0, 0.0
    for first in range(0, S, ROWS):
        ctx.checkpoint()
        scores = q[first : first + ROWS] @ k.T / math.sqrt(d)
        if params.causal:
            queries = np.arange(first, first + len(scores))
            scores[queries[:, None] < np.arange(S)] = -np.inf
        exact = np.exp(scores - np.logaddexp.reduce(scores, axis=-1)[:, None]) @ v
        output, lse, risen = _loop(params, scores, v)
        rises += risen
        squares += float((output**2).sum())
        exact_squares += float((exact**2).sum())
        lse_sum += float(lse.sum())
        largest = max(largest, float(np.abs(output - exact).max()))
    return {
        "output_rms": math.sqrt(squares / (S * d)),
        "standard_rms": math.sqrt(exact_squares / (S * d)),
        "lse_mean": lse_sum / S,
        "max_rises": Tolerant(rises / S, 1.5 / S),
        # Where both are exact, the difference is rounding alone and has no second way.
        **({"max_abs_error": largest} if largest > VISIBLE else {}),
    }


def _loop(
    params: Params, scores: NDArray[np.float64], v: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Output and log-sum-exp that the loop ends with, and how often maxima rose."""
    S = params.seq_len
    starts = np.arange(0, S, params.block)
    order = np.argsort(scores, axis=-1)  # ascending; the draws' own order is the identity
    if params.order == "random":
        order = np.broadcast_to(np.arange(S), scores.shape)
    elif params.order == "descending":
        order = order[:, ::-1]
    taken = np.take_along_axis(scores, order, -1)
    taken = taken * (math.sqrt(params.d_k) if params.scale == "dropped" else 1.0)
    peaks = np.maximum.accumulate(np.maximum.reduceat(taken, starts, axis=-1), axis=-1)
    # Without the rescale a key keeps the weight it got under its own tile's maximum.
    under = np.repeat(peaks, params.block, axis=-1)[:, :S]
    against = under if params.rescale == "dropped" else peaks[:, -1:]
    totals = np.logaddexp.reduce(taken - against, axis=-1)
    weights = np.empty_like(taken)
    np.put_along_axis(weights, order, np.exp(taken - against - totals[:, None]), -1)
    return weights @ v, peaks[:, -1] + totals, int((np.diff(peaks, axis=-1) > 0).sum())


def sizes(params: Params, device: str) -> dict[str, Value]:
    """Tiles, FLOPs and bytes, counted by hand."""
    S, d, block = params.seq_len, params.d_k, params.block
    size = 8 if params.dtype == "float64" and device != "mps" else 4
    tiles = -(-S // block)
    done = tiles * (tiles + 1) // 2 if params.causal else tiles**2
    # Pairs of the tiles done: a causal strip goes as far as its own last query.
    pairs = sum((min(n + block, S) - n) * min(n + block, S) for n in range(0, S, block))
    flops = 4.0 * d * (pairs if params.causal else S * S)
    found: dict[str, Value] = {
        "flops_standard": 4.0 * S * S * d,
        "flops_tiled": flops,
        "flops_ratio": flops / (4.0 * S * S * d),
        # Five products where autograd, which has the weights, needs four; every tile costs alike.
        "backward_flops_ratio": 1.25 * flops / (4.0 * S * S * d),
        "tiles": float(done),
        "tiles_skipped": float(tiles**2 - done),
        "saved_bytes_tiled": float(size * S * (d + 1)),
    }
    if device == "cpu":  # the allocator of a GPU rounds each up, and its kernels are others
        # Scores, weights and output; or, masked: scores twice and a mask.
        peak = size * S * (2 * S + d)
        masked = (2 * size + 1) * S * S if params.causal else 0
        found["peak_bytes_standard"] = float(max(peak, masked))
        # A kernel of its own keeps what tiling keeps; without one, weights and scaled q and k.
        kept = d + 1 if params.fused_call == "batched" else S + 2 * d
        found["saved_bytes_fused"] = float(size * S * kept)
    return found
