"""Softmax saturates for large differences of logits, and its Jacobian fades with it.

    z = x / temperature,   pᵢ = exp(zᵢ) / Σⱼ exp(zⱼ)
    J = ∂p/∂z = diag(p) − ppᵀ:   Jᵢᵢ = pᵢ(1 − pᵢ),   Jᵢⱼ = −pᵢpⱼ

x (n,) logits, p (n,) probabilities, J (n, n). J is only half of a gradient: a loss L
gives ∂L/∂z = Jᵀ ∂L/∂p, and for L = −ln p_t that is p − onehot(t), which does not fade
where p is wrong. Goodfellow et al. 2016, "Deep Learning", sections 4.1 and 6.2.2.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, model_validator

from quizapp.lab.experiment import BaseParams, Context, Measured, Reference, Run, UnfitError, param
from quizapp.lab.wording import softmax as wording
from quizapp.report import Curve, HeatMap, Row, Series, Table
from quizapp.text import Text
from quizapp.text.numbers import figure

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

CLAIM = {
    "en": "softmax saturates for large differences of logits: every weight, the full Jacobian",
    "zh": "logits 差距大时 softmax 饱和：逐项权重与完整雅可比",
}

LARGEST = 1e4
Logit = Annotated[float, Field(ge=-LARGEST, le=LARGEST)]
POINTS = 61


class Params(BaseParams):
    """The logits, and what is done to them."""

    logits: tuple[Logit, ...] = param(
        (2.0, 1.0, 0.5),
        min_length=2,
        max_length=16,
        en="2 to 16 logits, each from -10,000 to 10,000",
        zh="2 到 16 个 logits，每个在 -10,000 到 10,000 之间",
    )
    temperature: float = param(
        1.0, low=0.01, high=100, step="double", en="logits are divided by it", zh="logits 除以它"
    )
    factor: float = param(
        10.0,
        low=0.01,
        high=100,
        step="double",
        en="for the comparison: all logits times this",
        zh="用于对比：全部 logits 乘以它",
    )
    shift: float = param(
        100.0,
        low=-LARGEST,
        high=LARGEST,
        step="double",
        en="for the comparison: added to every logit",
        zh="用于对比：给每个 logit 加上它",
    )
    target: int = param(
        0, low=0, high=15, en="index of the right class, from 0", zh="正确类别的下标，从 0 开始"
    )

    @model_validator(mode="after")
    def _target_exists(self) -> Params:
        if self.target >= len(self.logits):
            raise UnfitError(
                f"target may be at most {len(self.logits) - 1}: "
                f"there are {len(self.logits)} logits, counted from 0",
                f"target 最大为 {len(self.logits) - 1}：共 {len(self.logits)} 个 logit，从 0 数起",
            )
        return self


METRICS = wording.METRICS
PLOTS = ("jacobian", "sharpening")


def run(params: Params, ctx: Context) -> Run:
    """One small softmax: everything in one report."""
    import torch

    z = ctx.tensor(params.logits, dtype="float64") / params.temperature  # (n,)
    p, jacobian = _softmax(z)
    scaled, scaled_jacobian = _softmax(z * params.factor)
    diagonal = jacobian.diagonal()
    off = jacobian - torch.diag(diagonal)
    first, second = z.topk(2).values.tolist()
    naive = z.float().exp()  # a softmax that forgets to subtract the maximum
    metrics: dict[str, Measured] = {
        "probabilities": p.tolist(),
        "probability_sum": p.sum().item(),
        "max_weight": p.max().item(),
        "entropy": torch.special.entr(p).sum().item(),
        "logit_gap": first - second,
        "jacobian": jacobian.flatten().tolist(),
        "jacobian_norm": jacobian.norm().item(),
        "diagonal": diagonal.tolist(),
        "top_diagonal": diagonal[p.argmax()].item(),
        "off_diagonal_max": off.abs().max().item(),
        "off_diagonal_share": (off.norm() / jacobian.norm()).square().nan_to_num().item(),
        "scaled_probabilities": scaled.tolist(),
        "scaled_entropy": torch.special.entr(scaled).sum().item(),
        "scaled_jacobian_norm": scaled_jacobian.norm().item(),
        "shifted_difference": (torch.softmax(z + params.shift, 0) - p).abs().max().item(),
        "naive_overflows": naive.isinf().float().mean().item(),
        "naive_non_finite": (~(naive / naive.sum()).isfinite()).float().mean().item(),
        "cross_entropy_gradient": [x - (i == params.target) for i, x in enumerate(p.tolist())],
    }
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=_summary(params, p, diagonal, scaled),
        tables=[_table(params, p, diagonal, scaled)],
        heat_maps=[_heat_map(jacobian)],
        curves=[_sharpening(z)],
    )


def _softmax(z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Probabilities and Jacobian of logits: (…, n) → (…, n), (…, n, n)."""
    import torch

    p = torch.softmax(z, dim=-1)
    pairs = p[..., :, None] * p[..., None, :]
    off = pairs - torch.diag_embed(pairs.diagonal(dim1=-2, dim2=-1))
    # p(1 − p) as the sum of pᵢpⱼ: for a saturated p, 1 − p would lose every digit.
    return p, torch.diag_embed(off.sum(-1)) - off


def _summary(
    params: Params, p: torch.Tensor, diagonal: torch.Tensor, scaled: torch.Tensor
) -> dict[str, str]:
    top = p.argmax()
    one, derivative, more = (figure(x.item()) for x in (p[top], diagonal[top], scaled[top]))
    times = f"{params.factor:g}"
    return {
        "en": f"The largest weight is {one}, with p(1 − p) = {derivative} of at most 0.25; "
        f"with all logits times {times} it is {more}.",
        "zh": f"最大权重为 {one}，其 p(1 − p) = {derivative}（上限 0.25）；"
        f"全部 logits 乘以 {times} 后为 {more}。",
    }


def _table(params: Params, p: torch.Tensor, diagonal: torch.Tensor, scaled: torch.Tensor) -> Table:
    times = f"{params.factor:g}"
    columns = zip(p.tolist(), diagonal.tolist(), scaled.tolist(), strict=True)
    return Table(
        id="weights",
        title=Text.of({"en": "logits and weights", "zh": "logits 与权重"}),
        columns=(
            Text.of("softmax"),
            Text.of("p(1 − p)"),
            Text.of({"en": f"logits × {times}", "zh": f"logits × {times}"}),
        ),
        rows=tuple(
            Row(label=Text.of(f"x{i} = {logit:g}"), cells=cells)
            for i, (logit, cells) in enumerate(zip(params.logits, columns, strict=True))
        ),
    )


def _heat_map(jacobian: torch.Tensor) -> HeatMap:
    """∂pᵢ/∂zⱼ on a scale that puts 0 in the middle."""
    high = max(jacobian.abs().max().item(), 1e-12)
    return HeatMap(
        id="jacobian",
        title=Text.of({"en": "Jacobian ∂pᵢ/∂zⱼ", "zh": "雅可比 ∂pᵢ/∂zⱼ"}),
        row_label=Text.of({"en": "probability i", "zh": "概率 i"}),
        column_label=Text.of("logit j"),
        values=tuple(tuple(row) for row in jacobian.tolist()),
        low=-high,
        high=high,
    )


def _sharpening(z: torch.Tensor) -> Curve:
    """Largest weight and Jacobian norm as all logits grow together."""
    import torch

    factors = torch.logspace(-2, 2, POINTS, dtype=z.dtype)
    p, jacobian = _softmax(factors.to(z.device)[:, None] * z)  # (POINTS, n), (POINTS, n, n)
    series = (
        ({"en": "largest weight", "zh": "最大权重"}, p.amax(-1)),
        ({"en": "Jacobian norm", "zh": "雅可比范数"}, jacobian.norm(dim=(-2, -1))),
    )
    return Curve(
        id="sharpening",
        title=Text.of({"en": "all logits times a factor", "zh": "全部 logits 乘以同一系数"}),
        x_label=Text.of({"en": "factor", "zh": "系数"}),
        y_label=Text.of({"en": "weight, norm", "zh": "权重、范数"}),
        x=tuple(factors.tolist()),
        series=tuple(
            Series(name=Text.of(name), values=tuple(values.tolist())) for name, values in series
        ),
        log_x=True,
    )


METHOD = {
    "en": "weights from pairwise logit differences, Jacobian by complex-step differentiation",
    "zh": "权重由 logits 两两之差求得，雅可比用复步长微分求得",
}


def check(params: Params, ctx: Context) -> Reference:
    """pᵢ = 1/Σⱼ exp(zⱼ − zᵢ), and derivatives from an imaginary step, which cancels nothing."""
    import numpy as np

    ctx.checkpoint()
    z = np.array(params.logits) / params.temperature
    p, scaled = _pairwise(z), _pairwise(z * params.factor)
    jacobian, loss_gradient = _complex_step(z, params.target)
    squares = np.square(jacobian)
    diagonal = jacobian.diagonal()
    order = np.argsort(-z)
    scaled_jacobian = _complex_step(z * params.factor, params.target)[0]
    return {
        "probabilities": p.tolist(),
        "max_weight": float(p[order[0]]),
        "entropy": _entropy(z),
        "logit_gap": float(z[order[0]] - z[order[1]]),
        "jacobian": jacobian.ravel().tolist(),
        "jacobian_norm": float(np.sqrt(squares.sum())),
        "diagonal": diagonal.tolist(),
        "top_diagonal": float(diagonal[order[0]]),
        "off_diagonal_max": float(np.abs(jacobian - np.diag(diagonal)).max()),
        "scaled_probabilities": scaled.tolist(),
        "scaled_entropy": _entropy(z * params.factor),
        "scaled_jacobian_norm": float(np.sqrt(np.square(scaled_jacobian).sum())),
        "cross_entropy_gradient": loss_gradient.tolist(),
    }


def _pairwise(z: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    with np.errstate(over="ignore"):  # 1/inf is the 0 that it should be
        return np.asarray(1 / np.exp(z[None, :] - z[:, None]).sum(1))


def _entropy(z: NDArray[np.float64]) -> float:
    """ln Z + Σ p·gap, with Z and the gaps measured from the top logit."""
    import numpy as np

    gap = z.max() - z
    return float(np.log(np.exp(-gap).sum()) + (_pairwise(z) * gap).sum())


def _complex_step(
    z: NDArray[np.float64], target: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """∂p/∂z (n, n) and ∂(ln Σexp z − z_target)/∂z (n,), as Im f(z + ih)/h."""
    import numpy as np

    step = 1e-30
    stepped = z - z.max() + 1j * step * np.eye(len(z))  # line j moves logit j
    powers = np.exp(stepped)
    total = powers.sum(1, keepdims=True)
    loss = np.log(total[:, 0]) - stepped[:, target]
    return (powers / total).imag.T / step, loss.imag / step
