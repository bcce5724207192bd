"""RoPE turns q and k by their positions, so that a score depends on the distance alone.

    (R_p x)ⱼ = x_pairⱼ turned by p·θⱼ,  θⱼ = base^(−2j/d_k),  j = 0 … d_k/2 − 1
    (R_m q)·(R_n k) = q·(R_{n−m} k):  adding the same shift to m and n changes nothing

q, k, v (D, n, d_k), entries i.i.d. N(0,1), untrained: D draws at positions 0 … n − 1, and
again with all positions shifted. On purpose wrong: only q is turned, the values too, or q
and k pair their columns differently. Against distance: the score of a vector with itself,
and of two independent ones. Past a trained length nothing is trained here: it is counted
which angles no trained position ever had.
Su et al. 2021, "RoFormer", sections 3.2 to 3.4.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    Tolerant,
    Value,
    both,
    param,
)
from quizapp.lab.maths import rope, rows
from quizapp.lab.maths.rope import Angles, Extend, Pairing
from quizapp.lab.pictures import rope as pictures
from quizapp.lab.wording import rope as wording
from quizapp.lab.wording.rope import DISTANCES

if TYPE_CHECKING:
    import torch

    from quizapp.report import Curve

CLAIM = both(
    "rotating q and k makes a score depend on the distance alone; what breaks that",
    "旋转 q 与 k 使分数只取决于距离；什么会打破它",
)
#: Changes below this are rounding for the most part, and have no second way.
RESOLVED = {"float32": 2e-3, "float64": 2e-9}
#: Vectors of each draw on the curve against distance.
CURVE_ROWS = 8


class Params(BaseParams):
    """What is rotated, how fast, and how far."""

    d_k: int = param(64, low=4, high=256, step="double", en="width of one head", zh="单个头的维度")
    base: float = param(
        10_000.0, low=10, high=10_000_000, step="double", en="base of the angles", zh="角度的底数"
    )
    rotated: Literal["q_k", "q", "q_k_v"] = param(
        "q_k", en="what is rotated by its position", zh="按位置旋转哪些向量"
    )
    pairing: Literal["adjacent", "halves", "mixed"] = param(
        "adjacent", en="columns of a pair; mixed: q and k differ", zh="如何配对列；mixed：q、k 不同"
    )
    shift: int = param(
        1000, low=0, high=1_000_000, step="double", en="added to all positions", zh="所有位置的平移"
    )
    angles: Angles = param("float32", en="number format of the angles", zh="角度的数值格式")
    trained_len: int = param(
        512,
        low=16,
        high=4096,
        step="double",
        en="positions taken as trained",
        zh="视为训练过的长度",
    )
    stretch: int = param(
        4, low=2, high=8, step="double", en="times that length at test", zh="测试长度是其几倍"
    )
    extend: Extend = param("plain", en="how positions past it are rotated", zh="超出部分如何旋转")
    seq_len: int = param(
        64, low=2, high=512, step="double", en="queries, and as many keys", zh="查询数，也是键数"
    )
    draws: int = param(
        20, low=2, high=100, step="double", en="independent draws", zh="独立抽样次数"
    )
    dtype: Literal["float32", "float64"] = param(
        "float32", en="number format of vectors", zh="向量的数值格式"
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        rows.refuse_odd(self.d_k)
        rows.refuse_too_much(self.draws, self.seq_len, "d_k", self.d_k, part=8)
        return self

    @property
    def pairings(self) -> tuple[Pairing, Pairing]:
        """How q and how k pair their columns."""
        if self.pairing == "mixed":
            return "adjacent", "halves"
        return self.pairing, self.pairing


METRICS = wording.METRICS
PLOTS = ("score_by_distance", "wavelengths")


def run(params: Params, ctx: Context) -> Run:
    """The shift first; then scores against distance; then angles past the trained length."""
    found = _shifted(params, ctx)
    metrics: dict[str, Measured] = {**found, **_turns(params)}
    yield ctx.report(metrics=metrics, progress=0.4)
    metrics |= _by_distance(params, ctx)
    curve = _curve(params, ctx)
    yield ctx.report(metrics=metrics, curves=[curve], progress=0.7)
    metrics |= _unseen(params, ctx)
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(params.shift, metrics),
        tables=[pictures.table(metrics)],
        curves=[curve, pictures.wavelengths(rope.wavelengths(params.d_k, params.base).tolist())],
    )


def _drawn(params: Params, ctx: Context, name: str) -> torch.Tensor:
    drawn = rows.drawn(ctx, name, range(params.draws), params.seq_len, params.d_k)
    return ctx.cast(drawn, params.dtype)


def _attend(
    params: Params, ctx: Context, qkv: tuple[torch.Tensor, ...], shift: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Scores (D, n, n), output (D, n, d_k) and rotated q of positions shift … shift + n − 1."""
    import torch

    q, k, v = qkv
    ctx.checkpoint()
    positions = torch.arange(shift, shift + params.seq_len)
    turned = rope.angles(positions, params.d_k, params.base, params.angles)
    q = rope.rotate(q, turned, params.pairings[0])
    k = rope.rotate(k, turned, params.pairings[1]) if params.rotated != "q" else k
    v = rope.rotate(v, turned, params.pairings[0]) if params.rotated == "q_k_v" else v
    output, _ = ctx.attention(q, k, v)
    return (q @ k.mT) / math.sqrt(params.d_k), output, q


def _shifted(params: Params, ctx: Context) -> dict[str, Measured]:
    """What a shift of all positions changes, rotated and with embeddings added."""
    import torch

    qkv = tuple(_drawn(params, ctx, name) for name in "qkv")
    q, k = qkv[:2]
    scores, output, turned = _attend(params, ctx, qkv, 0)
    moved, output_moved, _ = _attend(params, ctx, qkv, params.shift)
    added = []
    for start in (0, params.shift):
        positions = torch.arange(start, start + params.seq_len)
        p = rope.sinusoidal(rope.angles(positions, params.d_k, params.base)).to(q)
        added.append(((q + p) @ (k + p).mT) / math.sqrt(params.d_k))
    plain = (q @ k.mT) / math.sqrt(params.d_k)
    per_draw = {
        "shift_error": (moved - scores).abs().amax((-2, -1)),
        "output_shift": _relative(output_moved, output),
        "shift_error_added": (added[1] - added[0]).abs().amax((-2, -1)),
        "norm_change": (turned.norm(dim=-1) / q.norm(dim=-1) - 1).abs().amax(-1),
        "score_change": _relative(scores, plain),
    }
    found: dict[str, Measured] = {
        name: rows.over_draws(values.cpu().double()) for name, values in per_draw.items()
    }
    for name, values in (("score_std", scores), ("score_std_plain", plain)):
        found[name] = rows.pooled_std(values.cpu().double().flatten(1).var(-1))
    return found


def _relative(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """rms of a − b over the rms of b, for each draw: (D, …) → (D,)."""
    squares = [x.square().mean((-2, -1)) for x in (a - b, b)]
    return (squares[0] / squares[1]).sqrt()


def _turns(params: Params) -> dict[str, Measured]:
    """How fast the pairs turn, and how many finish a turn within the trained length."""
    lengths = rope.wavelengths(params.d_k, params.base)
    return {
        "wavelength_shortest": lengths[0].item(),
        "wavelength_longest": lengths[-1].item(),
        "unfinished_pairs": (lengths > params.trained_len).double().mean().item(),
    }


def _by_distance(params: Params, ctx: Context) -> dict[str, Measured]:
    """Scores of a vector with itself and with an independent one, at a few distances."""
    import torch

    q, k = _drawn(params, ctx, "q"), _drawn(params, ctx, "k")
    itself, spread = [], []
    length = q.square().sum(-1).mean(-1)  # (D,): what the score is at distance 0
    for distance in DISTANCES:
        ctx.checkpoint()
        turned = rope.angles(torch.tensor([distance]), params.d_k, params.base)
        there = rope.rotate(q, turned)
        ratio = (q * there).sum(-1).mean(-1) / length
        itself.append(rows.over_draws(ratio.cpu().double()))
        other = (k * there).sum(-1) / math.sqrt(params.d_k)
        spread.append(rows.pooled_std(other.cpu().double().var(-1)))
    every = rope.angles(torch.arange(params.trained_len + 1), params.d_k, params.base)
    mean = every.cos().mean(-1)  # the same for every vector whose pairs are alike in length
    return {
        "self_score": ([s[0] for s in itself], [s[1] for s in itself]),
        "independent_std": ([s[0] for s in spread], [s[1] for s in spread]),
        "rising_share": (mean.diff() > 0).double().mean().item(),
    }


def _curve(params: Params, ctx: Context) -> Curve:
    """Both of them at many distances, for a few vectors of each draw."""
    import torch

    distances = torch.unique(torch.logspace(0, math.log10(DISTANCES[-1]), 120).round())
    turned = rope.angles(distances, params.d_k, params.base)
    q, k = (_drawn(params, ctx, name)[:, :CURVE_ROWS, None] for name in "qk")
    itself, other = [], []
    for some in torch.split(turned, max(1, rows.BLOCK // q.numel())):
        ctx.checkpoint()
        there = rope.rotate(q.expand(-1, -1, len(some), -1), some)
        itself.append((q * there).sum(-1).mean((0, 1)) / q.square().sum(-1).mean())
        other.append(((k * there).sum(-1) / math.sqrt(params.d_k)).square().mean((0, 1)).sqrt())
    return pictures.by_distance(
        distances.tolist(), torch.cat(itself).tolist(), torch.cat(other).tolist()
    )


def _unseen(params: Params, ctx: Context) -> dict[str, Measured]:
    """Angles past the trained length that no trained position had, under each extension."""
    import torch

    steps = rope.frequencies(params.d_k, params.base).tolist()
    shares: dict[Extend, float] = {}
    pairs, next_angle = 0.0, 0.0
    for extend in rope.EXTENDS:
        seen, later = rope.beyond(
            extend, params.trained_len, params.stretch, params.d_k, params.base
        )
        found = []
        for j, step in enumerate(steps):
            ctx.checkpoint()
            # Half a step of slack: the position after the last trained one is one step away.
            found.append(rope.unseen(seen[:, j].contiguous(), later[:, j].contiguous(), 1.5 * step))
        marked = torch.stack(found).double()  # (d_k/2, m)
        shares[extend] = marked.mean().item()
        if extend == params.extend:
            pairs = marked.amax(-1).mean().item()
            next_angle = (later[1, 0] - later[0, 0]).item()
    return {
        "unseen_share": shares[params.extend],
        "unseen_pairs": pairs,
        "next_angle": next_angle,
        "unseen_by_extend": [shares[extend] for extend in rope.EXTENDS],
    }


METHOD = both(
    "float64 complex numbers, a pair as one, turned by e^{ipθ}; unseen angles by their arc",
    "float64 复数：每对为一个复数，乘以 e^{ipθ}；未见角度由弧长求得",
)


def check(params: Params, ctx: Context) -> Reference:
    """Every pair as one complex number: turning is a product, a score a real part."""
    from quizapp.lab.second_way import rope as second
    from quizapp.lab.second_way.odds import drawn64

    draws = range(params.draws)
    q, k, v = (drawn64(ctx, name, draws, params.seq_len, params.d_k) for name in "qkv")
    ctx.checkpoint()
    size = second.Size(params.d_k, params.base, params.angles)
    shifted = second.shifted(size, (q, k, v), params.rotated, params.pairings, params.shift)
    ctx.checkpoint()
    resolved = RESOLVED["float32" if ctx.device == "mps" else params.dtype]
    reference: dict[str, Value] = {
        name: value for name, value in shifted.items() if value > resolved
    }
    itself, spread = second.by_distance(size, q, k, DISTANCES)
    reference |= {"self_score": itself, "independent_std": spread}
    angles = second.arcs(size, params.trained_len, params.stretch)
    one = 1.5 / (params.d_k // 2 * params.trained_len * (params.stretch - 1))
    reference |= {
        "wavelength_longest": 2 * math.pi * params.base ** (1 - 2 / params.d_k),
        "rising_share": Tolerant(
            second.rising_share(size, params.trained_len), 1.5 / params.trained_len
        ),
        "unfinished_pairs": second.unfinished(size, params.trained_len),
        "unseen_share": Tolerant(angles[rope.EXTENDS.index(params.extend)], one),
        "unseen_by_extend": [Tolerant(share, one) for share in angles],
    }
    return reference
