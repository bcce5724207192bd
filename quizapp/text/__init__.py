"""Text as plain data: languages, placeholders, numbers for people, and cleaning.

Nothing here knows about a terminal, a bank or a lab.
"""

from quizapp.text.localized import LANGUAGES, Text
from quizapp.text.plain import clean

__all__ = ["LANGUAGES", "Text", "clean"]
