"""What trained heads do where there is nothing to copy, and what happens when a key is evicted.

Every measure is over the later half of the positions of fresh sequences: (A, N), one number
for each arm and run. Errors are over the runs, which share nothing but the language's recipe.

Shapes: A arms, N runs, B sequences, T positions, L layers of H heads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import torch

from quizapp.lab.experiment import Context, Measured
from quizapp.lab.maths.sinks import ARMS, TESTED, Layer, Weights, batch, forward, losses, visible

if TYPE_CHECKING:
    from quizapp.lab.experiments.attention_sinks import Params
    from quizapp.lab.maths.backcopy import Batch

#: A head that gives the first token more than this of an idle query's weight has a sink there.
SINK: Final = 0.5


def cached(params: Params, ctx: Context) -> dict[str, torch.Tensor]:
    """Which keys are kept, (T, T), for each way to lose some. A query always keeps its own."""
    seen = visible(params, ctx)
    at = torch.arange(params.seq_len, device=ctx.device)
    recent = at[:, None] - at < params.window
    own = at[:, None] == at
    return {
        "eviction_cost": seen & recent,
        "kept_cost": seen & (recent | (at == 0)),
        "without_first_cost": seen & ((at != 0) | own),
        "without_second_cost": seen & ((at != 1) | own),
    }


def late(params: Params, where: torch.Tensor) -> torch.Tensor:
    """`where` (N, B, T) as numbers, 0 in the first half of the positions."""
    kept = where.float()
    kept[..., : params.seq_len // 2] = 0
    return kept


def over(values: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
    """Mean of values (A, N, B, T) over the places `where` (N, B, T): (A, N)."""
    return (values * where).sum((-2, -1)) / where.sum((-2, -1)).clamp(min=1)


class Ended:
    """Everything measured on trained (or fresh) weights."""

    def __init__(self, params: Params, ctx: Context, w: Weights) -> None:
        self.params = params
        self.tested: Batch = batch(params, ctx, "test", TESTED)
        with torch.no_grad():
            logits, self.layers = forward(params, ctx, w, self.tested.one_hot, visible(params, ctx))
            self.loss = losses(logits, self.tested)
            self.costs = {
                name: losses(forward(params, ctx, w, self.tested.one_hot, kept)[0], self.tested)
                - self.loss
                for name, kept in cached(params, ctx).items()
            }
        self.copying = late(params, self.tested.copies)
        self.idle = late(params, ~self.tested.copies)

    def measures(self) -> dict[str, torch.Tensor]:
        """Every measure of an arm, (A, N) each."""
        by_head = [dict(self._of(layer)) for layer in self.layers]
        found = {
            name: torch.stack([one[name] for one in by_head]).mean((0, -1)) for name in by_head[0]
        }
        found["idle_output"] = torch.stack([self._idle_output(x) for x in self.layers]).mean(0)
        found["sink_share"] = (self.first_by_head() > SINK).float().mean(-1)
        everywhere = self.idle + self.copying
        excess = self.loss - self.tested.best
        found["excess_loss"] = over(excess, everywhere)
        found["idle_excess"] = over(excess, self.idle)
        found["copying_excess"] = over(excess, self.copying)
        return found | {name: over(cost, everywhere) for name, cost in self.costs.items()}

    def _of(self, layer: Layer) -> Iterator[tuple[str, torch.Tensor]]:
        """Measures head by head, (A, N, H) each."""
        weights = layer.weights.movedim(3, -1)  # (A, N, B, T, T, H)
        first = weights[:, :, :, :, 0]
        own = weights.diagonal(0, 3, 4).movedim(-1, 3)  # (A, N, B, T, H)
        previous = torch.nn.functional.pad(weights.diagonal(-1, 3, 4).movedim(-1, 3), (0, 0, 1, 0))
        sums = weights.sum(4)
        gate = layer.gate[..., 0].movedim(3, -1)
        for name, values, where in (
            ("first_weight", first, self.idle),
            ("copying_first_weight", first, self.copying),
            ("previous_weight", previous, self.copying),
            ("own_weight", own, self.idle),
            ("let_through", gate * sums, self.idle),
        ):
            yield name, self._by_head(values, where)
        yield "value_ratio", self.value_ratio(layer)

    @staticmethod
    def _by_head(values: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
        """(A, N, B, T, H) over the places `where` (N, B, T): (A, N, H)."""
        return (values * where[..., None]).sum((2, 3)) / where.sum((1, 2)).clamp(min=1)[:, None]

    @staticmethod
    def value_ratio(layer: Layer) -> torch.Tensor:
        """Mean length of the first value over that of the others, (A, N, H)."""
        length: torch.Tensor = layer.values.square().sum(-1).sqrt().mean(2)  # (A, N, H, T)
        return length[..., 0] / length[..., 1:].mean(-1)

    def _idle_output(self, layer: Layer) -> torch.Tensor:
        """Length of the heads' output where there is nothing to copy, over that elsewhere."""
        length = layer.output.square().sum((3, 5)).sqrt()  # (A, N, B, T)
        return over(length, self.idle) / over(length, self.copying)

    def first_by_head(self) -> torch.Tensor:
        """Idle queries' weight on the first token, (A, N, L·H)."""
        return torch.cat([dict(self._of(layer))["first_weight"] for layer in self.layers], -1)

    def value_ratio_by_head(self) -> torch.Tensor:
        """Value lengths, (A, N, L·H)."""
        return torch.cat([self.value_ratio(layer) for layer in self.layers], -1)

    def value_lengths(self) -> torch.Tensor:
        """Mean length of a value at each position over the mean of all but the first: (A, T)."""
        length = torch.stack([x.values.norm(dim=-1).mean((2, 3)) for x in self.layers]).mean(0)
        return (length / length[..., 1:].mean(-1, keepdim=True)).mean(1)

    def best(self) -> torch.Tensor:
        """Loss of the true probabilities on the same targets, (N,)."""
        return over(self.tested.best[None], self.idle + self.copying)[0]


def sampled(values: torch.Tensor) -> tuple[list[float], list[float]]:
    """Mean over runs and its standard error: (M, N) → M numbers each."""
    kept = values.cpu().double()
    errors = kept.std(-1) / math.sqrt(kept.shape[-1])
    return kept.mean(-1).tolist(), errors.tolist()


def every(measures: Mapping[str, torch.Tensor], arm: int) -> dict[str, Measured]:
    """Each measure (A, N) as a list over the arms, and as a number for the arm that is shown."""
    found: dict[str, Measured] = {}
    for name, values in measures.items():
        means, errors = sampled(values)
        found[name] = means[arm], errors[arm]
        found[f"{name}_by_arm"] = means, errors
    return found


def ended(found: Ended) -> dict[str, Measured]:
    """All metrics of the end of training."""
    arm = ARMS.index(found.params.arm)
    metrics = every(found.measures(), arm)
    metrics["first_weight_by_head"] = sampled(found.first_by_head()[arm].mT)
    metrics["value_ratio_by_head"] = sampled(found.value_ratio_by_head()[arm].mT)
    (best,), (error,) = sampled(found.best()[None])
    metrics["best_loss"] = best, error
    return metrics
