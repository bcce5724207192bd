"""FlashAttention's algorithm by hand: an online softmax over tiles, and recomputation.

For each tile of queries, over the tiles of keys:

    m' = max(m, max s),  p = exp(s − m'),  c = exp(m − m')
    l ← c·l + Σp,        o ← c·o + p·V

and at the end output = o/l, lse = m + ln l. c rescales what was summed under the old
maximum. The backward pass keeps no weights: it finds them again as exp(s − lse).

Dao et al. 2022, "FlashAttention", algorithms 1 and 4; Milakov and Gimelshein 2018.

Shapes: q (S_q, d_k), k (S_k, d_k), v (S_k, d_v); a tile has at most `block` rows, B below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Tiling:
    """How the tiles are taken, and which step a broken version leaves out.

    rescale False keeps c = 1. order (S_q, S_k), if given, is each query's own order of keys.
    """

    block: int
    scale: float
    rescale: bool = True
    order: torch.Tensor | None = None


@dataclass(frozen=True)
class State:
    """The running numbers after one tile of keys: each (B,), but output (B, d_v), not yet divided.

    tile_max is the largest score of that tile alone; kept is c.
    """

    tile_max: torch.Tensor
    maximum: torch.Tensor
    kept: torch.Tensor
    total: torch.Tensor
    output: torch.Tensor


def running(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, tiling: Tiling, first: int = 0
) -> Iterator[State]:
    """The states of one tile of queries q (B, d_k), which are rows `first` … `first` + B."""
    maximum = q.new_full((len(q),), float("-inf"))
    total, output = q.new_zeros(len(q)), q.new_zeros(len(q), v.shape[-1])
    for start in range(0, len(k), tiling.block):
        keys, values = _tile(k, v, tiling, slice(first, first + len(q)), start)
        scores = _products(q * tiling.scale, keys)  # (B, block)
        tile_max = scores.amax(-1)
        risen = torch.maximum(maximum, tile_max)
        kept = torch.exp(maximum - risen) if tiling.rescale else torch.ones_like(risen)
        powers = torch.exp(scores - risen[:, None])
        total = kept * total + powers.sum(-1)
        output = kept[:, None] * output + _mix(powers, values)
        maximum = risen
        yield State(tile_max, maximum, kept, total, output)


def _tile(
    k: torch.Tensor, v: torch.Tensor, tiling: Tiling, rows: slice, start: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values of one tile: (block, d), or (B, block, d) where each query has its own."""
    if tiling.order is None:
        return k[start : start + tiling.block], v[start : start + tiling.block]
    chosen = tiling.order[rows, start : start + tiling.block]
    return k[chosen], v[chosen]


def _products(q: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    if keys.dim() == 2:
        return q @ keys.mT
    return (keys @ q[:, :, None]).squeeze(-1)


def _mix(powers: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    if values.dim() == 2:
        return powers @ values
    return (powers[:, None] @ values).squeeze(-2)


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    tiling: Tiling,
    between: Callable[[], None] = lambda: None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Output (S_q, d_v), lse (S_q,), and how often each row's maximum rose after its first tile.

    Calls `between` before each tile of queries.
    """
    output = q.new_empty(len(q), v.shape[-1])
    lse = q.new_empty(len(q))
    rises = torch.zeros(len(q), dtype=torch.int32, device=q.device)
    for first in range(0, len(q), tiling.block):
        between()
        rows = slice(first, first + tiling.block)
        before: torch.Tensor | None = None
        for state in running(q[rows], k, v, tiling, first):
            if before is not None:
                rises[rows] += state.maximum > before
            before = state.maximum
        output[rows] = state.output / state.total[:, None]
        lse[rows] = state.maximum + state.total.log()
    return output, lse, rises


@dataclass(frozen=True)
class Kept:
    """What the forward pass leaves for the backward pass besides its inputs."""

    output: torch.Tensor
    lse: torch.Tensor


def backward(
    qkv: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    kept: Kept,
    upstream: torch.Tensor,
    tiling: Tiling,
    between: Callable[[], None] = lambda: None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients for q, k and v from upstream (S_q, d_v), the weights computed again by tile.

    Keys are taken in their own order, whatever `tiling.order`: sums do not depend on it.
    """
    q, k, v = qkv
    d_q, d_k, d_v = (torch.zeros_like(x) for x in qkv)
    mean = (upstream * kept.output).sum(-1, keepdim=True)  # (S_q, 1): Σⱼ pⱼ ∂L/∂pⱼ
    for first in range(0, len(q), tiling.block):
        between()
        rows = slice(first, first + tiling.block)
        for start in range(0, len(k), tiling.block):
            keys = slice(start, start + tiling.block)
            scores = (q[rows] * tiling.scale) @ k[keys].mT
            weights = torch.exp(scores - kept.lse[rows, None])
            d_v[keys] += weights.mT @ upstream[rows]
            d_scores = weights * (upstream[rows] @ v[keys].mT - mean[rows]) * tiling.scale
            d_q[rows] += d_scores @ k[keys]
            d_k[keys] += d_scores.mT @ q[rows]
    return d_q, d_k, d_v
