"""Numbers that learners type: read exactly, or refused with the reason."""

from __future__ import annotations

import re
from typing import Final, Literal

from quizapp.errors import UsageError
from quizapp.text.i18n import N_

Reason = Literal[
    "empty",
    "fullwidth",
    "comma",
    "underscore",
    "percent",
    "fraction",
    "minus",
    "blank",
    "nan",
    "inf",
    "overflow",
    "underflow",
    "unit-bytes",
    "unit-time",
    "unit-work",
    "unit-share",
    "bits",
    "text",
]

#: One English sentence for each reason; the fronts translate them.
SENTENCES: Final[dict[Reason, str]] = {
    "empty": N_("Type a number."),
    "fullwidth": N_("Type half-width characters: 0–9, a point and a minus."),
    "comma": N_("Write a point for decimals, and no separators: 1.5, 1000."),
    "underscore": N_("Write the digits without underscores: 1000."),
    "percent": N_("Write the share as a number: 0.14 for 14 %."),
    "fraction": N_("Write a decimal number: 0.125 for 1/8."),
    "minus": N_("Write the minus as a hyphen: -2."),
    "blank": N_("Write the number without blanks inside."),
    "nan": N_("NaN is not a number one can measure; type a number."),
    "inf": N_("Infinity cannot be compared; type a finite number."),
    "overflow": N_("The number is too large; the largest is about 1.8e308."),
    "underflow": N_("The number is too small to be told from 0; type 0 if you mean it."),
    "unit-bytes": N_("Type B, KiB, MiB, GiB, kB, MB or GB after the number, or nothing."),
    "unit-time": N_("Type ns, µs, ms, s or min after the number, or nothing."),
    "unit-work": N_("Type FLOP, MFLOP, GFLOP or TFLOP after the number, or nothing."),
    "unit-share": N_("Type the share with % (14 %) or nothing after the number."),
    "bits": N_("A lower-case b is a bit; type B for bytes: 2 MiB."),
    "text": N_("This is not a number; type one like 0.5, -2 or 1e-3, without a unit."),
}

#: A number as it is typed: digits, a point, an exponent.
NUMBER: Final = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_NUMBER: Final = re.compile(NUMBER)
_LONGEST: Final = 400

#: The first pattern that an entry matches tells why it was refused.
_REASONS: Final[tuple[tuple[str, Reason], ...]] = (
    (r".*[\uff01-\uff5e\u3002]", "fullwidth"),
    (r"[-+]?nan$", "nan"),
    (r"[-+]?(?:inf|infinity|∞)$", "inf"),
    (r".*[0-9].*[%‰]", "percent"),
    (r".*[0-9]_[0-9]", "underscore"),
    (r".*[0-9]\s*,|.*,\s*[0-9]", "comma"),
    (r"[-+]?[0-9.]+\s*/\s*[-+]?[0-9.]+$", "fraction"),
    (r"[\u2010-\u2015\u2212]\s*[0-9.]", "minus"),
    (r"[-+]\s+[0-9.]|[-+]?[0-9.]+(?:\s+[0-9.]+)+$", "blank"),
)


class NumberRefused(UsageError):  # noqa: N818 - the name says what happened to the entry
    """What was typed is not a number that can be judged. `reason` is a code of SENTENCES."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(SENTENCES[reason])
        self.reason: Reason = reason


def parse_number(text: str) -> float:
    """The number in `text`, blanks around it allowed: .5, 0.5, 1e-3, -2, +3.

    Raises NumberRefused for anything else, and for numbers a float cannot hold.
    """
    typed = text.strip()
    if not typed:
        raise NumberRefused("empty")
    if len(typed) > _LONGEST:
        raise NumberRefused("text")
    if not _NUMBER.fullmatch(typed):
        raise NumberRefused(_reason(typed))
    value = float(typed)
    if value in (float("inf"), float("-inf")):
        raise NumberRefused("overflow")
    if value == 0 and re.search(r"[1-9]", re.split("[eE]", typed)[0]):
        raise NumberRefused("underflow")
    return value


def _reason(typed: str) -> Reason:
    for pattern, reason in _REASONS:
        if re.match(pattern, typed, re.IGNORECASE):
            return reason
    return "text"
