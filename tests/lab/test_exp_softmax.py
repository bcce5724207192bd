"""The softmax of typed logits: known values, the full Jacobian, and where a naive one breaks."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.errors import UsageError
from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import softmax
from quizapp.lab.params import parse
from quizapp.report import Report


def report(*logits: float, **settings: Any) -> Report:
    params = softmax.Params(logits=logits, **settings)
    ctx = RunContext("softmax", softmax.METRICS, params, "cpu")
    (shown,) = softmax.run(params, ctx)
    return shown


def values(shown: Report, name: str) -> tuple[float, ...]:
    value = shown.metrics[name].value
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize(
    ("logits", "expected"),
    [
        ((2.0, 1.0, 0.5), (0.6285, 0.2312, 0.1402)),
        ((1.0, 0.5, 0.8), (0.4123, 0.2501, 0.3376)),
        ((14.0, 10.0, 12.0), (0.8668, 0.0159, 0.1173)),
        ((10.0, 5.0, 8.0), (0.8756, 0.0059, 0.1185)),
    ],
)
def test_known_weights(logits: tuple[float, ...], expected: tuple[float, ...]) -> None:
    shown = report(*logits)
    assert values(shown, "probabilities") == pytest.approx(expected, abs=5e-5)
    assert values(shown, "probability_sum") == pytest.approx((1.0,))


def test_times_ten_is_what_it_says() -> None:
    scaled = values(report(1.0, 0.5, 0.8), "scaled_probabilities")
    assert scaled == pytest.approx(values(report(10.0, 5.0, 8.0), "probabilities"))
    assert scaled != pytest.approx(values(report(14.0, 10.0, 12.0), "probabilities"), abs=5e-3)


def test_a_saturated_weight_keeps_its_digits() -> None:
    shown = report(20.0, 1.0, 0.5)
    assert 1 - values(shown, "max_weight")[0] == pytest.approx(9.0e-9, rel=1e-3)
    assert values(shown, "top_diagonal")[0] == pytest.approx(9.0011e-9, rel=1e-4)


def test_at_87_percent_the_derivative_is_nearly_half_its_maximum() -> None:
    assert values(report(14.0, 10.0, 12.0), "top_diagonal") == pytest.approx((0.115,), abs=5e-4)


def test_the_jacobian_is_that_of_automatic_differentiation() -> None:
    logits = (0.3, -1.2, 2.0, 0.9)
    shown = report(*logits, temperature=0.7)
    z = torch.tensor(logits, dtype=torch.float64) / 0.7
    expected = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, 0), z)  # type: ignore[no-untyped-call]
    assert values(shown, "jacobian") == pytest.approx(expected.flatten().tolist())
    assert values(shown, "diagonal") == pytest.approx(expected.diagonal().tolist())
    assert values(shown, "jacobian_norm") == pytest.approx((expected.norm().item(),))
    off = expected - torch.diag(expected.diagonal())
    share = (off.norm() / expected.norm()).square().item()
    assert values(shown, "off_diagonal_share") == pytest.approx((share,))


def test_the_loss_gradient_does_not_fade_where_the_target_is_wrong() -> None:
    wrong = report(20.0, 1.0, 0.5, target=2)
    z = torch.tensor([20.0, 1.0, 0.5], dtype=torch.float64, requires_grad=True)
    torch.nn.functional.cross_entropy(z[None], torch.tensor([2])).backward()  # type: ignore[no-untyped-call]
    assert z.grad is not None
    assert values(wrong, "cross_entropy_gradient") == pytest.approx(z.grad.tolist())
    assert values(wrong, "jacobian_norm")[0] < 1e-7


@pytest.mark.parametrize(
    ("logits", "overflows", "non_finite"),
    [
        ((88.0, 1.0), 0.0, 0.0),
        ((89.0, 1.0), 0.5, 0.5),
        ((-1000.0, -999.0), 0.0, 1.0),
        ((1000.0, 999.0), 1.0, 1.0),
    ],
)
def test_where_a_softmax_without_the_maximum_breaks(
    logits: tuple[float, ...], overflows: float, non_finite: float
) -> None:
    shown = report(*logits)
    assert values(shown, "naive_overflows") == (overflows,)
    assert values(shown, "naive_non_finite") == (non_finite,)
    assert values(shown, "probability_sum") == pytest.approx((1.0,))


def test_a_shift_changes_nothing_and_a_factor_much() -> None:
    shown = report(1.0, 0.5, 0.8, shift=1000.0, factor=100.0)
    assert values(shown, "shifted_difference")[0] < 1e-12
    assert values(shown, "scaled_entropy")[0] < 1e-6 < values(shown, "entropy")[0]


@pytest.mark.parametrize(
    "settings",
    [
        {"logits": (20.0, 1.0, 0.5), "target": 1},
        {"logits": (1e4, -1e4), "factor": 100.0},
        {"logits": (1000.0, 999.0), "temperature": 0.01},
        {"logits": (0.0, 0.0, 0.0, 0.0)},
        {"logits": tuple(float(i) for i in range(16))},
    ],
)
def test_the_check_agrees_at_the_edges(settings: dict[str, Any]) -> None:
    params = softmax.Params(**settings)
    ctx = RunContext("softmax", softmax.METRICS, params, "cpu")
    (shown,) = softmax.run(params, ctx)
    checked = compare(shown.metrics, softmax.check(params, ctx), ctx.dtype, softmax.METHOD)
    assert checked.ok, checked


def test_a_target_beyond_the_logits_is_refused() -> None:
    with pytest.raises(ValidationError, match="target may be at most 1: there are 2 logits"):
        softmax.Params(logits=(1.0, 2.0), target=2)


@pytest.mark.parametrize("typed", ["logits=nan,1", "logits=1", "logits=1,20000", "logits=a,b"])
def test_impossible_logits_are_refused(typed: str) -> None:
    with pytest.raises(UsageError, match="logits"):
        parse("softmax", [typed])


def test_the_sharpening_curve_passes_through_the_logits_themselves() -> None:
    shown = report(2.0, 1.0, 0.5)
    curve = shown.curves[0]
    middle = len(curve.x) // 2  # factor 1
    assert curve.x[middle] == pytest.approx(1.0)
    top, norm = curve.series
    assert top.values[middle] == pytest.approx(values(shown, "max_weight")[0])
    assert norm.values[middle] == pytest.approx(values(shown, "jacobian_norm")[0])
