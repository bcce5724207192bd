"""Did you mean …? The closest of the names that exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def closest(name: str, names: Iterable[str]) -> str | None:
    """The one of `names` that `name` was most likely meant to be; None when none is close."""
    return next(iter(difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)), None)


def nearest(name: str, names: Iterable[str]) -> str:
    """ "Did you mean X?" for the closest of `names`; empty when none is close."""
    found = closest(name, names)
    return "" if found is None else f"Did you mean {found!r}?"
