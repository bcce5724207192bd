"""Rows of weights by distance: under ALiBi head by head, and under other positions.

Queries stand at the last of n positions, and again at the last of 2n: the same n nearest keys,
with as many more behind them. Shapes: D draws, Q queries, H heads, n keys nearest first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch

from quizapp.lab.attention import entropy
from quizapp.lab.experiment import Context, Measured
from quizapp.lab.maths import alibi, rope, rows

if TYPE_CHECKING:
    from quizapp.lab.experiments.alibi import Params

#: Base of rotary and sinusoidal angles.
BASE: Final = 10_000.0


def content(params: Params, ctx: Context) -> tuple[torch.Tensor, torch.Tensor]:
    """q (D, Q, d_k) and k (D, 2n, d_k), keys nearest first: q·k/√d_k has the std asked for."""
    from quizapp.lab.experiments.alibi import QUERIES, scaled

    draws, by = range(params.draws), scaled(params)
    q = rows.drawn(ctx, "q", draws, QUERIES, params.d_k)
    k = rows.drawn(ctx, "k", draws, 2 * params.seq_len, params.d_k)
    return q * by, k * by


def scores(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """q·k/√d_k, (D, Q, 2n)."""
    return (q / math.sqrt(q.shape[-1])) @ k.mT


@dataclass(frozen=True)
class Reach:
    """What rows of n and of 2n keys have in common: (D, …) each, a mean over Q.

    far: weight on the second n keys. profile: mean weight at each distance (…, 2n).
    """

    window: torch.Tensor
    doubled: torch.Tensor
    far: torch.Tensor
    entropy: torch.Tensor
    entropy_doubled: torch.Tensor
    profile: torch.Tensor

    @classmethod
    def of(cls, short: torch.Tensor, long: torch.Tensor) -> Reach:
        """From scores, bias and all, of n keys and of 2n: (D, …, Q, n) and (D, …, Q, 2n)."""
        near, all_of = short.softmax(-1), long.softmax(-1)
        length = short.shape[-1]

        def over(values: torch.Tensor) -> torch.Tensor:
            return values.cpu().double().mean(-1)

        return cls(
            window=over(alibi.window(near)),
            doubled=over(alibi.window(all_of)),
            far=over(all_of[..., length:].sum(-1)),
            entropy=over(entropy(near)),
            entropy_doubled=over(entropy(all_of)),
            profile=all_of.mean((0, -2)).cpu().double(),
        )

    @property
    def growth(self) -> torch.Tensor:
        """How much longer the window is at 2n than at n."""
        return self.doubled / self.window


@dataclass(frozen=True)
class Heads:
    """ALiBi's heads, (D, H) each, and their weight on one key that stands out (D, H)."""

    slopes: torch.Tensor
    reach: Reach
    match: torch.Tensor
    length: int

    def metrics(self) -> dict[str, Measured]:
        """Lists over the heads, and the steepest and the gentlest of them."""
        steep, gentle = int(self.slopes.argmax()), int(self.slopes.argmin())
        found: dict[str, Measured] = {
            "slopes": self.slopes.tolist(),
            "slope_steepest": self.slopes[steep].item(),
            "slope_gentlest": self.slopes[gentle].item(),
            "wide_heads": rows.over_draws((self.reach.doubled > self.length).double().mean(-1)),
        }
        lists = {
            "window": self.reach.window,
            "doubled_window": self.reach.doubled,
            "window_growth": self.reach.growth,
            "far_weight": self.reach.far,
            "match_weight": self.match,
        }
        for name, values in lists.items():
            means = [rows.over_draws(head) for head in values.mT]
            found[f"{name}_by_head"] = [m for m, _ in means], [e for _, e in means]
            found[f"{name}_steepest"], found[f"{name}_gentlest"] = means[steep], means[gentle]
        return found


def by_head(params: Params, ctx: Context, qk: tuple[torch.Tensor, torch.Tensor]) -> Heads:
    """Every head on the same queries and keys."""
    from quizapp.lab.experiments.alibi import slopes

    m, n = slopes(params), params.seq_len
    ctx.checkpoint()
    plain = scores(*qk)[:, None]  # (D, 1, Q, 2n)
    bias = -_on(plain, m)[:, None, None] * torch.arange(2 * n, device=plain.device)
    ctx.checkpoint()
    reach = Reach.of(plain[..., :n] + bias[..., :n], plain + bias)
    at = params.match_distance
    matched = plain[..., :n].clone()
    matched[..., at] = params.match_score
    ctx.checkpoint()
    match = (matched + bias[..., :n]).softmax(-1)[..., at].mean(-1)
    return Heads(m, reach, match.cpu().double(), n)


def _on(like: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return values.to(device=like.device, dtype=like.dtype)


@dataclass(frozen=True)
class Methods:
    """Each of METHODS: ALiBi as the mean over its heads."""

    reaches: tuple[Reach, ...]

    def metrics(self) -> dict[str, Measured]:
        """Lists over METHODS."""
        lists: dict[str, list[tuple[float, float]]] = {}
        for reach in self.reaches:
            mean_growth = _over_heads(reach.doubled) / _over_heads(reach.window)
            growth = _over_heads(reach.entropy_doubled) - _over_heads(reach.entropy)
            for name, values in (
                ("window_growth", mean_growth),
                ("far_weight", _over_heads(reach.far)),
                ("entropy_growth", growth),
            ):
                lists.setdefault(f"{name}_by_method", []).append(rows.over_draws(values))
        return {name: ([m for m, _ in x], [e for _, e in x]) for name, x in lists.items()}


def _over_heads(values: torch.Tensor) -> torch.Tensor:
    """(D,) or (D, H) → (D,)."""
    return values if values.dim() == 1 else values.mean(-1)


def by_method(params: Params, ctx: Context, heads: Heads) -> Methods:
    """Rotary and sinusoidal positions, and none, on the same queries and keys."""
    q, k = content(params, ctx)
    n = params.seq_len
    plain = scores(q, k)
    ctx.checkpoint()
    apart = torch.arange(2 * n)
    # Rotating keys by their distance is rotating both by their positions: only i − j counts.
    turned = scores(q, rope.rotate(k, -rope.angles(apart, params.d_k, BASE)))
    added = []
    for length in (n, 2 * n):
        ctx.checkpoint()
        angles = rope.angles(length - 1 - torch.arange(length), params.d_k, BASE)
        p = rope.sinusoidal(angles).to(k)  # of the keys, nearest first; the query is as near
        added.append(scores(q + p[:1], k[:, :length] + p))
    return Methods(
        (
            heads.reach,
            Reach.of(turned[..., :n], turned),
            Reach.of(added[0], added[1]),
            Reach.of(plain[..., :n], plain),
        )
    )


def shifted(params: Params, ctx: Context) -> dict[str, Measured]:
    """What a shift of all positions changes, and how far the two forms of the bias differ."""
    from quizapp.lab.experiments.alibi import SHORT, scaled, slopes

    draws, by = range(params.draws), scaled(params)
    q, k = (rows.drawn(ctx, name, draws, SHORT, params.d_k) * by for name in ("sq", "sk"))
    plain = scores(q, k)[:, None]  # (D, 1, n, n)
    m = slopes(params)
    hidden = alibi.causal(SHORT).to(plain.device)
    here = torch.arange(SHORT)

    def biased(form: alibi.Form, shift: int, stored: str = params.stored) -> torch.Tensor:
        ctx.checkpoint()
        at = here + shift
        bias = alibi.by_position(m.float(), at, at, form, stored)
        return plain + bias.to(plain.device)

    mine = biased(params.form, 0)
    moved = biased(params.form, params.shift)
    weights = (mine + hidden).softmax(-1)
    forms = [biased(form, 0, "float32") for form in ("distance", "position")]
    exact = (forms[0] + hidden).softmax(-1)
    added = []
    for shift in (0, params.shift):
        p = rope.sinusoidal(rope.angles(here + shift, params.d_k, BASE)).to(q)
        added.append((scores(q + p, k + p) + hidden[None]).softmax(-1))
    changes = {
        "score_shift": (moved - mine).masked_fill(hidden < 0, 0.0),
        "weight_shift": (moved + hidden).softmax(-1) - weights,
        "weight_shift_added": added[1] - added[0],
        "bias_error": (moved + hidden).softmax(-1) - exact,
        "form_difference": (forms[1] + hidden).softmax(-1) - exact,
        "form_difference_both": forms[1].softmax(-1) - forms[0].softmax(-1),
    }
    return {
        name: rows.over_draws(change.abs().flatten(1).amax(-1).cpu().double())
        for name, change in changes.items()
    }
