"""Words that learners type, folded so that spelling differences without meaning do not count."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_POWERS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ"
_INDICES: Final = "₀₁₂₃₄₅₆₇₈₉₊₋ₖₙₘᵢⱼᵥ"
_RUN: Final = (
    (re.compile(f"[{_POWERS}]+"), "^"),
    (re.compile(f"[{_INDICES}]+"), "_"),
)
#: Left out of a comparison; braces stay, since x_{t-1} is not x_t-1.
_IGNORED: Final = re.compile(r"[\s_*·×$`]+")


def folded(text: str) -> str:
    """`text` as it is compared: `D_k ²`, `d_k^2` and `dₖ²` are one, `d_k2` is another.

    Full-width characters count as half-width ones; a power keeps its ^, so 2³ is not 23.
    """
    for pattern, sign in _RUN:
        text = pattern.sub(lambda found, sign=sign: sign + found.group(), text)  # type: ignore[misc]
    plain = unicodedata.normalize("NFKC", text).replace("−", "-").replace("**", "^")
    return _IGNORED.sub("", plain).casefold()
