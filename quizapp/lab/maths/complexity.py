"""One attention layer at many sizes: its FLOPs counted, its memory watched, its time taken.

A layer is its four projections x W (n, d) and its attention, which is written two ways: naive,
with all n × n scores in memory, and as torch's fused kernel, one operation. A FLOP is one
multiplication or one addition of a matrix product; exponentials and divisions are not counted,
as is the custom, and do take time.

Shapes: H heads, n tokens, d = d_model, d_k = d/H; R rounds, S sizes of a grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from quizapp.lab.experiment import Context

if TYPE_CHECKING:
    import torch

Part = Literal["projections", "naive", "fused"]
PARTS: Final[tuple[Part, ...]] = ("projections", "naive", "fused")
#: A size: n tokens of width d.
Size = tuple[int, int]
Sampled = tuple[float, float]

#: Shorter work than this is repeated inside one reading of the clock: seconds, and how often.
SHORTEST: Final = 1e-3
MOST_REPEATS: Final = 64
#: Standard error of a median over that of the mean, for normal noise: √(π/2).
OF_MEDIAN: Final = math.sqrt(math.pi / 2)


@dataclass(frozen=True)
class Layer:
    """Inputs of one size: x (n, d), W_q, W_k, W_v, W_o (d, d), and q, k, v (1, H, n, d_k)."""

    x: torch.Tensor
    weights: Sequence[torch.Tensor]
    qkv: tuple[torch.Tensor, torch.Tensor, torch.Tensor]

    def work(self, part: Part, ctx: Context) -> Callable[[], torch.Tensor]:
        """What computes that part anew on each call."""
        from torch.nn.functional import scaled_dot_product_attention

        def projections() -> torch.Tensor:
            for weight in self.weights:
                projected = self.x @ weight
            return projected

        q, k, v = self.qkv
        works: Mapping[Part, Callable[[], torch.Tensor]] = {
            "projections": projections,
            "naive": lambda: ctx.attention(q, k, v)[0],
            "fused": lambda: scaled_dot_product_attention(q, k, v),
        }
        return works[part]


def split(x: torch.Tensor, weights: Sequence[torch.Tensor], heads: int) -> Layer:
    """The layer of tokens x (n, d) under `weights`: q, k and v projected and cut into heads."""
    import torch

    cut = (torch.unflatten(x @ w, -1, (heads, -1)) for w in weights[:3])  # (n, H, d_k)
    q, k, v = (one.transpose(0, 1)[None].contiguous() for one in cut)
    return Layer(x, weights, (q, k, v))


def drawn(ctx: Context, largest: Size, size: Size, heads: int) -> Layer:
    """The first n rows and d columns of one draw at the largest size; outputs of variance 1."""
    n, d = size
    x = ctx.normal("x", *largest)[:n, :d].contiguous()
    weights = [
        ctx.normal(name, largest[1], largest[1])[:d, :d].contiguous() / math.sqrt(d)
        for name in ("w_q", "w_k", "w_v", "w_o")
    ]
    return split(x, weights, heads)


def flops(size: Size, heads: int, ctx: Context) -> dict[Part, float]:
    """FLOPs of each part at one size, from the products that run, on tensors without data.

    Without data there is no fused kernel: torch takes its operation apart into products.
    """
    import torch

    from quizapp.lab.maths.products import Products

    n, d = size
    layer = split(
        torch.empty(n, d, device="meta"),
        [torch.empty(d, d, device="meta") for _ in range(4)],
        heads,
    )
    found: dict[Part, float] = {}
    for part in PARTS:
        work = layer.work(part, ctx)
        with Products() as counted:
            work()
        found[part] = 2.0 * counted.multiply_adds
    return found


def repeats(work: Callable[[], object], ctx: Context) -> int:
    """How often `work` is to run inside one reading of the clock; warms it up as well."""
    work()
    return max(1, min(MOST_REPEATS, round(SHORTEST / max(seconds(work, 1, ctx), 1e-7))))


def seconds(work: Callable[[], object], times: int, ctx: Context) -> float:
    """Seconds of one call, the mean of `times` in a row."""
    _wait(ctx)
    started = ctx.seconds()
    for _ in range(times):
        work()
    _wait(ctx)
    return (ctx.seconds() - started) / times


def _wait(ctx: Context) -> None:
    """A GPU runs behind the program: its work has ended only when this returns."""
    import torch

    if ctx.device == "cuda":
        torch.cuda.synchronize()
    elif ctx.device == "mps":
        torch.mps.synchronize()


def slopes(sizes: Sequence[int], values: torch.Tensor) -> torch.Tensor:
    """Least-squares slope of log value on log size, row by row: (…, S) → (…)."""
    import torch

    x = torch.tensor(sizes, dtype=torch.float64).log()
    x = x - x.mean()
    y = values.double().log()
    found: torch.Tensor = (y * x).sum(-1) / x.square().sum()
    return found


def crossings(sizes: Sequence[int], below: torch.Tensor, above: torch.Tensor) -> torch.Tensor:
    """Where `below` first reaches `above`, on straight lines in log-log, row by row.

    (R, S) each → (R,). The grid's shortest size where it is ahead already there, its
    longest where it never gets ahead.
    """
    import torch

    found = []
    for lead in (below.double() / above.double()).log().tolist():
        at = next((i for i, value in enumerate(lead) if value >= 0), None)
        if at is None or at == 0:
            found.append(float(sizes[-1 if at is None else 0]))
            continue
        share = -lead[at - 1] / (lead[at] - lead[at - 1])
        found.append(float(sizes[at - 1] * (sizes[at] / sizes[at - 1]) ** share))
    return torch.tensor(found, dtype=torch.float64)


def over_rounds(values: torch.Tensor) -> Sampled:
    """Median over the rounds, as a busy machine only ever adds time, and its standard error."""
    error = OF_MEDIAN * values.std().item() / math.sqrt(len(values))
    return values.quantile(0.5).item(), error
