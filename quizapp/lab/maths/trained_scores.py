"""What queries and keys have become: the numbers of a head before and after its training.

    seen score = c·q·k,   its std if q and k had these lengths but no common direction:
    c·√d_k·rms(q)·rms(k);   alignment = std of the seen score over that
    effective scale = c · mean diagonal of W_q W_kᵀ over the code: what one unit of the dot
    product of two codes adds to the score that the softmax sees; 0 at a random start on average

rms is over entries. A query's own keys are those of its pair (recall) or group (regression).

Shapes: as in `quizapp.lab.maths.training`; A scales, R rates, N runs, B sequences, S_q, S_k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from quizapp.lab.experiment import Context, Measured
from quizapp.lab.maths.scales import Scale
from quizapp.lab.maths.training import Cells, Measures
from quizapp.lab.maths.training_results import Ended, sampled
from quizapp.lab.maths.training_tasks import CODE, QUERIES, SEQUENCES, Batch, Task

if TYPE_CHECKING:
    import torch

    Numbers = dict[str, torch.Tensor]

#: The factors under study: 1, 1/√d_k, 1/d_k.
SCALES: Final[tuple[Scale, ...]] = ("none", "sqrt_d_k", "d_k")
#: The step whose batch is held out: no training takes it.
HELD_OUT: Final = -1


def own_keys(task: Task, pairs: int) -> torch.Tensor:
    """Which keys are a query's own: (S_q, S_k), true where they are."""
    import torch

    at = torch.arange(pairs)
    return (at if task == "recall" else at % QUERIES) == torch.arange(QUERIES)[:, None]


@dataclass(frozen=True)
class Heads:
    """W_q and W_k (…, N, d_model, d_k) of some heads that multiply q·k by `by`."""

    w_q: torch.Tensor
    w_k: torch.Tensor
    by: float

    def scores(self, batch: Batch) -> torch.Tensor:
        """Scores as the softmax sees them, (…, N, B, S_q, S_k)."""
        q, k = self._qk(batch)
        return self.by * (q @ k.mT)

    def _qk(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        import torch

        q, k = batch.asked @ self.w_q, batch.memory @ self.w_k
        return (
            torch.unflatten(q, -2, (SEQUENCES, QUERIES)),
            torch.unflatten(k, -2, (SEQUENCES, -1)),
        )

    def brief(self, batch: Batch) -> Numbers:
        """Standard deviation of the seen scores and entropy of their rows, (…, N) each."""
        from quizapp.lab.attention import entropy

        scores = self.scores(batch)
        return {
            "std": scores.flatten(-3).std(-1),
            "entropy": entropy(scores.softmax(-1)).mean((-2, -1)),
        }

    def measure(self, batch: Batch, own: torch.Tensor) -> Numbers:
        """Everything about the scores, (…, N) each; own: `own_keys`."""
        q, k = self._qk(batch)
        own = own.to(q.device)
        scores = self.by * (q @ k.mT)
        lengths = [x.square().sum(-1) for x in (q, k)]  # squared, (…, N, B, S)
        rms = [x.mean((-2, -1)).sqrt() for x in lengths]  # of a vector, not of an entry
        cosine = scores / self.by / (lengths[0][..., None] * lengths[1][..., None, :]).sqrt()
        code = (self.w_q[..., :CODE, :] * self.w_k[..., :CODE, :]).sum(-1)  # the diagonal
        brief = self.brief(batch)
        independent = self.by * rms[0] * rms[1] / q.shape[-1] ** 0.5
        return {
            "final_std": brief["std"],
            "final_entropy": brief["entropy"],
            "raw_std": brief["std"] / self.by,
            "unit_factor": self.by / brief["std"],
            "independent_std": independent,
            "alignment": brief["std"] / independent,
            "own_score": scores[..., own].mean((-2, -1)),
            "other_std": scores[..., ~own].flatten(-2).std(-1),
            "cosine": cosine[..., own].mean((-2, -1)),
            "max_weight": scores.softmax(-1).amax(-1).mean((-2, -1)),
            "effective_scale": self.by * code.mean(-1),
            "lengths": rms[0] * rms[1],
        }


@dataclass(frozen=True)
class Trained:
    """The heads of each scale, at their start and trained at that scale's best rate.

    Lists over SCALES; weights (N, …). ended: losses and best rates of the whole grid.
    """

    started: Sequence[Heads]
    final: Sequence[Heads]
    ended: Ended


#: What a run trained, for the check of the same run: weights are no metric of a report.
KEPT: WeakKeyDictionary[Context, Trained] = WeakKeyDictionary()


def chosen(started: Sequence[Heads], cells: Sequence[Cells], ended: Ended) -> Trained:
    """Each scale's heads at its best rate: that of the lowest mean loss at the end."""
    final = [
        Heads(one.weights[0].detach()[at], one.weights[1].detach()[at], one.by)
        for one, at in zip(cells, ended.best.tolist(), strict=True)
    ]
    return Trained(started, final, ended)


def brief(cells: Sequence[Cells], batch: Batch) -> Numbers:
    """`Heads.brief` of every cell, (A, R, N) each, in float64 on the CPU."""
    import torch

    found = [
        Heads(one.weights[0].detach(), one.weights[1].detach(), one.by).brief(batch)
        for one in cells
    ]
    return {name: torch.stack([one[name] for one in found]).cpu().double() for name in found[0]}


def at_start(started: Sequence[Heads], first: Measures, batch: Batch) -> dict[str, Measured]:
    """What holds before the first step: lists over SCALES, with errors over the runs.

    first: the measures of step 0, (1, A, R, N).
    """
    import torch

    found = [heads.brief(batch) for heads in started]
    numbers = {
        "initial_std": torch.stack([one["std"] for one in found]).cpu().double(),
        "initial_entropy": torch.stack([one["entropy"] for one in found]).cpu().double(),
        "initial_loss": first.loss[0, :, 0],
        "initial_qk_gradient": first.qk_gradient[0, :, 0],
    }
    return {
        **{name: sampled(values) for name, values in numbers.items()},
        "std_ratio_start": _ratio(numbers["initial_std"]),
    }


def at_end(trained: Trained, batch: Batch, task: Task) -> dict[str, Measured]:
    """What the training made of it: lists over SCALES, with errors over the runs."""
    import torch

    own = own_keys(task, batch.memory.shape[-2] // SEQUENCES)
    before, after = (
        [heads.measure(batch, own) for heads in some] for some in (trained.started, trained.final)
    )

    def stacked(some: Sequence[Mapping[str, torch.Tensor]], name: str) -> torch.Tensor:
        return torch.stack([one[name] for one in some]).cpu().double()  # (A, N)

    numbers = {name: stacked(after, name) for name in after[0] if name != "lengths"}
    for name, of in (("growth", "final_std"), ("length_growth", "lengths")):
        numbers[name] = stacked(after, of) / stacked(before, of)
    numbers["final_loss"] = trained.ended.at_best(trained.ended.loss)
    return {
        **{name: sampled(values) for name, values in numbers.items()},
        "std_ratio_end": _ratio(numbers["final_std"]),
    }


def _ratio(stds: torch.Tensor) -> Measured:
    """Score std over √d_k to that over d_k, run by run: (A, N) → a number and its error."""
    (value,), (error,) = sampled((stds[1] / stds[2])[None])
    return value, error
