"""Ways to write a softmax, and the logits at which exp leaves a number format.

    naive   exp(x) / Σ exp(x)            max  exp(x − max x) / Σ exp(x − max x)
    lse     exp(x − log Σ exp x), the log-sum-exp itself with the maximum taken out
    mean    as max, with the mean of the row taken out instead
    clamp   naive on min(x, c − ln 2n), c the largest logit whose exp is finite
    epsilon exp(x) / (Σ exp(x) + 1e-6)

Every step is rounded to the format of x. Shapes: x (…, n) logits, n keys.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import torch

Dtype = Literal["float16", "bfloat16", "float32", "float64"]
Way = Literal["naive", "max", "lse", "mean", "clamp", "epsilon"]
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
WAYS: tuple[Way, ...] = get_args(Way)

EPSILON = 1e-6
#: A row is broken when a weight is not finite, or their sum is further than this from 1.
SUM_OFF = 0.1


def home(dtype: Dtype, device: str) -> str:
    """Where that format can be computed in: MPS has no float64, so there the CPU does it."""
    return "cpu" if device == "mps" and dtype == "float64" else device


def softmax(way: Way, x: torch.Tensor, largest: float) -> torch.Tensor:
    """Weights (…, n) of logits x (…, n); `largest` is the overflow point of their format."""
    if way == "lse":
        top = x.amax(-1, keepdim=True)
        return (x - (top + (x - top).exp().sum(-1, keepdim=True).log())).exp()
    if way == "max":
        x = x - x.amax(-1, keepdim=True)
    elif way == "mean":
        x = x - x.mean(-1, keepdim=True)
    elif way == "clamp":
        x = x.clamp(max=largest - math.log(2 * x.shape[-1]))
    powers = x.exp()
    total = powers.sum(-1, keepdim=True)
    return powers / (total + EPSILON if way == "epsilon" else total)


def broken(weights: torch.Tensor) -> torch.Tensor:
    """Which rows of weights (…, n) are no distribution: (…,) booleans."""
    off = (weights.double() if weights.device.type != "mps" else weights.float()).sum(-1) - 1
    found: torch.Tensor = ~(off.abs() <= SUM_OFF)  # NaN is not within it either
    return found


def overflow_logit(dtype: Dtype, device: str) -> float:
    """The largest logit of that format whose exp is finite in it, by bisection."""
    return _edge(dtype, device, 0.0, 1024.0, infinite=True)


def underflow_logit(dtype: Dtype, device: str) -> float:
    """The largest logit of that format whose exp is exactly 0 in it, by bisection."""
    return _edge(dtype, device, -1024.0, 0.0, infinite=False)


def _edge(dtype: Dtype, device: str, low: float, high: float, *, infinite: bool) -> float:
    """The last representable logit before exp turns infinite, or before it leaves 0."""
    import torch

    kind, place = getattr(torch, dtype), home(dtype, device)
    while True:
        x = torch.tensor((low + high) / 2, dtype=torch.float64).to(kind)
        middle = x.item()
        if middle in (low, high):  # no number of the format lies between them
            return low
        power = x.to(place).exp().item()
        beyond = math.isinf(power) if infinite else power > 0
        low, high = (low, middle) if beyond else (middle, high)
