"""A small untrained transformer whose norms, scale, QK-norm and soft-cap can each be left out.

    pre    x ← x + Attn(N(x)),  x ← x + MLP(N(x)),  output N(x)
    post   x ← N(x + Attn(x)),  x ← N(x + MLP(x))
    N = LayerNorm (x − mean)/std or RMSNorm x/rms over the features, gain 1 and no bias
    scores  c·q·k, with q and k first over their rms (QK-norm) or length, then cap·tanh(s/cap)

Weights keep the variance of unit inputs: std 1/√d_model, and √2 more after a ReLU. A draw
is a model and an input of its own.
Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", section 3;
Zhang and Sennrich 2019 (RMSNorm); Henry et al. 2020 (QK-norm).

Shapes: D draws, n tokens, H heads, d = d_model = H·d_k, hidden width 2d.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from quizapp.lab.experiment import Context
from quizapp.lab.maths.rows import drawn

if TYPE_CHECKING:
    import torch

Norm = Literal["none", "layernorm", "rmsnorm"]
Place = Literal["pre", "post"]
QKNorm = Literal["off", "rms", "l2"]

EPS = 1e-6
#: Width of the MLP in multiples of d_model.
WIDER = 2


@dataclass(frozen=True)
class Model:
    """What the model is made of; `factor` multiplies q·k, a soft_cap of 0 is none."""

    norm: Norm
    place: Place
    factor: float
    qk_norm: QKNorm
    soft_cap: float
    heads: int
    d_k: int
    layers: int
    qk_gain: float

    @property
    def d_model(self) -> int:
        return self.heads * self.d_k


@dataclass(frozen=True)
class Layer:
    """Weights of one layer: attention (D, 4, d, d) as W_q, W_k, W_v, W_o; the MLP's two."""

    attention: torch.Tensor
    first: torch.Tensor  # (D, d, 2d)
    second: torch.Tensor  # (D, 2d, d)


@dataclass(frozen=True)
class Trace:
    """What a forward pass leaves: of each layer its input, scores and weights; the output.

    streams (D, n, d) each, one more than layers; scores and weights (D, H, n, n) each.
    """

    streams: list[torch.Tensor]
    scores: list[torch.Tensor]
    weights: list[torch.Tensor]
    output: torch.Tensor


def layers(model: Model, ctx: Context, draws: range, like: torch.Tensor) -> list[Layer]:
    """Fresh weights of every layer, in the dtype of `like`."""
    d, found = model.d_model, []
    for i in range(model.layers):
        ctx.checkpoint()
        square = drawn(ctx, f"attention{i}", draws, 4, d, d).to(like.dtype) / math.sqrt(d)
        square[:, :2] *= model.qk_gain
        wide = drawn(ctx, f"mlp{i}", draws, 2, d, WIDER * d).to(like.dtype)
        second = wide[:, 1].mT * math.sqrt(2 / (WIDER * d))
        found.append(Layer(square, wide[:, 0] / math.sqrt(d), second))
    return found


def forward(model: Model, ctx: Context, x: torch.Tensor, weights: list[Layer]) -> Trace:
    """Run x (D, n, d) through the model."""
    import torch

    trace = Trace([x], [], [], x)
    pre = model.place == "pre"
    for layer in weights:
        ctx.checkpoint()
        mixed = _attend(model, ctx, normed(model.norm, x) if pre else x, layer, trace)
        x = x + mixed if pre else normed(model.norm, x + mixed)
        hidden = torch.relu((normed(model.norm, x) if pre else x) @ layer.first)
        x = x + hidden @ layer.second
        x = x if pre else normed(model.norm, x)
        trace.streams.append(x)
    output = normed(model.norm, x) if pre else x
    return Trace(trace.streams, trace.scores, trace.weights, output)


def normed(norm: Norm, x: torch.Tensor) -> torch.Tensor:
    """N(x) over the last dimension."""
    import torch

    if norm == "layernorm":
        return torch.nn.functional.layer_norm(x, x.shape[-1:], eps=EPS)
    if norm == "rmsnorm":
        return torch.nn.functional.rms_norm(x, x.shape[-1:], eps=EPS)
    return x


def _attend(
    model: Model, ctx: Context, x: torch.Tensor, layer: Layer, trace: Trace
) -> torch.Tensor:
    """All heads on x (D, n, d), their scores and weights left in `trace`."""
    import torch

    # (D, 3, H, n, d_k), then apart
    joined = x[:, None] @ layer.attention[:, :3]
    heads = joined.view(*joined.shape[:-1], model.heads, model.d_k).transpose(2, 3)
    q, k, v = heads.unbind(1)
    if model.qk_norm == "rms":
        q, k = normed("rmsnorm", q), normed("rmsnorm", k)
    elif model.qk_norm == "l2":
        q, k = (torch.nn.functional.normalize(part, dim=-1) for part in (q, k))
    scores = (q * model.factor) @ k.mT  # (D, H, n, n)
    if model.soft_cap:
        scores = model.soft_cap * torch.tanh(scores / model.soft_cap)
        weights = scores.softmax(-1)
        output = weights @ v
    else:
        output, weights = ctx.attention(q, k, v, scale=model.factor)
    trace.scores.append(scores)
    trace.weights.append(weights)
    mixed: torch.Tensor = output.transpose(1, 2).flatten(2) @ layer.attention[:, 3]
    return mixed
