"""Amounts as they are typed: units that mean the same, units refused, and digits stated."""

from __future__ import annotations

import pytest

from quizapp.text.entry import NumberRefused, Reason
from quizapp.text.numbers import ends
from quizapp.text.units import UNITS, digits, factor, parse_quantity, stated_unit


@pytest.mark.parametrize(
    ("typed", "unit", "value"),
    [
        ("2 MiB", "B", 2097152.0), ("2MiB", "B", 2097152.0), ("2097152", "B", 2097152.0),
        ("2.1e6 B", "B", 2.1e6), ("2048 KiB", "MiB", 2.0), ("2 mib", "B", 2097152.0),
        ("2 MB", "B", 2e6), ("2 kB", "B", 2e3), ("2 KB", "B", 2e3), ("64 bytes", "B", 64.0),
        ("1.5", "GiB", 1.5), ("1.5 GiB", "GiB", 1.5), (" .5 GiB ", "MiB", 512.0),
        ("3 ms", "s", 0.003), ("0.003 s", "ms", 3.0), ("3", "ms", 3.0), ("3 us", "µs", 3.0),
        ("3 μs", "ms", 0.003), ("1 min", "s", 60.0),
        ("0.5 GFLOP", "FLOP", 5e8), ("5e8", "FLOP", 5e8), ("0.5 gflops", "GFLOP", 0.5),
        ("500 MFLOPs", "GFLOP", 0.5),
        ("14 %", "share", 0.14), ("14%", "%", 14.0), ("14", "%", 14.0), ("0.14", "share", 0.14),
        ("2.3 nats", "nats", 2.3), ("2.3 Nats", "nats", 2.3), ("-2 MiB", "KiB", -2048.0),
        ("7", "", 7.0),
    ],
)  # fmt: skip
def test_units(typed: str, unit: str, value: float) -> None:
    assert parse_quantity(typed, unit) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "unit", "reason"),
    [
        ("2 Mb", "B", "bits"), ("2 b", "B", "bits"), ("2 kb", "MiB", "bits"),
        ("2 bits", "B", "bits"),
        ("2 s", "B", "unit-bytes"), ("2 apples", "B", "unit-bytes"), ("2 MiB", "s", "unit-time"),
        ("2 GFLOP/s", "GFLOP", "unit-work"), ("2 MiB", "%", "unit-share"),
        ("2 MiB", "", "text"), ("2 bits", "nats", "text"), ("5 %", "", "percent"),
        ("2,5 MiB", "B", "comma"), ("２ MiB", "B", "fullwidth"), ("2 ＭｉＢ", "B", "fullwidth"),
        ("1/8", "GiB", "fraction"), ("MiB", "B", "text"), ("", "B", "empty"),
        ("1e300 TiB", "B", "overflow"), ("1e400 B", "B", "overflow"),
    ],
)  # fmt: skip
def test_refusals(typed: str, unit: str, reason: Reason) -> None:
    with pytest.raises(NumberRefused) as caught:
        parse_quantity(typed, unit)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("have", "want", "times"),
    [
        ("B", "KiB", 1 / 1024), ("ms", "s", 1e-3), ("share", "%", 100.0), ("count", "GFLOP", 1e-9),
        ("nats", "nats", 1.0), ("nats", "", 1.0), ("", "", 1.0), ("", "units", 1.0),
        ("", "B", None), ("s", "B", None), ("nats", "B", None), ("B", "nats", None),
        ("nats", "bits", None), ("count", "B", None),
    ],
)  # fmt: skip
def test_factors(have: str, want: str, times: float | None) -> None:
    found = factor(have, want)
    assert found == (None if times is None else pytest.approx(times))


def test_there_and_back_is_the_same() -> None:
    for unit in UNITS.values():
        for other in UNITS.values():
            there, back = factor(unit.name, other.name), factor(other.name, unit.name)
            assert (there is None) == (back is None) == (unit.dimension != other.dimension)
            if there is not None and back is not None:
                assert there * back == pytest.approx(1.0)


def test_the_unit_typed() -> None:
    assert [stated_unit(typed) for typed in ("2 MiB", "2e3 B", "2e3", "2")] == ["MiB", "B", "", ""]


@pytest.mark.parametrize(
    ("typed", "count"),
    [
        ("8", 1), ("8.0", 2), ("0.050", 2), ("1500", 4), ("-1.50e3", 3), ("2 MiB", 1), (".5", 1),
        ("+2.10 GiB", 3), ("0", 1), ("0.00", 1), ("007", 1), ("5 bytes", 1),
    ],
)  # fmt: skip
def test_digits(typed: str, count: int) -> None:
    assert digits(typed) == count


@pytest.mark.parametrize(
    ("low", "high", "unit", "shown"),
    [
        (15.2, 16.8, "", ("15.2", "16.8")),
        (4950, 5050, "", ("4,950", "5,050")),
        (39.98, 40.02, "", ("39.98", "40.02")),
        (2076181, 2118124, "B", ("1.98 MiB", "2.02 MiB")),
        (0.135, 0.145, "share", ("13.5 %", "14.5 %")),
        (3.0, 3.0, "ms", ("3.00 ms", "3.00 ms")),
        (-0.1, 0.1, "", ("-0.100", "0.100")),
    ],
)
def test_the_ends_of_an_interval_differ(
    low: float, high: float, unit: str, shown: tuple[str, str]
) -> None:
    assert ends(low, high, unit) == shown
