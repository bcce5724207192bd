"""Attention three ways on one head: standard, tiled by hand, and torch's own kernel.

What each gives, what it keeps for the backward pass, and what it costs. The standard way is
the reference of both others; its mask counts as an input.

Shapes: S queries and keys of width d_k; q, k, v (S, d_k); a strip is one tile of queries, B.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from quizapp.lab.attention import attention
from quizapp.lab.experiment import Context, Measured
from quizapp.lab.maths import tiled
from quizapp.lab.maths.live_bytes import allocated_peak, peak_bytes, saved_bytes
from quizapp.lab.maths.products import Products
from quizapp.lab.maths.tiled import Kept, Tiling
from quizapp.lab.maths.watch import Done, Watch

QKV = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
Work = Callable[[], object]

#: What `F.scaled_dot_product_attention` came to: its operation, and the backend's name.
KERNELS = {
    "_scaled_dot_product_flash_attention_for_cpu": "flash, CPU",
    "_scaled_dot_product_flash_attention": "flash",
    "_scaled_dot_product_efficient_attention": "memory-efficient",
    "_scaled_dot_product_cudnn_attention": "cuDNN",
}
#: No kernel of its own: products, softmax and mask one after another.
UNFUSED = "math"
#: Forward passes of each way that are timed, and seconds after which no more are begun.
TIMES, ENOUGH = 3, 1.0


@dataclass(frozen=True)
class Head:
    """One head's inputs, whether later keys are hidden, and how torch's kernel is called.

    batched: as (1, 1, S, d_k); else as the matrices (S, d_k) that they are.
    """

    qkv: QKV
    scale: float
    causal: bool = False
    batched: bool = True

    def seen(self, rows: slice) -> torch.Tensor | None:
        """The mask of some queries, (B, S), False where hidden; None where nothing is."""
        if not self.causal:
            return None
        keys = len(self.qkv[1])
        first, last, _ = rows.indices(len(self.qkv[0]))
        ones = torch.ones(last - first, keys, dtype=torch.bool, device=self.qkv[0].device)
        return ones.tril(first)

    def scores(self, rows: slice) -> torch.Tensor:
        """Scaled scores of some queries, (B, S), −∞ where hidden."""
        q, k, _ = self.qkv
        scores, seen = (q[rows] @ k.mT) * self.scale, self.seen(rows)
        return scores if seen is None else scores.masked_fill(~seen, float("-inf"))

    def fused(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Torch's own attention, (S, d_v), by whichever kernel it picks."""
        attend = torch.nn.functional.scaled_dot_product_attention
        if not self.batched:
            return attend(q, k, v, is_causal=self.causal)
        q, k, v = (x[None, None] for x in (q, k, v))
        return attend(q, k, v, is_causal=self.causal)[0, 0]


def errors(standard: torch.Tensor, output: torch.Tensor) -> dict[str, Measured]:
    """How far the tiled output is from the standard one, and how large both are."""
    error = output - standard
    return {
        "max_abs_error": error.abs().max().item(),
        "relative_error": (error.norm() / standard.norm()).item(),
        "output_rms": output.square().mean().sqrt().item(),
        "standard_rms": standard.square().mean().sqrt().item(),
    }


@dataclass(frozen=True)
class Compared:
    """The tiled loop so far beside the standard way: metrics, and what backward needs."""

    metrics: dict[str, Measured]
    kept: Kept
    standard: torch.Tensor


def compared(head: Head, tiling: Tiling, ctx: Context) -> Iterator[Compared]:
    """Strip by strip; told after the first and at the end."""
    (q, k, v), made, exact, lse_errors = head.qkv, [], [], []
    for strip in tiled.strips(*head.qkv, tiling):
        ctx.checkpoint()
        exact.append(ctx.attention(q[strip.rows], k, v, mask=head.seen(strip.rows))[0])
        lse_errors.append((strip.lse - head.scores(strip.rows).logsumexp(-1)).abs().max())
        made.append(strip)
        if len(made) > 1 and strip.rows.stop < len(q):
            continue
        output, standard = torch.cat([one.output for one in made]), torch.cat(exact)
        lse, rises = (torch.cat([getattr(x, name) for x in made]) for name in ("lse", "rises"))
        metrics: dict[str, Measured] = {
            **errors(standard, output),
            "lse_mean": lse.double().mean().item(),
            "lse_error": max(lse_errors).item(),
            "max_rises": rises.double().mean().item(),
            "key_tiles": float(-(-len(k) // tiling.block)),
        }
        if strip.rows.stop == len(q):
            tiles = sum(one.tiles for one in made)
            most = len(made) * -(-len(k) // tiling.block)
            metrics |= {"tiles": float(tiles), "tiles_skipped": float(most - tiles)}
        yield Compared(metrics, Kept(output, lse), standard)


@dataclass(frozen=True)
class Graph:
    """The standard pass with all that autograd keeps of it, and the gradient it is met with.

    output and upstream: (S, d_v).
    """

    leaves: QKV
    output: torch.Tensor
    upstream: torch.Tensor


def keep(head: Head, kept: Kept, upstream: torch.Tensor) -> tuple[dict[str, Measured], Graph]:
    """What the standard way and the tiled one keep for the backward pass."""
    leaves, outputs = _leaves(head), []
    mask = head.seen(slice(None))
    with Products() as forward:
        saved = saved_bytes(leaves, lambda: outputs.append(attention(*leaves, mask=mask)[0]))
    found: dict[str, Measured] = {
        "saved_bytes_standard": float(saved),
        "saved_bytes_tiled": float(kept.output.nbytes + kept.lse.nbytes),
        "flops_standard": 2.0 * forward.multiply_adds,
    }
    return found, Graph(leaves, outputs.pop(), upstream)


def backward(
    head: Head, graph: Graph, kept: Kept, tiling: Tiling, ctx: Context
) -> tuple[dict[str, Measured], QKV]:
    """The gradients by recomputation against autograd's, with autograd's own."""
    ctx.checkpoint()
    with Products() as standard:
        expected = _pulled(graph.output, graph.leaves, graph.upstream)
    with Products() as again:
        mine = tiled.backward(head.qkv, kept, graph.upstream, tiling, ctx.checkpoint)
    found: dict[str, Measured] = {
        "grad_error": _furthest(mine, expected),
        "backward_flops_ratio": again.multiply_adds / standard.multiply_adds,
    }
    return found, expected


def fused(
    head: Head, exact: torch.Tensor, gradients: QKV, upstream: torch.Tensor, ctx: Context
) -> tuple[dict[str, Measured], str]:
    """Torch's kernel beside the standard output and gradients, and the name of its backend."""
    leaves, outputs = _leaves(head), []
    ctx.checkpoint()
    with Kernel() as kernel:
        saved = saved_bytes(leaves, lambda: outputs.append(head.fused(*leaves)))
    output = outputs.pop()
    ctx.checkpoint()
    found = _pulled(output, leaves, upstream)
    metrics: dict[str, Measured] = {
        "fused_error": (output - exact).abs().max().item(),
        "fused_grad_error": _furthest(found, gradients),
        "saved_bytes_fused": float(saved),
    }
    ctx.checkpoint()
    peak = fused_peak(head)
    return metrics | ({} if peak is None else {"peak_bytes_fused": float(peak)}), kernel.name


def standard_peak(head: Head, ctx: Context) -> int:
    """Peak bytes of a standard forward pass."""
    ctx.checkpoint()
    mask = head.seen(slice(None))
    inputs = head.qkv if mask is None else (*head.qkv, mask)
    return peak_bytes(inputs, lambda: attention(*head.qkv, mask=mask))


def tiled_peak(head: Head, tiling: Tiling, ctx: Context) -> tuple[int, int]:
    """Peak bytes of a tiled forward pass, and the FLOPs of its matrix products."""
    with Products() as products:
        peak = peak_bytes(head.qkv, lambda: tiled.forward(*head.qkv, tiling, ctx.checkpoint))
    return peak, 2 * products.multiply_adds


def costs(head: Head, tiling: Tiling, ctx: Context) -> dict[str, Measured]:
    """Peak bytes and FLOPs of one forward pass, tiled against standard."""
    with Products() as products:
        standard = standard_peak(head, ctx)
    tiles, flops = tiled_peak(head, tiling, ctx)
    return {
        "peak_bytes_standard": float(standard),
        "peak_bytes_tiled": float(tiles),
        "peak_ratio": standard / tiles,
        "flops_tiled": float(flops),
        "flops_ratio": flops / (2 * products.multiply_adds),
    }


def fused_peak(head: Head) -> int | None:
    """Peak bytes of torch's kernel, its own work space included; None where nothing tells."""
    if head.qkv[0].is_cuda:
        return peak_bytes(head.qkv, lambda: head.fused(*head.qkv))
    if head.qkv[0].device.type == "cpu":
        return allocated_peak(lambda: head.fused(*head.qkv))
    return None


def seconds(head: Head, tiling: Tiling, ctx: Context) -> dict[str, Measured]:
    """The best of a few forward passes of each way, on the run's clock."""
    mask = head.seen(slice(None))
    works: dict[str, Work] = {
        "standard": lambda: attention(*head.qkv, mask=mask),
        "tiled": lambda: tiled.forward(*head.qkv, tiling, ctx.checkpoint),
        "fused": lambda: head.fused(*head.qkv),
    }
    best, begun = dict.fromkeys(works, math.inf), ctx.seconds()
    for turn in range(TIMES):  # in turn, so that a busy moment hits all three
        if turn and ctx.seconds() - begun > ENOUGH:
            break
        for way, work in works.items():
            ctx.checkpoint()
            started = ctx.seconds()
            work()
            if ctx.device != "cpu":
                getattr(torch, ctx.device).synchronize()
            best[way] = min(best[way], ctx.seconds() - started)
    return {f"seconds_{way}": taken for way, taken in best.items()}


class Kernel(Watch):  # type: ignore[no-untyped-call] # torch's base has no types
    """Sees which operation `F.scaled_dot_product_attention` came to; `name` is its backend."""

    def __init__(self) -> None:
        super().__init__()
        self.name = UNFUSED

    def watch(self, done: Done) -> None:
        self.name = KERNELS.get(done.func.overloadpacket.__name__, self.name)


def _leaves(head: Head) -> QKV:
    q, k, v = (x.detach().requires_grad_() for x in head.qkv)
    return q, k, v


def _pulled(output: torch.Tensor, leaves: QKV, upstream: torch.Tensor) -> QKV:
    """The gradients of the leaves for that of the output."""
    # Given to `grad` itself, an upstream gradient makes torch import 480 modules first.
    q, k, v = torch.autograd.grad((output * upstream).sum(), leaves)
    return q, k, v


def _furthest(found: QKV, expected: QKV) -> float:
    return max((a - b).abs().max().item() for a, b in zip(found, expected, strict=True))
