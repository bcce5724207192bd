"""Small attention models trained side by side: every scale, learning rate and seed in one loop.

    q = x W_q, k = m W_k, v = m W_v;   prediction = attention(q, k, v) W_o
    the loss that is differentiated is the sum over all cells, so no cell's gradient sees another

SGD is plain; Adam has β = 0.9, 0.999 (Kingma and Ba 2015, algorithm 1).

    unscaled with W' = d_k^(−¼) W for W_q and W_k gives the scaled head's scores, and gradients
    d_k^¼ times as large. SGD then keeps W' = d_k^(−¼) W for good if the rate of W_q and W_k is
    divided by √d_k; Adam, which divides a gradient by its own size, if by d_k^¼ (ε times d_k^¼).
    Every other weight keeps its rate.

Shapes: A scales, R learning rates, N seeded runs, B sequences, S_q queries, S_k pairs, d_k,
d_model, C width of a value; a cell is one scale, rate and run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from quizapp.lab.experiment import Context
from quizapp.lab.maths.scales import Scale, attend
from quizapp.lab.maths.training_tasks import CLASSES, D_MODEL, QUERIES, Batch

if TYPE_CHECKING:
    import torch

OptimiserName = Literal["sgd", "adam"]
#: The batch of a step.
Batches = Callable[[int], Batch]

#: Adam's constants: decay of the mean gradient, of its square, and what keeps a quotient finite.
BETA_1: Final = 0.9
BETA_2: Final = 0.999
EPSILON: Final = 1e-8
#: Scales that only multiply q·k: attention itself takes the factor.
PLAIN: Final = ("none", "log_d_k", "cbrt_d_k", "sqrt_d_k", "d_k", "sqrt_n", "sqrt_d_model")


@dataclass
class Cells:
    """The models of one scale: W_q, W_k, W_v, W_o for every rate and run, and their optimiser.

    weights: (R, N, d_model, d_k) twice, (R, N, d_model, C), (R, N, C, C).
    rates: one for each of them, (R, 1, 1, 1) or a single number. epsilons: Adam's ε for each.
    """

    scale: Scale
    by: float
    weights: list[torch.Tensor]
    rates: list[torch.Tensor]
    optimiser: OptimiserName
    epsilons: Sequence[float] = (EPSILON,) * 4
    _moments: list[tuple[torch.Tensor, torch.Tensor]] = field(default_factory=list)
    _steps: int = 0

    def __post_init__(self) -> None:
        import torch

        for weight in self.weights:
            weight.requires_grad_()
        if self.optimiser == "adam":
            self._moments = [(torch.zeros_like(w), torch.zeros_like(w)) for w in self.weights]

    def step(self, ctx: Context, batch: Batch) -> Measures:
        """One step of every model on `batch`; what was measured before it."""
        import torch

        loss, weights = self._forward(ctx, batch)
        gradients = torch.autograd.grad(loss.sum(), self.weights)
        with torch.no_grad():
            found = Measures.of(loss, gradients, weights)
            self._update(gradients)
        return found

    def _forward(self, ctx: Context, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Loss of every cell (R, N) and its attention weights (R, N, B, S_q, S_k)."""
        import torch

        w_q, w_k, w_v, w_o = self.weights
        sequences = batch.target.shape[1]
        q = torch.unflatten(batch.asked @ w_q, 2, (sequences, QUERIES))
        k = torch.unflatten(batch.memory @ w_k, 2, (sequences, -1))
        v = torch.unflatten(batch.memory @ w_v, 2, (sequences, -1))
        if self.scale in PLAIN:
            output, weights = ctx.attention(q, k, v, scale=self.by)
        else:
            found = attend(self.scale, self.by, ctx, (q, k, v))
            output, weights = found.output, found.weights
        prediction = torch.unflatten(output.flatten(2, 3) @ w_o, 2, (sequences, QUERIES))
        return _loss(prediction, batch.target), weights

    def _update(self, gradients: Sequence[torch.Tensor]) -> None:
        self._steps += 1
        if self.optimiser == "sgd":
            for weight, gradient, rate in zip(self.weights, gradients, self.rates, strict=True):
                weight.sub_(rate * gradient)
            return
        unbias_1, unbias_2 = 1 - BETA_1**self._steps, 1 - BETA_2**self._steps
        parts = zip(self.weights, gradients, self.rates, self.epsilons, self._moments, strict=True)
        for weight, gradient, rate, epsilon, (mean, square) in parts:
            mean.mul_(BETA_1).add_(gradient, alpha=1 - BETA_1)
            square.mul_(BETA_2).addcmul_(gradient, gradient, value=1 - BETA_2)
            size = (square / unbias_2).sqrt_().add_(epsilon)
            weight.sub_(rate / unbias_1 * mean / size)


def _loss(prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Mean loss of each cell: predictions (R, N, B, S_q, C) → (R, N)."""
    if target.is_floating_point():
        return (prediction - target).square().mean((-3, -2, -1))
    classes = target.expand(prediction.shape[:-1])[..., None]
    return -prediction.log_softmax(-1).gather(-1, classes).mean((-3, -2, -1))


@dataclass
class Measures:
    """Loss, norm of the gradient at all weights and at W_q and W_k, entropy of a row: (…, R, N)."""

    loss: torch.Tensor
    gradient: torch.Tensor
    qk_gradient: torch.Tensor
    entropy: torch.Tensor

    @classmethod
    def of(
        cls, loss: torch.Tensor, gradients: Sequence[torch.Tensor], weights: torch.Tensor
    ) -> Measures:
        """Of one step of one scale. Rows that do not sum to 1 are measured as if they did."""
        from quizapp.lab.attention import entropy

        squares = [gradient.square().sum((-2, -1)) for gradient in gradients]
        qk = squares[0] + squares[1]
        rows = weights / weights.sum(-1, keepdim=True)
        return cls(
            loss.detach(),
            (qk + squares[2] + squares[3]).sqrt(),
            qk.sqrt(),
            entropy(rows).mean((-2, -1)),
        )

    @classmethod
    def empty(cls, steps: int, scales: int, like: Measures) -> Measures:
        """Room for `steps` steps of `scales` scales: (T, A, R, N) each."""
        return cls(*(x.new_zeros(steps, scales, *x.shape) for x in like.all))

    @property
    def all(self) -> tuple[torch.Tensor, ...]:
        """The four tensors."""
        return self.loss, self.gradient, self.qk_gradient, self.entropy

    def put(self, step: int, scale: int, found: Measures) -> None:
        """Store what one step of one scale measured."""
        for room, value in zip(self.all, found.all, strict=True):
            room[step, scale] = value

    def until(self, step: int) -> Measures:
        """The first `step` steps, in float64 on the CPU."""
        return Measures(*(x[:step].cpu().double() for x in self.all))


def start(ctx: Context, runs: int, d_k: int, std: float = 1.0) -> list[torch.Tensor]:
    """W_q, W_k, W_v, W_o at the start, (N, …) each.

    On inputs of variance 1 every entry of v then has variance 1, and of q and k std².
    """
    widths = (("w_q", D_MODEL, d_k), ("w_k", D_MODEL, d_k), ("w_v", D_MODEL, CLASSES))
    made = [ctx.normal(name, runs, rows, columns) for name, rows, columns in widths]
    made.append(ctx.normal("w_o", runs, CLASSES, CLASSES))
    factors = (std, std, 1.0, 1.0)
    return [w * (by / w.shape[1] ** 0.5) for w, by in zip(made, factors, strict=True)]


def train(
    cells: Sequence[Cells], ctx: Context, batch: Batches, steps: int
) -> Iterator[tuple[int, Measures]]:
    """Train all cells together; after each step, its count and all measures so far (room for T)."""
    history: Measures | None = None
    for step in range(steps):
        drawn = batch(step)
        for index, one in enumerate(cells):
            ctx.checkpoint()
            found = one.step(ctx, drawn)
            if history is None:
                history = Measures.empty(steps, len(cells), found)
            history.put(step, index, found)
        if history is not None:
            yield step + 1, history
