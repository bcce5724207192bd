"""What a temperature makes of rows of raw scores: sharpness, gradient, and samples drawn.

Shapes: D draws, n queries and keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quizapp.lab.maths import rows
from quizapp.lab.maths.rows import Rows, Sampled

if TYPE_CHECKING:
    import torch

#: Norms of ∂p/∂(q·k), and the norms of the softmax Jacobian that they are 1/T of.
RAW = {"raw_gradient_mean": "jacobian_mean", "raw_gradient_median": "jacobian_median"}
#: The nucleus: the fewest keys that hold this much of the weight.
NUCLEUS = 0.9


@dataclass(frozen=True)
class Sharpened:
    """Rows at one temperature, in float64 on the CPU: (D, n) each beside `rows`."""

    rows: Rows
    temperature: float
    score_variance: torch.Tensor  # of the scores after division, (D,)
    agree: torch.Tensor
    distinct: torch.Tensor
    nucleus: torch.Tensor
    top: torch.Tensor  # index of the largest weight

    @classmethod
    def of(cls, scores: torch.Tensor, temperature: float, samples: int) -> Sharpened:
        """From raw scores (D, n, n); `samples` keys are drawn from each row."""
        scaled = scores / temperature
        weights = scaled.softmax(-1)
        # In expectation, exactly: key j is missed by every sample with probability (1 − pⱼ)^m.
        distinct = (1 - (1 - weights) ** samples).sum(-1)
        ordered = weights.sort(-1, descending=True).values.cumsum(-1)
        return cls(
            Rows.of(weights),
            temperature,
            scaled.var((-2, -1)).cpu().double(),
            weights.square().sum(-1).cpu().double(),
            distinct.cpu().double(),
            (1 + (ordered < NUCLEUS).sum(-1)).cpu().double(),
            weights.argmax(-1).cpu(),
        )

    @classmethod
    def join(cls, parts: Sequence[Sharpened]) -> Sharpened:
        """The draws of several blocks at one temperature, one after another."""
        import torch

        fields = ("score_variance", "agree", "distinct", "nucleus", "top")
        joined = (torch.cat([getattr(part, name) for part in parts]) for name in fields)
        return cls(Rows.join([part.rows for part in parts]), parts[0].temperature, *joined)

    def summary(self) -> dict[str, Sampled]:
        """Every sampled metric of one temperature."""
        std, error = rows.pooled_std(self.score_variance)
        found = self.rows.summary()
        return {
            **found,
            "scaled_std": (std, error),
            **{
                raw: (found[name][0] / self.temperature, found[name][1] / self.temperature)
                for raw, name in RAW.items()
            },
            "perplexity": rows.over_draws(self.rows.entropy.exp().mean(-1)),
            "agree": rows.over_draws(self.agree.mean(-1)),
            "distinct": rows.over_draws(self.distinct.mean(-1)),
            "nucleus": rows.over_draws(self.nucleus.mean(-1)),
        }
