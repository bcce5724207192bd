"""Compares a run's numbers with the same numbers found a second way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from quizapp.lab.experiment import Reference, Tolerant, Value
from quizapp.report import CrossCheck, Metric
from quizapp.text import Text

#: Relative disagreement that rounding can explain after sums over a few thousand terms.
RELATIVE: Final = {"float32": 2e-4, "float64": 1e-9}
#: Below this size a number is compared absolutely: its relative error says nothing.
FLOOR: Final = 1e-6


def compare(
    metrics: Mapping[str, Metric], reference: Reference, dtype: str, method: Mapping[str, str]
) -> CrossCheck:
    """The metric that came closest to its limit, and whether every one kept within it.

    Raises ValueError where lengths differ or nothing is compared: an empty check
    must never look like a passed one.
    """
    worst = (-1.0, 0.0, 0.0, "")  # share of the tolerance used, difference, tolerance, metric
    ok = True
    for name, wanted in reference.items():
        for difference, tolerance in _differences(metrics[name].value, wanted, dtype):
            used = difference / tolerance if math.isfinite(difference) else math.inf
            ok = ok and used <= 1
            worst = max(worst, (used, difference, tolerance, name))
    if not worst[3]:
        raise ValueError("the cross-check compared nothing")
    return CrossCheck(
        ok=ok,
        max_abs_diff=worst[1],
        tolerance=worst[2],
        metric=worst[3],
        compared=tuple(reference),
        method=Text.of(dict(method)),
    )


def _differences(measured: Value, wanted: Value, dtype: str) -> list[tuple[float, float]]:
    got, ref = _as_list(measured), _as_list(wanted)
    if len(got) != len(ref):
        raise ValueError(f"{len(got)} numbers measured, {len(ref)} recomputed")
    size = max((abs(value) for value in ref if math.isfinite(value)), default=0.0)
    usual = RELATIVE[dtype] * max(size, FLOOR)
    pairs = []
    for a, b in zip(got, ref, strict=True):
        # Equal infinities, or NaN on both sides, agree; inf − inf would not.
        same = a == b or (math.isnan(a) and math.isnan(b))
        difference = 0.0 if same else abs(a - b)
        pairs.append((difference, b.tolerance if isinstance(b, Tolerant) else usual))
    return pairs


def _as_list(value: Value) -> Sequence[float]:
    return list(value) if isinstance(value, Sequence) else [value]
