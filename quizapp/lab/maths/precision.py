"""Attention and long sums in a chosen number format, and how far they are from float64.

Attention: every step (scaled q, scores, weights, output) is rounded to the format; within
one matrix product the sums are kept as the library keeps them. Long sums: the accumulator
itself is of the format ("sequential", "pairwise"), or float32 and rounded once ("fp32").

Shapes: D draws, n queries and keys; P dot products of T terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from quizapp.lab.experiment import Context
from quizapp.lab.maths.rows import Sampled, over_draws

if TYPE_CHECKING:
    import torch

Dtype = Literal["float16", "bfloat16", "float32"]
Order = Literal["q", "scores", "split"]
Sum = Literal["sequential", "pairwise", "fp32"]
#: A number format, and where the scale goes.
Way = tuple[Dtype, Order]
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
ORDERS: tuple[Order, ...] = get_args(Order)
SUMS: tuple[Sum, ...] = get_args(Sum)

#: Terms added between two looks at the clock and the learner.
STRIDE = 256


@dataclass(frozen=True)
class Attended:
    """Scaled scores and weights (D, n, n) and output (D, n, d_k), as computed."""

    scores: torch.Tensor
    weights: torch.Tensor
    output: torch.Tensor


def scores(order: Order, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """Scaled scores (…, n, n), the factor 1/√d_k applied where `order` says."""
    scale = float(q.shape[-1] ** -0.5)
    if order == "scores":
        after: torch.Tensor = (q @ k.mT) * scale
        return after
    if order == "split":
        q, k, scale = q * scale**0.5, k * scale**0.5, 1.0
    scaled: torch.Tensor = (q * scale) @ k.mT
    return scaled


def attend(
    order: Order, ctx: Context, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> Attended:
    """Attention on inputs (D, n, d_k), in their dtype."""
    scaled = scores(order, q, k)
    ctx.checkpoint()
    if order == "q":
        output, weights = ctx.attention(q, k, v)
    else:
        weights = scaled.softmax(-1)
        output = weights @ v
    return Attended(scaled, weights, output)


def compare(got: Attended, exact: Attended) -> dict[str, torch.Tensor]:
    """Errors of each draw: (D,) float64 on the CPU each. `exact` is float64 on the CPU."""
    s, p, o = (x.cpu().double() for x in (got.scores, got.weights, got.output))
    finite = s.isfinite()
    return {
        "score_error": ratio((s - exact.scores).where(finite, 0.0), exact.scores),
        "weight_error": (p.nan_to_num() - exact.weights).abs().sum(-1).mean(-1),
        "output_error": ratio(o.nan_to_num() - exact.output, exact.output),
        "overflow_share": (~finite).double().mean((-2, -1)),
        "nan_rows": o.isnan().any(-1).double().mean(-1),
    }


@dataclass
class Errors:
    """Errors of several ways on the same inputs, over the draws so far."""

    ways: Sequence[Way]
    parts: dict[Way, dict[str, list[torch.Tensor]]] = field(default_factory=dict)  # (b,) each

    def add(self, ctx: Context, inputs: Sequence[torch.Tensor]) -> None:
        """Measure draws: q, k and v (b, n, d_k) in float32, before they are rounded."""
        import torch

        unrounded = _exact(ctx, inputs).output
        few = {dtype: [x.to(getattr(torch, dtype)) for x in inputs] for dtype, _ in self.ways}
        true = {dtype: _exact(ctx, rounded) for dtype, rounded in few.items()}
        for dtype, order in self.ways:
            ctx.checkpoint()
            exact = true[dtype]
            found = {
                **compare(attend(order, ctx, *few[dtype]), exact),
                "input_error": ratio(exact.output - unrounded, unrounded),
                "largest_raw_score": exact.scores.abs().amax((-2, -1)) * inputs[0].shape[-1] ** 0.5,
            }
            mine = self.parts.setdefault((dtype, order), {})
            for name, values in found.items():
                mine.setdefault(name, []).append(values)

    def found(self) -> dict[Way, dict[str, Sampled]]:
        """Means and standard errors. Needs two draws."""
        import torch

        return {
            way: {name: over_draws(torch.cat(values)) for name, values in errors.items()}
            for way, errors in self.parts.items()
        }


def _exact(ctx: Context, inputs: Sequence[torch.Tensor]) -> Attended:
    """Attention in float64 on the CPU, which every machine has."""
    ctx.checkpoint()
    return attend("q", ctx, *(x.cpu().double() for x in inputs))


def ratio(error: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    """Root mean square of the error over that of what it belongs to: (D, n, m) → (D,)."""
    return (error.square().mean((-2, -1)) / size.square().mean((-2, -1))).sqrt()


def overflow_std(
    order: Order, ctx: Context, q: torch.Tensor, k: torch.Tensor, dtype: Dtype
) -> float:
    """The factor on q and on k (n, d_k) from which a score is no longer finite, by bisection.

    To within 0.1 per mille. Inputs are float32; every step is of `dtype`.
    """
    import torch

    kind = getattr(torch, dtype)
    low, high = -8.0, 72.0  # powers of two
    for _ in range(20):
        ctx.checkpoint()
        middle = (low + high) / 2
        scaled = scores(order, *((x * 2.0**middle).to(kind) for x in (q, k)))
        low, high = (middle, high) if scaled.isfinite().all() else (low, middle)
    return float(2.0**high)


def stall(dtype: str) -> float:
    """The power of two to which adding 1 no longer changes anything in that format."""
    import torch

    one = torch.ones((), dtype=getattr(torch, dtype))
    total = one
    while (total + one).item() != total.item():
        total = total * 2
    return float(total.item())


def running(
    terms: torch.Tensor, ctx: Context, marks: Sequence[int]
) -> Iterator[tuple[int, torch.Tensor]]:
    """Sums of terms (P, T) added one by one in their own dtype: (P,) at each mark and the end."""
    import torch

    columns = terms.T.contiguous()
    total = torch.zeros_like(columns[0])
    for i, column in enumerate(columns):
        if i % STRIDE == 0:
            ctx.checkpoint()
        if i in marks:
            yield i, total
        total = total + column
    yield len(columns), total


def pairwise(terms: torch.Tensor) -> torch.Tensor:
    """Sums of terms (P, T) in their own dtype, neighbours first, then their sums: (P,)."""
    import torch

    while terms.shape[-1] > 1:
        if terms.shape[-1] % 2:
            terms = torch.nn.functional.pad(terms, (0, 1))
        terms = terms[..., ::2] + terms[..., 1::2]
    return terms[..., 0]


#: Two kinds of sums, of terms made from a (P, T) and b (P, T).
TERMS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "dot": lambda a, b: a * b,
    "norm": lambda a, _: a * a,
}


def relative(got: torch.Tensor, exact: torch.Tensor) -> tuple[float, float]:
    """Root mean square error over root mean square, with its standard error over P sums."""
    error, size = (got.cpu().double() - exact).square(), exact.square().mean().item()
    mean = error.mean().item()
    value = math.sqrt(mean / size)
    if mean == 0:
        return 0.0, 0.0
    return value, error.std().item() / math.sqrt(len(error)) / (2 * mean) * value
