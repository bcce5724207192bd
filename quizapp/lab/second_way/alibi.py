"""ALiBi a second way, for cross-checks: a denominator that decays from key to key.

With r = e^(−m) and z the running sum from the farthest key to the nearest, z ← e^s + r z, the
weight beyond the W nearest keys is r^W z_W / z_0, with z_W the sum that began W keys away. No
biased score is made and no softmax taken. Float64 NumPy.

Shapes: D draws, Q queries, H heads, n keys nearest first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.experiment import Context, Tolerant, Value
from quizapp.lab.maths.alibi import SHARE
from quizapp.lab.maths.alibi_rows import BASE
from quizapp.lab.second_way import rope
from quizapp.lab.second_way.formats import Format
from quizapp.lab.second_way.odds import drawn64

if TYPE_CHECKING:
    from quizapp.lab.experiments.alibi import Params

Array = NDArray[np.float64]

#: Changes below this are rounding for the most part, and have no second way; nor have those
#: near what float32 loses when a score is added to a bias as large as the positions.
RESOLVED = 2e-3
STORED = {"float32": Format(24, 8), "bfloat16": Format(8, 8)}


def slopes(heads: int, geometric: bool) -> list[float]:
    """Slopes by square roots: halving the number of heads squares every ratio."""

    def series(count: int) -> list[float]:
        ratio, left = 2.0**-8, count  # one head has 2^−8
        while left % 2 == 0:
            ratio, left = math.sqrt(ratio), left // 2
        if left > 1:  # an odd number of heads: the root of that order
            ratio = math.exp(math.log(ratio) / left)
        made = [ratio]
        while len(made) < count:
            made.append(made[-1] * ratio)
        return made

    power = 1
    while 2 * power <= heads:
        power *= 2
    if geometric or power == heads:
        return series(heads)
    return series(power) + series(2 * power)[0 : 2 * (heads - power) : 2]


def reference64(params: Params, ctx: Context) -> dict[str, Value]:
    """Windows, far weights and growth of every head and method; shifts that are no rounding."""
    from quizapp.lab.experiments.alibi import QUERIES

    draws, by = range(params.draws), math.sqrt(params.score_std)
    q = drawn64(ctx, "q", draws, QUERIES, params.d_k) * by
    k = drawn64(ctx, "k", draws, 2 * params.seq_len, params.d_k) * by
    per = params.slope_factor
    m = np.array(slopes(params.heads, params.slopes == "geometric")) * per
    plain = _scores(q, k)
    steep, gentle = int(m.argmax()), int(m.argmin())
    found: dict[str, Value] = {
        "slopes": m.tolist(),
        "slope_steepest": float(m.max()),
        "slope_gentlest": float(m.min()),
    }
    ctx.checkpoint()
    heads = _reach(plain, plain, params.seq_len, m)
    match = _matched(params, plain, m)
    one = 1.5 / (params.draws * QUERIES)  # one row whose window ends a key sooner or later
    lists: dict[str, list[float]] = {
        "window": [Tolerant(x, one) for x in heads["window"]],
        "doubled_window": [Tolerant(x, one) for x in heads["doubled"]],
        "far_weight": [_held(x) for x in heads["far"]],
        "match_weight": [_held(x) for x in match],
    }
    for name, values in lists.items():
        found[f"{name}_by_head"] = values
        found[f"{name}_steepest"], found[f"{name}_gentlest"] = values[steep], values[gentle]
    others = _others(params, q, k, plain)
    ctx.checkpoint()
    for name, key in (("far_weight", "far"), ("entropy_growth", "entropy")):
        found[f"{name}_by_method"] = [float(heads[key].mean()), *(float(o[key][0]) for o in others)]
    return found | _shifted(params, ctx, m)


def _scores(q: Array, k: Array) -> Array:
    return np.asarray(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))


def _held(weight: float) -> Tolerant:
    """However small a weight is, float32 has its digits, down to where it has no more numbers."""
    return Tolerant(float(weight), 2e-4 * weight + 1e-37)


def _sums(scores: Array, slopes: Array) -> tuple[Array, Array]:
    """z of every head at every distance (H, D, Q, n), and Σ e^x x at the nearest key (H, D, Q).

    x: what the softmax would see, score and bias, for a query at the nearest key.
    """
    m = slopes[:, None, None]
    r, powers = np.exp(-m), np.exp(scores)
    z = np.zeros((len(slopes), *scores.shape))
    total, logs = np.zeros(z.shape[:-1]), np.zeros(z.shape[:-1])
    for at in range(scores.shape[-1] - 1, -1, -1):
        logs = powers[..., at] * scores[..., at] + r * (logs - m * total)
        total = powers[..., at] + r * total
        z[..., at] = total
    return z, logs


def _reach(short: Array, long: Array, n: int, slopes: Array) -> dict[str, Array]:
    """Of each head (H,): mean windows at n and 2n, weight past n, and what the entropy gains."""
    near, logs = _sums(short[..., :n], slopes)
    all_of, logs_doubled = _sums(long, slopes)
    entropy = [np.log(z[..., 0]) - x / z[..., 0] for z, x in ((near, logs), (all_of, logs_doubled))]
    past = np.exp(-slopes * n)[:, None, None] * all_of[..., n] / all_of[..., 0]
    return {
        "window": _window(near, slopes),
        "doubled": _window(all_of, slopes),
        "far": past.mean((1, 2)),
        "entropy": (entropy[1] - entropy[0]).mean((1, 2)),
    }


def _window(z: Array, slopes: Array) -> Array:
    """Mean over rows of the fewest nearest keys beyond which at most 1 − SHARE is left: (H,)."""
    decay = np.exp(-slopes[:, None, None, None] * np.arange(z.shape[-1]))
    beyond = z * decay / z[..., :1]
    return np.asarray((beyond > 1 - SHARE).sum(-1).mean((1, 2)))


def _matched(params: Params, plain: Array, slopes: Array) -> list[float]:
    """Weight of each head on the key that stands out: its odds against all others."""
    at = params.match_distance
    others = np.delete(np.arange(params.seq_len), at)
    found = []
    for slope in slopes:
        odds = np.exp(plain[..., others] - params.match_score - slope * (others - at)).sum(-1)
        found.append(float((1 / (1 + odds)).mean()))
    return found


def _others(params: Params, q: Array, k: Array, plain: Array) -> list[dict[str, Array]]:
    """Rotary, sinusoidal and no positions, from phases."""
    n, root = params.seq_len, math.sqrt(params.d_k)
    size = rope.Size(params.d_k, BASE)
    zq, zk = (rope.paired(x, "adjacent") for x in (q, k))

    def phases(positions: Array) -> NDArray[np.complex128]:
        return np.asarray(np.exp(1j * size.phase(positions)))

    # The query at i, the key at i − δ: their product turns by δ.
    back = zk * phases(-np.arange(2.0 * n))
    turned = (zq @ back.conj().swapaxes(-1, -2)).real / root
    added = []
    for length in (n, 2 * n):
        p = 1j * phases(length - 1 - np.arange(float(length))).conj()
        added.append(((zq + p[0]) @ (zk[:, :length] + p).conj().swapaxes(-1, -2)).real / root)
    pairs = ((turned, turned), (added[0], added[1]), (plain, plain))
    return [_reach(short, long, n, np.zeros(1)) for short, long in pairs]


def _shifted(params: Params, ctx: Context, m: Array) -> dict[str, Value]:
    """The largest changes of a weight, where they are more than rounding."""
    from quizapp.lab.experiments.alibi import SHORT

    draws, by = range(params.draws), math.sqrt(params.score_std)
    q, k = (drawn64(ctx, name, draws, SHORT, params.d_k) * by for name in ("sq", "sk"))
    plain = _scores(q, k)
    seen = np.tri(SHORT, dtype=bool)
    here = np.arange(float(SHORT))
    stored = STORED[params.stored]

    def held(bias: Array) -> Array:
        return stored.round(STORED["float32"].round(bias))

    def mine(shift: int, slope: float) -> Array:
        if params.form == "distance":
            return held(-slope * np.abs(here[:, None] - here))
        return np.broadcast_to(held(slope * (here + shift)), seen.shape)

    single = m.astype(np.float32).astype(np.float64)
    changes: dict[str, list[Array]] = {}
    for slope in single:
        ctx.checkpoint()
        exact = _odds(plain - slope * np.abs(here[:, None] - here), seen)
        start, moved = mine(0, slope), mine(params.shift, slope)
        shifted = _odds(plain + moved, seen)
        both_ways = np.ones_like(seen)
        for name, change in (
            ("score_shift", np.where(seen, moved - start, 0)[None]),
            ("weight_shift", shifted - _odds(plain + start, seen)),
            ("bias_error", shifted - exact),
            (
                "form_difference_both",
                _odds(plain + slope * here, both_ways)
                - _odds(plain - slope * np.abs(here[:, None] - here), both_ways),
            ),
        ):
            largest = np.abs(change).max((-2, -1))
            changes.setdefault(name, []).append(np.broadcast_to(largest, len(plain)))
    means = {name: float(np.max(values, 0).mean()) for name, values in changes.items()}
    means["weight_shift_added"] = _added(params, q, k, seen)
    largest_bias = max(slope * (params.shift + SHORT) for slope in single)
    lost = largest_bias * 2.0**-22 if params.form == "position" else 0.0
    return {
        name: Tolerant(mean, max(2e-4 * mean, lost))
        for name, mean in means.items()
        if mean > max(RESOLVED, 500 * lost)
    }


def _added(params: Params, q: Array, k: Array, seen: NDArray[np.bool_]) -> float:
    size = rope.Size(params.d_k, BASE)
    zq, zk = (rope.paired(x, "adjacent") for x in (q, k))
    weights = []
    for shift in (0, params.shift):
        p = 1j * np.exp(-1j * size.phase(np.arange(float(q.shape[1])) + shift))
        scores = ((zq + p) @ (zk + p).conj().swapaxes(-1, -2)).real / math.sqrt(params.d_k)
        weights.append(_odds(scores, seen))
    return float(np.abs(weights[1] - weights[0]).max((-2, -1)).mean())


def _odds(scores: Array, seen: NDArray[np.bool_]) -> Array:
    """Weights of rows from odds against the diagonal, which every row sees."""
    own = np.diagonal(scores, axis1=-2, axis2=-1)[..., None]
    odds = np.where(seen, np.exp(np.where(seen, scores - own, 0)), 0)
    return np.asarray(odds / odds.sum(-1, keepdims=True))
