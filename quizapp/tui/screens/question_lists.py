"""What a question lists, as the widgets show it, and the field that it is answered in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from quizapp.tui.widgets.choices import Option
from quizapp.tui.widgets.typing_area import TypingArea

if TYPE_CHECKING:
    from quizapp.session.kinds import Listed
    from quizapp.session.library import Entry
    from quizapp.session.session import Session


def options(entry: Entry) -> list[Option]:
    """What is picked, put in order or paired."""
    from quizapp.session.asking import listed

    return _shown(listed(entry.question))


def partners(entry: Entry) -> list[Option]:
    """What the options are paired with."""
    from quizapp.session.asking import partners as listed

    return _shown(listed(entry.question))


def blank_options(entry: Entry) -> list[list[Option]]:
    """For each blank what it may be chosen from; nothing where it is typed."""
    from quizapp.session.asking import blank_options as listed

    return [_shown(choices) for choices in listed(entry.question)]


def _shown(listed: Iterable[Listed]) -> list[Option]:
    return [Option(one.id, one.words) for one in listed]


async def show_field(area: TypingArea, entry: Entry, session: Session | None) -> None:
    """The field a typed answer goes into, empty, or with the draft of an essay."""
    from quizapp.session.asking import placeholder
    from quizapp.session.reading import TYPED, blank_entry

    question = entry.question
    if question.kind in TYPED:
        await area.field(placeholder(question))
    elif question.kind == "open":
        await area.essay("" if session is None else await session.draft(entry))
    elif question.kind == "blank":
        await area.blanks(blank_options(entry), lambda at, text: blank_entry(question, at, text))
    else:
        area.hide()
