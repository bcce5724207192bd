"""`Readings`: what probes read from one model, and which of them fire. Plain numbers, no torch.

A probe fires where its reading leaves the band that a healthy fresh model stays in: scores of
std 1, rows that sum to 1, no weight and no influence from the future, some from the past,
rows neither one-hot nor uniform, a first loss near ln V, gradients of comparable size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quizapp.lab.wording.probes import BACKWARD, BY_HEAD, BY_LAYER, CLASSIC, FAULTS, PROBES

#: Rows that many keys reach: the last quarter of the queries.
LATE = 0.75


@dataclass(frozen=True)
class Readings:
    """One number a layer, or a layer and head (all heads of layer 1 first)."""

    score_mean: Sequence[float]
    score_std: Sequence[float]
    q_variance: Sequence[float]
    row_sum_error: Sequence[float]
    masked_weight: Sequence[float]
    max_weight: Sequence[float]  # by head
    entropy_share: Sequence[float]  # by head
    jacobian_median: float  # no probe: what the gradients have to pass
    future_influence: float
    past_influence: float
    loss: float
    grad_qk: Sequence[float]
    grad_v: Sequence[float]
    grad_o: Sequence[float]
    vocabulary: int

    def shares(self, of: Sequence[float]) -> list[float]:
        """Gradient norms over that of W_o in the same layer: free of the loss's own size."""
        return [norm / max(o, 1e-30) for norm, o in zip(of, self.grad_o, strict=True)]

    def fires(self) -> dict[str, bool]:
        """Each probe of PROBES, by its band."""
        mean = max(
            abs(m) / max(s, 1e-9) for m, s in zip(self.score_mean, self.score_std, strict=True)
        )
        return {
            "score_mean": mean > 0.5,  # beside the std of the same layer
            "score_std": _outside(self.score_std, 0.5, 2.0),
            "q_variance": _outside(self.q_variance, 0.5, 2.0),
            "row_sums": _outside(self.row_sum_error, 0.0, 1e-3),
            "masked_weight": _outside(self.masked_weight, 0.0, 1e-6),
            "max_weight": _outside(self.max_weight, 0.0, 0.6),
            "entropy": _outside(self.entropy_share, 0.5, 0.99),
            "future": self.future_influence > 1e-5,
            "past": self.past_influence < 1e-5,
            "loss": abs(self.loss / math.log(self.vocabulary) - 1) > 0.1,
            "gradient_qk": _outside(self.shares(self.grad_qk), 0.05, 5.0),
            "gradient_v": _outside(self.shares(self.grad_v), 0.05, 5.0),
        }

    def scalars(self) -> dict[str, float]:
        """One number a reading: its worst layer or head."""
        return {
            "score_mean": max(self.score_mean, key=abs),
            "score_std": max(self.score_std),
            "q_variance": max(self.q_variance),
            "row_sum_error": max(self.row_sum_error),
            "masked_weight": max(self.masked_weight),
            "max_weight": max(self.max_weight),
            "entropy_share": min(self.entropy_share),
            "jacobian_median": self.jacobian_median,
            "future_influence": self.future_influence,
            "past_influence": self.past_influence,
            "loss": self.loss,
            "grad_qk": min(self.grad_qk),
            "grad_v": min(self.grad_v),
            "grad_qk_share": min(self.shares(self.grad_qk)),
        }

    def lists(self) -> dict[str, list[float]]:
        """The readings by layer, or by layer and head."""
        return {
            **{f"{name}_by_layer": list(getattr(self, name)) for name in BY_LAYER},
            **{f"{name}_by_head": list(getattr(self, name)) for name in BY_HEAD},
        }


def _outside(values: Sequence[float], low: float, high: float) -> bool:
    return not all(low <= value <= high for value in values)


def counts(fired: Mapping[str, bool]) -> dict[str, float]:
    """How many probes fire on one model: all, forward, backward, classic."""
    return {
        "fired": sum(fired.values()),
        "forward_fired": sum(fires for name, fires in fired.items() if name not in BACKWARD),
        "backward_fired": sum(fired[name] for name in BACKWARD),
        "classic_fired": sum(fired[name] for name in CLASSIC),
    }


def coverage(fired: Mapping[str, Mapping[str, bool]]) -> dict[str, float | list[float]]:
    """Which faults the probes see together, and how many each sees, from {fault: {probe}}."""
    by_fault = {fault: counts(fired[fault]) for fault in FAULTS}
    faults = [fault for fault in FAULTS if fault != "none"]
    return {
        "faults_tried": len(faults),
        "faults_seen": sum(by_fault[fault]["fired"] > 0 for fault in faults),
        "faults_seen_forward": sum(by_fault[fault]["forward_fired"] > 0 for fault in faults),
        "faults_seen_classic": sum(by_fault[fault]["classic_fired"] > 0 for fault in faults),
        "fired_by_fault": [by_fault[fault]["fired"] for fault in FAULTS],
        "forward_by_fault": [by_fault[fault]["forward_fired"] for fault in FAULTS],
        "faults_by_probe": [float(sum(fired[fault][p] for fault in faults)) for p in PROBES],
    }
