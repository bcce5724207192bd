"""A stack of causal attention layers, run whole or token by token from a cache of keys and values.

    x ← x + concat_h(attention(q_h, k_h, v_h)) W_o,  q, k, v = rmsnorm(x) W_q, W_k, W_v

No training, no feed-forward layers: just what a cache has to do with. Every product of
tensors is counted as it is made.

Shapes: D draws, H heads, n tokens, d_k a head's width, d = H·d_k the model's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from quizapp.lab.experiment import Context
from quizapp.lab.maths import rope

if TYPE_CHECKING:
    import torch

Encoding = Literal["rope", "added", "none"]
Position = Literal["right", "off_by_one", "stuck", "restarted", "all_shifted"]
#: What "all_shifted" adds to every position.
SHIFT = 1000


@dataclass
class Work:
    """Multiply-adds of one draw, and the bytes that they read and write, each tensor once."""

    products: float = 0.0
    attention: float = 0.0
    bytes: float = 0.0

    def of(self, a: torch.Tensor, b: torch.Tensor, *, repeats: int) -> None:
        """Count a @ b, a (D, …, m, k); b has as many draws, or is one weight for all."""
        columns = b.shape[-1]
        products = a.numel() * columns / repeats
        self.products += products
        shared = b.ndim == 2
        if not shared:
            self.attention += products
        entries = (a.numel() + a.numel() // a.shape[-1] * columns) / repeats
        entries += b.numel() if shared else b.numel() / repeats
        self.bytes += entries * a.element_size()


@dataclass(frozen=True)
class Layer:
    """The four weights of one layer, (d, d) each."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    o: torch.Tensor


@dataclass
class Cache:
    """Keys and values of one layer, (D, H, n, d_k) each, in the dtype they are stored in.

    Room for all tokens is taken at once; `length` of it is in use.
    """

    k: torch.Tensor
    v: torch.Tensor
    length: int = 0

    def add(self, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Store those of further tokens; everything held, in the dtype of `k`."""
        end = self.length + k.shape[-2]
        self.k[..., self.length : end, :] = k.to(self.k.dtype)
        self.v[..., self.length : end, :] = v.to(self.v.dtype)
        self.length = end
        return self.k[..., :end, :].to(k.dtype), self.v[..., :end, :].to(v.dtype)

    @property
    def bytes(self) -> int:
        """Bytes of what is in use, all draws together."""
        held = (self.k[..., : self.length, :], self.v[..., : self.length, :])
        return sum(x.numel() * x.element_size() for x in held)


@dataclass(frozen=True)
class Stack:
    """The layers, and how they know positions."""

    layers: Sequence[Layer]
    heads: int
    encoding: Encoding
    base: float = 10_000.0
    work: Work = field(default_factory=Work)

    def embed(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        """Inputs (D, n, d), with sinusoids added where the encoding is "added"."""
        if self.encoding != "added":
            return x
        return x + rope.sinusoidal(rope.angles(positions, x.shape[-1], self.base)).to(x)

    def run(
        self,
        ctx: Context,
        x: torch.Tensor,
        positions: torch.Tensor,
        caches: Sequence[Cache] | None = None,
        *,
        causal: bool = True,
    ) -> torch.Tensor:
        """Outputs (D, n, d) of tokens x at `positions` (n,), which see the cache and each other.

        causal: whether they see only each other's past; with one token it makes no difference.
        """
        x = self.embed(x, positions)
        turned = None
        if self.encoding == "rope":
            turned = rope.angles(positions, x.shape[-1] // self.heads, self.base)
        for i, layer in enumerate(self.layers):
            cache = None if caches is None else caches[i]
            x = x + self._layer(ctx, layer, x, turned, cache, causal=causal)
        return x

    def _layer(
        self,
        ctx: Context,
        layer: Layer,
        x: torch.Tensor,
        turned: torch.Tensor | None,
        cache: Cache | None,
        *,
        causal: bool,
    ) -> torch.Tensor:
        import torch

        draws, n, width = x.shape
        h = x / x.square().mean(-1, keepdim=True).add(1e-6).sqrt()
        q, k, v = (self._heads(self._product(ctx, h, w)) for w in (layer.q, layer.k, layer.v))
        if turned is not None:
            q, k = rope.rotate(q, turned), rope.rotate(k, turned)
        if cache is not None:
            k, v = cache.add(k, v)
        mask = None
        if causal and n > 1:
            before = k.shape[-2] - n
            mask = torch.ones(n, k.shape[-2], dtype=torch.bool, device=x.device).tril(before)
        ctx.checkpoint()
        output, weights = ctx.attention(q, k, v, mask=mask)
        self.work.of(q, k.mT, repeats=draws)
        self.work.of(weights, v, repeats=draws)
        return self._product(ctx, output.transpose(1, 2).reshape(draws, n, width), layer.o)

    def _product(self, ctx: Context, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        ctx.checkpoint()
        self.work.of(x, weight, repeats=len(x))
        return x @ weight

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        """(D, n, d) → (D, H, n, d_k)."""
        return x.reshape(*x.shape[:2], self.heads, -1).transpose(1, 2)


def numbered(prompt: int, new: int, position: Position) -> torch.Tensor:
    """The positions (prompt + new,) that code with that mistake gives to tokens."""
    import torch

    right = torch.arange(prompt + new)
    if position == "all_shifted":
        return right + SHIFT
    later = {
        "right": right[prompt:],
        "off_by_one": right[prompt:] - 1,
        "stuck": torch.full((new,), prompt),
        "restarted": torch.arange(new),
    }[position]
    return torch.cat([right[:prompt], later])


def products(n: int, seen: float, layers: int, width: int) -> float:
    """Multiply-adds of n tokens, each against `seen` keys: four weights, and scores and sums."""
    return layers * n * (4.0 * width * width + 2.0 * seen * width)


def weight_scale(width: int) -> float:
    """Standard deviation of a weight that keeps unit inputs at variance 1."""
    return 1 / math.sqrt(width)
