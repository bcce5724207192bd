"""Numbers as people read them."""

import math

import pytest

from quizapp.text.numbers import figure, percent, quantity, size, spread


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.000123, "1.23e-4"),
        (0.0148, "0.0148"),
        (7.9983, "8.00"),
        (0.9999, "1.00"),
        (99.96, "100"),
        (-0.5, "-0.500"),
        (123456, "123,456"),
        (1.5e12, "1.50e12"),
        (math.nan, "NaN"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
    ],
)
def test_three_digits_that_matter(value: float, shown: str) -> None:
    assert figure(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0 %"), (0.1432, "14 %"), (0.004, "0.4 %"), (0.9968, "99.7 %"), (1, "100 %"),
     (0.00004, "0.004 %")],
)  # fmt: skip
def test_shares_are_percentages(share: float, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 B"), (1023, "1023 B"), (131072, "128 KiB"), (3 * 2**30, "3.00 GiB")]
)
def test_bytes_take_the_largest_unit(count: float, shown: str) -> None:
    assert size(count) == shown


@pytest.mark.parametrize(
    ("value", "stderr", "unit", "shown"),
    [
        (8.0213, 0.018, "", "8.02 ± 0.02"),
        (64.36, 0.29, "", "64.4 ± 0.3"),
        (-0.0001, 0.002, "", "0.000 ± 0.002"),
        (1234.5, 3.2, "", "1234 ± 3"),
        (0.653, None, "nats", "0.653 nats"),
        (0.653, 0.008, "nats", "0.653 ± 0.008 nats"),
        (0.141, 0.002, "share", "14 %"),
        (5.0, 1e-9, "", "5.00"),
    ],
)
def test_the_error_stands_beside_at_one_digit(
    value: float, stderr: float | None, unit: str, shown: str
) -> None:
    assert spread(value, stderr, unit) == shown


def test_a_count_is_a_whole_number_unless_it_is_a_mean_of_counts() -> None:
    assert quantity(2.0, "count") == "2"
    assert quantity(0.0, "count") == "0"
    assert quantity(1.66, "count") == "1.66"


def test_what_is_not_finite_is_told_without_a_unit() -> None:
    assert quantity(math.nan, "share") == "NaN"
    assert quantity(math.inf, "B") == "∞"
