"""Scores of given W_q and W_k in float64 NumPy, with no query and no key: one bilinear form.

q·k = x W_q W_kᵀ mᵀ;  ‖q‖² = x W_q W_qᵀ xᵀ;  entropy = ln Z − Σ s eˢ / Z,  Z = Σ eˢ
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quizapp.lab.maths.training_tasks import CODE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def final_numbers(
    batch: tuple[Array, Array, Array], weights: Sequence[Array], by: float, group: int
) -> dict[str, Array]:
    """Every number of `quizapp.lab.maths.trained_scores.Heads.measure`, (N,) each.

    batch: of `quizapp.lab.second_way.training.batch64`; weights: W_q, W_k (N, d_model, d_k).
    group: query j's own keys are j, j + group, j + 2·group, …
    """
    memory, asked, _ = batch
    w_q, w_k = weights
    form, form_q, form_k = (
        a @ b.transpose(0, 2, 1) for a, b in ((w_q, w_k), (w_q, w_q), (w_k, w_k))
    )
    raw = np.einsum("nbix,nxy,nbjy->nbij", asked, form, memory, optimize=True)
    long_q = np.einsum("nbix,nxy,nbiy->nbi", asked, form_q, asked, optimize=True)
    long_k = np.einsum("nbjx,nxy,nbjy->nbj", memory, form_k, memory, optimize=True)
    seen = by * raw
    own = np.arange(raw.shape[-1]) % group == np.arange(raw.shape[-2])[:, None]
    highest = seen.max(-1, keepdims=True)
    powers = np.exp(seen - highest)
    total = powers.sum(-1)
    std = np.array([one.std(ddof=1) for one in seen])
    lengths = np.sqrt(long_q.mean((1, 2)) * long_k.mean((1, 2)))
    independent = by * lengths / np.sqrt(w_q.shape[-1])
    cosine = raw / np.sqrt(long_q[..., None] * long_k[..., None, :])
    return {
        "final_std": std,
        "final_entropy": (np.log(total) - (powers * (seen - highest)).sum(-1) / total).mean((1, 2)),
        "raw_std": std / by,
        "unit_factor": by / std,
        "independent_std": independent,
        "alignment": std / independent,
        "own_score": seen[..., own].mean((1, 2)),
        "other_std": np.array([one[:, ~own].std(ddof=1) for one in seen]),
        "cosine": cosine[..., own].mean((1, 2)),
        "max_weight": (1 / total).mean((1, 2)),
        "effective_scale": by * np.trace(form[:, :CODE, :CODE], axis1=1, axis2=2) / CODE,
        "lengths": lengths,
    }
