r"""TeX as Unicode: `\(x_{t-1}\)` reads xₜ₋₁, `$$\frac{QK^\top}{\sqrt{d_k}}$$` reads QKᵀ/√dₖ.

Formulas stand between `\(` and `\)`, or `$$` and `$$`. One is shown only as what it means:
brackets are added where a line of text needs them, x^{a/b} is x^(a/b), and a formula with
anything not known here is left as it is written. Code spans are code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from quizapp.text.tex_line import Unshown
from quizapp.text.tex_reader import read

#: A formula as it is written, with its delimiters.
FORMULA: Final = r"\\\((?:[^\\]|\\(?!\)).)*?\\\)|\$\$.+?\$\$"
_TOKEN: Final = re.compile(
    rf"(?P<code>(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))|(?P<formula>{FORMULA})", re.DOTALL
)
_LONGEST: Final = 500


def shown(text: str) -> str:
    """`text` with every formula that can be shown so in Unicode."""
    if "\\(" not in text and "$$" not in text:
        return text
    return _TOKEN.sub(lambda found: _formula(found) or found.group(), text)


def unshown(text: str) -> Iterator[tuple[str, str]]:
    """Every formula of `text` that stays as it is written, with what is in the way."""
    for found in _TOKEN.finditer(text):
        if found["formula"] is not None:
            try:
                _unicode(_inside(found["formula"]))
            except Unshown as why:
                yield found["formula"], str(why)


def _formula(found: re.Match[str]) -> str | None:
    if found["formula"] is None:
        return None
    try:
        return _unicode(_inside(found["formula"]))
    except Unshown:
        return None


def _inside(formula: str) -> str:
    return formula[2:-2]


@lru_cache(maxsize=2000)
def _unicode(formula: str) -> str:
    """One formula without its delimiters. Raises Unshown."""
    if len(formula) > _LONGEST:
        raise Unshown("it is too long")
    if "[[" in formula:
        raise Unshown("a blank stands in it")
    made = read(formula)
    if not made:
        raise Unshown("it is empty")
    return made
