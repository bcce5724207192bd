"""Attention's variants a second way, for cross-checks: chosen scores as odds, kernels undivided.

Sparse rows come from the scores that are kept, sorted or sliced by position, as odds
against their best one; linear ones from the n × n kernel and H = ln Z − Σ a ln a / Z.
Float64 NumPy; no mask, no softmax, and never the cheap route.

Shapes: D draws, n queries and keys, m kept keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.maths.variants import Pattern, Variant, linear
from quizapp.lab.second_way.odds import Odds

Array = NDArray[np.float64]
#: A score so low that exp of it is 0: stands where a window has no key.
NOWHERE = -1e6


@dataclass(frozen=True)
class Way64:
    """Rows of one variant: entropy, largest weight, sum and kept mass (D, n), output (D, n, d)."""

    entropy: Array
    max_weight: Array
    row_sum: Array
    mass: Array
    output: Array

    @classmethod
    def of(cls, variant: Variant, factor: float, qkv: tuple[Array, ...], pattern: Pattern) -> Way64:
        """From q, k, v (D, n, d); `factor` multiplies q."""
        q, k, v = qkv
        if linear(variant):
            return cls._linear(variant, factor, qkv)
        scores = factor * np.einsum("dqc,dkc->dqk", q, k)
        keys = kept(variant, scores, pattern)  # (D, n, m), −1 where there is none
        chosen = np.where(keys < 0, NOWHERE, np.take_along_axis(scores, keys, -1))
        rows = Odds.of(chosen)
        powers = np.exp(chosen - chosen.max(-1, keepdims=True))
        total = powers.sum(-1)
        output = _mixed(powers, keys, v) / total[..., None]
        every = np.logaddexp.reduce(scores, axis=-1)
        mass = np.exp(chosen.max(-1) + np.log(total) - every)
        return cls(rows.entropy, rows.max_weight, np.ones_like(total), mass, output)

    @classmethod
    def _linear(cls, variant: Variant, factor: float, qkv: tuple[Array, ...]) -> Way64:
        q, k, v = qkv
        a = np.einsum("dqc,dkc->dqk", *(_features(variant, x) for x in (factor * q, k)))
        z = a.sum(-1)
        safe = np.maximum(z, np.finfo(float).tiny)
        spread = (a * np.log(np.where(a > 0, a, 1.0))).sum(-1)
        entropy = np.where(z > 0, np.log(safe) - spread / safe, 0.0)
        output, raw = np.einsum("dqk,dkc->dqc", a, v), variant.endswith("raw")
        return cls(
            entropy,
            a.max(-1) / safe,
            z if raw else z / safe,
            np.ones_like(z),
            output if raw else output / safe[..., None],
        )


def kept(variant: Variant, scores: Array, pattern: Pattern) -> NDArray[np.int64]:
    """Indices (D, n, m) of the keys that each query keeps; −1 for none."""
    draws, n, _ = scores.shape
    if variant == "top_k":
        order = np.argsort(-scores, axis=-1, kind="stable")
        return np.asarray(order[..., : pattern.top_k])
    if variant not in ("window", "top_k"):
        return np.asarray(np.broadcast_to(np.arange(n), scores.shape))
    places = np.arange(n)[:, None] + np.arange(-pattern.window, pattern.window + 1)
    places = np.where((places < 0) | (places >= n), -1, places)
    return np.asarray(np.broadcast_to(places, (draws, *places.shape)))


def _mixed(powers: Array, keys: NDArray[np.int64], v: Array) -> Array:
    """Σ powers · v of the kept keys: (D, n, m), (D, n, m), (D, n, d) → (D, n, d)."""
    draw, output = np.arange(len(v))[:, None], np.zeros_like(v)
    for m in range(keys.shape[-1]):  # one kept key at a time: all at once would fill memory
        output += powers[..., m, None] * v[draw, keys[..., m]]
    return output


def _features(variant: Variant, x: Array) -> Array:
    if "relu" in variant:
        return np.asarray(x * (x > 0))
    return np.asarray(np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))))


def figures(pair: Sequence[Way64], chosen: Way64, exact: Way64) -> dict[str, float]:
    """The sampled metrics of a variant, from it scaled and unscaled; exact is full attention."""
    scaled, unscaled = pair
    return {
        "scale_change": _ratio(unscaled.output - scaled.output, scaled.output),
        "output_ratio": _ratio(unscaled.output, scaled.output),
        "entropy_scaled": float(scaled.entropy.mean()),
        "entropy_unscaled": float(unscaled.entropy.mean()),
        "effective_keys": float(np.exp(chosen.entropy).mean()),
        "max_weight": float(chosen.max_weight.mean()),
        "mass_kept": float(chosen.mass.mean()),
        "row_sum": float(chosen.row_sum.mean()),
        "error": _ratio(chosen.output - exact.output, exact.output),
    }


def _ratio(a: Array, b: Array) -> float:
    """‖a‖ over ‖b‖ of each draw, mean over draws."""
    squares = [np.einsum("dqc,dqc->d", x, x) for x in (a, b)]
    return float(np.sqrt(squares[0] / squares[1]).mean())


def multiply_adds(variant: Variant, n: int, d: int, pattern: Pattern) -> float:
    """Multiply-adds by hand: a product (a × b)(b × c) has a·b·c."""
    by_hand = {
        "full": 2 * n * n * d,
        "window": 2 * n * (2 * pattern.window + 1) * d,
        "top_k": n * n * d + n * pattern.top_k * d,
    }
    if linear(variant):
        return float(2 * n * d * d + (0 if variant.endswith("raw") else n * d))
    return float(by_hand[variant])


def used(
    variant: Variant, factor: float, q: Array, k: Array, pattern: Pattern
) -> NDArray[np.int64]:
    """Indices (D, n, m) of the keys that have a weight; −1 for none. q, k (D, n, d)."""
    if not variant.startswith("linear_relu"):
        return kept(variant, factor * np.einsum("dqc,dkc->dqk", q, k), pattern)
    # ReLU features meet where some entry is positive in both: a count, and no product of sizes.
    shared = (q > 0).astype(float) @ (k > 0).astype(float).swapaxes(-1, -2)
    return np.where(shared > 0, np.arange(k.shape[-2]), -1)


def reach(keys: NDArray[np.int64], layers: int) -> float:
    """Farthest distance through `layers` layers, by following the keys (n, m), −1 for none.

    The set of keys that a query reaches is the bits of a whole number.
    """
    steps = [[key for key in row if key >= 0] for row in keys.tolist()]
    found = [sum(1 << key for key in step) for step in steps]
    for _ in range(layers - 1):
        further = [reduce(or_, (found[key] for key in step), 0) for step in steps]
        if further == found:
            break
        found = further
    distances = [
        max(query - ((bits & -bits).bit_length() - 1), bits.bit_length() - 1 - query)
        for query, bits in enumerate(found)
        if bits
    ]
    return float(max(distances, default=0))
