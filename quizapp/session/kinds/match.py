"""Pairs: what each item's partner would make its run measure, beside what the run measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from quizapp.bank import Choice, Item, MatchQuestion, Partner
from quizapp.bank.kinds.matching import belief
from quizapp.plot.grid import GridRow
from quizapp.report import Report
from quizapp.session.cells import cell, label, mark_of
from quizapp.session.expect import find, in_words, judge_expectation
from quizapp.session.given import Answer
from quizapp.session.kinds.shuffle import shuffled
from quizapp.session.kinds.way import Listed, Say, Way
from quizapp.text.i18n import _, language

if TYPE_CHECKING:
    from quizapp.session.trial import Trial
    from quizapp.study.log import Json

#: What partners are called, in the order shown.
LETTERS: Final = "abcdef"


class MatchWay(Way[MatchQuestion]):
    """The share of the items that have their partner."""

    def _pairs(self, answer: Answer) -> Iterator[tuple[Item, Partner | None]]:
        """Every item, as asked, with the partner it was given."""
        partners = {partner.id: partner for partner in self.question.partners}
        given = (*answer.filled, *[""] * len(self.question.items))
        return (
            (i, partners.get(name)) for i, name in zip(self.question.items, given, strict=False)
        )

    def share(self, answer: Answer, run: Report | None) -> float | None:
        return len(self.kept(answer, run)) / len(self.question.items)

    def wrong(self, answer: Answer) -> Sequence[Choice]:
        return [belief(item, got) for item, got in self._pairs(answer) if not _right(item, got)]

    def held(self, answer: Answer) -> Sequence[Choice]:
        return [belief(item, got) for item, got in self._pairs(answer) if _right(item, got)]

    def kept(self, answer: Answer, run: Report | None) -> frozenset[str]:  # noqa: ARG002
        return frozenset(item.id for item, got in self._pairs(answer) if _right(item, got))

    def given(self, answer: Answer) -> Sequence[str]:
        return [item.id for item, got in self._pairs(answer) if got is not None]

    def logged(self, answer: Answer) -> dict[str, Json]:
        pairs = self._pairs(answer)
        return {"pairs": {item.id: None if got is None else got.id for item, got in pairs}}

    # --- words -----------------------------------------------------------------------

    def cards(self) -> Sequence[Listed]:
        said = language()
        return [Listed(item.id, item.text.shown(said)) for item in self.question.items]

    def partners(self) -> Sequence[Listed]:
        """The partners in an order that tells nothing: the first is called a."""
        said = language()
        order = shuffled(self.question.id, self.question.partners)
        return [Listed(partner.id, partner.text.shown(said)) for partner in order]

    def _letter(self, name: str) -> str:
        order = [partner.id for partner in shuffled(self.question.id, self.question.partners)]
        return LETTERS[order.index(name)] if name in order else "–"

    def verdict_list(self) -> Sequence[Listed]:
        texts = {partner.id: partner.text.shown(language()) for partner in self.question.partners}
        return [
            Listed(item.id, f"{item.text.shown(language())} → {texts.get(item.partner, '–')}")
            for item in self.question.items
        ]

    def headline(self, answer: Answer, run: Report | None) -> str:
        kept = len(self.kept(answer, run))
        return _("{count} of {total} pairs").format(count=kept, total=len(self.question.items))

    def told(self, answer: Answer, run: Report | None, say: Say) -> Sequence[str]:  # noqa: ARG002
        words = _("{item}: you said {mine}, right is {right}. {why}")
        return [
            words.format(
                item=_name(item),
                mine="–" if got is None else self._letter(got.id),
                right=self._letter(item.partner),
                why=say(item.feedback, belief(item, got)),
            )
            for item, got in self._pairs(answer)
            if not _right(item, got)
        ]

    def headings(self, trial: Trial) -> tuple[str, ...]:  # noqa: ARG002
        return (_("you expected"), _("measured"))

    def rows(self, trial: Trial) -> Iterator[GridRow]:
        decided = False
        for item, got in self._pairs(trial.answer):
            right = _right(item, got)
            deciding, decided = not right and not decided, decided or not right
            yield self._row(item, got, trial, deciding=deciding)

    def _row(self, item: Item, got: Partner | None, trial: Trial, *, deciding: bool) -> GridRow:
        """What the partner would make the item's run measure: first what is refuted."""
        right, mark = _right(item, got), mark_of(_right(item, got))
        report = trial.report_for(belief(item, got))
        if got is None:
            return GridRow(_name(item), ("–", ""), mark, deciding)
        every = [judge_expectation(expectation, report) for expectation in got.expects]
        judged = next((one for one in every if one.held is False and not right), every[0])
        path = judged.expectation.metric
        found = find(report, path)
        metric = label([] if report is None else [report], path)
        expected = in_words(judged, "" if found is None else found[0].unit)
        cells = (f"{self._letter(got.id)}: {expected}", cell(report, path))
        words = _("{item}: {metric}").format(item=_name(item), metric=metric)
        return GridRow(words, cells, mark, deciding)


def _right(item: Item, got: Partner | None) -> bool:
    return got is not None and got.id == item.partner


def _name(item: Item) -> str:
    return (item.label or item.text).shown(language())
