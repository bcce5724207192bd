"""What a grid of trainings shows: at one shared rate, at each scale's own best, over all rates.

A loss counts for at most twice that of guessing, and so does one that is not finite: one
diverged run would otherwise be the whole mean. "The end" is the last tenth of the steps, each
on a fresh batch. A scale's best rate has the lowest mean loss at the end; all scales and rates
see the same batches. Errors are over the seeded runs, and of differences run by run.

Shapes: T steps, A scales, R rates, N runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from quizapp.lab.experiment import Measured
from quizapp.lab.maths.training_twins import TWINS

if TYPE_CHECKING:
    import torch

    from quizapp.lab.maths.training import Measures

Sampled = tuple[float, float]

#: A run has learned below this part of the loss of guessing, and diverged above that many times.
LEARNED: Final = 0.5
DIVERGED: Final = 1.5
#: A loss counts for at most so many times the loss of guessing.
MOST: Final = 2.0
#: The two scales with numbers of their own: prefix → place in `Grid.pair`.
PREFIXES: Final = ("unscaled", "scaled")


@dataclass(frozen=True)
class Grid:
    """The rates, which one is shared, and where no scale and √d_k lie among the scales."""

    rates: tuple[float, ...]
    shared: int
    pair: tuple[int, int]
    guess: float


def capped(loss: torch.Tensor, guess: float) -> torch.Tensor:
    """`loss` with everything above MOST times guessing, or not finite, set to that."""
    most = MOST * guess
    return loss.nan_to_num(nan=most, posinf=most, neginf=most).clamp(max=most)


def over_runs(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and standard deviation over the finite runs, (…, N) → (…) each.

    NaN where no run is finite; a deviation of 0 where one alone is.
    """
    import torch

    finite = values.isfinite()
    count = finite.sum(-1)
    kept = torch.where(finite, values, 0.0)
    mean = kept.sum(-1) / count  # 0/0 is NaN
    off = torch.where(finite, values - mean[..., None], 0.0)
    return mean, (off.square().sum(-1) / (count - 1).clamp(min=1)).sqrt()


def sampled(values: torch.Tensor) -> tuple[list[float], list[float]]:
    """Mean over the finite runs and its standard error: (A, N) → A numbers each."""
    mean, std = over_runs(values)
    count = values.isfinite().sum(-1).clamp(min=1)
    return mean.tolist(), (std / count.sqrt()).tolist()


def at_start(history: Measures, grid: Grid) -> dict[str, Measured]:
    """What holds before the first step, when no rate has done anything yet."""
    measures = {
        "initial_loss": history.loss,
        "initial_gradient": history.gradient,
        "initial_qk_gradient": history.qk_gradient,
        "initial_entropy": history.entropy,
    }
    return _every({name: sampled(values[0, :, 0]) for name, values in measures.items()}, grid)


@dataclass(frozen=True)
class Ended:
    """The last tenth of the steps, averaged (A, R, N) each, and each scale's best rate (A,)."""

    loss: torch.Tensor
    gradient: torch.Tensor
    qk_gradient: torch.Tensor
    entropy: torch.Tensor
    best: torch.Tensor

    @classmethod
    def of(cls, history: Measures, guess: float) -> Ended:
        last = max(1, len(history.loss) // 10)
        loss = capped(history.loss[-last:], guess).mean(0)
        gradient, qk_gradient, entropy = (x[-last:].mean(0) for x in history.all[1:])
        return cls(loss, gradient, qk_gradient, entropy, loss.mean(-1).argmin(-1))

    def at_best(self, values: torch.Tensor) -> torch.Tensor:
        """(A, R, N) → (A, N): each scale at its own best rate."""
        import torch

        return values[torch.arange(len(self.best)), self.best]


def best_rate(history: Measures, grid: Grid, prefix: str) -> float:
    """The best rate of no scale ("unscaled") or of √d_k ("scaled")."""
    best = Ended.of(history, grid.guess).best
    return grid.rates[int(best[grid.pair[PREFIXES.index(prefix)]])]


def at_end(history: Measures, grid: Grid) -> dict[str, Measured]:
    """Everything about the end of training: shared rate, best rates, and the whole grid."""
    end = Ended.of(history, grid.guess)
    shared = {"loss": end.loss, "final_gradient": end.gradient}
    shared |= {"final_qk_gradient": end.qk_gradient, "final_entropy": end.entropy}
    best = {"best_loss": end.loss, "best_gradient": end.gradient}
    best |= {"best_qk_gradient": end.qk_gradient, "best_entropy": end.entropy}
    by_run = {name: values[:, grid.shared] for name, values in shared.items()}
    by_run |= {name: end.at_best(values) for name, values in best.items()}
    by_run["diverged_share"] = (end.loss > DIVERGED * grid.guess).double().mean(1)
    by_run["learned_share"] = (end.loss < LEARNED * grid.guess).double().mean(1)
    found = _every({name: sampled(values) for name, values in by_run.items()}, grid)
    best_rates = [grid.rates[int(at)] for at in end.best]
    found["best_rate_by_scale"] = best_rates
    found["best_at_edge_by_scale"] = [
        float(at in (0, len(grid.rates) - 1)) for at in end.best.tolist()
    ]
    found["best_rate_ratio"] = best_rates[grid.pair[0]] / best_rates[grid.pair[1]]
    for prefix, at in zip(PREFIXES, grid.pair, strict=True):
        found[f"{prefix}_best_rate"] = best_rates[at]
        found[f"{prefix}_loss_by_rate"] = sampled(end.loss[at])
    return found | dict(_gaps(end, grid))


def _gaps(end: Ended, grid: Grid) -> Iterator[tuple[str, Measured]]:
    """How far no scale and √d_k lie apart: shared rate, own best rates, widest either way."""
    unscaled, scaled = (end.loss[at] for at in grid.pair)  # (R, N)
    yield "loss_gap", _one(unscaled[grid.shared] - scaled[grid.shared])
    best = end.at_best(end.loss)
    yield "best_gap", _one(best[grid.pair[0]] - best[grid.pair[1]])
    # Of two that do no better than guessing, neither is ahead.
    behind = unscaled.clamp(max=grid.guess) - scaled.clamp(max=grid.guess)
    for prefix, lead in zip(PREFIXES, (-behind, behind), strict=True):
        at = int(lead.mean(-1).argmax())
        yield f"{prefix}_lead", _one(lead[at])
        yield f"{prefix}_lead_rate", grid.rates[at]


def _one(values: torch.Tensor) -> Sampled:
    (mean,), (error,) = sampled(values[None])
    return mean, error


def _every(lists: Mapping[str, tuple[list[float], list[float]]], grid: Grid) -> dict[str, Measured]:
    """Each measure as a list over the scales, and as a number for no scale and for √d_k."""
    found: dict[str, Measured] = {}
    for name, (values, errors) in lists.items():
        found[f"{name}_by_scale"] = values, errors
        for prefix, at in zip(PREFIXES, grid.pair, strict=True):
            found[f"{prefix}_{name}"] = values[at], errors[at]
    return found


def differences(losses: torch.Tensor, guess: float) -> dict[str, Measured]:
    """For each of TWINS the largest difference of its loss to the scaled one's."""
    together = capped(losses, guess)  # (T, 1 + 4, N)
    apart = (together[:, 1:] - together[:, :1]).abs().amax((0, 2))
    return {f"{name}_difference": value for name, value in zip(TWINS, apart.tolist(), strict=True)}
