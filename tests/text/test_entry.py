"""Typed numbers: what is read, what is refused, and which reason is told."""

from __future__ import annotations

from typing import get_args

import pytest

from quizapp.text.entry import SENTENCES, NumberRefused, Reason, parse_number


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        (".5", 0.5), ("0.5", 0.5), ("1e-3", 0.001), ("1E3", 1000.0), ("-2", -2.0), ("+3", 3.0),
        ("  7 ", 7.0), ("\u30007\n", 7.0), ("5.", 5.0), ("08", 8.0), ("-.5e+1", -5.0), ("0", 0.0),
        ("-0.0", 0.0), ("0e-999", 0.0), ("1e308", 1e308),
    ],
)  # fmt: skip
def test_numbers(typed: str, value: float) -> None:
    assert parse_number(typed) == value


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "empty"), (" \t", "empty"),
        ("1,5", "comma"), ("1,000", "comma"), (",5", "comma"), ("5,", "comma"),
        ("1_000", "underscore"),
        ("０．５", "fullwidth"), ("１", "fullwidth"), ("－2", "fullwidth"), ("0。5", "fullwidth"),
        ("1，5", "fullwidth"), ("5％", "fullwidth"),
        ("5%", "percent"), ("14 %", "percent"), ("about 5%", "percent"),
        ("1/8", "fraction"), ("1 / 8", "fraction"),
        ("−2", "minus"), ("–2", "minus"),
        ("1 000", "blank"), ("- 2", "blank"),
        ("nan", "nan"), ("NaN", "nan"), ("-nan", "nan"),
        ("inf", "inf"), ("-Infinity", "inf"), ("∞", "inf"),
        ("1e400", "overflow"), ("-1e400", "overflow"), ("9" * 310, "overflow"),
        ("1e-400", "underflow"),
        ("eight", "text"), ("8 nats", "text"), ("0x10", "text"), ("1e", "text"), ("1.2.3", "text"),
        (".", "text"), ("+", "text"), ("e5", "text"), ("√64", "text"), ("٣", "text"), ("²", "text"),
        ("8j", "text"), ("1" * 1000, "text"), ("infinite", "text"),
    ],
)  # fmt: skip
def test_refusals(typed: str, reason: Reason) -> None:
    with pytest.raises(NumberRefused) as caught:
        parse_number(typed)
    assert caught.value.reason == reason
    assert caught.value.what == SENTENCES[reason]


def test_every_reason_has_its_own_sentence() -> None:
    assert set(SENTENCES) == set(get_args(Reason))
    assert len(set(SENTENCES.values())) == len(SENTENCES)
