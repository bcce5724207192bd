"""Full, linear, windowed and top-k attention: each as dense weights and by its cheap route.

    linear       φ(q)ᵢ·φ(k)ⱼ / Σⱼ φ(q)ᵢ·φ(k)ⱼ,  cheaply φ(Q)(φ(K)ᵀV);  φ = ReLU or elu + 1
    window       softmax over the keys at most w positions away
    top_k        softmax over the k keys with the highest scores

Katharopoulos et al. 2020, "Transformers are RNNs", section 3.2; Beltagy et al. 2020,
"Longformer", section 3.1; Gupta et al. 2021, "Memory-efficient Transformers via Top-k".

Shapes: "…" draws, n queries and keys, d_k; values are as wide as keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from quizapp.lab.experiment import Context

if TYPE_CHECKING:
    import torch

Variant = Literal[
    "full", "linear_relu", "linear_elu", "linear_relu_raw", "linear_elu_raw", "window", "top_k"
]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


@dataclass(frozen=True)
class Pattern:
    """Which keys a sparse variant keeps: `window` on each side, or the best `top_k`."""

    window: int
    top_k: int


@dataclass(frozen=True)
class Attended:
    """Dense weights (…, n, n), as they multiply the values, and the cheap route's output."""

    weights: torch.Tensor
    output: torch.Tensor


def attend(
    variant: Variant, ctx: Context, qkv: Sequence[torch.Tensor], factor: float, pattern: Pattern
) -> Attended:
    """One variant both ways; `factor` multiplies q before anything else."""
    q, k, v = qkv
    return Attended(
        dense(variant, ctx, (q, k), factor, pattern),
        cheap(variant, ctx, (q, k, v), factor, pattern),
    )


def linear(variant: Variant) -> bool:
    """Whether that variant has features in place of a softmax."""
    return variant.startswith("linear")


def features(variant: Variant, x: torch.Tensor) -> torch.Tensor:
    """φ(x), entry by entry, never negative."""
    import torch

    return torch.relu(x) if "relu" in variant else torch.nn.functional.elu(x) + 1


def dense(
    variant: Variant, ctx: Context, qk: Sequence[torch.Tensor], factor: float, pattern: Pattern
) -> torch.Tensor:
    """The weights (…, n, n), zeros included."""
    import torch

    q, k = qk
    if linear(variant):
        kernel = features(variant, q * factor) @ features(variant, k).mT
        if variant.endswith("raw"):
            return kernel
        # A query with no positive feature sees nothing: its row stays 0.
        return kernel / kernel.sum(-1, keepdim=True).clamp_min(torch.finfo(q.dtype).tiny)
    mask = None
    if variant == "window":
        places = torch.arange(q.shape[-2], device=q.device)
        mask = (places[:, None] - places).abs() <= pattern.window
    elif variant == "top_k":
        best = ((q * factor) @ k.mT).topk(pattern.top_k, dim=-1).indices
        mask = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=torch.bool, device=q.device)
        mask = mask.scatter(-1, best, value=True)
    return ctx.attention(q, k, k[..., :1], scale=factor, mask=mask)[1]


def cheap(
    variant: Variant, ctx: Context, qkv: Sequence[torch.Tensor], factor: float, pattern: Pattern
) -> torch.Tensor:
    """The output (…, n, d_v) by the route that the variant is chosen for."""
    import torch

    q, k, v = qkv
    if variant == "full":
        return ctx.attention(q, k, v, scale=factor)[0]
    if variant == "window":
        return _windowed(ctx, (q, k, v), factor, pattern.window)
    if variant == "top_k":
        best = ((q * factor) @ k.mT).topk(pattern.top_k, dim=-1)
        lead = torch.arange(v.shape[0], device=v.device)[:, None, None]
        return (best.values.softmax(-1)[..., None, :] @ v[lead, best.indices]).squeeze(-2)
    queries, keys = features(variant, q * factor), features(variant, k)
    output = queries @ (keys.mT @ v)  # (…, d_k, d_v) is all that is kept of keys and values
    if variant.endswith("raw"):
        return output
    total = queries @ keys.sum(-2, keepdim=True).mT  # (…, n, 1)
    return output / total.clamp_min(torch.finfo(q.dtype).tiny)


def _windowed(
    ctx: Context, qkv: Sequence[torch.Tensor], factor: float, window: int
) -> torch.Tensor:
    """Each query with its own 2w + 1 keys; (D, n, d) each."""
    import torch

    q, k, v = qkv
    n, width = q.shape[-2], 2 * window + 1
    near = [
        torch.nn.functional.pad(x, (0, 0, window, window)).unfold(-2, width, 1).mT for x in (k, v)
    ]  # (D, n, 2w+1, d)
    places = torch.arange(n, device=q.device)[:, None] + torch.arange(width, device=q.device)
    inside = (places >= window) & (places < n + window)
    output, _ = ctx.attention(q[..., None, :], *near, scale=factor, mask=inside[:, None])
    return output.squeeze(-2)


def multiply_adds(variant: Variant, ctx: Context, n: int, d: int, pattern: Pattern) -> float:
    """Multiply-adds of the cheap route's matrix products for one head, counted as it runs.

    Run on torch's meta device: shapes without numbers, so any length is free.
    """
    import torch

    from quizapp.lab.maths.products import Products

    shapes = [torch.empty(1, n, d, device="meta") for _ in "qkv"]
    fitted = Pattern(min(pattern.window, n - 1), min(pattern.top_k, n))
    with Products() as counted:
        cheap(variant, ctx, shapes, 1.0, fitted)
    return float(counted.multiply_adds)


def reach(weights: torch.Tensor, layers: int) -> float:
    """Farthest distance over which weights (n, n) pass something on in that many layers."""
    step = (weights > 0).float()
    found = step
    for _ in range(layers - 1):
        found = ((found @ step) > 0).float()
    query, key = found.nonzero(as_tuple=True)
    return float((query - key).abs().amax()) if len(query) else 0.0


def normalised(weights: torch.Tensor) -> torch.Tensor:
    """Rows (…, n, n) made to sum to 1; a row of zeros stays one."""
    import torch

    return weights / weights.sum(-1, keepdim=True).clamp_min(torch.finfo(weights.dtype).tiny)


def relative(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """‖a − b‖ over ‖b‖ of each draw: (D, n, d) → (D,)."""
    return size(a - b) / size(b)


def size(x: torch.Tensor) -> torch.Tensor:
    """The Euclidean length of each draw: (D, n, d) → (D,)."""
    return x.square().sum((-2, -1)).sqrt()


def seconds(work: Callable[[], object], ctx: Context) -> float:
    """The best of five runs of `work`, on the run's own clock."""
    import torch

    taken = []
    for _ in range(5):
        ctx.checkpoint()
        started = ctx.seconds()
        work()
        if ctx.device == "cuda":
            torch.cuda.synchronize()
        taken.append(ctx.seconds() - started)
    return min(taken)
