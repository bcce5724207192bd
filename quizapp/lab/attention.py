"""Scaled dot-product attention by hand: the code under study in every experiment.

    weights = softmax(Q Kᵀ · scale),  output = weights V,  scale = 1/√d_k

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1.

Shapes: S_q queries, S_k keys, d_k the width of a query or key, d_v of a value;
"…" any leading batch and head dimensions.
"""

from __future__ import annotations

import math

import torch


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    scale: float | None = None,
    mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output (…, S_q, d_v) and weights (…, S_q, S_k).

    q (…, S_q, d_k), k (…, S_k, d_k), v (…, S_k, d_v). `scale` None means 1/√d_k.
    `mask` broadcasts to (…, S_q, S_k); False hides. Raises ValueError where q and k
    differ in width or k and v in length.
    """
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"expected q (…, S_q, d_k), k (…, S_k, d_k), v (…, S_k, d_v); got "
            f"{tuple(q.shape)}, {tuple(k.shape)}, {tuple(v.shape)}"
        )
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    # Scaling q costs S_q·d_k multiplications where scaling the scores costs S_q·S_k,
    # and in half precision it keeps the dot products themselves in range.
    scores = (q * scale) @ k.mT  # (…, S_q, S_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # (…, S_q, S_k)
    return weights @ v, weights


def entropy(weights: torch.Tensor) -> torch.Tensor:
    """Entropy of each row in nats: (…, S_k) → (…); a weight of 0 adds 0."""
    rows: torch.Tensor = torch.special.entr(weights).sum(-1)
    return rows


def jacobian_norm(weights: torch.Tensor) -> torch.Tensor:
    """Frobenius norm of each row's softmax Jacobian diag(p) − ppᵀ: (…, S_k) → (…).

    Summed from non-negative terms, Σpᵢ²(1−pᵢ)² + Σ_{i≠j} pᵢ²pⱼ²: the shorter
    Σp² − 2Σp³ + (Σp²)² cancels and turns negative by rounding on saturated rows.
    """
    squares = weights.square()
    # 1−p loses every digit of a saturated weight; the sum of the others does not.
    others = _sum_of_others(weights)
    diagonal = (squares * others.square()).sum(-1)
    off_diagonal = (squares * _sum_of_others(squares)).sum(-1)
    norm: torch.Tensor = (diagonal + off_diagonal).sqrt()
    return norm


def _sum_of_others(x: torch.Tensor) -> torch.Tensor:
    """For each entry, the sum of the others in its row, without subtracting: (…, n) → (…, n).

    Only the largest entry of a row can dominate it, so only there does Σx − xᵢ cancel.
    """
    total = x.sum(-1, keepdim=True)
    top = x.argmax(-1, keepdim=True)
    rest = x.scatter(-1, top, 0.0).sum(-1, keepdim=True)
    return (total - x).scatter(-1, top, rest)
