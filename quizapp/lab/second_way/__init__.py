"""The same numbers found again for the cross-checks, in float64 NumPy and by other formulas."""
