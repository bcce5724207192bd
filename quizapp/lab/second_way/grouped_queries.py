"""Shared keys and values a second way, for cross-checks: no pooled key or value is ever made.

q·mean(k) is the mean of q·k, and weights times a mean of values the mean of outputs. The
queries of a group, one under another, are one head with g times as many rows.
Float64 NumPy. Shapes: D draws, H heads, G groups of g heads, n positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.maths.grouped_queries import Pooling

Array = NDArray[np.float64]


def shared(q: Array, k: Array, v: Array, groups: int, how: Pooling) -> tuple[Array, Array]:
    """Output (D, H, n, d_k) and weights (D, H, n, n), causal; q, k, v (D, H, n, d_k)."""
    outputs, weights = [], []
    size = q.shape[1] // groups
    for start in range(0, q.shape[1], size):
        members = range(start, start + size) if how == "mean" else [start]
        out, p = _one_head(q[:, start : start + size], k, v, list(members))
        outputs.append(out)
        weights.append(p)
    return np.concatenate(outputs, 1), np.concatenate(weights, 1)


def misplaced(q: Array, k: Array, v: Array, groups: int, how: Pooling) -> Array:
    """The output where head h reads key/value head h mod G."""
    size = q.shape[1] // groups
    outputs = []
    for h in range(q.shape[1]):
        start = h % groups * size
        members = range(start, start + size) if how == "mean" else [start]
        outputs.append(_one_head(q[:, h : h + 1], k, v, list(members))[0])
    return np.concatenate(outputs, 1)


def _one_head(q: Array, k: Array, v: Array, members: list[int]) -> tuple[Array, Array]:
    """g query heads (D, g, n, d_k) as one head of g·n rows, against the heads in `members`."""
    draws, size, n, width = q.shape
    stacked = q.reshape(draws, size * n, width)
    scores = _mean(stacked @ k[:, h].swapaxes(-1, -2) for h in members) / math.sqrt(width)
    later = np.arange(n)[None, :] > np.tile(np.arange(n), size)[:, None]  # (g·n, n)
    scores[:, later] = -np.inf
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    output = _mean(weights @ v[:, h] for h in members)
    return output.reshape(q.shape), weights.reshape(draws, size, n, n)


def _mean(arrays: Iterator[Array]) -> Array:
    """Of arrays made one by one: all of them at once would take gigabytes."""
    total, count = next(arrays), 1
    for count, array in enumerate(arrays, 2):  # noqa: B007 - the last one is used
        total += array
    return total / count


def rms(x: Array) -> float:
    """Root mean square of each draw, mean over draws."""
    return float(np.mean(np.linalg.norm(x.reshape(len(x), -1), axis=1)) / math.sqrt(x[0].size))


def relative(a: Array, b: Array) -> float:
    """Length of a − b over that of b for each draw, mean over draws."""
    lengths = [np.linalg.norm(x.reshape(len(x), -1), axis=1) for x in (a - b, b)]
    return float((lengths[0] / lengths[1]).mean())


def group_distance(weights: Array, groups: int) -> float:
    """1 − Σ min(p, p') between neighbouring heads of a group, mean over pairs and rows."""
    size = weights.shape[1] // groups
    pairs = [h for h in range(weights.shape[1] - 1) if (h + 1) % size]
    if not pairs:
        return 0.0
    overlap = [np.minimum(weights[:, h], weights[:, h + 1]).sum(-1).mean() for h in pairs]
    return float(1 - np.mean(overlap))
