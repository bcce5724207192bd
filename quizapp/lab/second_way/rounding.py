"""What float32 can still tell apart: tolerances for rows whose logits are large.

A logit of size L is off by about L·2⁻²³, and so is the logarithm of every weight's odds.
"""

from __future__ import annotations

from collections.abc import Mapping

from quizapp.lab.experiment import Tolerant

#: Rounding of a logit beyond which rows are not compared: near-ties are a matter of luck there.
MOST = 1e-3


def resolved(rows: Mapping[str, float], largest_logit: float) -> dict[str, float]:
    """The figures of rows, each with the tolerance that logits of that size leave.

    Nothing where float32 leaves too little: a check that cannot fail is no check.
    """
    rounding = largest_logit * 2.0**-23
    if rounding > MOST:
        return {}
    share = max(2e-4, 4 * rounding)
    return {
        name: value if isinstance(value, Tolerant) else Tolerant(value, share * max(value, 1e-6))
        for name, value in rows.items()
    }
