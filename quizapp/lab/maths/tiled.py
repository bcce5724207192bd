"""FlashAttention's algorithm by hand: an online softmax over tiles, and recomputation.

For each tile of queries, over the tiles of keys:

    m' = max(m, max s),  p = exp(s − m'),  c = exp(m − m')
    l ← c·l + Σp,        o ← c·o + p·V

and at the end output = o/l, lse = m + ln l. c rescales what was summed under the old
maximum. The backward pass keeps no weights: it finds them again as exp(s − lse).
Under a causal mask a tile whose first key comes after its last query is skipped, and only
a tile that the diagonal crosses needs the mask.

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

    rescale False keeps c = 1. causal hides from query i every key after i. order, if given,
    is each query's own order of keys: for a slice of queries, (B, S_k). It goes without causal.
    """

    block: int
    scale: float
    rescale: bool = True
    causal: bool = False
    order: Callable[[slice], torch.Tensor] | None = None

    def starts(self, keys: int, last: int) -> range:
        """Where each tile of keys begins that a tile of queries needs; `last` is its last query."""
        return range(0, min(keys, last + 1) if self.causal else keys, self.block)

    def mask(self, scores: torch.Tensor, first: int, start: int) -> torch.Tensor:
        """Scores (B, block) of queries from `first` and keys from `start`, later keys hidden."""
        queries, keys = scores.shape
        if not self.causal or start + keys - 1 <= first:
            return scores
        seen = scores.new_ones(queries, keys).tril(first - start)
        return scores.masked_fill(seen == 0, float("-inf"))


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
    order = tiling.order(slice(first, first + len(q))) if tiling.order else None
    for start in tiling.starts(len(k), first + len(q) - 1):
        keys, values = _tile(k, v, order, slice(start, start + tiling.block))
        scores = tiling.mask(_products(q * tiling.scale, keys), first, start)  # (B, block)
        tile_max = scores.amax(-1)
        risen = torch.maximum(maximum, tile_max)
        kept = torch.exp(maximum - risen) if tiling.rescale else torch.ones_like(risen)
        powers = torch.exp(scores - risen[:, None])
        total = kept * total + powers.sum(-1)
        output = kept[:, None] * output + _mix(powers, values)
        maximum = risen
        yield State(tile_max, maximum, kept, total, output)


def _tile(
    k: torch.Tensor, v: torch.Tensor, order: torch.Tensor | None, places: slice
) -> tuple[torch.Tensor, torch.Tensor]:
    """Keys and values of one tile: (block, d), or (B, block, d) where each query has its own."""
    if order is None:
        return k[places], v[places]
    chosen = order[:, places]
    return k[chosen], v[chosen]


def _products(q: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    if keys.dim() == 2:
        return q @ keys.mT
    return (keys @ q[:, :, None]).squeeze(-1)


def _mix(powers: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    if values.dim() == 2:
        return powers @ values
    return (powers[:, None] @ values).squeeze(-2)


@dataclass(frozen=True)
class Strip:
    """What one tile of queries ends with: output (B, d_v), lse (B,), the tiles of keys it took.

    rises (B,): how often each row's maximum rose after its first tile.
    """

    rows: slice
    output: torch.Tensor
    lse: torch.Tensor
    rises: torch.Tensor
    tiles: int


def strips(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, tiling: Tiling) -> Iterator[Strip]:
    """One tile of queries after another, each over all its tiles of keys."""
    for first in range(0, len(q), tiling.block):
        mine = q[first : first + tiling.block]
        rises = torch.zeros(len(mine), dtype=torch.int32, device=q.device)
        before: torch.Tensor | None = None
        tiles = 0
        for state in running(mine, k, v, tiling, first):
            if before is not None:
                rises += state.maximum > before
            before = state.maximum
            tiles += 1
        yield Strip(
            rows=slice(first, first + len(mine)),
            output=state.output / state.total[:, None],
            lse=state.maximum + state.total.log(),
            rises=rises,
            tiles=tiles,
        )


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    tiling: Tiling,
    between: Callable[[], None] = lambda: None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output (S_q, d_v) and lse (S_q,). Calls `between` after each tile of queries."""
    output = q.new_empty(len(q), v.shape[-1])
    lse = q.new_empty(len(q))
    for strip in strips(q, k, v, tiling):
        output[strip.rows], lse[strip.rows] = strip.output, strip.lse
        between()
    return output, lse


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
        rows = slice(first, min(first + tiling.block, len(q)))
        for start in tiling.starts(len(k), rows.stop - 1):
            keys = slice(start, start + tiling.block)
            scores = tiling.mask((q[rows] * tiling.scale) @ k[keys].mT, first, start)
            weights = torch.exp(scores - kept.lse[rows, None])
            d_v[keys] += weights.mT @ upstream[rows]
            d_scores = weights * (upstream[rows] @ v[keys].mT - mean[rows]) * tiling.scale
            d_q[rows] += d_scores @ k[keys]
            d_k[keys] += d_scores.mT @ q[rows]
    return d_q, d_k, d_v
