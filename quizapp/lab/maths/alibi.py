"""ALiBi: a penalty on the score that grows with the distance, at a slope of each head's own.

    weights = softmax(q·k/√d_k − m (i − j)),  j ≤ i
    slopes for H a power of two: 2^(−8/H), 2^(−16/H), …, 2^(−8)
    else those of the power of two below H, then every other one of twice that power

Press et al. 2022, "Train Short, Test Long", section 3 and the authors' code for other H.

Shapes: D draws, H heads, Q queries, n keys by distance, nearest first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    import torch

Rule = Literal["paper", "geometric"]
Form = Literal["distance", "position"]
Method = Literal["alibi", "rotary", "sinusoidal", "none"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)
#: The share of a row's weight that a window has to hold.
SHARE: Final = 0.9


def slopes(heads: int, rule: Rule = "paper") -> torch.Tensor:
    """Slope of each head in the order of the paper's code: (H,) float64 on the CPU.

    "geometric" goes on with 2^(−8h/H) for every H.
    """
    import torch

    def powers(count: int) -> torch.Tensor:
        return 2.0 ** (-8 * torch.arange(1, count + 1, dtype=torch.float64) / count)

    below = 1 << (heads.bit_length() - 1)
    if rule == "geometric" or below == heads:
        return powers(heads)
    return torch.cat([powers(below), powers(2 * below)[0::2][: heads - below]])


def window(weights: torch.Tensor) -> torch.Tensor:
    """Keys it takes, from the nearest on, to hold SHARE of a row's weight: (…, n) → (…).

    weights: by distance, nearest first; rows sum to 1.
    """
    held = weights.double().cumsum(-1)
    return (held < SHARE).sum(-1) + 1


def made_in(bias: torch.Tensor, dtype: str) -> torch.Tensor:
    """Every number of `bias` as that format holds it."""
    import torch

    return bias.to(getattr(torch, dtype)).to(bias.dtype)


def by_position(
    m: torch.Tensor, queries: torch.Tensor, keys: torch.Tensor, form: Form, dtype: str
) -> torch.Tensor:
    """What is added to the scores of whole positions, (H, S_q, S_k), stored in `dtype`.

    distance: −m|i − j|, subtracted as whole numbers first; position: m·j for every query.
    """
    if form == "distance":
        apart = (queries[:, None] - keys).abs()
        return made_in(-m[:, None, None] * apart, dtype)
    return made_in((m[:, None] * keys)[:, None], dtype).expand(-1, len(queries), -1)


def causal(length: int) -> torch.Tensor:
    """(n, n), 0 where a query may look and −∞ after it: added to scores."""
    import torch

    hidden = torch.full((length, length), -math.inf)
    return hidden.triu(1)
