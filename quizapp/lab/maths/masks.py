"""Ways to hide keys from queries, each run as it is written in code, and where NaN comes from.

Only `minus_inf` (masked_fill with −∞ before the softmax) hides and leaves rows that sum
to 1 in every case; the others are what stands in its place in code that one meets.

Shapes: D draws, n queries and keys; `visible` (n, n) is True where a query may look.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from quizapp.lab.experiment import Context

if TYPE_CHECKING:
    import torch

Method = Literal[
    "minus_inf",
    "add_inf",
    "minus_1e9",
    "minus_1e4",
    "minus_10",
    "renormalise",
    "after",
    "multiply",
    "none",
]
METHODS: tuple[Method, ...] = get_args(Method)
#: What an additive mask adds to hidden scores.
PENALTY: dict[Method, float] = {
    "minus_inf": math.inf,
    "add_inf": math.inf,
    "minus_1e9": 1e9,
    "minus_1e4": 1e4,
    "minus_10": 10.0,
}
MaskKind = Literal["causal", "padding"]
Dtype = Literal["float64", "float32", "float16", "bfloat16"]


@dataclass(frozen=True)
class Layout:
    """Who may look where.

    kind "causal": a query sees itself and earlier tokens. "padding": the last `padding`
    tokens are padding, hidden from all. From the first `hidden_rows` queries every key is
    hidden, as left padding under a causal mask does it.
    """

    kind: MaskKind
    n: int
    padding: int
    hidden_rows: int

    def visible(self, device: str) -> torch.Tensor:
        """(n, n) booleans, True where the query (row) may look at the key (column)."""
        import torch

        seen = torch.ones(self.n, self.n, dtype=torch.bool, device=device)
        if self.kind == "causal":
            seen = seen.tril()
        else:
            seen[:, self.n - self.padding :] = False
        seen[: self.hidden_rows] = False
        return seen

    def judged(self) -> slice:
        """Queries that see something, and from which the last token is hidden."""
        hidden = 1 if self.kind == "causal" else self.padding
        return slice(self.hidden_rows, self.n - hidden)


def attend(
    method: Method,
    ctx: Context,
    inputs: Sequence[torch.Tensor],
    visible: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output (…, n, d_v) and weights (…, n, n) of scaled attention, masked by `method`.

    Inputs are q, k (…, n, d_k) and v (…, n, d_v) in the dtype to compute in.
    """
    q, k, v = inputs
    if method == "minus_inf":
        return ctx.attention(q, k, v, mask=visible)
    if method in ("none", "after", "renormalise"):
        output, weights = ctx.attention(q, k, v)
        if method == "none":
            return output, weights
        weights = weights * visible
        if method == "renormalise":
            weights = weights / weights.sum(-1, keepdim=True)
        return weights @ v, weights
    scores = (q * q.shape[-1] ** -0.5) @ k.mT
    scores = scores * visible if method == "multiply" else add(scores, visible, PENALTY[method])
    weights = scores.softmax(-1)
    return weights @ v, weights


def add(scores: torch.Tensor, visible: torch.Tensor, penalty: float) -> torch.Tensor:
    """Scores (…, n, n) plus a mask that holds −`penalty`, as their dtype can hold it."""
    import torch

    # Made in float64 and cast: that is where a half-precision −1e9 turns into −∞.
    bias = torch.where(visible, 0.0, -penalty).to(scores.dtype)
    return scores + bias


def held(method: Method, dtype: torch.dtype) -> float:
    """The number that really is added to a hidden score in that dtype; 0 where none is."""
    import torch

    return torch.tensor(0.0 - PENALTY.get(method, 0.0)).to(dtype).item()


def refuses(method: Method, dtype: torch.dtype) -> bool:
    """Whether torch's masked_fill refuses that number in that dtype."""
    import torch

    try:
        torch.zeros(1, dtype=dtype).masked_fill(
            torch.ones(1, dtype=torch.bool), -PENALTY.get(method, 0.0)
        )
    except RuntimeError as error:
        if "overflow" not in str(error):
            raise
        return True
    return False


def nan_shares(
    method: Method,
    ctx: Context,
    inputs: Sequence[torch.Tensor],
    *,
    visible: torch.Tensor,
    upstream: torch.Tensor,
    rows: slice,
) -> dict[str, float]:
    """Shares of NaN in the output and in the gradients of q, k and v.

    The loss is Σ upstream · output over the queries in `rows` alone; upstream (…, n, d_v).
    """
    import torch

    leaves = [x.detach().requires_grad_() for x in inputs]
    output, _ = attend(method, ctx, leaves, visible)
    loss = (output * upstream)[..., rows, :].sum()
    # Gradients that are NaN are the point here: the anomaly mode of torch would raise.
    found = torch.autograd.grad(loss, leaves)
    named = zip(("output", "q_grad", "k_grad", "v_grad"), (output, *found), strict=True)
    return {f"nan_{name}": x.isnan().double().mean().item() for name, x in named}
