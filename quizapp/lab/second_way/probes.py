"""`probes` a second way, for the cross-check: float64 NumPy, and a backward pass derived by hand.

Heads are cut out of (B, S, d_model) by an index for every entry, never by a reshape of the
tensor; softmax is exp(score − log-sum-exp). Gradients follow the chain rule line by line.

Shapes: as in `quizapp.lab.maths.probes`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quizapp.lab.experiment import Context, Tolerant, Value
from quizapp.lab.maths.probe_readings import LATE, Readings, counts, coverage
from quizapp.lab.maths.probes import PARTS, VOCABULARY, shapes, start_factor, tokens
from quizapp.lab.wording.probes import FAULTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quizapp.lab.experiments.probes import Params

    Array = NDArray[np.float64]
    Ids = NDArray[np.int64]

#: What torch adds to a variance under the root, by default.
EPSILON = 1e-5
#: Relative disagreement that float32 rounding explains.
OWN = 2e-4


class Heads(NamedTuple):
    """Attention of one layer, (B, H, S, d_k) and (B, H, S, S)."""

    q: Array
    k: Array
    v: Array
    scores: Array
    soft: Array  # what the softmax gave
    weights: Array  # what met the values


class Layer(NamedTuple):
    """What one layer leaves for the backward pass. inverse: 1/σ of each LN, (B, S, 1)."""

    normed: Array
    inverse: Array
    heads: Heads
    mixed: Array
    normed_after: Array
    inverse_after: Array
    active: Array


@dataclass(frozen=True)
class Model:
    """A fresh model with that fault, and the passes over it."""

    params: Params
    fault: str
    weights: Mapping[str, Array]

    @classmethod
    def fresh(cls, params: Params, ctx: Context, fault: str) -> Model:
        """The very weights of `quizapp.lab.maths.probes.fresh`, in float64."""
        drawn = {
            name: ctx.normal64(name, *shape) * (std * start_factor(name, fault))
            for name, shape, std in shapes(params)
        }
        return cls(params, fault, drawn)

    def forward(self, ids: Ids) -> tuple[Array, list[Layer], Array, Array]:
        """Logits (B, S, V), each layer, the last LN's output and its 1/σ."""
        x = self.weights["embedding"][ids] + self.weights["position"]
        layers = []
        for i in range(self.params.layers):
            w_q, w_k, w_v, w_o, w_in, w_out = (self.weights[f"{name}.{i}"] for name in PARTS)
            normed, inverse = _norm(x)
            heads = self._attend(*(self._cut(normed @ w.T) for w in (w_q, w_k, w_v)))
            mixed = self._paste(heads.weights @ heads.v)
            x = x + mixed @ w_o.T
            normed_after, inverse_after = _norm(x)
            active = np.maximum(normed_after @ w_in.T, 0)
            x = x + active @ w_out.T
            layers.append(Layer(normed, inverse, heads, mixed, normed_after, inverse_after, active))
        last, inverse = _norm(x)
        return last @ self.weights["unembedding"].T, layers, last, inverse

    def _order(self) -> NDArray[np.intp]:
        """Where entry (h, s, c) of the heads lies in a flat (S, d_model): (H, S, d_k)."""
        p = self.params
        d_k = p.d_model // p.heads
        h, s, c = np.ogrid[: p.heads, : p.seq_len, :d_k]
        if self.fault == "wrong_reshape":
            return np.asarray((h * p.seq_len + s) * d_k + c)
        return np.asarray(s * p.d_model + h * d_k + c)

    def _cut(self, x: Array) -> Array:
        """(B, S, d_model) → (B, H, S, d_k)."""
        return np.asarray(x.reshape(len(x), -1)[:, self._order()])

    def _paste(self, x: Array) -> Array:
        """(B, H, S, d_k) → (B, S, d_model): `_cut` undone."""
        flat = np.empty((len(x), self.params.seq_len * self.params.d_model))
        flat[:, self._order()] = x
        return flat.reshape(len(x), self.params.seq_len, self.params.d_model)

    @property
    def _scale(self) -> float:
        d_k = self.params.d_model // self.params.heads
        return 1.0 if self.fault == "no_scale" else d_k**-0.5

    @property
    def _visible(self) -> NDArray[np.bool_]:
        """(S, S): key at or before query."""
        at = np.arange(self.params.seq_len)
        return np.asarray(at[None, :] <= at[:, None])

    @property
    def _axis(self) -> int:
        return -2 if self.fault == "wrong_axis" else -1

    def _attend(self, q: Array, k: Array, v: Array) -> Heads:
        scores = (q @ k.swapaxes(-1, -2)) * self._scale
        open_all = self.fault in ("no_mask", "mask_after_softmax")
        logits = scores if open_all else np.where(self._visible, scores, -np.inf)
        top = logits.max(self._axis, keepdims=True)
        total = np.log(np.exp(logits - top).sum(self._axis, keepdims=True)) + top
        soft = np.exp(logits - total)
        weights = soft * self._visible if self.fault == "mask_after_softmax" else soft
        return Heads(q, k, v, scores, soft, weights)

    def backward(
        self, ids: Ids, logits: Array, layers: list[Layer], last: Array, inverse: Array
    ) -> dict[str, float]:
        """Norms of the loss's gradient at w_q, w_k, w_v and w_o of every layer."""
        d_logits = np.exp(logits - _log_sum(logits))
        np.put_along_axis(
            d_logits[:, :-1],
            ids[:, 1:, None],
            np.take_along_axis(d_logits[:, :-1], ids[:, 1:, None], -1) - 1,
            -1,
        )
        d_logits[:, -1] = 0
        d_logits /= ids[:, 1:].size
        dx = _norm_back(d_logits @ self.weights["unembedding"], last, inverse)
        norms: dict[str, float] = {}
        for i in reversed(range(self.params.layers)):
            dx = self._layer_back(dx, layers[i], i, norms)
        return norms

    def _layer_back(self, dx: Array, layer: Layer, i: int, norms: dict[str, float]) -> Array:
        """Gradient at the layer's input from that at its output; norms gain its matrices."""
        w_q, w_k, w_v, w_o, w_in, w_out = (self.weights[f"{name}.{i}"] for name in PARTS)
        d_active = (dx @ w_out) * (layer.active > 0)
        dx = dx + _norm_back(d_active @ w_in, layer.normed_after, layer.inverse_after)
        norms[f"w_o.{i}"] = _outer_norm(dx, layer.mixed)
        d_q, d_k, d_v = self._attend_back(self._cut(dx @ w_o), layer.heads)
        d_normed = np.zeros_like(dx)
        for name, gradient, w in (("w_q", d_q, w_q), ("w_k", d_k, w_k), ("w_v", d_v, w_v)):
            flat = self._paste(gradient)
            norms[f"{name}.{i}"] = _outer_norm(flat, layer.normed)
            d_normed += flat @ w
        return dx + _norm_back(d_normed, layer.normed, layer.inverse)

    def _attend_back(self, d_out: Array, heads: Heads) -> tuple[Array, Array, Array]:
        """Gradients at q, k and v of one layer."""
        d_weights = d_out @ heads.v.swapaxes(-1, -2)
        if self.fault == "mask_after_softmax":
            d_weights = d_weights * self._visible
        mean = (heads.soft * d_weights).sum(self._axis, keepdims=True)
        d_scores = heads.soft * (d_weights - mean) * self._scale
        d_v = heads.weights.swapaxes(-1, -2) @ d_out
        return (
            d_scores @ heads.k,
            d_scores.swapaxes(-1, -2) @ heads.q,
            np.zeros_like(d_v) if self.fault == "detached_value" else d_v,
        )

    def loss(self, ids: Ids, logits: Array) -> float:
        """Mean cross-entropy of every token but the first."""
        said = np.take_along_axis(logits[:, :-1], ids[:, 1:, None], -1)
        return float((_log_sum(logits[:, :-1]) - said).mean())

    def read(self, ids: Ids) -> Readings:
        """The same readings as `quizapp.lab.maths.probes.read`."""
        logits, layers, last, inverse = self.forward(ids)
        norms = self.backward(ids, logits, layers, last, inverse)
        visible, late = self._visible, int(LATE * self.params.seq_len)
        shown = [layer.heads.scores[..., visible] for layer in layers]
        weights = [layer.heads.weights for layer in layers]
        most = np.log(np.arange(late + 1, self.params.seq_len + 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            entropies = [-np.nan_to_num(w * np.log(w)).sum(-1)[..., late:] / most for w in weights]
        changed = [self.forward(_replaced(ids, at))[0] - logits for at in (-1, 0)]
        every = range(self.params.layers)
        return Readings(
            score_mean=[float(s.mean()) for s in shown],
            score_std=[float(s.std(ddof=1)) for s in shown],
            q_variance=[float(layer.heads.q.var(ddof=1)) for layer in layers],
            row_sum_error=[float(np.abs(w.sum(-1) - 1).max()) for w in weights],
            masked_weight=[float(w[..., ~visible].max()) for w in weights],
            max_weight=[m for w in weights for m in w.max(-1)[..., late:].mean((0, 2)).tolist()],
            entropy_share=[m for e in entropies for m in e.mean((0, 2)).tolist()],
            jacobian_median=float(np.median([_jacobians(w[..., late:, :]) for w in weights])),
            future_influence=float(np.abs(changed[0][:, :-1]).max()),
            past_influence=float(np.abs(changed[1][:, -1]).max()),
            loss=self.loss(ids, logits),
            grad_qk=[math.hypot(norms[f"w_q.{i}"], norms[f"w_k.{i}"]) for i in every],
            grad_v=[norms[f"w_v.{i}"] for i in every],
            grad_o=[norms[f"w_o.{i}"] for i in every],
            vocabulary=VOCABULARY,
        )


def reference64(params: Params, ctx: Context) -> dict[str, Value]:
    """Everything a run measures before the first step, for every fault."""
    ids = tokens(params, ctx).cpu().numpy()
    found: dict[str, Readings] = {}
    for fault in FAULTS:
        ctx.checkpoint()
        found[fault] = Model.fresh(params, ctx, fault).read(ids)
    mine, fired = found[params.fault], found[params.fault].fires()
    scalars = {
        **_tolerant(mine, ""),
        **_tolerant(found["none"], "healthy_"),
    }
    return {
        **scalars,
        **mine.lists(),
        **{f"fires_{name}": float(fires) for name, fires in fired.items()},
        **counts(fired),
        **coverage({fault: readings.fires() for fault, readings in found.items()}),
        "uniform_loss": -math.log(1 / VOCABULARY),
    }


def _tolerant(readings: Readings, prefix: str) -> dict[str, float]:
    """The readings by name, those that can be a rounding error with a tolerance of their own."""
    scalars = readings.scalars()
    if scalars["row_sum_error"] < 1e-6:
        del scalars["row_sum_error"]  # rounding against rounding
    for name in ("future_influence", "past_influence"):
        scalars[name] = Tolerant(scalars[name], max(OWN * scalars[name], 2e-6))
    mean = scalars["score_mean"]
    scalars["score_mean"] = Tolerant(mean, max(OWN * abs(mean), 1e-5 * scalars["score_std"]))
    return {prefix + name: value for name, value in scalars.items()}


def _replaced(ids: Ids, position: int) -> Ids:
    other = ids.copy()
    other[:, position] = (other[:, position] + 1) % VOCABULARY
    return other


def _jacobians(weights: Array) -> Array:
    """Norms of diag(p) − ppᵀ of every row, from the matrices themselves."""
    p = (weights / weights.sum(-1, keepdims=True)).reshape(-1, weights.shape[-1])
    matrices = p[:, :, None] * (np.eye(p.shape[-1]) - p[:, None, :])
    return np.asarray(np.linalg.norm(matrices, axis=(-2, -1)))


def _norm(x: Array) -> tuple[Array, Array]:
    """LN of x (…, d), and 1/σ (…, 1)."""
    centred = x - x.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
    return centred * inverse, inverse


def _norm_back(dy: Array, y: Array, inverse: Array) -> Array:
    """Gradient at the input of LN: without its mean, and without what lies along y."""
    along = (dy * y).mean(-1, keepdims=True)
    return np.asarray((dy - dy.mean(-1, keepdims=True) - y * along) * inverse)


def _log_sum(logits: Array) -> Array:
    top = logits.max(-1, keepdims=True)
    return np.asarray(np.log(np.exp(logits - top).sum(-1, keepdims=True)) + top)


def _outer_norm(d_out: Array, x: Array) -> float:
    """Frobenius norm of Σ d_out ⊗ x, the gradient at W of x Wᵀ."""
    return float(np.linalg.norm(np.tensordot(d_out, x, axes=((0, 1), (0, 1)))))
