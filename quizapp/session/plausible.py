"""Whether a run measured what its experiment says it can measure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from quizapp.lab.catalogue import describe
from quizapp.report import Report

#: Rounding may carry a number this far past the end of its range.
_SLACK: Final = 1e-6


def implausible(report: Report) -> Iterator[str]:
    """One phrase for each metric that lies outside its plausible range: name, value, range."""
    known = describe(report.experiment).metrics
    for name, metric in report.metrics.items():
        info = known.get(name)
        if info is None:
            continue
        values = metric.value if isinstance(metric.value, tuple) else (metric.value,)
        for value in values:
            # What is not finite is told with the run: some of it is measured on purpose.
            slack = _SLACK * max(1.0, abs(value))
            if math.isfinite(value) and not info.low - slack <= value <= info.high + slack:
                yield f"{name} = {value:.4g}, which lies from {info.low:g} to {info.high:g}"
                break
