"""Small transformers with and without a sink a second way, in float64 NumPy.

The first step: its gradient by backward formulas written out, one arm and run at a time.
With P the weights on real keys, u = P V, o = g u and e = ∂L/∂x:

    ∂L/∂o = e W_oᵀ;  ∂L/∂u = g ∂L/∂o;  ∂L/∂g = Σ u ∂L/∂o
    ∂L/∂s = P ∘ (D − r),  D = ∂L/∂u Vᵀ,  r = Σⱼ P D;  of the sink's score: −P_sink r

The trained heads: odds against each query's own key, and no softmax. A key that is evicted is
struck from the finished row, and what is left divided by its sum.

Shapes: B sequences, T positions, H heads; one arm and one run at a time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.experiment import Context, Tolerant, Value
from quizapp.lab.maths.backcopy import Batch
from quizapp.lab.maths.sinks import ARMS, SEQUENCES, TESTED, Arm, batch, several, shapes, trained

if TYPE_CHECKING:
    from quizapp.lab.experiments.attention_sinks import Params

Array = NDArray[np.float64]
Named = dict[str, Array]


@dataclass(frozen=True)
class Drawn:
    """Sequences of one run: what is read and what follows (B, T), where there is to copy."""

    ids: NDArray[np.int64]
    after: NDArray[np.int64]
    copies: NDArray[np.bool_]
    best: Array


@dataclass(frozen=True)
class Head:
    """One layer: P (B, H, T, T), the sink's weight and the gate (B, H, T), v and u (B, H, T, d)."""

    p: Array
    sink: Array
    gate: Array
    q: Array
    k: Array
    v: Array
    u: Array


def reference64(params: Params, ctx: Context) -> dict[str, Value]:
    """Every metric but those that two of these make up."""
    found: Named = {}
    by_head: dict[str, list[Array]] = {"first_weight_by_head": [], "value_ratio_by_head": []}
    start = {name: ctx.normal64(name, params.runs, *shape) for name, shape, _ in shapes(params)}
    std = {name: std for name, _, std in shapes(params)}
    final = {name: w.cpu().double().numpy() for name, w in trained(params, ctx).items()}
    first = _drawn(params, several(params, ctx, 0).part(slice(SEQUENCES)))
    test = _drawn(params, batch(params, ctx, "test", TESTED))
    for at, arm in enumerate(ARMS):
        for run in range(params.runs):
            ctx.checkpoint()
            w = {name: std[name] * x[run] for name, x in start.items()}
            loss, gradient = first_step(params, arm, w, first[run])
            w = {name: x[at, run] for name, x in final.items()}
            measured, heads = _measured(params, arm, w, test[run])
            measured |= {"initial_loss": loss, "initial_gradient": gradient}
            for name, value in measured.items():
                found.setdefault(name, np.zeros((len(ARMS), params.runs)))[at, run] = value
            if arm == params.arm:
                for name, values in heads.items():
                    by_head[name].append(values)
    return _reported(params, found) | {
        name: np.mean(values, 0).tolist() for name, values in by_head.items()
    }


#: Differences of two losses, far smaller than either.
_DIFFERENCES: Final = (
    "excess_loss",
    "idle_excess",
    "copying_excess",
    "eviction_cost",
    "kept_cost",
    "without_first_cost",
    "without_second_cost",
)


def _reported(params: Params, found: Mapping[str, Array]) -> dict[str, Value]:
    """Means over the runs, for each arm and for the one that is shown."""
    reference: dict[str, Value] = {}
    for name, values in found.items():
        means = [float(x) for x in values.mean(-1)]
        if name in _DIFFERENCES:
            means = [Tolerant(x, 2e-7 + 2e-4 * abs(x)) for x in means]
        reference[f"{name}_by_arm"] = means
        reference[name] = means[ARMS.index(params.arm)]
    return reference


def _drawn(params: Params, made: Batch) -> list[Drawn]:
    """The sequences of a batch, run by run."""
    ids = made.ids.cpu().numpy()
    best = made.best.cpu().double().numpy()
    asked = (ids[..., :-1] > 0) & (ids[..., :-1] <= params.copying)
    return [
        Drawn(ids[run, :, :-1], ids[run, :, 1:], asked[run], best[run])
        for run in range(params.runs)
    ]


def _kept(params: Params) -> dict[str, NDArray[np.bool_]]:
    """(T, T) of each test of the cache, from the distance of query and key."""
    at = np.arange(params.seq_len)
    distance = at[:, None] - at
    recent = (distance >= 0) & (distance < params.window)
    return {
        "full": distance >= 0,
        "eviction_cost": recent,
        "kept_cost": recent | ((distance >= 0) & (at == 0)),
        "without_first_cost": (distance >= 0) & ~((at == 0) & (distance > 0)),
        "without_second_cost": (distance >= 0) & ~((at == 1) & (distance > 0)),
    }


def _forward(
    params: Params, arm: Arm, w: Named, ids: NDArray[np.int64], kept: NDArray[np.bool_]
) -> tuple[list[Array], list[Head]]:
    """x before each layer and at the end (B, T, d), and every layer."""
    xs, heads = [w["embedding"][ids] + w["position"]], []
    for layer in range(params.layers):
        head = _attend(params, arm, w, xs[-1], layer=layer, kept=kept)
        heads.append(head)
        gated = head.gate[..., None] * head.u  # (B, H, T, d_k)
        xs.append(xs[-1] + np.einsum("bhtk,hkd->btd", gated, _rows(w[f"w_o.{layer}"], params)))
    return xs, heads


def _columns(w: Array, params: Params) -> Array:
    """(d, d) → (H, d, d_k): what makes a head's q, k or v."""
    return w.reshape(len(w), params.heads, -1).transpose(1, 0, 2)


def _rows(w: Array, params: Params) -> Array:
    """(d, d) → (H, d_k, d): what takes a head's output back."""
    return w.reshape(params.heads, -1, w.shape[1])


def _attend(
    params: Params, arm: Arm, w: Named, x: Array, *, layer: int, kept: NDArray[np.bool_]
) -> Head:
    q, k, v = (
        np.einsum("btd,hdk->bhtk", x, _columns(w[f"w_{name}.{layer}"], params)) for name in "qkv"
    )
    score = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    own = np.diagonal(score, axis1=-2, axis2=-1)[..., None]  # (B, H, T, 1): always in the cache
    causal = np.tril(np.ones(kept.shape, bool))
    odds = np.where(causal, np.exp(np.where(causal, score - own, 0)), 0)
    out = {"off_by_one": np.zeros(params.heads), "learned": w[f"sink.{layer}"]}.get(arm)
    sink = 0 * own if out is None else np.exp(out[:, None, None] - own)
    total = odds.sum(-1, keepdims=True) + sink
    p, sink = odds / total, sink / total
    if not kept[causal].all():
        left = (p * kept).sum(-1, keepdims=True) + sink
        p, sink = p * kept / left, sink / left
    gate = np.ones(q.shape[:-1])
    if arm == "gate":
        logit = np.einsum("btd,dh->bht", x, w[f"gate.{layer}"])
        gate = (1 + np.tanh(logit / 2)) / 2
    return Head(p, sink[..., 0], gate, q, k, v, p @ v)


def _losses(x: Array, w: Named, after: NDArray[np.int64]) -> tuple[Array, Array]:
    """Loss of every position (B, T) and probabilities (B, T, V)."""
    logits = x @ w["unembedding"]
    target = np.take_along_axis(logits, after[..., None], -1)
    return np.log(np.exp(logits - target).sum(-1)), np.exp(
        logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    )


def first_step(params: Params, arm: Arm, w: Named, drawn: Drawn) -> tuple[float, float]:
    """Loss of the first batch and the norm of its gradient at all weights."""
    xs, heads = _forward(params, arm, w, drawn.ids, _kept(params)["full"])
    loss, error = _losses(xs[-1], w, drawn.after)
    np.put_along_axis(
        error,
        drawn.after[..., None],
        np.take_along_axis(error, drawn.after[..., None], -1) - 1,
        -1,
    )
    error[:, 0] = 0  # nothing could tell the first word
    error /= loss[:, 1:].size
    squares = float((np.einsum("btd,btv->dv", xs[-1], error) ** 2).sum())
    back = error @ w["unembedding"].T
    for layer in reversed(range(params.layers)):
        found, back = _backward(
            params, arm, w, layer=layer, x=xs[layer], head=heads[layer], back=back
        )
        squares += found
    embedding = np.zeros_like(w["embedding"])
    np.add.at(embedding, drawn.ids, back)
    squares += float((embedding**2).sum() + (back.sum(0) ** 2).sum())
    return float(loss[:, 1:].mean()), math.sqrt(squares)


def _backward(
    params: Params, arm: Arm, w: Named, *, layer: int, x: Array, head: Head, back: Array
) -> tuple[float, Array]:
    """Squared gradient at the weights of one layer, and the gradient at its input."""
    gated = head.gate[..., None] * head.u
    at_o = np.einsum("bhtk,btd->hkd", gated, back)
    at_gated = np.einsum("btd,hkd->bhtk", back, _rows(w[f"w_o.{layer}"], params))
    at_u = head.gate[..., None] * at_gated
    through = at_u @ head.v.swapaxes(-1, -2)
    mean = (head.p * through).sum(-1, keepdims=True)
    at_scores = head.p * (through - mean) / math.sqrt(head.q.shape[-1])
    ends = {
        "q": at_scores @ head.k,
        "k": at_scores.swapaxes(-1, -2) @ head.q,
        "v": head.p.swapaxes(-1, -2) @ at_u,
    }
    squares, before = float((at_o**2).sum()), back.copy()
    for name, end in ends.items():
        squares += float((np.einsum("btd,bhtk->hdk", x, end) ** 2).sum())
        before += np.einsum("bhtk,hdk->btd", end, _columns(w[f"w_{name}.{layer}"], params))
    if arm == "learned":
        squares += float(((head.sink * mean[..., 0]).sum((0, 2)) ** 2).sum())
    if arm == "gate":
        logit = (head.u * at_gated).sum(-1) * head.gate * (1 - head.gate)  # (B, H, T)
        squares += float((np.einsum("btd,bht->dh", x, logit) ** 2).sum())
        before += np.einsum("bht,dh->btd", logit, w[f"gate.{layer}"])
    return squares, before


def _measured(
    params: Params, arm: Arm, w: Named, drawn: Drawn
) -> tuple[dict[str, float], dict[str, Array]]:
    """Every measure of one trained model, and the lists over its heads."""
    later = np.zeros(drawn.copies.shape, bool)
    later[:, params.seq_len // 2 :] = True
    idle, copying = later & ~drawn.copies, later & drawn.copies
    losses: Named = {}
    heads: list[Head] = []
    for name, kept in _kept(params).items():
        xs, seen = _forward(params, arm, w, drawn.ids, kept)
        losses[name] = _losses(xs[-1], w, drawn.after)[0]
        heads = heads or seen
    excess = losses["full"] - drawn.best
    found = {
        "excess_loss": excess[later].mean(),
        "idle_excess": excess[idle].mean(),
        "copying_excess": excess[copying].mean(),
    }
    for name in losses:
        if name != "full":
            found[name] = (losses[name] - losses["full"])[later].mean()
    layers = [_of_layer(head, idle, copying) for head in heads]
    for name in layers[0]:
        found[name] = np.mean([one[name] for one in layers])
    first = np.concatenate([one["first_weight"] for one in layers])
    found["sink_share"] = (first > 0.5).mean()
    lists = {
        "first_weight_by_head": first,
        "value_ratio_by_head": np.concatenate([one["value_ratio"] for one in layers]),
    }
    return {name: float(value) for name, value in found.items()}, lists


def _of_layer(head: Head, idle: NDArray[np.bool_], copying: NDArray[np.bool_]) -> Named:
    """Measures of each head, (H,), and of the heads together."""
    p = head.p.transpose(1, 0, 2, 3)  # (H, B, T, T)
    at = np.arange(p.shape[-1])
    length = np.sqrt((head.v**2).sum(-1)).mean(0)  # (H, T)
    output = np.sqrt(((head.gate[..., None] * head.u) ** 2).sum((1, 3)))  # (B, T)
    return {
        "first_weight": p[:, idle, 0].mean(-1),
        "copying_first_weight": p[:, copying, 0].mean(-1),
        "previous_weight": p[:, :, at, at - 1][:, copying].mean(-1),
        "own_weight": p[:, :, at, at][:, idle].mean(-1),
        "let_through": (head.gate * (1 - head.sink)).transpose(1, 0, 2)[:, idle].mean(-1),
        "value_ratio": length[:, 0] / length[:, 1:].mean(-1),
        "idle_output": np.asarray(output[idle].mean() / output[copying].mean()),
    }
