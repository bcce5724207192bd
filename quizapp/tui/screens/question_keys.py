"""The line of keys below a question, and the one that asks how sure the learner is."""

from __future__ import annotations

from quizapp.text.i18n import _

_PICK = ("aloud", "hint", "language", "help")
_TYPE = ("confidence", "hint", "language", "back", "quit")

#: In a text field every printable key types.
_KEYS = {
    "single": ("choose", "confirm", *_PICK),
    "claim": ("choose", "confirm", *_PICK),
    "multi": ("tick", "confirm", *_PICK),
    "order": ("choose", "take_back", "confirm", *_PICK),
    "match": ("pair", "take_back", "confirm", *_PICK),
    "blank": ("confirm", "next_blank", *_TYPE),
    "numeric": ("confirm", *_TYPE),
    "predict": ("confirm", *_TYPE),
    "shape": ("confirm", *_TYPE),
    "open": ("hand_in", "hint", "language", "back", "quit"),
}


def hints(kind: str, *, rubric: bool) -> tuple[str, ...]:
    """Names of keys; rubric: an open answer is given and its points are being ticked."""
    return ("tick", "confirm", "language", "help") if rubric else _KEYS[kind]


def word(kind: str, name: str, *, rubric: bool) -> str | None:
    """The footer's word for a key whose word depends on the question; else None."""
    if name == "confirm" and rubric:
        return _("hand in")
    if name == "confirm" and kind == "blank":
        return _("fill in")
    return _("comes next") if name == "choose" and kind == "order" else None


def sure_line(confidence: str | None) -> str:
    """How sure one may be, what was said in brackets."""
    words = {"guess": _("guess"), "fairly": _("fairly"), "certain": _("certain")}
    shown = [f"[{word}]" if name == confidence else word for name, word in words.items()]
    return _("Sure?  {levels}   (tab; optional)").format(levels=" / ".join(shown))
