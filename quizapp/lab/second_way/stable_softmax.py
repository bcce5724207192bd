"""Which rows a softmax breaks, a second way: from logarithms alone, nothing overflows here.

A row is broken by exp / Σ exp where the logarithm of its sum passes the logarithm of the
format's range, or its largest logit falls below that of the smallest number. Weights come
from pairwise odds. Float64 NumPy. Shapes: N rows, n keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.experiment import Tolerant
from quizapp.lab.maths.stable_softmax import EPSILON, SUM_OFF
from quizapp.lab.second_way.formats import FORMATS, Array, Format

#: A share of fewer rows is not compared: one row on the other side of a threshold, which is
#: rounding, would be more than the error that a check must catch.
FEWEST = 200


def log_sum(x: Array) -> Array:
    """ln Σ exp x of rows (N, n), by adding one key at a time: (N,)."""
    return np.asarray(np.logaddexp.reduce(x, axis=-1))


def breaks(x: Array, kind: Format) -> NDArray[np.bool_]:
    """Which rows (N, n) exp / Σ exp breaks in that format: the sum is ∞, or 0."""
    return np.asarray((log_sum(x) >= kind.log_infinity) | (x.max(-1) <= kind.log_zero))


def edges() -> tuple[list[float], list[float]]:
    """Overflow and underflow points of exp by format, from their bit widths."""
    over = [kind.below(kind.log_infinity) for kind in FORMATS.values()]
    under = [kind.below(kind.log_zero) for kind in FORMATS.values()]
    return _near(over), _near(under)


def _near(values: list[float]) -> list[float]:
    # A library's exp may be off by a unit in the last place at the very edge.
    return [Tolerant(value, 2e-3 * abs(value)) for value in values]


def figures(x: Array, dtype: str, clamp_at: float) -> Mapping[str, float]:
    """The sampled metrics from logits (N, n) already in the format `dtype`."""
    kind, n = FORMATS[dtype], len(x)
    top, total = x.max(-1), log_sum(x)
    infinite, all_zero = top >= kind.log_infinity, top <= kind.log_zero
    centred = kind.round(x - kind.round(x.mean(-1, keepdims=True)))
    clamped = np.minimum(x, clamp_at)
    # Weights that sum to less than 0.9 because ε is no longer small beside their exps.
    drowned = total <= math.log(EPSILON * (1 - SUM_OFF) / SUM_OFF)
    found = {
        "naive_broken": breaks(x, kind),
        "epsilon_broken": breaks(x, kind) | drowned,
        "mean_broken": breaks(centred, kind),
        "clamp_broken": breaks(clamped, kind),
        "max_broken": np.zeros(n),
        "overflow_share": infinite,
        "underflow_share": all_zero,
        "nan_share": infinite | all_zero,
        "zero_rows": (total >= kind.log_infinity) & ~infinite,
    }
    # Where neighbours near the log-sum-exp lie this far apart, its rounding breaks no row.
    if kind.unit(np.abs(total).max()) < SUM_OFF / 4:
        found["lse_broken"] = np.zeros(n)
    shares = {
        name: Tolerant(float(rows.mean()), 1.5 / n)
        for name, rows in found.items()
        if not 0 < rows.sum() < FEWEST
    }
    return {
        **shares,
        **_zeros(x, kind),
        "largest_logit": float(top.mean()),
        **(_clamped(clamped, x - total[:, None], kind) if not breaks(clamped, kind).any() else {}),
    }


def _zeros(x: Array, kind: Format) -> dict[str, float]:
    """Weights that are 0, with every step of the stable way rounded by hand."""
    powers = kind.round(np.exp(kind.round(x - x.max(-1, keepdims=True))))
    total = kind.round(powers.sum(-1, keepdims=True))
    zero = float((kind.round(powers / total) == 0).mean())
    near = Tolerant(zero, 5e-3 * zero) if zero else zero
    return {"zero_share": near, "log_infinite": near, "log_softmax_infinite": 0.0}


def _clamped(clamped: Array, log_exact: Array, kind: Format) -> dict[str, float]:
    """How far clamped logits move the weights, where that is more than rounding."""
    total = log_sum(clamped)[:, None]
    error = float(np.abs(np.exp(clamped - total) - np.exp(log_exact)).sum(-1).mean())
    # Exps with few digits left, close to underflow, have an error of their own.
    full = total.min() > kind.log_zero + kind.significand * math.log(2)
    if not full or error < 200 * rounding(kind):
        return {}
    return {"clamp_error": Tolerant(error, 2e-3 * error + rounding(kind))}


def rounding(kind: Format) -> float:
    """How far rounding alone moves the weights of a row, on the large side."""
    return 4 * math.ldexp(1.0, -kind.significand)
