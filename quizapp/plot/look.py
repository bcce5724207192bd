"""`Look`: which glyphs and colours a terminal can show, and the palettes made for each.

Colour always repeats what glyphs already say: series carry markers, heat maps have
a bar with its limits, verdicts have marks. Truecolor ramps are interpolated from a
few anchors of rising lightness (the dark-blue to yellow order of viridis); terminals
with 256 colours get a hand-picked ramp of rising luminance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from quizapp.plot.cells import Colour

Depth = Literal["truecolor", "256", "none"]
RGB = tuple[int, int, int]

_ANCHORS: Final[tuple[RGB, ...]] = (
    (68, 1, 84),
    (65, 68, 135),
    (42, 120, 142),
    (34, 168, 132),
    (122, 209, 81),
    (253, 231, 37),
)
_RAMP_256: Final = (53, 54, 24, 61, 30, 36, 72, 42, 114, 149, 221, 227)
_RAMP_STEPS: Final = 64

#: Series colours, told apart by hue and lightness: for dark and for light grounds.
SERIES: Final[dict[tuple[Depth, bool], tuple[Colour, ...]]] = {
    ("truecolor", True): ((78, 186, 255), (255, 170, 64), (94, 210, 140), (240, 130, 200)),
    ("truecolor", False): ((0, 95, 175), (168, 72, 0), (0, 112, 60), (150, 30, 120)),
    ("256", True): (75, 214, 78, 212),
    ("256", False): (25, 130, 22, 90),
}
HELD: Final[dict[tuple[Depth, bool], Colour]] = {
    ("truecolor", True): (94, 210, 140),
    ("truecolor", False): (0, 112, 60),
    ("256", True): 78,
    ("256", False): 22,
}
REFUTED: Final[dict[tuple[Depth, bool], Colour]] = {
    ("truecolor", True): (255, 138, 128),
    ("truecolor", False): (178, 24, 24),
    ("256", True): 210,
    ("256", False): 124,
}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of one glyph set; each is one column wide."""

    vertical: str
    horizontal: str
    corner: str
    tick_y: str
    tick_x: str
    edge: tuple[str, str]  # the two walls of a histogram row
    bars: str  # from nothing to a full cell
    shades: str  # heat map without colour, from low to high
    markers: str  # one per series
    lines: str  # density of a line's dots in a cell; empty means braille
    pointer: str
    held: str
    refuted: str
    ellipsis: str
    down: str
    right: str
    brackets: tuple[str, str, str, str, str, str]  # top, middle, bottom: left then right
    unknown: str  # a value that is not a number, where colour cannot show the gap


UNICODE: Final = Glyphs(
    vertical="│",
    horizontal="─",
    corner="└",
    tick_y="┤",
    tick_x="┬",
    edge=("│", "│"),
    bars=" ▁▂▃▄▅▆▇█",
    shades=" ░▒▓█",
    markers="●▲■◆▼",
    lines="",
    pointer="▸",
    held="✓",
    refuted="✗",
    ellipsis="…",
    down="↓",
    right="→",
    brackets=("⎡", "⎢", "⎣", "⎤", "⎥", "⎦"),
    unknown="?",
)
ASCII: Final = Glyphs(
    vertical="|",
    horizontal="-",
    corner="+",
    tick_y="+",
    tick_x="+",
    edge=("|", "|"),
    bars=" .:-=+*#",
    shades=" .:-=+*#%@",
    markers="ox+#*",
    lines=".:*",
    pointer=">",
    held="ok",
    refuted="no",
    ellipsis="..",
    down="v",
    right=">",
    brackets=("[", "[", "[", "]", "]", "]"),
    unknown="?",
)


@dataclass(frozen=True, slots=True)
class Look:
    """What to draw with. `dark` is the ground the terminal or theme has."""

    ascii: bool = False
    depth: Depth = "none"
    dark: bool = True

    @property
    def glyphs(self) -> Glyphs:
        """The glyph set."""
        return ASCII if self.ascii else UNICODE

    def series(self, index: int) -> Colour | None:
        """The colour of the `index`-th series; None without colours."""
        colours = SERIES.get((self.depth, self.dark))
        return colours[index % len(colours)] if colours else None

    def marker(self, index: int) -> str:
        """The marker of the `index`-th series, which tells it apart without colour."""
        return self.glyphs.markers[index % len(self.glyphs.markers)]

    def mark(self, held: bool) -> Colour | None:
        """The colour of a held (or refuted) expectation."""
        return (HELD if held else REFUTED).get((self.depth, self.dark))


@lru_cache(maxsize=3)
def ramp_colours(depth: Depth) -> tuple[Colour, ...]:
    """The ramp from low to high; empty without colours."""
    if depth == "truecolor":
        return tuple(_ramp_rgb(step) for step in range(_RAMP_STEPS))
    return _RAMP_256 if depth == "256" else ()


def ramp(depth: Depth, share: float) -> Colour | None:
    """The ramp's colour at `share` of the way from low to high; None without colours."""
    colours = ramp_colours(depth)
    share = min(1.0, max(0.0, share))
    return colours[round(share * (len(colours) - 1))] if colours else None


def _ramp_rgb(step: int) -> RGB:
    place = step / (_RAMP_STEPS - 1) * (len(_ANCHORS) - 1)
    first = min(int(place), len(_ANCHORS) - 2)
    part = place - first
    low, high = _ANCHORS[first], _ANCHORS[first + 1]
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
    return (red, green, blue)


def luminance(colour: Colour) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2, section 3)."""
    parts = []
    for value in xterm(colour) if isinstance(colour, int) else colour:
        share = value / 255
        parts.append(share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def xterm(index: int) -> RGB:
    """RGB of an entry of xterm's colour cube (16-231) or its greys (232-255).

    Raises ValueError for 0-15, which every terminal's theme defines for itself.
    """
    if index < 16:
        raise ValueError(f"colour {index} has no fixed RGB value")
    if index >= 232:
        grey = 8 + 10 * (index - 232)
        return (grey, grey, grey)
    cube = index - 16
    red, green, blue = ((n and 55 + 40 * n) for n in (cube // 36, cube // 6 % 6, cube % 6))
    return (red, green, blue)
