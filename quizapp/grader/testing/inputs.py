"""Seeded inputs: the same numbers in every process and in every dtype, up to its rounding."""

from __future__ import annotations

import torch
from torch import Tensor


def draw(seed: int, *shape: int, dtype: torch.dtype = torch.float32, std: float = 1.0) -> Tensor:
    """Independent draws from N(0, std²), drawn in float64 and rounded to `dtype`."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, generator=generator, dtype=torch.float64) * std).to(dtype)


def draw_mask(seed: int, *shape: int, share: float = 0.6) -> Tensor:
    """A boolean mask, True for about `share` of the entries and for one at least in each row."""
    generator = torch.Generator().manual_seed(seed)
    chance = torch.rand(*shape, generator=generator, dtype=torch.float64)
    return (chance < share) | (chance == chance.amin(-1, keepdim=True))


def strided(x: Tensor) -> Tensor:
    """The same values in memory of another order: what `transpose` or `view` leave behind."""
    return x.transpose(-1, -2).contiguous().transpose(-1, -2)
