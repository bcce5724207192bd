"""Small causal transformers that differ only in how a head may attend to nothing, trained together.

    x = E[token] + P[position];  a layer: x += g · (weights V) W_o;  logits = x U
    softmax       weights = softmax(Q Kᵀ/√d_k), g = 1: a row sums to 1 and has to go somewhere
    off_by_one    one more key with score 0 and value 0: exp(s)/(1 + Σ exp(s))
    learned       the same with a learned score for each head
    gate          softmax, and each head's output times g = σ(x · w_g)

Attention and nothing else: no MLP, no norm. All arms start from the same numbers and see the
same batches. The loss that is differentiated is the sum over arms and runs.

Miller 2023, "Attention Is Off By One"; Xiao et al. 2024, "Efficient Streaming Language Models
with Attention Sinks", section 3.3; Qiu et al. 2025, "Gated Attention for Large Language Models".

Shapes: A arms, N runs, B sequences, T positions, H heads of d_k = 32/H, V ids.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

import torch

from quizapp.lab.experiment import Context
from quizapp.lab.maths.backcopy import VOCABULARY, Batch, draw
from quizapp.lab.maths.training import BETA_1, BETA_2, EPSILON

if TYPE_CHECKING:
    from quizapp.lab.experiments.attention_sinks import Params

Arm = Literal["softmax", "off_by_one", "learned", "gate"]
ARMS: Final[tuple[Arm, ...]] = get_args(Arm)
D_MODEL: Final = 32
#: Sequences of each run in a training step, and in the measurements afterwards.
SEQUENCES: Final = 8
TESTED: Final = 64
#: Steps whose batches are drawn at a time.
DRAWN: Final = 25

Weights = dict[str, torch.Tensor]


def shapes(params: Params) -> Iterator[tuple[str, tuple[int, ...], float]]:
    """Name, shape and standard deviation at the start of every weight of one model."""
    d, unit = D_MODEL, D_MODEL**-0.5
    yield "embedding", (VOCABULARY, d), 0.5
    yield "position", (params.seq_len, d), 0.5
    for layer in range(params.layers):
        yield f"w_q.{layer}", (d, d), unit
        yield f"w_k.{layer}", (d, d), unit
        yield f"w_v.{layer}", (d, d), unit
        yield f"w_o.{layer}", (d, d), unit / 2
        yield f"sink.{layer}", (params.heads,), 0.0  # starts as off_by_one
        yield f"gate.{layer}", (d, params.heads), 0.0  # starts half open
    yield "unembedding", (d, VOCABULARY), 0.1


def fresh(params: Params, ctx: Context) -> Weights:
    """All weights at the start, (A, N, …) each, the same for every arm."""
    made = {}
    for name, shape, std in shapes(params):
        one = ctx.normal(name, params.runs, *shape) * std
        made[name] = one.expand(len(ARMS), *one.shape).clone().requires_grad_()
    return made


def batch(params: Params, ctx: Context, name: str, sequences: int) -> Batch:
    """Sequences of the stream `name` in the language of `params`."""
    size = (params.runs, sequences, params.seq_len)
    return draw(ctx, name, *size, copying=params.copying, first=params.first)


def several(params: Params, ctx: Context, step: int) -> Batch:
    """What is trained on from `step` on, DRAWN steps of it, one after another."""
    return batch(params, ctx, f"train.{step}", SEQUENCES * DRAWN)


def visible(params: Params, ctx: Context) -> torch.Tensor:
    """(T, T), True where a query may look: at itself and before."""
    length = params.seq_len
    return torch.ones(length, length, dtype=torch.bool, device=ctx.device).tril()


@dataclass(frozen=True)
class Layer:
    """What one layer did: weights on the real keys (A, N, B, H, T, T), the gate that its
    outputs were multiplied by (…, H, T, 1), values and gated outputs (…, H, T, d_k)."""

    weights: torch.Tensor
    gate: torch.Tensor
    values: torch.Tensor
    output: torch.Tensor


def forward(
    params: Params, ctx: Context, w: Weights, one_hot: torch.Tensor, seen: torch.Tensor
) -> tuple[torch.Tensor, list[Layer]]:
    """Logits (A, N, B, T, V) and every layer. seen: (T, T), which keys are in the cache."""
    sequences = one_hot.shape[1]
    x = one_hot.flatten(1, 2) @ w["embedding"]  # (A, N, B·T, d)
    x = x + w["position"].repeat(1, 1, sequences, 1)
    layers = []
    for at in range(params.layers):
        ctx.checkpoint()
        layers.append(_layer(params, ctx, w, x, at=at, seen=seen))
        merged = layers[-1].output.transpose(3, 4).reshape(x.shape)
        x = x + merged @ w[f"w_o.{at}"]
    logits = x @ w["unembedding"]
    return torch.unflatten(logits, 2, (sequences, params.seq_len)), layers


def _layer(
    params: Params, ctx: Context, w: Weights, x: torch.Tensor, *, at: int, seen: torch.Tensor
) -> Layer:
    """Attention of one layer in all arms at once, x (A, N, B·T, d).

    The way out of off_by_one and learned is one more key: zero in the columns of every real
    key, its score in a column of its own (in which queries hold √d_k), its value zero.
    """

    def split(y: torch.Tensor) -> torch.Tensor:
        by_token = y.view(
            *y.shape[:2], -1, params.seq_len, params.heads, y.shape[-1] // params.heads
        )
        return by_token.transpose(3, 4)

    q, k, v = (split(x @ w[f"w_{name}.{at}"]) for name in "qkv")  # (A, N, B, H, T, d_k)
    arm = {name: _only(name, x) for name in ARMS}
    score = (w[f"sink.{at}"] * arm["learned"][:, None, None])[:, :, None, :, None, None]
    extra = torch.cat([torch.zeros_like(k[..., :1, :]), score.expand(*k.shape[:-2], 1, 1)], -1)
    keys = torch.cat([torch.nn.functional.pad(k, (0, 1)), extra], -2)  # (…, T + 1, d_k + 1)
    root = math.sqrt(k.shape[-1])
    queries = torch.nn.functional.pad(q, (0, 1), value=root)
    way_out = (arm["off_by_one"] + arm["learned"]).bool().view(-1, 1, 1, 1, 1, 1)
    mask = torch.cat(
        [
            seen.expand(len(ARMS), 1, 1, 1, -1, -1),
            way_out.expand(-1, 1, 1, 1, params.seq_len, 1),
        ],
        -1,
    )
    values = torch.nn.functional.pad(v, (0, 0, 0, 1))
    output, weights = ctx.attention(queries, keys, values, scale=1 / root, mask=mask)
    shut = torch.sigmoid(-split(x @ w[f"gate.{at}"]))  # (A, N, B, H, T, 1)
    gate = 1 - arm["gate"].view(-1, 1, 1, 1, 1, 1) * shut
    return Layer(weights[..., :-1], gate, v, output * gate)


def _only(name: Arm, like: torch.Tensor) -> torch.Tensor:
    """1 for that arm and 0 for the others, (A,)."""
    return like.new_tensor([float(arm == name) for arm in ARMS])


def losses(logits: torch.Tensor, drawn: Batch) -> torch.Tensor:
    """Cross-entropy of every next token: (A, N, B, T)."""
    targets = drawn.ids[..., 1:].expand(logits.shape[:-1])[..., None]
    return -logits.log_softmax(-1).gather(-1, targets)[..., 0]


@dataclass(frozen=True)
class Progress:
    """One training step as it began, (A, N) each: mean loss above the best possible, weight on
    the first token where there is nothing to copy, and the raw loss and gradient norm."""

    excess: torch.Tensor
    first: torch.Tensor
    loss: torch.Tensor
    gradient: torch.Tensor


def train(params: Params, ctx: Context, w: Weights) -> Iterator[Progress]:
    """Adam on every arm and run, its rate falling linearly to zero; `w` is trained in place."""
    means = [torch.zeros_like(x) for x in w.values()]
    squares = [torch.zeros_like(x) for x in w.values()]
    seen = visible(params, ctx)
    for step in range(params.steps):
        if step % DRAWN == 0:
            many = several(params, ctx, step)
        start = SEQUENCES * (step % DRAWN)
        drawn = many.part(slice(start, start + SEQUENCES))
        logits, layers = forward(params, ctx, w, drawn.one_hot, seen)
        # The first token predicts a word that nothing could tell it.
        each = losses(logits, drawn)[..., 1:]
        loss = each.mean((-2, -1))
        gradients = torch.autograd.grad(loss.sum(), list(w.values()))
        rate = params.rate * (1 - step / params.steps)
        with torch.no_grad():
            yield Progress(
                (each - drawn.best[..., 1:]).mean((-2, -1)),
                _first(layers, drawn),
                loss.detach(),
                torch.stack([g.square().flatten(2).sum(-1) for g in gradients]).sum(0).sqrt(),
            )
            _adam(w, gradients, (means, squares), rate=rate, step=step + 1)


def _first(layers: list[Layer], drawn: Batch) -> torch.Tensor:
    """Mean weight on the first token of the later queries with nothing to copy, (A, N)."""
    idle = ~drawn.copies
    idle[..., : idle.shape[-1] // 2] = False
    weight = torch.stack([layer.weights[..., 0].mean(3) for layer in layers]).mean(0)
    return (weight * idle).sum((-2, -1)) / idle.sum((-2, -1)).clamp(min=1)


def _adam(
    w: Weights,
    gradients: tuple[torch.Tensor, ...],
    moments: tuple[list[torch.Tensor], list[torch.Tensor]],
    *,
    rate: float,
    step: int,
) -> None:
    """Kingma and Ba 2015, algorithm 1."""
    for x, gradient, mean, square in zip(w.values(), gradients, *moments, strict=True):
        mean.mul_(BETA_1).add_(gradient, alpha=1 - BETA_1)
        square.mul_(BETA_2).addcmul_(gradient, gradient, value=1 - BETA_2)
        size = (square / (1 - BETA_2**step)).sqrt_().add_(EPSILON)
        x.sub_(rate / (1 - BETA_1**step) * mean / size)


#: The last trained weights and what they were trained from: `check` reads them after `run`.
_LAST: dict[str, Weights] = {}


def _key(params: Params, ctx: Context) -> str:
    """What training depends on: not the arm that is shown, nor the window of the test."""
    return ctx.device + params.model_dump_json(exclude={"arm", "window"})


def keep(params: Params, ctx: Context, w: Weights) -> None:
    """Remember the weights of a finished training, and forget those before it."""
    _LAST.clear()
    _LAST[_key(params, ctx)] = {name: x.detach() for name, x in w.items()}


def trained(params: Params, ctx: Context) -> Weights:
    """The final weights: those of the run before, else of a training that ends the same."""
    if _key(params, ctx) not in _LAST:
        w = fresh(params, ctx)
        for _ in train(params, ctx, w):
            pass
        keep(params, ctx, w)
    return _LAST[_key(params, ctx)]
