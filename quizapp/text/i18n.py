"""The interface's own words, through gettext; the language switches live.

Messages are the English sentences. Catalogues lie in `quizapp/locale/`.
"""

from __future__ import annotations

import gettext
import locale
import os
from pathlib import Path
from typing import Final

from quizapp.text.localized import LANGUAGES

_DOMAIN: Final = "quizapp"
_FOLDER: Final = Path(__file__).parents[1] / "locale"


class _Current:
    language = "en"
    catalogue: gettext.NullTranslations = gettext.NullTranslations()


def set_language(language: str) -> None:
    """Speak `language` from now on. Raises ValueError for one that is not shipped."""
    if language not in LANGUAGES:
        raise ValueError(f"no such language: {language}")
    # English is what the messages are written in: it has no catalogue.
    found = gettext.translation(_DOMAIN, str(_FOLDER), [language], fallback=True)
    _Current.language, _Current.catalogue = language, found


def language() -> str:
    """The language spoken now."""
    return _Current.language


def _(message: str) -> str:
    """`message` in the current language."""
    return _Current.catalogue.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """`one` or `many` in the current language, by `count`."""
    return _Current.catalogue.ngettext(one, many, count)


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for "translate later"
    """Marks `message` for extraction; it is looked up when shown."""
    return message


def system_language() -> str:
    """The shipped language nearest to what the system asks for; English otherwise."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable, ""):
            code = locale.normalize(value).split("_")[0].split(".")[0].lower()
            return code if code in LANGUAGES else "en"
    return "en"
