"""Rotary position embedding: pairs of columns turned by an angle that grows with the position.

Pair j of a vector at position p turns by the angle p·θⱼ, θⱼ = base^(−2j/d_k). A pair is two
neighbouring columns, as in the paper, or one column from each half, as in much code.

Shapes: n positions, d_k/2 pairs; "…" any leading dimensions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import torch

Pairing = Literal["adjacent", "halves"]
Angles = Literal["float64", "float32", "bfloat16"]
Extend = Literal["plain", "interpolated", "larger_base"]
EXTENDS: tuple[Extend, ...] = get_args(Extend)


def frequencies(d_k: int, base: float) -> torch.Tensor:
    """Radians per position of each pair: (d_k/2,) float64 on the CPU, 1 first and falling."""
    import torch

    return base ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)


def angles(
    positions: torch.Tensor, d_k: int, base: float, made_in: Angles = "float64"
) -> torch.Tensor:
    """Angles (n, d_k/2) of positions (n,), multiplied out in `made_in`; float64 on the CPU."""
    import torch

    dtype = getattr(torch, made_in)
    made = positions.cpu().to(dtype)[:, None] * frequencies(d_k, base).to(dtype)
    return made.double()


def rotate(x: torch.Tensor, turned: torch.Tensor, pairing: Pairing = "adjacent") -> torch.Tensor:
    """x (…, n, d_k) with each pair turned by angles (n, d_k/2), in the dtype of x."""
    import torch

    cos, sin = (f(turned).to(device=x.device, dtype=x.dtype) for f in (torch.cos, torch.sin))
    a, b = (x[..., 0::2], x[..., 1::2]) if pairing == "adjacent" else x.chunk(2, -1)
    first, second = a * cos - b * sin, a * sin + b * cos  # (…, n, d_k/2)
    if pairing == "adjacent":
        return torch.stack([first, second], -1).flatten(-2)
    return torch.cat([first, second], -1)


def sinusoidal(turned: torch.Tensor) -> torch.Tensor:
    """The embedding that is added instead: sin and cos of angles (n, d_k/2) by turns, (n, d_k)."""
    import torch

    return torch.stack([turned.sin(), turned.cos()], -1).flatten(-2)


def wavelengths(d_k: int, base: float) -> torch.Tensor:
    """Positions to a whole turn of each pair (d_k/2,), read off vectors turned by one position."""
    import torch

    x = torch.zeros(1, d_k, dtype=torch.float64)
    x[:, 0::2] = 1
    turned = rotate(x, angles(torch.ones(1), d_k, base))[0]
    return 2 * math.pi / torch.atan2(turned[1::2], turned[0::2])


def beyond(
    extend: Extend, trained_len: int, stretch: int, d_k: int, base: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Angles at trained positions (trained_len, d_k/2), and at those past them under `extend`.

    "interpolated" divides positions by `stretch`; "larger_base" multiplies the base by
    stretch^(d_k/(d_k−2)), at which the slowest pair turns `stretch` times slower.
    """
    import torch

    seen = angles(torch.arange(trained_len), d_k, base)
    later = torch.arange(trained_len, trained_len * stretch, dtype=torch.float64)
    if extend == "interpolated":
        later = later / stretch
    if extend == "larger_base":
        base = base * stretch ** (d_k / (d_k - 2))
    return seen, angles(later, d_k, base)


def unseen(seen: torch.Tensor, later: torch.Tensor, step: float) -> torch.Tensor:
    """Which angles (m,) lie more than `step` from every seen angle (n,) on the circle."""
    import torch

    turn = 2 * math.pi
    circle = (seen % turn).sort().values
    # Both neighbours of every angle are there once the ends are repeated a turn away.
    circle = torch.cat([circle[-1:] - turn, circle, circle[:1] + turn])
    at = torch.searchsorted(circle, later % turn).clamp(1, len(circle) - 1)
    nearest = torch.minimum(later % turn - circle[at - 1], circle[at] - later % turn)
    return nearest > step
