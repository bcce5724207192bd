"""Cleaning: what a bank, a learner or an error wrote, made safe to show.

Terminal control sequences could move the cursor or retitle the window, and
bidirectional overrides could make a line read otherwise than it is. Both are
dropped; everything else, brackets included, is kept to the letter.
"""

from __future__ import annotations

import re
from typing import Final

_ESCAPES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement
    r"|\x1b[\]PX^_].*?(?:\x1b\\|\x07|$)"  # OSC, DCS, SOS, PM, APC with their payload
    r"|\x1b[ -/]*[0-~]",  # two-character escapes
    re.DOTALL,
)
_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1, tab and newline kept
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # bidirectional controls
)


def clean(text: str) -> str:
    """`text` without control sequences, control characters and bidi overrides."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", _ESCAPES.sub("", text)).expandtabs(4)


def one_line(text: str) -> str:
    """`text` cleaned and folded to a single line."""
    return " ".join(clean(text).split())
