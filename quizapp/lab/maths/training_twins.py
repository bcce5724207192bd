"""Is unscaled training the scaled one in other units? Both, and near misses, in float64.

The exact statement, and why, is in `quizapp.lab.maths.training`. Each near miss leaves one part
of it out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from quizapp.lab.experiment import Context
from quizapp.lab.maths.training import EPSILON, Batches, Cells, OptimiserName, train

if TYPE_CHECKING:
    import torch

#: Unscaled ways that are set against the scaled training: W_q and W_k start at d_k^(−¼) times
#: their size?, their rate is lowered?, the rate of W_v and W_o with them?
TWINS: Final = {
    "reparameterised": (True, True, False),
    "init_only": (True, False, False),
    "rate_only": (False, True, False),
    "every_rate": (True, True, True),
}
#: Compared for so many steps at most: rounding grows with every step of an unstable training.
MOST_STEPS: Final = 100


def twins(
    ctx: Context,
    weights: list[torch.Tensor],
    batch: Batches,
    *,
    d_k: int,
    rate: float,
    optimiser: OptimiserName,
    steps: int,
) -> Iterator[torch.Tensor]:
    """Loss of the scaled training, then of each of TWINS, per step and run: (T, 1 + 4, N).

    After each step, those of the steps so far.

    weights: those of `training.start`, the very ones that the scaled head starts from.
    rate: best one at which the scaled head learns. Where it does not, rounding may grow
    from step to step until even the same training in other units is another one.
    """
    import torch

    def cells(smaller: bool, slower: bool, all_slower: bool) -> Cells:
        shrink, slow = d_k**-0.25, d_k ** (-0.5 if optimiser == "sgd" else -0.25)
        started = [w.detach().cpu().double()[None].clone() for w in weights]
        if smaller:
            started[:2] = [w * shrink for w in started[:2]]
        slowed = (slower, slower, all_slower, all_slower)
        rates = [torch.tensor(rate * (slow if s else 1), dtype=torch.float64) for s in slowed]
        epsilons = [EPSILON / (shrink if smaller and at < 2 else 1) for at in range(4)]
        return Cells("none", 1.0, started, rates, optimiser, epsilons)

    scaled = cells(False, False, False)
    scaled.scale, scaled.by = "sqrt_d_k", d_k**-0.5
    every = [scaled, *(cells(*way) for way in TWINS.values())]
    count = min(steps, MOST_STEPS)
    for step, history in train(every, ctx, lambda step: batch(step).double(), count):
        yield history.loss[:step, :, 0]
