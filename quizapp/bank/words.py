"""Small pieces of the sentences that tell an author what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from quizapp.text import LANGUAGES, nearest
from quizapp.text.plain import one_line


def closest(word: str, known: Iterable[str]) -> str:
    """ "; did you mean `x`?" when something known is close to `word`, else nothing."""
    found = nearest.closest(word, known)
    return "" if found is None else f"; did you mean `{found}`?"


def closest_language(word: str) -> str:
    """The same for the key of a text: `zh-CN`, `chinese` and `cn` mean `zh`."""
    plain = word.strip().lower()
    names = {
        "cn": "zh",
        "ch": "zh",
        "chinese": "zh",
        "中文": "zh",
        "english": "en",
        "eng": "en",
        "英文": "en",
    }
    found = names.get(plain) or next((n for n in LANGUAGES if re.match(rf"{n}[-_]", plain)), None)
    return closest(word, LANGUAGES) if found is None else f"; did you mean `{found}`?"


def listed(names: Iterable[str]) -> str:
    """Names in backticks with commas between."""
    return ", ".join(f"`{name}`" for name in names)


def show(value: Any) -> str:
    """A value of a file as it is quoted in a message."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return f"`{clip(str(value))}`" if value != "" else "empty"


def clip(text: str) -> str:
    """At most 40 characters of `text`, on one line and safe to print."""
    text = one_line(text)
    return text if len(text) <= 40 else text[:39] + "…"


def folded(text: str) -> str:
    """`text` as it is compared: case, full width, blanks and a closing stop do not count."""
    half = text.translate({0xFF01 + n: chr(0x21 + n) for n in range(94)})
    return " ".join(half.casefold().split()).rstrip(" .,;。")
