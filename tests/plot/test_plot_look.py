"""Palettes: readable on their grounds, and ramps whose brightness rises."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from quizapp.plot.look import HELD, REFUTED, SERIES, Depth, Look, luminance, ramp, xterm

DARK = ((0, 0, 0), (0x12, 0x12, 0x12), (0x1E, 0x1E, 0x1E), (0x24, 0x27, 0x2F))
LIGHT = ((255, 255, 255), (0xEF, 0xF1, 0xF5), (0xE0, 0xE0, 0xE0), (0xD8, 0xD8, 0xD8))


def contrast(one: float, other: float) -> float:
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("key", list(SERIES))
def test_series_and_marks_stand_out_on_their_ground(key: tuple[Depth, bool]) -> None:
    for colour in (*SERIES[key], HELD[key], REFUTED[key]):
        for ground in DARK if key[1] else LIGHT:
            assert contrast(luminance(colour), luminance(ground)) >= 3, (colour, ground)


@pytest.mark.parametrize("depth", ["truecolor", "256"])
def test_the_ramp_only_gets_brighter(depth: Depth) -> None:
    colours = [ramp(depth, step / 255) for step in range(256)]
    bright = [luminance(colour) for colour in colours if colour is not None]
    assert len(bright) == 256
    assert all(a <= b for a, b in pairwise(bright))
    assert bright[-1] > 10 * bright[0]
    assert len(set(colours)) >= 12


def test_a_ramp_ends_at_its_limits() -> None:
    assert ramp("truecolor", -3) == ramp("truecolor", 0) == (68, 1, 84)
    assert ramp("truecolor", 9) == ramp("truecolor", 1) == (253, 231, 37)
    assert ramp("none", 0.5) is None


def test_series_differ_by_marker_where_there_is_no_colour() -> None:
    for look in (Look(), Look(ascii=True)):
        assert all(look.series(index) is None for index in range(4))
        assert all(look.marker(a) != look.marker(b) for a, b in combinations(range(5), 2))


def test_xterm_colours_have_their_standard_values() -> None:
    assert [xterm(16), xterm(53), xterm(231), xterm(232), xterm(255)] == [
        (0, 0, 0),
        (95, 0, 95),
        (255, 255, 255),
        (8, 8, 8),
        (238, 238, 238),
    ]
    with pytest.raises(ValueError, match="no fixed RGB"):
        xterm(7)
