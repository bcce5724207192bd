"""Did you mean …? The closest of the names that exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, names: Iterable[str]) -> str:
    """ "Did you mean X?" for the closest of `names`; empty when none is close."""
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"Did you mean {close[0]!r}?" if close else ""
