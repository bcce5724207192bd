"""W_q, W_k and W_v as PyTorch's own layers and initialisers make them.

Shapes: d_model in, d_model out (all heads side by side). Variances are those of the
outputs for inputs of mean 0 and variance 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

#: Name → what it is, as code. "identity" leaves the inputs as they are.
INITS = {
    "identity": "q = x, k = x",
    "xavier": "Linear(d_model, d_model), xavier_normal_",
    "xavier_narrow": "Linear(d_model, d_k) a head, xavier_normal_",
    "kaiming": "kaiming_normal_(nonlinearity='relu')",
    "linear_default": "nn.Linear(d_model, d_model)",
    "mha_packed": "nn.MultiheadAttention(d_model, heads)",
    "gpt2": "normal_(std=0.02)",
    "t5": "normal_(std=d_model^-½), W_q over √d_k",
    "too_large": "normal_(std=1)",
    "too_small": "normal_(std=0.002)",
}
_STDS = {"gpt2": 0.02, "too_large": 1.0, "too_small": 0.002}


@dataclass(frozen=True)
class Projection:
    """One linear map: weight (d_model, d_model), bias (d_model,); None for neither."""

    weight: torch.Tensor | None = None
    bias: torch.Tensor | None = None

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """x (S, d_model) → (S, d_model), on the device of x."""
        if self.weight is None:
            return x
        bias = None if self.bias is None else self.bias.to(x.device)
        return nn.functional.linear(x, self.weight.to(x.device), bias)


def projections(
    init: str, d_model: int, heads: int, seed: int
) -> tuple[Projection, Projection, Projection]:
    """W_q, W_k, W_v, drawn on the CPU from `seed`; the global generator stays untouched."""
    if init == "identity":
        return Projection(), Projection(), Projection()
    if init == "mha_packed":
        # Its initialisation is its own and draws from the global generator.
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(seed)
            layer = nn.MultiheadAttention(d_model, heads)
        assert layer.in_proj_weight is not None
        assert layer.in_proj_bias is not None
        weights = layer.in_proj_weight.detach().chunk(3)
        biases = layer.in_proj_bias.detach().chunk(3)
        q, k, v = (Projection(*pair) for pair in zip(weights, biases, strict=True))
        return q, k, v
    if init == "linear_default":
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(seed)
            layers = [nn.Linear(d_model, d_model) for _ in range(3)]
        q, k, v = (Projection(layer.weight.detach(), layer.bias.detach()) for layer in layers)
        return q, k, v
    generator = torch.Generator().manual_seed(seed)
    w_q, w_k, w_v = (_weight(init, d_model, heads, generator) for _ in range(3))
    if init == "t5":
        # The scale of the scores, folded into the initialiser of W_q.
        w_q = w_q / (d_model // heads) ** 0.5
    return Projection(w_q), Projection(w_k), Projection(w_v)


def _weight(init: str, d_model: int, heads: int, generator: torch.Generator) -> torch.Tensor:
    """One weight (d_model, d_model) by an initialiser that takes a generator."""
    weight = torch.empty(d_model, d_model)
    if init == "xavier":
        nn.init.xavier_normal_(weight, generator=generator)
    elif init == "xavier_narrow":
        # fan_out is d_k here, not d_model: the variance is 2/(d_model + d_k).
        for head in weight.chunk(heads):
            nn.init.xavier_normal_(head, generator=generator)
    elif init == "kaiming":
        nn.init.kaiming_normal_(weight, nonlinearity="relu", generator=generator)
    else:
        std = d_model**-0.5 if init == "t5" else _STDS[init]
        nn.init.normal_(weight, std=std, generator=generator)
    return weight
