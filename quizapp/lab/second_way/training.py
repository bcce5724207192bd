"""Loss and gradient of the first step in float64 NumPy, by backward formulas written out.

One sequence at a time; softmaxes from powers of e; each gradient an explicit sum over the
paths from a weight to the loss, with p the attention weights and e = ∂L/∂prediction:

    ∂L/∂W_o = Σ o eᵀ             o = p V
    ∂L/∂W_v = Mᵀ pᵀ e W_oᵀ
    ∂L/∂s   = p ∘ (g − Σ p g)    g = e W_oᵀ Vᵀ, s the scores as the softmax sees them
    ∂L/∂W_q = c Xᵀ (∂L/∂s) K,  ∂L/∂W_k = c Mᵀ (∂L/∂s)ᵀ Q      s = c Q Kᵀ
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from quizapp.lab.experiment import Context
from quizapp.lab.maths.training_tasks import (
    CLASSES,
    CODE,
    D_MODEL,
    KEY_NOISE,
    QUERIES,
    SEQUENCES,
    Task,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def first_batch(task: Task, ctx: Context, runs: int, pairs: int) -> tuple[Array, Array, Array]:
    """`batch64` of step 0."""
    return batch64(task, ctx, runs, pairs, 0)


def batch64(
    task: Task, ctx: Context, runs: int, pairs: int, step: int
) -> tuple[Array, Array, Array]:
    """Memory (N, B, S_k, d_model), asked (N, B, S_q, d_model), target (N, B, S_q, C) of one step.

    A class is a target with a 1 in its place.
    """
    codes = ctx.normal64(f"codes.{step}", runs, SEQUENCES, pairs, CODE)
    values = ctx.normal64(f"values.{step}", runs, SEQUENCES, pairs, CLASSES)
    asked = codes[:, :, :QUERIES]
    if task == "recall":
        marked = (values == values.max(-1, keepdims=True)).astype(np.float64)
        values, target = marked * math.sqrt(CLASSES), marked[:, :, :QUERIES]
    else:
        keys = np.sqrt(1 + KEY_NOISE**2) ** -1 * ctx.normal64(
            f"key_noise.{step}", runs, SEQUENCES, pairs, CODE
        )
        truth = ctx.normal64(f"targets.{step}", runs, SEQUENCES, QUERIES, CLASSES)
        repeat = -(-pairs // QUERIES)
        around, means = (np.tile(x, (1, 1, repeat, 1))[:, :, :pairs] for x in (asked, truth))
        codes = KEY_NOISE * keys + around / np.hypot(1, KEY_NOISE)
        values, target = (means + values) / math.sqrt(2), truth / math.sqrt(2)
    blank = np.zeros((*asked.shape[:-1], CLASSES))
    question = asked / math.sqrt(CODE / (CODE + CLASSES))  # mean square 1 over the whole token
    return np.concatenate([codes, values], -1), np.concatenate([question, blank], -1), target


def weights64(ctx: Context, runs: int, d_k: int, std: float) -> list[Array]:
    """W_q, W_k, W_v, W_o at the start, (N, …) each."""
    shapes = {"w_q": (D_MODEL, d_k), "w_k": (D_MODEL, d_k), "w_v": (D_MODEL, CLASSES)}
    shapes["w_o"] = (CLASSES, CLASSES)
    made = {name: ctx.normal64(name, runs, *shape) for name, shape in shapes.items()}
    sizes = {"w_q": std, "w_k": std}
    return [w * sizes.get(n, 1.0) / math.sqrt(shapes[n][0]) for n, w in made.items()]


def first_step(
    task: Task,
    inputs: tuple[Array, Array, Array],
    weights: list[Array],
    *,
    by: float,
    after: float,
) -> dict[str, Array]:
    """Loss, both gradient norms and mean row entropy of each run, (N,) each.

    by: what q·k is multiplied by; after: what the output of attention is.
    """
    found: dict[str, list[float]] = {}
    for run in range(len(weights[0])):
        w_q, w_k, w_v, w_o = (w[run] for w in weights)
        gradients = [np.zeros_like(w) for w in (w_q, w_k, w_v, w_o)]
        losses, entropies = [], []
        for memory, asked, target in zip(*(x[run] for x in inputs), strict=True):
            q, k, v = asked @ w_q, memory @ w_k, memory @ w_v * after
            powers = np.exp(by * (q @ k.T) - by * (q @ k.T).max(-1, keepdims=True))
            p = powers / powers.sum(-1, keepdims=True)
            losses.append(_loss(task, p @ v @ w_o, target))
            entropies.append(-np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(-1))
            error = _error(task, p @ v @ w_o, target) / SEQUENCES
            back = error @ w_o.T
            at_weights = back @ v.T
            at_scores = p * (at_weights - (p * at_weights).sum(-1, keepdims=True))
            gradients[0] += by * np.einsum("ia,ij,jd->ad", asked, at_scores, k)
            gradients[1] += by * np.einsum("ja,ij,id->ad", memory, at_scores, q)
            gradients[2] += after * np.einsum("ja,ij,ic->ac", memory, p, back)
            gradients[3] += np.einsum("ic,ie->ce", p @ v, error)
        squares = [float((g**2).sum()) for g in gradients]
        numbers = {
            "initial_loss": float(np.mean(losses)),
            "initial_gradient": math.sqrt(sum(squares)),
            "initial_qk_gradient": math.hypot(*map(math.sqrt, squares[:2])),
            "initial_entropy": float(np.mean(entropies)),
        }
        for name, number in numbers.items():
            found.setdefault(name, []).append(number)
    return {name: np.array(numbers) for name, numbers in found.items()}


def _loss(task: Task, prediction: Array, target: Array) -> float:
    """Mean loss of one sequence: predictions and targets (S_q, C)."""
    if task == "regression":
        return float(((prediction - target) ** 2).mean())
    odds = np.exp(prediction - (prediction * target).sum(-1, keepdims=True))  # beside the target's
    return float(np.log(odds.sum(-1)).mean())


def _error(task: Task, prediction: Array, target: Array) -> Array:
    """∂loss/∂prediction of one sequence, (S_q, C)."""
    if task == "regression":
        return np.asarray(2 * (prediction - target) / target.size)
    powers = np.exp(prediction)
    return np.asarray((powers / powers.sum(-1, keepdims=True) - target) / len(target))
