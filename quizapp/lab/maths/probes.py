"""A small causal transformer, whole or broken in one place, and what probes read from it.

    x = E[token] + P[position];  a layer: x += W_o attention(LN(x));  x += W_out relu(W_in LN(x))
    logits = U LN(x);  loss: cross-entropy of the next token. LN without gain and shift.

Shapes: B sequences of S tokens, H heads of d_k = d_model / H, V token ids; q, k, v
(B, H, S, d_k), scores and weights (B, H, S, S), logits (B, S, V).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch.nn import functional

from quizapp.lab.attention import entropy, jacobian_norm
from quizapp.lab.experiment import Context
from quizapp.lab.maths.probe_readings import LATE, Readings

if TYPE_CHECKING:
    from quizapp.lab.experiments.probes import Params

#: Token ids.
VOCABULARY = 16
#: Width of the MLP over d_model.
WIDER = 2
#: What the two faults of initialisation multiply W_q and W_k by.
BAD_INIT = {"bad_init": 4.0, "tiny_init": 0.05}
#: The matrices of a layer, in the order they act.
PARTS = ("w_q", "w_k", "w_v", "w_o", "w_in", "w_out")

Weights = dict[str, torch.Tensor]


def shapes(params: Params) -> Iterator[tuple[str, tuple[int, int], float]]:
    """Name, shape and standard deviation of every weight, for a healthy start.

    What adds to the residual stream starts smaller by √(2 · layers), as in GPT-2; U starts
    small, so that the first loss is near ln V.
    """
    d, wide, deep = params.d_model, WIDER * params.d_model, math.sqrt(2 * params.layers)
    yield "embedding", (VOCABULARY, d), math.sqrt(0.5)
    yield "position", (params.seq_len, d), math.sqrt(0.5)
    for layer in range(params.layers):
        for name in ("w_q", "w_k", "w_v"):
            yield f"{name}.{layer}", (d, d), d**-0.5
        yield f"w_o.{layer}", (d, d), d**-0.5 / deep
        yield f"w_in.{layer}", (wide, d), math.sqrt(2 / d)
        yield f"w_out.{layer}", (d, wide), wide**-0.5 / deep
    yield "unembedding", (VOCABULARY, d), 0.2 * d**-0.5


def start_factor(name: str, fault: str) -> float:
    """What a fault of the initialisation multiplies that weight by."""
    return BAD_INIT.get(fault, 1.0) if name.startswith(("w_q.", "w_k.")) else 1.0


def fresh(params: Params, ctx: Context, fault: str) -> Weights:
    """All weights at the start, requiring gradients. A fault shares every other number."""
    return {
        name: (ctx.normal(name, *shape) * (std * start_factor(name, fault))).requires_grad_()
        for name, shape, std in shapes(params)
    }


def tokens(params: Params, ctx: Context) -> torch.Tensor:
    """Sequences (B, S) whose second half repeats the first."""
    generator = torch.Generator().manual_seed(ctx.stream("tokens"))
    half = (params.seq_len + 1) // 2
    first = torch.randint(VOCABULARY, (params.batch, half), generator=generator)
    return torch.cat([first, first], dim=1)[:, : params.seq_len].to(ctx.device)


@dataclass(frozen=True)
class Seen:
    """What a forward pass leaves for the probes, by layer; all detached.

    scores: as they enter the softmax, the hidden ones included.
    """

    q: list[torch.Tensor]
    k: list[torch.Tensor]
    scores: list[torch.Tensor]
    weights: list[torch.Tensor]


def forward(
    params: Params, ctx: Context, weights: Weights, ids: torch.Tensor, fault: str
) -> tuple[torch.Tensor, Seen]:
    """Logits (B, S, V), and what there was to see on the way."""
    x = weights["embedding"][ids] + weights["position"]
    seen = Seen([], [], [], [])
    for layer in range(params.layers):
        ctx.checkpoint()
        w_q, w_k, w_v, w_o, w_in, w_out = (weights[f"{name}.{layer}"] for name in PARTS)
        h = functional.layer_norm(x, x.shape[-1:])
        q, k, v = (_split(h @ w.mT, params.heads, fault) for w in (w_q, w_k, w_v))
        output, attended, scores = _attend(ctx, q, k, v, fault)
        x = x + _merge(output, fault) @ w_o.mT
        h = functional.layer_norm(x, x.shape[-1:])
        x = x + torch.relu(h @ w_in.mT) @ w_out.mT
        for store, value in zip(
            (seen.q, seen.k, seen.scores, seen.weights), (q, k, scores, attended), strict=True
        ):
            store.append(value.detach())
    return functional.layer_norm(x, x.shape[-1:]) @ weights["unembedding"].mT, seen


def _split(x: torch.Tensor, heads: int, fault: str) -> torch.Tensor:
    """(B, S, d_model) → (B, H, S, d_k)."""
    batch, length, width = x.shape
    if fault == "wrong_reshape":
        # The shape is right and the numbers are not: head h gets every chunk of a few tokens.
        return x.reshape(batch, heads, length, width // heads)
    return x.view(batch, length, heads, -1).transpose(1, 2)


def _merge(x: torch.Tensor, fault: str) -> torch.Tensor:
    """(B, H, S, d_k) → (B, S, d_model)."""
    batch, heads, length, width = x.shape
    if fault == "wrong_reshape":
        return x.reshape(batch, length, heads * width)
    return x.transpose(1, 2).reshape(batch, length, heads * width)


def causal(length: int, device: str | torch.device = "cpu") -> torch.Tensor:
    """(S, S), True where a query may look: at itself and what lies before."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def _attend(
    ctx: Context, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, fault: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Output, weights and scores of attention with that fault."""
    scale = 1.0 if fault == "no_scale" else 1 / math.sqrt(q.shape[-1])
    visible = causal(q.shape[-2], q.device)
    scores = (q.detach() @ k.detach().mT) * scale
    if fault == "wrong_axis":
        hidden = ((q * scale) @ k.mT).masked_fill(~visible, float("-inf"))
        weights = torch.softmax(hidden, dim=-2)
        return weights @ v, weights, scores
    if fault == "mask_after_softmax":
        weights = ctx.attention(q, k, v, scale=scale)[1] * visible
        return weights @ v, weights, scores
    output, weights = ctx.attention(
        q,
        k,
        v.detach() if fault == "detached_value" else v,
        scale=scale,
        mask=None if fault == "no_mask" else visible,
    )
    return output, weights, scores


def next_token_loss(logits: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of every token but the first, given those before it."""
    return functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def read(params: Params, ctx: Context, fault: str) -> tuple[Readings, Seen]:
    """One forward and backward pass of a fresh model, and two perturbed forward passes."""
    ctx.checkpoint()
    weights, ids = fresh(params, ctx, fault), tokens(params, ctx)
    logits, seen = forward(params, ctx, weights, ids, fault)
    loss = next_token_loss(logits, ids)
    norms = gradient_norms(loss, weights)
    ctx.checkpoint()
    visible = causal(params.seq_len, ctx.device)
    shown = [scores[..., visible].cpu().double() for scores in seen.scores]
    late = int(LATE * params.seq_len)
    most = torch.arange(late + 1, params.seq_len + 1, device=ctx.device).log()  # ln of keys seen
    rows = [attended[..., late:, :] for attended in seen.weights]
    future, past = influences(params, ctx, weights, logits.detach(), fault)
    return Readings(
        score_mean=[scores.mean().item() for scores in shown],
        score_std=[scores.std().item() for scores in shown],
        q_variance=[q.var().item() for q in seen.q],
        row_sum_error=[(w.sum(-1) - 1).abs().max().item() for w in seen.weights],
        masked_weight=[w[..., ~visible].max().item() for w in seen.weights],
        max_weight=[m for w in rows for m in w.amax(-1).mean((0, 2)).tolist()],
        entropy_share=[m for w in rows for m in (entropy(w) / most).mean((0, 2)).tolist()],
        # Normalised: a mask after the softmax, or the wrong axis, leaves rows that are not.
        jacobian_median=torch.stack([jacobian_norm(w / w.sum(-1, keepdim=True)) for w in rows])
        .cpu()
        .double()
        .quantile(0.5)
        .item(),
        future_influence=future,
        past_influence=past,
        loss=loss.item(),
        grad_qk=[math.hypot(norms[f"w_q.{i}"], norms[f"w_k.{i}"]) for i in range(params.layers)],
        grad_v=[norms[f"w_v.{i}"] for i in range(params.layers)],
        grad_o=[norms[f"w_o.{i}"] for i in range(params.layers)],
        vocabulary=VOCABULARY,
    ), seen


def gradient_norms(loss: torch.Tensor, weights: Weights) -> dict[str, float]:
    """Norm of the loss's gradient at every weight; 0 where no gradient arrives."""
    found = torch.autograd.grad(loss, list(weights.values()), allow_unused=True)
    return {
        name: 0.0 if gradient is None else gradient.norm().item()
        for name, gradient in zip(weights, found, strict=True)
    }


def replaced(ids: torch.Tensor, position: int) -> torch.Tensor:
    """The same sequences with another token at that position."""
    other = ids.clone()
    other[:, position] = (other[:, position] + 1) % VOCABULARY
    return other


def influences(
    params: Params, ctx: Context, weights: Weights, logits: torch.Tensor, fault: str
) -> tuple[float, float]:
    """How far the last token moves what lies before it, and the first token what lies last.

    logits: of the same sequences with every token in its place.
    """
    ids = tokens(params, ctx)
    with torch.no_grad():
        last, _ = forward(params, ctx, weights, replaced(ids, -1), fault)
        first, _ = forward(params, ctx, weights, replaced(ids, 0), fault)
    return (
        (last - logits)[:, :-1].abs().max().item(),
        (first - logits)[:, -1].abs().max().item(),
    )


def descend(params: Params, ctx: Context, fault: str) -> Iterator[float]:
    """Loss on one and the same batch, before the first and after each step of plain SGD."""
    weights, ids = fresh(params, ctx, fault), tokens(params, ctx)
    for _ in range(params.steps):
        ctx.checkpoint()
        loss = next_token_loss(forward(params, ctx, weights, ids, fault)[0], ids)
        yield loss.item()
        found = torch.autograd.grad(loss, list(weights.values()), allow_unused=True)
        with torch.no_grad():
            for weight, gradient in zip(weights.values(), found, strict=True):
                if gradient is not None:
                    weight.sub_(params.learning_rate * gradient)
    with torch.no_grad():
        yield next_token_loss(forward(params, ctx, weights, ids, fault)[0], ids).item()
