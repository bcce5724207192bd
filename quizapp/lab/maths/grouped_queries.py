"""Heads that share keys and values: one projection of K and V serves a group of queries.

Head h of H reads key/value head h // g, g = H/G, as `repeat_interleave` lays them out;
`repeat` would give head h the key/value head h mod G.

Shapes: D draws, H query heads, G key/value heads, n positions, d_k a head's width.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from quizapp.lab.experiment import Context

if TYPE_CHECKING:
    import torch

Pooling = Literal["mean", "first"]
Layout = Literal["repeat_interleave", "repeat"]


def pooled(x: torch.Tensor, groups: int, how: Pooling) -> torch.Tensor:
    """The keys or values of H heads (D, H, n, d_k) made into those of G: (D, G, n, d_k)."""
    parts = _by_group(x, groups)
    return parts.mean(2) if how == "mean" else parts[:, :, 0].clone()


def _by_group(x: torch.Tensor, groups: int) -> torch.Tensor:
    """(D, H, …) → (D, G, g, …)."""
    return x.reshape(len(x), groups, -1, *x.shape[2:])


def repeated(x: torch.Tensor, heads: int, layout: Layout) -> torch.Tensor:
    """Keys or values (D, G, n, d_k) copied for every query head: (D, H, n, d_k)."""
    times = heads // x.shape[1]
    if layout == "repeat":
        return x.repeat(1, times, 1, 1)
    return x.repeat_interleave(times, 1)


def causal(n: int, device: str) -> torch.Tensor:
    """(n, n) booleans: a query sees itself and what came before."""
    import torch

    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def grouped(
    ctx: Context,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output (D, H, n_q, d_k) and weights (D, H, n_q, n); K and V (D, G, n, d_k) never copied."""
    parts = _by_group(q, k.shape[1])  # (D, G, g, n_q, d_k)
    output, weights = ctx.attention(parts, k[:, :, None], v[:, :, None], mask=mask)
    return output.flatten(1, 2), weights.flatten(1, 2)


@dataclass
class Cache:
    """Keys and values of all positions so far, (D, G, n, d_k) each; room is allocated once."""

    k: torch.Tensor
    v: torch.Tensor
    length: int = 0

    @classmethod
    def like(cls, k: torch.Tensor) -> Cache:
        """An empty one with room for keys and values shaped as `k`."""
        import torch

        return cls(torch.empty_like(k), torch.empty_like(k))

    def add(self, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Take in (D, G, m, d_k) and return everything held so far."""
        end = self.length + k.shape[-2]
        self.k[..., self.length : end, :] = k
        self.v[..., self.length : end, :] = v
        self.length = end
        return self.k[..., :end, :], self.v[..., :end, :]

    @property
    def bytes(self) -> int:
        """Bytes that K and V occupy, all draws together."""
        return int(self.k.nbytes + self.v.nbytes)


def decode(
    ctx: Context, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> tuple[torch.Tensor, Cache, float]:
    """Token by token with a cache: output (D, H, n, d_k), the cache, and products in the last step.

    Products are multiply-adds of one draw; a step needs no mask, as the cache holds the past.
    """
    import torch

    cache, outputs, products = Cache.like(k), [], 0.0
    for t in range(q.shape[-2]):
        ctx.checkpoint()
        now = slice(t, t + 1)
        held_k, held_v = cache.add(k[..., now, :], v[..., now, :])
        output, weights = grouped(ctx, q[..., now, :], held_k, held_v)
        outputs.append(output)
        products = 2.0 * weights[0].numel() * q.shape[-1]
    return torch.cat(outputs, -2), cache, products


def distance(weights: torch.Tensor, groups: int) -> torch.Tensor:
    """How far apart the weights of a group's heads are, total variation: (D, H, n, n) → (D,).

    Between neighbouring heads of a group, mean over pairs and rows of ½ Σ|p − p'|; 0 where
    each group has one head.
    """
    parts = _by_group(weights, groups)  # (D, G, g, n, n)
    if parts.shape[2] == 1:
        return weights.new_zeros(len(weights))
    apart = (parts[:, :, 1:] - parts[:, :, :-1]).abs().sum(-1) / 2  # (D, G, g − 1, n)
    return apart.mean((1, 2, 3))
