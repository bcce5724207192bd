"""The cross-check: what counts as agreement, and that an empty one never passes."""

import math

import pytest

from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiment import Tolerant, Value
from quizapp.report import CrossCheck, Metric
from quizapp.text import Text

METHOD = {"en": "by hand", "zh": "手算"}


def metric(value: float | tuple[float, ...]) -> Metric:
    return Metric(value=value, unit="", meaning=Text.of("m"), label=Text.of("m"))


def check(value: float | tuple[float, ...], reference: Value, dtype: str = "float32") -> CrossCheck:
    return compare({"m": metric(value)}, {"m": reference}, dtype, METHOD)


def test_rounding_agrees_and_one_percent_does_not() -> None:
    assert check(8.0, 8.0001).ok
    assert not check(8.0, 8.08).ok
    assert not check((1.0, 2.0, 3.0), [1.0, 2.0, 3.03]).ok


def test_float64_is_held_to_more_digits() -> None:
    assert not check(8.0, 8.0001, "float64").ok


def test_equal_infinities_and_nans_agree_and_others_do_not() -> None:
    assert check((math.inf, math.nan, 1.0), [math.inf, math.nan, 1.0]).ok
    assert not check(math.inf, 1.0).ok
    assert not check(math.nan, 1.0).ok


def test_a_share_may_state_its_own_tolerance() -> None:
    assert check(0.1400, Tolerant(0.1405, 0.0006)).ok
    assert not check(0.1400, Tolerant(0.1405, 0.0004)).ok


def test_the_reported_difference_belongs_to_the_metric_closest_to_its_limit() -> None:
    metrics = {"large": metric(1000.0), "small": metric(0.01)}
    found = compare(metrics, {"large": 1000.001, "small": 0.0101}, "float32", METHOD)
    assert not found.ok
    assert found.metric == "small"
    assert found.max_abs_diff == pytest.approx(0.0001)
    assert found.max_abs_diff > found.tolerance


def test_comparing_nothing_or_other_lengths_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing"):
        compare({}, {}, "float32", METHOD)
    with pytest.raises(ValueError, match="2 numbers measured, 3 recomputed"):
        check((1.0, 2.0), [1.0, 2.0, 3.0])
