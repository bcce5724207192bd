"""The ways of scaling a second time, for cross-checks: powers of the same odds.

Dividing a row's scores by c takes the c-th root of every key's odds against the top key,
so one set of score differences serves all the ways. Float64 NumPy, no softmax.

Shapes: b draws, n queries and keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.maths.scales import Scale
from quizapp.lab.second_way import odds
from quizapp.lab.second_way.odds import Odds

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Head64:
    """What all ways share, from q, k (b, n, d_k) and v (b, n, d_v)."""

    scores: Array  # (b, n, n), up to a constant a row
    variance: Array  # (b,), of the raw scores
    own: Array  # (b, n), of each query with its own key
    v: Array
    root: float  # √d_k

    @classmethod
    def of(cls, q: Array, k: Array, v: Array) -> Head64:
        # Polarisation: a query's score with its own key, from lengths alone.
        own = (np.square(q + k).sum(-1) - np.square(q - k).sum(-1)) / 4
        variance = odds.score_variance64(q, k)
        return cls(odds.scores64(q, k), variance, own, v, q.shape[-1] ** 0.5)


@dataclass(frozen=True)
class Way64:
    """One way of scaling: its rows, one number per draw (b,) by name, and output (b, n, d_v)."""

    rows: Odds
    numbers: Mapping[str, Array]
    output: Array

    @classmethod
    def of(cls, scale: Scale, by: float, head: Head64) -> Way64:
        rows = Odds.of(head.scores * by)
        gap = (head.scores.max(-1, keepdims=True) - head.scores) * by
        weights = rows.max_weight[..., None] * np.exp(-gap)
        own, variance = head.own * by, head.variance * by**2
        output = weights @ head.v
        if scale == "subtract_max":
            own, variance = -_diagonal(gap), gap.var((-2, -1), ddof=1)
        if scale in ("values_only", "after_softmax"):
            output = output / head.root
        if scale == "after_softmax":
            weights = weights / head.root
            rows = replace(
                rows, max_weight=rows.max_weight / head.root, jacobian=rows.jacobian / head.root
            )
        numbers = {
            "score_std": variance,
            "diagonal_mean": own.mean(-1),
            "diagonal_rms": np.square(own).mean(-1),
            "diagonal_weight": _diagonal(weights).mean(-1),
            "row_sum": weights.sum(-1).mean(-1),
            "output_std": output.var((-2, -1), ddof=1),
        }
        return cls(rows, numbers, output)

    def beside(self, scaled: Way64, unscaled: Way64) -> Way64:
        """With the largest output difference of each draw to 1/√d_k and to no scale."""
        others = {"output_difference": scaled, "unscaled_difference": unscaled}
        extra = {
            name: np.abs(self.output - other.output).max((-2, -1)) for name, other in others.items()
        }
        return replace(self, numbers={**self.numbers, **extra})


def summary(ways: Sequence[Way64], by: float) -> dict[str, float]:
    """One way's metrics over several blocks, by the names of `scales.Sample.metrics`."""
    found = Odds.join([way.rows for way in ways]).summary()
    for name in ways[0].numbers:
        mean = float(np.concatenate([way.numbers[name] for way in ways]).mean())
        found[name] = mean**0.5 if name.endswith(("_std", "_rms")) else mean
    return {**found, "raw_jacobian_median": found["jacobian_median"] * by}


def _diagonal(matrices: Array) -> Array:
    return np.asarray(np.diagonal(matrices, axis1=-2, axis2=-1))
