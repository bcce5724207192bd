"""Number formats a second way, for cross-checks: rounding by hand, range from the bit widths.

A float64 is rounded by scaling it to whole units in the last place; nothing here asks a
library for float16 or bfloat16.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Format:
    """A binary format: bits of its significand, the leading one included, and of its exponent."""

    significand: int
    exponent: int

    @property
    def top(self) -> int:
        """The power of two that no number of the format reaches."""
        return 1 << (self.exponent - 1)

    @property
    def finest(self) -> int:
        """Exponent of the smallest positive number, a subnormal one."""
        return 3 - self.top - self.significand

    @property
    def log_infinity(self) -> float:
        """Logarithm of the number from which rounding gives ∞: half a unit above the largest."""
        return self.top * math.log(2) + math.log1p(-(2.0 ** -(self.significand + 1)))

    @property
    def log_zero(self) -> float:
        """Logarithm of the number up to which rounding gives 0."""
        return (self.finest - 1) * math.log(2)

    def unit(self, x: Array) -> Array:
        """The distance between neighbours around each x."""
        exponent = np.frexp(x)[1] - self.significand
        return np.asarray(np.ldexp(1.0, np.maximum(exponent, self.finest)))

    def round(self, x: Array) -> Array:
        """The nearest number of the format, ties to even; ∞ beyond its range."""
        if self.significand >= 53:
            return x
        unit = self.unit(x)
        nearest = np.rint(x / unit) * unit
        limit = math.ldexp(1 - 2.0 ** -(self.significand + 1), self.top)
        return np.where(np.abs(x) >= limit, np.copysign(np.inf, x), nearest)

    def below(self, x: float) -> float:
        """The largest number of the format that is not above x."""
        unit = float(self.unit(np.asarray(x)))
        return math.floor(x / unit) * unit


FORMATS = {
    "float16": Format(11, 5),
    "bfloat16": Format(8, 8),
    "float32": Format(24, 8),
    "float64": Format(53, 11),
}
