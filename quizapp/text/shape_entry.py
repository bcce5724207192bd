"""Shapes that learners type: read as sizes, or refused with the reason."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from quizapp.errors import UsageError
from quizapp.text.i18n import N_

EMPTY: Final = N_("Type the sizes of all axes in order, as in (2, 3).")
NAMES: Final = N_("Type numbers instead of names: (2, 3), not (B, S).")
ODD: Final = N_("This is not a shape; type whole numbers with commas between, as in (2, 3).")
LONG: Final = N_("Nine axes are the most that can be read.")

_MOST_AXES: Final = 9
_AROUND: Final = re.compile(r"(?:torch\.Size)?\s*[(\[{]*\s*(.*?)\s*,?\s*[)\]}]*")
_BETWEEN: Final = re.compile(r"\s*[,;x×*]\s*|\s+")


class ShapeRefused(UsageError):  # noqa: N818 - the name says what happened to the entry
    """What was typed is no shape; `what` is an English sentence that fronts translate."""


def parse_shape(text: str) -> tuple[int, ...]:
    """The sizes in `text`: (2, 3), [2, 3], 2 3, 2x3, full-width characters too.

    Raises ShapeRefused for anything else.
    """
    typed = unicodedata.normalize("NFKC", text).replace("、", ",").strip()
    whole = _AROUND.fullmatch(typed[:200])
    inside = "" if whole is None else whole.group(1)
    if not inside:
        raise ShapeRefused(EMPTY)
    sizes = _BETWEEN.split(inside)
    if not all(re.fullmatch(r"[0-9]{1,9}", size) for size in sizes):
        raise ShapeRefused(NAMES if re.search(r"[^\W\d]", inside) else ODD)
    if len(sizes) > _MOST_AXES:
        raise ShapeRefused(LONG)
    return tuple(map(int, sizes))
