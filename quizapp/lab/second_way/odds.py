"""Attention rows a second way, for cross-checks: odds against the top key, and no softmax.

The numbers of `quizapp.lab.maths.rows` in float64 NumPy, from score differences alone.

Shapes: D draws, S_q queries, S_k keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quizapp.lab.experiment import Context, Tolerant
from quizapp.lab.maths.rows import DEAD, QUANTILES, SATURATED, Dtype

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

METHOD = {
    "en": "power sums of each row's odds against its top key; no softmax",
    "zh": "用每行各键对首位键的赔率幂和求得，不经过 softmax",
}


def drawn64(
    ctx: Context, name: str, draws: range, *shape: int, dtype: Dtype = "float32"
) -> NDArray[np.float64]:
    """The very numbers of `drawn` as float64 NumPy."""
    import numpy as np

    return np.stack([ctx.normal64(f"{name}.{i}", *shape, dtype=dtype) for i in draws])


@dataclass(frozen=True)
class Odds:
    """The numbers of `Rows` found without a softmax, in float64 NumPy: (D, S_q) each.

    With gⱼ the distance of score j below the row's top score and oⱼ = exp(−gⱼ) the odds
    of key j against the top key, let Aₚ = Σ oⱼᵖ over all keys but the top one. Then
        largest weight = 1/(1 + A₁),   entropy = ln(1 + A₁) + Σ oⱼgⱼ / (1 + A₁)
        ‖J‖² = (A₁² + 2A₂ + A₂²)/(1 + A₁)⁴ + A₂/(1 + A₁)² − 2A₃/(1 + A₁)³
    """

    entropy: NDArray[np.float64]
    max_weight: NDArray[np.float64]
    jacobian: NDArray[np.float64]

    @classmethod
    def of(cls, scores: NDArray[np.float64]) -> Odds:
        """From scores (D, S_q, S_k), of which only differences within a row are used."""
        import numpy as np

        gap = scores.max(-1, keepdims=True) - scores
        odds = np.exp(-gap)
        np.put_along_axis(odds, gap.argmin(-1)[..., None], 0.0, axis=-1)
        squares = odds * odds
        a1, a2, a3 = odds.sum(-1), squares.sum(-1), (squares * odds).sum(-1)
        z = 1 + a1
        squared = (a1**2 + 2 * a2 + a2**2) / z**4 + a2 / z**2 - 2 * a3 / z**3
        return cls(np.log1p(a1) + (odds * gap).sum(-1) / z, 1 / z, np.sqrt(squared))

    @classmethod
    def join(cls, parts: Sequence[Odds]) -> Odds:
        """The draws of several blocks, one after another."""
        import numpy as np

        fields = ("entropy", "max_weight", "jacobian")
        return cls(*(np.concatenate([getattr(part, field) for part in parts]) for field in fields))

    def summary(self, prefix: str = "") -> dict[str, float]:
        """The same names as `Rows.summary`. A row at a threshold may fall on either side."""
        import numpy as np

        one_row = 1.5 / self.jacobian.size
        found = {
            "entropy": float(self.entropy.mean()),
            "max_weight": float(self.max_weight.mean()),
            "jacobian_mean": float(self.jacobian.mean()),
            **{n: float(np.quantile(self.jacobian, share)) for n, share in QUANTILES.items()},
            "dead_share": Tolerant(float((self.jacobian < DEAD).mean()), one_row),
            "saturated_share": Tolerant(float((self.max_weight > SATURATED).mean()), one_row),
        }
        return {prefix + name: value for name, value in found.items()}


def scores64(q: NDArray[np.float64], k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores (D, S_q, S_k) up to one constant a row: q·(kⱼ − k₀), from key differences.

    q (D, S_q, d_k), k (D, S_k, d_k).
    """
    import numpy as np

    return np.asarray(q @ (k - k[:, :1]).swapaxes(-1, -2))


def score_variance64(q: NDArray[np.float64], k: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance of each draw's scores (D,), from tr(QᵀQ KᵀK) and the sums of q and of k.

    q (D, S_q, d_k), k (D, S_k, d_k). No score is made, except where d_k is much larger
    than S_q: those d_k × d_k moments would cost more than the scores.
    """
    import numpy as np

    if q.shape[-1] > 2 * q.shape[-2]:
        scores = scores64(q, k) + q @ k[:, 0, :, None]
        return np.asarray(scores.var((-2, -1), ddof=1))
    pairs = q.shape[-2] * k.shape[-2]
    moment_q, moment_k = (x.swapaxes(-1, -2) @ x for x in (q, k))  # (D, d_k, d_k)
    square = np.einsum("dij,dij->d", moment_q, moment_k)
    total = np.einsum("di,di->d", q.sum(-2), k.sum(-2))
    return np.asarray((square - total**2 / pairs) / (pairs - 1))
