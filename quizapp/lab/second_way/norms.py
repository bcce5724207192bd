"""The small transformer of `norms` a second way, for cross-checks: merged weights.

A head is here two bilinear forms, x W_q W_kᵀ xᵀ for its scores and W_v W_o for what it
writes, so no query, key or value is ever made; QK-norm divides by lengths found from
x W_q W_qᵀ xᵀ. The backward pass is derived by hand, not recorded. Float64 NumPy, one draw at
a time.

Shapes: n tokens, d = d_model, H heads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.experiment import Tolerant, Value
from quizapp.lab.maths.norms import EPS, Model, Norm
from quizapp.lab.second_way.odds import Odds

Array = NDArray[np.float64]
#: Below this, rounding: no number is compared more closely.
FLOOR = 1e-12
#: Rounding beyond which a number is not compared: which of two keys wins is luck there.
MOST = 1e-6


@dataclass
class Norm64:
    """N(x) and its backward pass; x (n, d)."""

    norm: Norm
    x: Array
    y: Array = field(init=False)
    size: Array = field(init=False)  # (n, 1), what is divided by

    def __post_init__(self) -> None:
        self.y, self.size = self.x, np.ones((len(self.x), 1))
        if self.norm == "none":
            return
        x = self.x - self.x.mean(-1, keepdims=True) if self.norm == "layernorm" else self.x
        self.size = np.sqrt(np.einsum("nd,nd->n", x, x) / x.shape[-1] + EPS)[:, None]
        self.y = x / self.size

    def back(self, up: Array) -> Array:
        """∂L/∂x from ∂L/∂y."""
        if self.norm == "none":
            return up
        found = up - self.y * (up * self.y).mean(-1, keepdims=True)
        if self.norm == "layernorm":
            found = found - up.mean(-1, keepdims=True)
        return np.asarray(found / self.size)


@dataclass
class Attention64:
    """All heads of one layer on x (n, d); w is W_q, W_k, W_v, W_o, each (d, d)."""

    model: Model
    x: Array
    w: Array  # (4, d, d)
    scores: Array = field(init=False)  # (H, n, n)
    weights: Array = field(init=False)

    def __post_init__(self) -> None:
        x, model = self.x, self.model
        columns = [self.w[i].reshape(len(self.w[i]), model.heads, -1) for i in range(3)]
        q, k, v = (part.swapaxes(0, 1) for part in columns)  # (H, d, d_k)
        rows = self.w[3].reshape(model.heads, -1, x.shape[-1])  # (H, d_k, d)
        self.w_q, self.w_k, self.writes = q, k, v @ rows
        self.form = q @ k.swapaxes(-1, -2)  # (H, d, d)
        self.lengths = [self._lengths(part) for part in (q, k)]  # (H, n) each
        by = self.lengths[0][:, :, None] * self.lengths[1][:, None]
        plain = model.factor * (x @ self.form @ x.T) / by
        self.by, cap = by, model.soft_cap
        self.scores = cap * np.tanh(plain / cap) if cap else plain
        self.plain = plain
        powers = np.exp(self.scores - self.scores.max(-1, keepdims=True))
        self.weights = powers / powers.sum(-1, keepdims=True)

    def _lengths(self, w: Array) -> Array:
        """What QK-norm divides each row of x·w by, from w wᵀ alone."""
        if self.model.qk_norm == "off":
            return np.ones((len(w), len(self.x)))
        squares = np.asarray((self.x @ (w @ w.swapaxes(-1, -2)) * self.x).sum(-1))
        if self.model.qk_norm == "l2":
            return np.asarray(np.sqrt(squares))
        return np.asarray(np.sqrt(squares / self.model.d_k + EPS))

    @property
    def output(self) -> Array:
        """(n, d)."""
        return np.asarray((self.weights @ self.x @ self.writes).sum(0))

    def back(self, up: Array) -> tuple[Array, Array]:
        """∂L/∂x (n, d) and ∂L/∂W_q (H, d, d_k) from ∂L/∂output (n, d)."""
        x, model, a = self.x, self.model, self.weights
        carried = up @ self.writes.swapaxes(-1, -2)  # (H, n, d)
        grad = (a.swapaxes(-1, -2) @ carried).sum(0)
        d_weights = carried @ x.T
        d_scores = a * (d_weights - (d_weights * a).sum(-1, keepdims=True))
        if model.soft_cap:
            d_scores = d_scores * (1 - (self.scores / model.soft_cap) ** 2)
        t = model.factor * d_scores / self.by
        t_up = t.swapaxes(-1, -2)
        grad = grad + (t @ x @ self.form.swapaxes(-1, -2) + t_up @ x @ self.form).sum(0)
        d_query = x.T @ t @ x @ self.w_k
        if model.qk_norm != "off":
            per_length = model.d_k if model.qk_norm == "rms" else 1
            sized = d_scores * self.plain
            for w, axis, length in zip((self.w_q, self.w_k), (-1, -2), self.lengths, strict=True):
                share = (sized.sum(axis) / (per_length * length**2))[..., None] * x  # (H, n, d)
                grad = grad - (share @ w @ w.swapaxes(-1, -2)).sum(0)
                if axis == -1:
                    d_query = d_query - x.T @ share @ w
        return grad, d_query


@dataclass(frozen=True)
class Pass64:
    """One draw, forward and backward: lists by layer, streams and gradients one longer.

    scores (H, n, n) each; streams and gradients of the stream (n, d) each; query_gradients
    (H, d, d_k) each.
    """

    scores: list[Array]
    streams: list[Array]
    gradients: list[Array]
    query_gradients: list[Array]


def through(
    model: Model, x: Array, weights: Sequence[tuple[Array, Array, Array]], up: Array
) -> Pass64:
    """x (n, d) through the layers and ∂L/∂output = up back; weights as in `maths.norms.Layer`."""
    inside: Norm = model.norm if model.place == "pre" else "none"
    between: Norm = "none" if model.place == "pre" else model.norm
    made, streams = [], [x]
    for square, first, second in weights:
        before = Norm64(inside, x)
        attention = Attention64(model, before.y, square)
        middle = Norm64(between, x + attention.output)
        again = Norm64(inside, middle.y)
        hidden = np.maximum(again.y @ first, 0)
        after = Norm64(between, middle.y + hidden @ second)
        made.append((before, attention, middle, again, hidden, after))
        x = after.y
        streams.append(x)
    grad = Norm64(inside, x).back(up)
    gradients, query_gradients = [grad], []
    for (_, first, second), parts in zip(reversed(weights), reversed(made), strict=True):
        before, attention, middle, again, hidden, after = parts
        grad = after.back(grad)
        grad = grad + again.back(((grad @ second.T) * (hidden > 0)) @ first.T)
        grad = middle.back(grad)
        through_attention, d_query = attention.back(grad)
        grad = grad + before.back(through_attention)
        gradients.append(grad)
        query_gradients.append(d_query)
    scores = [attention.scores for _, attention, *_ in made]
    return Pass64(scores, streams, gradients[::-1], query_gradients[::-1])


def figures(passes: Sequence[Pass64]) -> dict[str, Value]:
    """Every metric but quantiles of single draws, by the names of the experiment."""
    layers = len(passes[0].scores)
    by_layer = [np.stack([one.scores[i] for one in passes]) for i in range(layers)]  # (D, H, n, n)
    rows = [Odds.of(part.reshape(len(passes), -1, part.shape[-1])) for part in by_layer]
    summaries = [part.summary() for part in rows]
    streams = _mean_squares([one.streams for one in passes])
    gradients = _roots([one.gradients for one in passes])
    queries = _roots([one.query_gradients for one in passes])
    deviations = [float(np.sqrt(p.var((1, 2, 3), ddof=1).mean())) for p in by_layer]
    largest = np.max([np.abs(part).max((1, 2, 3)) for part in by_layer], axis=0)
    first: dict[str, Value] = {
        **summaries[0],
        "score_std": deviations[0],
        "row_std": float(np.sqrt(by_layer[0].var(-1, ddof=1).mean())),
    }
    deeper: dict[str, Value] = {
        **rows[-1].summary("last_"),
        "last_score_std": deviations[-1],
        "max_score": float(largest.mean()),
        "stream_rms": float(np.sqrt(streams[:, -1].mean())),
        "stream_growth": float(np.sqrt((streams[:, -1] / streams[:, 0]).mean())),
        "input_gradient": gradients[0],
        "query_gradient": queries[0],
        "score_std_by_layer": deviations,
        "stream_rms_by_layer": np.sqrt(streams.mean(0)).tolist(),
        "gradient_by_layer": gradients,
        "query_gradient_by_layer": queries,
        "entropy_by_layer": [summary["entropy"] for summary in summaries],
        "saturated_share_by_layer": [summary["saturated_share"] for summary in summaries],
    }
    return _resolved(first, float(np.abs(by_layer[0]).max())) | _resolved(
        deeper, float(largest.max())
    )


def _mean_squares(parts: Sequence[Sequence[Array]]) -> Array:
    """(D, layers) from a list of arrays for each draw."""
    return np.array([[np.square(one).mean() for one in draw] for draw in parts])


def _roots(parts: Sequence[Sequence[Array]]) -> list[float]:
    roots: list[float] = np.sqrt(_mean_squares(parts).mean(0)).tolist()
    return roots


def _resolved(found: Mapping[str, Value], largest: float) -> dict[str, Value]:
    """Each number with the tolerance that scores of that size leave; nothing beyond `MOST`.

    A score of size L is off by about L·2⁻⁵³, and every layer passes that on and adds to it.
    """
    relative = max(1e-9, largest * 1e-12)
    if relative > MOST:
        return {}
    return {name: _tolerant(value, relative) for name, value in found.items()}


def _tolerant(value: Value, relative: float) -> Value:
    if isinstance(value, Sequence):
        allowed = max(relative * max(abs(one) for one in value), FLOOR)
        return [one if isinstance(one, Tolerant) else Tolerant(one, allowed) for one in value]
    if isinstance(value, Tolerant):
        return value
    return Tolerant(value, max(relative * abs(value), FLOOR))
