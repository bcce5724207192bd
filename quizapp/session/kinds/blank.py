"""Blanks filled in: each beside what its run measures, and which of them was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from quizapp.bank import Blank, BlankQuestion, Choice, Expectation, NearMiss
from quizapp.bank.kinds.filling import PLACE, spellings
from quizapp.plot.grid import GridRow
from quizapp.report import Report
from quizapp.session.cells import cell, mark_of
from quizapp.session.expect import in_words, judge_expectation
from quizapp.session.given import Answer, near_miss, taken, tolerance, wanted_number
from quizapp.session.kinds.shuffle import shuffled
from quizapp.session.kinds.way import Listed, Say, Way
from quizapp.text.entry import NumberRefused
from quizapp.text.i18n import _, language
from quizapp.text.numbers import ends, quantity
from quizapp.text.typed import folded
from quizapp.text.units import parse_quantity

if TYPE_CHECKING:
    from quizapp.session.trial import Trial
    from quizapp.study.log import Json


def meant(blank: Blank, given: str) -> Choice | None:
    """The option that was chosen, or that what was typed is recognised as; else None."""
    if blank.choices:
        return next((choice for choice in blank.choices if choice.id == given), None)
    form = folded(given)
    return next((one for one in blank.written if form in spellings(one)), None)


def number(blank: Blank, given: str) -> float | None:
    """What was typed, as a number in the blank's unit; None where it is none."""
    try:
        return parse_quantity(given, "" if blank.answer is None else blank.answer.unit)
    except NumberRefused:
        return None


class BlankWay(Way[BlankQuestion]):
    """The share of the blanks that are right."""

    @property
    def by_run(self) -> bool:
        return any(b.answer is not None and b.answer.value is None for b in self.question.blanks)

    def _filled(self, answer: Answer) -> Iterator[tuple[Blank, str]]:
        """Every blank with what was given for it."""
        given = (*answer.filled, *[""] * len(self.question.blanks))
        return zip(self.question.blanks, given, strict=False)

    def _right(self, blank: Blank, given: str, run: Report | None) -> bool | None:
        """Whether it is right; None before the run has decided."""
        if blank.answer is None:
            choice = meant(blank, given)
            return choice is not None and choice.correct
        typed = number(blank, given)
        return False if typed is None else taken(blank.answer, typed, run)

    def _near(self, blank: Blank, given: str, run: Report | None) -> NearMiss | None:
        """The known slip that leads to the number given, where there is one."""
        if blank.answer is None:
            return None
        return near_miss(blank.answer, number(blank, given), run)

    def share(self, answer: Answer, run: Report | None) -> float | None:
        counts = 0.0
        for blank, given in self._filled(answer):
            right = self._right(blank, given, run)
            if right is None:
                return None
            near = None if right else self._near(blank, given, run)
            counts += 1.0 if right else (near and near.credit) or 0.0
        return counts / len(self.question.blanks)

    def _meant(self, answer: Answer, *, right: bool) -> list[Choice]:
        found = (meant(blank, given) for blank, given in self._filled(answer))
        return [one for one in found if one is not None and one.correct == right]

    def wrong(self, answer: Answer) -> Sequence[Choice]:
        return self._meant(answer, right=False)

    def held(self, answer: Answer) -> Sequence[Choice]:
        # What is not recognised is held against what would have been right.
        return [
            right
            for blank, given in self._filled(answer)
            if (choice := meant(blank, given)) is None or choice.correct
            if (right := choice or _right_option(blank)) is not None
        ]

    def kept(self, answer: Answer, run: Report | None) -> frozenset[str]:
        return frozenset(b.id for b, given in self._filled(answer) if self._right(b, given, run))

    def given(self, answer: Answer) -> Sequence[str]:
        return [blank.id for blank, given in self._filled(answer) if given]

    def metrics(self) -> Sequence[str]:
        answers = [blank.answer for blank in self.question.blanks if blank.answer is not None]
        named = [near.metric for one in answers for near in one.near_misses]
        return [name for name in (*(one.metric for one in answers), *named) if name is not None]

    def logged(self, answer: Answer) -> dict[str, Json]:
        return {"filled": {blank.id: given for blank, given in self._filled(answer)}}

    # --- words -----------------------------------------------------------------------

    def options(self, index: int) -> Sequence[Listed]:
        """What a blank may be chosen from, in no order that tells; empty where it is typed."""
        chosen = shuffled(self.question.id, self.question.blanks[index].choices)
        return [Listed(choice.id, choice.text.shown(language())) for choice in chosen]

    def sentence(self, filled: Sequence[str], at: int | None = None) -> str:
        """The sentence with what has been filled in; `at`: the blank being filled."""
        names = [blank.id for blank in self.question.blanks]

        def place(name: str) -> str:
            index = names.index(name)
            given = filled[index] if index < len(filled) else ""
            shown = self.shown(index, given) if given else "____"
            return f"[{index + 1}{'>' if index == at else ':'} {shown}]"

        return self._with_places(place)

    def _with_places(self, place: Callable[[str], str]) -> str:
        known = {blank.id for blank in self.question.blanks}
        wording = self.question.sentence.shown(language())
        # A place without a blank, which `check` reports, stays as it is written.
        return PLACE.sub(lambda found: place(found[1]) if found[1] in known else found[0], wording)

    def shown(self, index: int, given: str) -> str:
        """What was given, as it reads in the sentence."""
        blank = self.question.blanks[index]
        chosen = meant(blank, given) if blank.choices else None
        return given.strip() if chosen is None else chosen.text.shown(language())

    def verdict_list(self) -> Sequence[Listed]:
        return [
            Listed(blank.id, self._wanted(blank) or blank.label.shown(language()))
            for blank in self.question.blanks
        ]

    def _wanted(self, blank: Blank, run: Report | None = None) -> str:
        """What is right, in words; empty before the run has decided."""
        right = _right_option(blank)
        if right is not None:
            return right.text.shown(language())
        assert blank.answer is not None
        wanted = wanted_number(blank.answer, run)
        return "" if wanted is None else quantity(wanted, blank.answer.unit)

    def headline(self, answer: Answer, run: Report | None) -> str:
        kept = len(self.kept(answer, run))
        return _("{count} of {total} blanks").format(count=kept, total=len(self.question.blanks))

    def told(self, answer: Answer, run: Report | None, say: Say) -> Sequence[str]:
        told = []
        for index, (blank, given) in enumerate(self._filled(answer)):
            if self._right(blank, given, run) is not False:
                continue
            words = _("Blank {number}: you gave “{given}”, right is “{right}”.").format(
                number=index + 1,
                given=self.shown(index, given),
                right=self._wanted(blank, run) or "…",
            )
            choice, near = meant(blank, given), self._near(blank, given, run)
            feedback = None if near is None else near.feedback
            if choice is not None:
                feedback = choice.feedback
            why = self._interval(blank, run) if feedback is None else say(feedback, choice)
            told.append(_("{what} {why}").format(what=words, why=why).rstrip())
        return told or [say(self.question.feedback, None)]

    def _interval(self, blank: Blank, run: Report | None) -> str:
        """Which numbers would have been taken; empty for what is no number."""
        wanted = None if blank.answer is None else wanted_number(blank.answer, run)
        if blank.answer is None or wanted is None:
            return ""
        around = tolerance(blank.answer, wanted)
        low, high = ends(wanted - around, wanted + around, blank.answer.unit)
        return _("Taken as right: {low} to {high}.").format(low=low, high=high)

    def headings(self, trial: Trial) -> tuple[str, ...]:  # noqa: ARG002
        return (_("you expected"), _("measured"))

    def rows(self, trial: Trial) -> Iterator[GridRow]:
        run, decided = trial.deciding_run, False
        for index, (blank, given) in enumerate(self._filled(trial.answer)):
            right = self._right(blank, given, run)
            deciding, decided = right is False and not decided, decided or right is False
            label = f"{index + 1}  {blank.label.shown(language())}"
            shown = self.shown(index, given) or "–"
            yield GridRow(label, self._cells(blank, given, shown, trial), mark_of(right), deciding)

    def _cells(self, blank: Blank, given: str, shown: str, trial: Trial) -> tuple[str, str]:
        """What was given with what it would measure, and what is measured."""
        if blank.answer is not None:
            metric = blank.answer.metric
            run = trial.reports.get(trial.main)
            return shown, self._wanted(blank) if metric is None else cell(run, metric)
        choice = meant(blank, given)
        belief = choice or _right_option(blank)
        if belief is None or not belief.expects:
            return shown, ""
        report, first = trial.report_for(belief), belief.expects[0]
        said = shown  # what is not recognised has no expectation
        if choice is not None:
            expected = _expected(first, report)
            # An option to choose is a long text, and stands below the table.
            said = expected if blank.choices else f"{shown}: {expected}"
        return said, cell(report, first.metric)


def _right_option(blank: Blank) -> Choice | None:
    """The first option that is right; None where a number is asked for."""
    return next((choice for choice in blank.options if choice.correct), None)


def _expected(expectation: Expectation, report: Report | None) -> str:
    metric = None if report is None else report.metrics.get(expectation.metric.partition("[")[0])
    return in_words(judge_expectation(expectation, report), "" if metric is None else metric.unit)
