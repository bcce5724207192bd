"""Decoding from a cache a second way, for cross-checks: one pass, no cache and no steps.

A token that is decoded sees exactly the tokens before it, so prefill and every step are one
pass under a mask; a missing prefill mask only uncovers the prompt's own square. Float64
NumPy. Shapes: D draws, n tokens, d the model's width, H heads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.maths.kv_cache import SHIFT

Array = NDArray[np.float64]
BASE = 10_000.0


@dataclass(frozen=True)
class Shape:
    """Tokens of the prompt and after it, heads, how positions enter, and what goes wrong."""

    prompt: int
    new: int
    heads: int
    encoding: str
    position: str
    prefill_mask: str

    @property
    def total(self) -> int:
        """Tokens in all."""
        return self.prompt + self.new

    def positions(self) -> Array:
        """The positions (n,) that tokens are given."""
        right = np.arange(self.total, dtype=np.float64)
        if self.position == "all_shifted":
            return right + SHIFT
        if self.position == "stuck":
            return np.minimum(right, self.prompt)
        back = {"right": 0, "off_by_one": 1, "restarted": self.prompt}[self.position]
        return np.where(right < self.prompt, right, right - back)

    def hidden(self) -> NDArray[np.bool_]:
        """(n, n): the keys that a query must not see."""
        t = np.arange(self.total)
        later = t[None, :] > t[:, None]
        if self.prefill_mask == "none":
            later &= ~((t[:, None] < self.prompt) & (t[None, :] < self.prompt))
        return later


def one_pass(
    shape: Shape,
    x: Array,
    layers: Sequence[Sequence[Array]],
    checkpoint: Callable[[], None],
) -> tuple[Array, list[Array]]:
    """Outputs (D, n, d), and the values (D, n, d) of every layer."""
    at, hidden = shape.positions(), shape.hidden()
    if shape.encoding == "added":
        # A pair (sin, cos) of an angle is i times the conjugate of its e^{iφ}.
        p = 1j * np.exp(-1j * _phase(at, x.shape[-1]))
        x = x + np.stack([p.real, p.imag], -1).reshape(len(at), -1)
    kept = []
    for wq, wk, wv, wo in layers:
        h = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        v = h @ wv
        width = x.shape[-1] // shape.heads
        added = []
        for head in range(shape.heads):
            checkpoint()
            mine = slice(head * width, (head + 1) * width)
            scores = _scores(h @ wq[:, mine], h @ wk[:, mine], at, shape.encoding)
            scores[:, hidden] = -np.inf
            total = np.logaddexp.reduce(scores, axis=-1, keepdims=True)
            added.append(np.exp(scores - total) @ v[..., mine] @ wo[mine])
        x = x + np.sum(added, axis=0)  # the heads' shares of concat @ W_o
        kept.append(v)
    return x, kept


def _phase(at: Array, width: int) -> Array:
    theta = np.exp(-np.arange(0, width, 2) / width * math.log(BASE))
    return np.asarray(at[:, None] * theta)


def _scores(q: Array, k: Array, at: Array, encoding: str) -> Array:
    """(D, n, n), rotations as products of complex numbers."""
    zq, zk = (x[..., 0::2] + 1j * x[..., 1::2] for x in (q, k))
    if encoding == "rope":
        turn = np.exp(1j * _phase(at, q.shape[-1]))
        zq, zk = zq * turn, zk * turn
    scores = (zq @ zk.conj().swapaxes(-1, -2)).real / math.sqrt(q.shape[-1])
    return np.ascontiguousarray(scores)


def costs(shape: Shape, layers: int, d_k: int) -> dict[str, float]:
    """Multiply-adds by closed sums: 4d² for a token's weights, 2d for each key it is held against.

    Prefill multiplies the whole square, hidden or not; so does recomputing.
    """
    P, T, n = shape.prompt, shape.new, shape.total
    d = shape.heads * d_k
    triangle = T * (P + 1 + n) / 2  # Σ of the lengths P + 1 … n
    squares = (n * (n + 1) * (2 * n + 1) - P * (P + 1) * (2 * P + 1)) / 6
    prefill = layers * (4.0 * P * d * d + 2.0 * P * P * d)
    decode = layers * (4.0 * T * d * d + 2.0 * triangle * d)
    again = layers * (4.0 * triangle * d * d + 2.0 * squares * d)
    first, last = (2.0 * d + length for length in (P + 1, n))  # in units of 2·d·layers
    return {
        "prefill_products": prefill,
        "decode_products": decode,
        "recompute_products": again,
        "products_ratio": again / (prefill + decode),
        "last_step_ratio": float(n),
        "step_growth": last / first,
        "attention_growth": n / (P + 1),
    }


def rms(x: Array) -> float:
    """Root mean square of each draw, mean over draws."""
    return float(np.linalg.norm(x.reshape(len(x), -1), axis=1).mean() / math.sqrt(x[0].size))


def relative(a: Array, b: Array) -> float:
    """Length of a − b over that of b for each draw, mean over draws."""
    lengths = [np.linalg.norm(x.reshape(len(x), -1), axis=1) for x in (a - b, b)]
    return float((lengths[0] / lengths[1]).mean())
