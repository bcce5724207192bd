"""Masked rows a second way, for cross-checks: visible and hidden sums apart, and no softmax.

With N and Z the sums of exp(s)·v and of exp(s), over the visible keys of a query and over
the hidden ones, every way of masking is

    output = (N_visible + a·N_hidden) / (Z_visible + b·Z_hidden)

with a and b of its own, and replacing a hidden token changes the hidden sums alone.
Float64 NumPy. Shapes: D draws, r judged queries, n keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.maths.masks import PENALTY, Layout, Method

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sums:
    """Numerator (D, r, d_v) and denominator (D, r) of one kind of keys."""

    n: Array
    z: Array

    @classmethod
    def over(cls, keys: Array, powers: Array, v: Array) -> Sums:
        """Over the keys marked 1 in (r, n); powers (D, r, n), v (D, n, d_v)."""
        kept = powers * keys
        return cls(np.einsum("drn,dnv->drv", kept, v), kept.sum(-1))

    def mixed(self, a: float, b: float, hidden: Sums) -> Array:
        """The output (D, r, d_v) that takes these sums and a, b times the hidden ones."""
        return (self.n + a * hidden.n) / (self.z + b * hidden.z)[..., None]


def factors(method: Method) -> tuple[float, float]:
    """a and b: what is left of hidden keys in the numerator and in the denominator."""
    if method in PENALTY:
        left = math.exp(-PENALTY[method])
        return left, left
    return {"renormalise": (0.0, 0.0), "after": (0.0, 1.0)}.get(method, (1.0, 1.0))


def sums(layout: Layout, q: Array, k: Array, v: Array) -> tuple[Sums, Sums, Sums]:
    """Sums over visible keys, over hidden ones, and over hidden ones with score 0.

    Visibility from positions, not from the mask that the run applies.
    """
    rows = layout.judged()
    powers = np.exp(np.einsum("drc,dnc->drn", q[:, rows], k) / math.sqrt(q.shape[-1]))
    query, key = np.arange(layout.n)[rows][:, None], np.arange(layout.n)[None]
    last = query if layout.kind == "causal" else layout.n - layout.padding - 1
    seen = (key <= last).astype(float)
    return (
        Sums.over(seen, powers, v),
        Sums.over(1 - seen, powers, v),
        Sums.over(1 - seen, np.ones_like(powers), v),
    )


def figures(method: Method, before: tuple[Sums, ...], after: tuple[Sums, ...]) -> dict[str, float]:
    """The sampled metrics, from `sums` of the inputs and of those with the last token replaced."""
    a, b = factors(method)
    visible, hidden = before[0], before[2 if method == "multiply" else 1]
    replaced = after[2 if method == "multiply" else 1]
    output = visible.mixed(a, b, hidden)
    change = visible.mixed(a, b, replaced) - output
    error = output - visible.mixed(0, 0, hidden)
    z = visible.z + b * hidden.z
    ratio = (change**2).mean((-2, -1)) / (output**2).mean((-2, -1))
    return {
        "leak": _top(change),
        "leak_share": float(np.sqrt(ratio).mean()),
        "hidden_weight": float((a * hidden.z / z).mean()),
        "row_sum": float(((visible.z + a * hidden.z) / z).mean()),
        "output_error": _top(error),
    }


def _top(difference: Array) -> float:
    return float(np.abs(difference).max((-2, -1)).mean())


def nan_counts(method: Method, layout: Layout, *, infinite: bool) -> Mapping[str, float]:
    """Shares of NaN by following one NaN row through the chain rule.

    A fully hidden row is NaN where its scores are all −∞, or where 0 is divided by 0.
    Its weights are NaN, so v's gradient is NaN throughout, even if the loss leaves the
    row out: 0 · NaN is NaN. Its score gradient is NaN too and spreads to its q and to
    every k, unless masked_fill's backward zeroes it. Which rows the loss has plays no part.
    """
    empty = layout.hidden_rows / layout.n
    nan = layout.hidden_rows > 0 and (infinite or method == "renormalise")
    if not nan:
        return dict.fromkeys(("nan_output", "nan_q_grad", "nan_k_grad", "nan_v_grad"), 0.0)
    spreads = method != "minus_inf"
    return {
        "nan_output": empty,
        "nan_q_grad": empty if spreads else 0.0,
        "nan_k_grad": float(spreads),
        "nan_v_grad": 1.0,
    }
