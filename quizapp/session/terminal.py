"""Asks the terminal itself: how many colours, and how wide it draws the glyphs we use."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from typing import Final

#: The glyphs whose width terminals disagree about (East Asian "ambiguous").
GLYPHS: Final = ("√", "─", "│", "±", "×", "▸", "●", "█", "⣿")
_TIMEOUT: Final = 0.5


def colours() -> str:
    """What the environment says about colours, in words."""
    if os.environ.get("NO_COLOR"):
        return "no colours (NO_COLOR)"
    if os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "truecolor"
    return "256 colours" if "256" in os.environ.get("TERM", "") else "16 colours"


def light_ground() -> bool:
    """Whether the terminal says that its background is light (COLORFGBG; most say nothing)."""
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")


def draws_wide() -> bool:
    """Whether this terminal draws √ or ─ two cells wide, so that plots would fall apart.

    Asked only where the locale is Chinese, Japanese or Korean: elsewhere none does, and a
    terminal that does not answer would cost every start the time-out.
    """
    # Any of them: Python itself sets LC_CTYPE to C.UTF-8 where LANG's locale is not installed.
    locales = [os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")]
    if not any(locale.startswith(("zh", "ja", "ko")) for locale in locales):
        return False
    widths = measure(("√", "─"))
    return widths is not None and any(width > 1 for width in widths.values())


def measure(glyphs: tuple[str, ...] = GLYPHS) -> dict[str, int] | None:
    """Cells the terminal draws each glyph in, by asking where its cursor went.

    None where there is no terminal to ask, or it does not answer.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    try:
        import termios
        import tty
    except ImportError:
        return None  # Windows: its console draws these in one cell
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        widths = {}
        for glyph in glyphs:
            sys.stdout.write(f"\r{glyph}\x1b[6n")
            sys.stdout.flush()
            column = _answer(descriptor)
            if column is None:
                return None
            widths[glyph] = column - 1
        return widths
    finally:
        sys.stdout.write("\r\x1b[K")
        sys.stdout.flush()
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _answer(descriptor: int) -> int | None:
    """The column in the terminal's cursor report; None when none comes in time."""
    said, until = b"", time.monotonic() + _TIMEOUT
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([descriptor], [], [], left)
        if not ready:
            return None
        said += os.read(descriptor, 32)
        if found := re.search(rb"\x1b\[\d+;(\d+)R", said):
            return int(found[1])
    return None
