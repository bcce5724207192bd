"""What a question puts before the learner: its words, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from quizapp.bank import (
    BlankQuestion,
    ClaimQuestion,
    MatchQuestion,
    MultiQuestion,
    NumericQuestion,
    OpenQuestion,
    PredictQuestion,
    Question,
    SingleQuestion,
)
from quizapp.session.answers import FAILS, HOLDS
from quizapp.session.kinds import BlankWay, Listed, MatchWay, way
from quizapp.text.i18n import _, language, ngettext


def asked(question: Question, filled: Sequence[str] = (), at: int | None = None) -> str:
    """The prompt, and below it the claim, or the sentence with what fills its blanks so far.

    at: which blank is being filled. In the current language.
    """
    prompt = question.prompt.shown(language())
    if isinstance(question, BlankQuestion):
        return f"{prompt}\n\n{BlankWay(question).sentence(filled, at)}"
    if not isinstance(question, ClaimQuestion):
        return prompt
    claim = _("CLAIM: “{words}”").format(words=question.claim.shown(language()))
    return f"{prompt}\n\n{claim}"


def listed(question: Question) -> tuple[Listed, ...]:
    """The choices, the two sides of a claim, what an open answer should have had, the steps
    or the items to be paired in an order that tells nothing.
    """
    said = language()
    if isinstance(question, SingleQuestion | MultiQuestion):
        return tuple(Listed(choice.id, choice.text.shown(said)) for choice in question.choices)
    if isinstance(question, OpenQuestion):
        return tuple(Listed(point.id, point.text.shown(said)) for point in question.rubric)
    if isinstance(question, ClaimQuestion):
        return (Listed(HOLDS, _("It holds")), Listed(FAILS, _("It does not hold")))
    parts = way(question)
    return () if parts is None else tuple(parts.cards())


def partners(question: Question) -> tuple[Listed, ...]:
    """What the listed items are paired with: the first is called a."""
    return tuple(MatchWay(question).partners()) if isinstance(question, MatchQuestion) else ()


def blank_options(question: Question) -> tuple[tuple[Listed, ...], ...]:
    """For each blank what it may be chosen from; nothing where it is typed."""
    if not isinstance(question, BlankQuestion):
        return ()
    way = BlankWay(question)
    return tuple(tuple(way.options(index)) for index in range(len(question.blanks)))


def to_be_marked(question: Question) -> tuple[Listed, ...]:
    """What the verdict marks as had or not: the same list, or the parts in a right order."""
    parts = way(question)
    return listed(question) if parts is None else tuple(parts.verdict_list())


def placeholder(question: Question) -> str:
    """What an empty field asks for: "a number, GiB, at least 2 digits", "the shape, as (2, 3)"."""
    if question.kind == "shape":
        return _("the shape, as (2, 3)")
    return _("a number") + asked_for(question)


def asked_for(question: Question) -> str:
    """What follows "a number": ", GiB, at least 2 digits"; empty where nothing is asked for."""
    named = unit(question)
    words = _(", ") + named if named else ""
    digits = question.answer.digits if isinstance(question, NumericQuestion) else None
    if digits is not None:
        many = ngettext("at least {n} digit", "at least {n} digits", digits)
        words += _(", ") + many.format(n=digits)
    return words


def unit(question: Question) -> str:
    """The unit of the number to type; empty where there is none."""
    return question.answer.unit if isinstance(question, NumericQuestion | PredictQuestion) else ""
