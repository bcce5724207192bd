"""Gradients and side effects: what a result that looks right may still do wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from quizapp.grader.testing.calling import Submission, results
from quizapp.grader.testing.comparing import TOLERANCES, agree, tolerance_of
from quizapp.grader.testing.inputs import draw
from quizapp.grader.testing.mismatch import Mismatch


def unchanged(submission: Submission) -> None:
    """Raise Mismatch if any call so far changed an input in place."""
    names = {name for call in submission.calls for name in call.mutated}
    if names:
        listed = ", ".join(sorted(names))
        raise Mismatch(
            "mutates-input",
            en=f"the call changed its input in place: {listed}",
            zh=f"调用就地修改了输入：{listed}",
        )


def gradients_agree(
    submission: Submission,
    reference: Callable[..., Any],
    inputs: Mapping[str, Tensor],
    *rest: Any,
    axes: Mapping[str, Sequence[str]],
    seed: int = 0,
) -> None:
    """Raise Mismatch unless a random weighted sum of all results has the reference's gradients.

    inputs: the leading arguments by name, float64 or float32; rest: arguments without
    gradients. reference: called with the same, in float64. axes: names by input.
    """
    ours = {name: x.detach().clone().requires_grad_() for name, x in inputs.items()}
    theirs = {name: x.detach().double().requires_grad_() for name, x in inputs.items()}
    expected = results(reference(*theirs.values(), *rest))
    probes = [draw(seed + i, *y.shape, dtype=torch.float64) for i, y in enumerate(expected)]
    wanted = torch.autograd.grad(_weighted(expected, probes), list(theirs.values()))
    got = _gradients(submission, ours, rest, probes)
    for (name, x), mine, right in zip(inputs.items(), got, wanted, strict=True):
        what = f"∂/∂{name}"
        # A gradient adds up more rounded terms than a result.
        relative, absolute = (10 * allowed for allowed in TOLERANCES[x.dtype])
        agree(mine, right, what, axes[name], dtype=x.dtype, rtol=relative, atol=absolute)


def gradients_flow(submission: Submission, inputs: Mapping[str, Tensor], *rest: Any) -> None:
    """Raise Mismatch unless every input gets a finite gradient that is not all zero."""
    ours = {name: x.detach().clone().requires_grad_() for name, x in inputs.items()}
    for name, gradient in zip(ours, _gradients(submission, ours, rest, None), strict=True):
        if not torch.isfinite(gradient).all():
            count = int((~torch.isfinite(gradient)).sum())
            raise Mismatch(
                "wrong",
                en=f"∂/∂{name}: {count} of {gradient.numel()} values are NaN or infinite",
                zh=f"∂/∂{name}：{gradient.numel()} 个值中有 {count} 个是 NaN 或无穷",
            )


def _gradients(
    submission: Submission,
    inputs: Mapping[str, Tensor],
    rest: Sequence[Any],
    probes: Sequence[Tensor] | None,
) -> tuple[Tensor, ...]:
    """∂(Σ probe·result)/∂input for each input; Mismatch where none arrives."""
    returned = results(submission(*inputs.values(), *rest))
    cut = submission.calls[-1].detached
    if cut:
        listed = ", ".join(cut)
        raise Mismatch(
            "no-grad",
            en=f"no gradient leaves {listed}: cut off by detach(), .data, .item() or no_grad()",
            zh=f"{listed} 没有梯度：被 detach()、.data、.item() 或 no_grad() 切断了",
        )
    for index, y in enumerate(returned):
        tolerance_of(y, f"result {index + 1}")
    if probes is None:
        probes = [draw(i, *y.shape, dtype=torch.float64) for i, y in enumerate(returned)]
    total = _weighted(returned, [p.to(y.dtype) for p, y in zip(probes, returned, strict=True)])
    if not total.requires_grad:
        raise Mismatch("no-grad", en="no result has a gradient", zh="所有结果都没有梯度")
    found = torch.autograd.grad(total, list(inputs.values()), allow_unused=True)
    for name, gradient in zip(inputs, found, strict=True):
        if gradient is None or not gradient.any():
            raise Mismatch("no-grad", en=f"no gradient reaches {name}", zh=f"梯度到不了 {name}")
    return tuple(gradient for gradient in found if gradient is not None)


def _weighted(values: Sequence[Tensor], probes: Sequence[Tensor]) -> Tensor:
    return torch.stack(
        [(value * probe).sum() for value, probe in zip(values, probes, strict=True)]
    ).sum()
