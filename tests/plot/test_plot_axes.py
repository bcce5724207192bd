"""Axes: round ticks, logarithms, and data no axis was made for."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from quizapp.plot.axes import axis, spread_labels, tick_label


def labels(*values: float, count: int = 4, log: bool = False) -> list[str]:
    made = axis(values, count=count, log=log)
    assert made is not None
    return [label for _, label in made.ticks]


def test_ticks_are_one_two_or_five_times_a_power_of_ten() -> None:
    assert labels(0, 4.2) == ["0", "2", "4"]
    assert labels(0.07, 0.51) == ["0.2", "0.4"]
    assert labels(-1.3, 1.3, count=6) == ["-1.0", "-0.5", "0", "0.5", "1.0"]
    assert labels(0, 30, count=3) == ["0", "10", "20", "30"]
    assert labels(0, 3e7) == ["0", "1e7", "2e7", "3e7"]


def test_log_ticks_are_powers_of_ten_or_1_2_5_within_two_decades() -> None:
    assert labels(1e-3, 1e2, count=6, log=True) == ["0.001", "0.01", "0.1", "1", "10", "100"]
    assert labels(1, 12, log=True) == ["1", "2", "5", "10"]


def test_few_given_values_are_their_own_ticks() -> None:
    made = axis((16, 1024), count=3, log=True, few=(16, 64, 256, 1024))
    assert made is not None
    assert [label for _, label in made.ticks] == ["16", "64", "256", "1024"]


def test_places_run_from_low_to_high_and_skip_what_cannot_be_shown() -> None:
    linear = axis((2.0, math.nan, 6.0, math.inf), count=3)
    assert linear is not None
    assert [linear.place(v) for v in (2, 4, 6, math.nan, -math.inf)] == [0, 0.5, 1, None, None]
    log = axis((1.0, 100.0, -4.0, 0.0), count=3, log=True)
    assert log is not None
    assert [log.place(v) for v in (1, 10, 100, 0, -4)] == [0, 0.5, 1, None, None]


def test_nothing_to_show_makes_no_axis() -> None:
    assert axis((), count=3) is None
    assert axis((math.nan, math.inf), count=3) is None
    assert axis((0.0, -1.0), count=3, log=True) is None


@pytest.mark.parametrize(
    "values",
    [
        (5.0,),
        (0.0, 0.0),
        (-1.7e308, 1.7e308),
        (0.0, 5e-324),
        (1e16, 1e16 + 2),
        (1e-300, 2e-300),
        (1.0, 1.0 + 1e-15),
    ],
)
@pytest.mark.parametrize("log", [False, True])
def test_extreme_ranges_keep_every_value_on_the_axis(values: tuple[float, ...], log: bool) -> None:
    made = axis(values, count=4, log=log)
    if made is None:
        assert log
        assert max(values) <= 0
        return
    assert 2 <= len(made.ticks) < 60
    for value in values:
        place = made.place(value)
        assert place is None or 0 <= place <= 1


def test_random_axes_have_few_rising_ticks_inside_the_range() -> None:
    draw = random.Random(7)
    for _ in range(2000):
        low = draw.uniform(-1, 1) * 10 ** draw.uniform(-12, 12)
        high = low + 10 ** draw.uniform(-12, 12)
        count = draw.randint(1, 9)
        log = draw.random() < 0.5
        made = axis((low, high), count=count, log=log)
        if made is None:
            continue
        values = [value for value, _ in made.ticks]
        slack = 1e-6 * max(abs(made.low), abs(made.high))
        assert 2 <= len(values) <= 3 * count + 10, (low, high, count, log)
        assert values == sorted(set(values))
        assert made.low - slack <= values[0] <= values[-1] <= made.high + slack


def test_labels_that_would_touch_are_left_out_and_the_ends_stay() -> None:
    places = [(0, "0"), (3, "2000"), (6, "4000"), (29, "9000")]
    kept = spread_labels(places, 30)
    assert kept[0] == (0, "0")
    assert kept[-1] == (26, "9000")
    assert all(a + len(t) < b for (a, t), (b, _) in pairwise(kept))


@pytest.mark.parametrize(
    ("value", "label"),
    [(64, "64"), (0.125, "0.125"), (1e6, "1e6"), (-2.5e-7, "-2.5e-7"), (math.inf, "∞")],
)
def test_a_value_has_a_short_name(value: float, label: str) -> None:
    assert tick_label(value) == label
