"""Rows at a temperature a second way: odds against the top key, and logarithms of misses.

Float64 NumPy. Shapes: D draws, n queries and keys.
"""

from __future__ import annotations

import numpy as np

from quizapp.lab.experiment import Tolerant
from quizapp.lab.maths.temperature import NUCLEUS
from quizapp.lab.second_way.formats import Array
from quizapp.lab.second_way.odds import Odds


def figures(scores: Array, temperature: float, samples: int) -> dict[str, float]:
    """Every sampled metric but the spread, from scores (D, n, n) up to a constant a row."""
    odds = Odds.of(scores / temperature)
    # Ascending odds, the top key's own being 1.
    ordered = np.exp(np.sort(scores - scores.max(-1, keepdims=True), -1) / temperature)
    total = ordered.sum(-1, keepdims=True)
    missed = samples * np.log1p(-np.minimum(ordered / total, 1 - 1e-16))
    tail = ordered.cumsum(-1) <= (1 - NUCLEUS) * total
    return {
        **odds.summary(),
        "raw_gradient_mean": float((odds.jacobian / temperature).mean()),
        "raw_gradient_median": float(np.median(odds.jacobian / temperature)),
        "perplexity": float(np.exp(odds.entropy).mean()),
        "agree": float((np.square(ordered).sum(-1) / np.square(total[..., 0])).mean()),
        "distinct": float(-np.expm1(missed).sum(-1).mean()),
        "nucleus": Tolerant(float((~tail).sum(-1).mean()), 1.5 / tail[..., 0].size),
    }


def largest_difference(scores: Array, one: float, other: float) -> float:
    """The largest difference of a weight between two temperatures."""
    gap = scores.max(-1, keepdims=True) - scores
    first, second = (np.exp(-gap / t) for t in (one, other))
    weights = (odds / odds.sum(-1, keepdims=True) for odds in (first, second))
    return float(np.abs(np.subtract(*weights)).max())
