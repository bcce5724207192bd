"""Arithmetic of authors: what it gives, and what it refuses instead of running."""

from __future__ import annotations

import math

import pytest

from quizapp.bank.arithmetic import MAX_LENGTH, Uncomputable, compute, names, whole

VALUES = {"d_k": 64, "heads": 8, "x": 2.5, "zero": 0}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("d_k", 64), ("2 * heads * d_k", 1024), ("d_k / heads", 8), ("d_k / 3", 64 / 3),
        ("7 // 2", 3), ("-7 // 2", -4), ("7 % 4", 3), ("2 ** 10", 1024), ("d_k ** 0.5", 8),
        ("sqrt(d_k)", 8), ("log2(d_k)", 6), ("floor(x)", 2), ("ceil(x)", 3), ("-x", -2.5),
        ("+x", 2.5), ("min(d_k, heads, 3)", 3), ("max(1, x)", 2.5), ("1e3", 1000), (" .5 ", 0.5),
        ("(d_k - 1) * (d_k - 1)", 3969), ("2 ** -1", 0.5), ("1 / sqrt(d_k)", 0.125),
    ],
)  # fmt: skip
def test_values(formula: str, value: float) -> None:
    found = compute(formula, VALUES)
    assert found == value
    assert type(found) is type(whole(value))


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("x.real", "not allowed"), ("x[0]", "not allowed"), ("'a' * 9", "not allowed"),
        ("abs(x)", "not allowed"), ("sqrt(x, x)", "not allowed"), ("min(x)", "not allowed"),
        ("max(*[1, 2])", "not allowed"), ("sqrt(x=4)", "not allowed"), ("[1, 2]", "not allowed"),
        ("x if x else 1", "not allowed"), ("lambda: 1", "not allowed"), ("x and 1", "not allowed"),
        ("True", "not allowed"), ("None", "not allowed"), ("1j", "not allowed"),
        ("~heads", "not allowed"), ("heads << 9", "not allowed"),
        ("2 ^ 3", r"power is written \*\*"), ("9 ** 64 ** 64", "too large"),
        ("x < 3", "not allowed"), ("(y := 3)", "not allowed"), ("f'{x}'", "not allowed"),
        ("__import__('os')", "not allowed"), ("sqrt", "there is no `sqrt`"),
        ("d_v", "there is no `d_v`"), ("", "no arithmetic"), ("1 +", "no arithmetic"),
        ("x = 3", "no arithmetic"), ("1; 2", "no arithmetic"), ("(" * 150, "no arithmetic"),
        ("x\x00", "no arithmetic"), ("1 / zero", "divides by zero"),
        ("1 % zero", "divides by zero"), ("1e18 ** 64", "too large"),
        ("zero ** -1", "divides by zero"), ("sqrt(-1)", "does not exist"),
        ("log2(zero)", "does not exist"), ("(-8) ** 0.5", "does not exist"),
        ("9 ** 9 ** 9", "exponent"), ("2 ** 65", "exponent"), ("1e9 ** 9", "too large"),
        ("10 ** 18 * 10", "too large"), ("1e300 * 1e300", "too large"), ("1e999", "too large"),
        ("9" * 5000, "longer"), ("+".join("1" * 60), "too long"),
        ("1" * (MAX_LENGTH - 1), "too large"),
    ],
)  # fmt: skip
def test_refusals(formula: str, why: str) -> None:
    with pytest.raises(Uncomputable, match=why):
        compute(formula, VALUES)


def test_names() -> None:
    assert names("sqrt(d_k) + heads * d_k") == ("d_k", "heads")


def test_whole() -> None:
    assert (whole(8.0), whole(8.5), whole(2.0**60)) == (8, 8.5, 2.0**60)
    assert isinstance(whole(8.0), int)
    assert isinstance(whole(2.0**60), float)
    assert math.isinf(whole(math.inf))
