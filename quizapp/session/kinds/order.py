"""Steps put in order: which stand well among themselves, which do not, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from quizapp.bank import Choice, OrderQuestion, Step
from quizapp.bank.kinds.ordering import needed
from quizapp.plot.grid import GridRow
from quizapp.report import Report
from quizapp.session.cells import Mark, cell, label, mark_of
from quizapp.session.expect import judge_expectation
from quizapp.session.given import Answer
from quizapp.session.kinds.shuffle import shuffled
from quizapp.session.kinds.way import Listed, Say, Way
from quizapp.text.i18n import _, language, ngettext

if TYPE_CHECKING:
    from quizapp.session.trial import Trial
    from quizapp.study.log import Json


def in_order(question: OrderQuestion, given: Sequence[str]) -> tuple[str, ...]:
    """The most of the steps `given` that stand in order among themselves, as given.

    The longest subsequence shared with some order the steps allow: one in which no step
    stands before another that it needs. There are at most six steps, so every subset is
    tried, longest first; of equally long ones the first steps given win.
    """
    before = needed(question)
    steps = [name for name in dict.fromkeys(given) if name in before]
    for size in range(len(steps), 0, -1):
        for kept in combinations(steps, size):
            if not any(later in before[early] for early, later in combinations(kept, 2)):
                return kept
    return ()


def one_right_order(question: OrderQuestion) -> tuple[Step, ...]:
    """An order that the steps allow, as near to the listed one as may be."""
    before, left = needed(question), list(question.steps)
    placed: list[Step] = []
    while left:
        done = {step.id for step in placed}
        # A circle, which `check` reports, must not hang a learner: then the listed order.
        ready = next((step for step in left if before[step.id] <= done), left[0])
        placed.append(ready)
        left.remove(ready)
    return tuple(placed)


class OrderWay(Way[OrderQuestion]):
    """A share of the steps, or the whole order and nothing else."""

    def share(self, answer: Answer, run: Report | None) -> float | None:  # noqa: ARG002
        question = self.question
        had = len(in_order(question, answer.chosen)) - len(self.wrong(answer))
        share = max(0, had) / len(question.steps)
        return share if question.scoring == "lcs" else float(share == 1)

    def wrong(self, answer: Answer) -> Sequence[Choice]:
        return [one for one in self.question.distractors if one.id in answer.chosen]

    def kept(self, answer: Answer, run: Report | None) -> frozenset[str]:  # noqa: ARG002
        return frozenset(in_order(self.question, answer.chosen))

    def metrics(self) -> Sequence[str]:
        return [one.metric for step in self.question.steps for one in step.expects]

    def logged(self, answer: Answer) -> dict[str, Json]:
        return {"order": list(answer.chosen)}

    # --- words -----------------------------------------------------------------------

    def cards(self) -> Sequence[Listed]:
        """Steps and distractors as they are asked, in no order that tells."""
        question, said = self.question, language()
        names = len(question.steps)
        every: tuple[Step | Choice, ...] = (*question.steps, *question.distractors)
        cards = shuffled(
            question.id,
            every,
            lambda order: len(in_order(question, [one.id for one in order])) == names,
        )
        return [Listed(one.id, one.text.shown(said)) for one in cards]

    def verdict_list(self) -> Sequence[Listed]:
        said = language()
        steps = [Listed(step.id, step.text.shown(said)) for step in one_right_order(self.question)]
        return steps + [Listed(one.id, one.text.shown(said)) for one in self.question.distractors]

    def headline(self, answer: Answer, run: Report | None) -> str:
        kept, total = len(self.kept(answer, run)), len(self.question.steps)
        extra = len(self.wrong(answer))
        if extra:
            words = ngettext(
                "{count} of {total} steps in order, {extra} does not belong",
                "{count} of {total} steps in order, {extra} do not belong",
                extra,
            )
            return words.format(count=kept, total=total, extra=extra)
        return _("{count} of {total} steps in order").format(count=kept, total=total)

    def told(self, answer: Answer, run: Report | None, say: Say) -> Sequence[str]:
        kept = self.kept(answer, run)
        steps = {step.id: step for step in self.question.steps}
        told = [
            _("{what} {why}").format(
                what=self._misplaced(steps[name], kept, answer),
                why=say(steps[name].feedback, None),
            )
            for name in dict.fromkeys(answer.chosen)
            if name in steps and name not in kept
        ]
        foreign = _("“{step}” does not belong. {why}")
        told += [
            foreign.format(step=one.text.shown(language()), why=say(one.feedback, one))
            for one in self.wrong(answer)
        ]
        missing = _("Left out: “{step}”. {why}")
        told += [
            missing.format(step=step.text.shown(language()), why=say(step.feedback, None))
            for step in one_right_order(self.question)
            if step.id not in answer.chosen
        ]
        return told

    def _misplaced(self, step: Step, kept: frozenset[str], answer: Answer) -> str:
        """Which step it stands before and should follow, or the other way round.

        The nearest of those it needs is the most telling; a step that is not kept conflicts
        with one that is, or more would have been kept.
        """
        before, place, said = needed(self.question), answer.chosen.index, language()
        beside = [one for one in one_right_order(self.question) if one.id in kept]
        early = (
            one
            for one in reversed(beside)
            if one.id in before[step.id] and place(step.id) < place(one.id)
        )
        late = (
            one for one in beside if step.id in before[one.id] and place(one.id) < place(step.id)
        )
        other = next(early, None)
        words = _("“{step}” needs “{other}” before it.")
        if other is None:
            other, words = next(late), _("“{step}” belongs before “{other}”.")
        return words.format(step=step.text.shown(said), other=other.text.shown(said))

    def headings(self, trial: Trial) -> tuple[str, ...]:  # noqa: ARG002
        return (_("your place"), _("measured"))

    def rows(self, trial: Trial) -> Iterator[GridRow]:
        answer, run = trial.answer, trial.deciding_run
        kept, decided = self.kept(answer, run), False
        for number, step in enumerate(one_right_order(self.question), 1):
            path = step.expects[0].metric if step.expects else None
            words = _name(step) if step.label or path is None else label(_reports(run), path)
            right = step.id in kept
            deciding, decided = not right and not decided, decided or not right
            cells = (self._place(step.id, answer), "" if path is None else cell(run, path))
            yield GridRow(f"{number}  {words}", cells, mark_of(right), deciding)
        for wrong in self.wrong(answer):
            yield self._distractor(wrong, trial)

    def _distractor(self, wrong: Choice, trial: Trial) -> GridRow:
        """What somebody who takes this step would measure, and what is measured."""
        report, mark = trial.report_for(wrong), mark_of(False)
        place = self._place(wrong.id, trial.answer)
        if not wrong.expects:
            return GridRow(f"–  {wrong.text.shown(language())}", (place, ""), mark)
        judged = judge_expectation(wrong.expects[0], report)
        found: Mark = mark_of(judged.held)
        words = label(_reports(report), wrong.expects[0].metric)
        return GridRow(f"–  {words}", (place, cell(report, wrong.expects[0].metric)), found or mark)

    def _place(self, name: str, answer: Answer) -> str:
        return str(answer.chosen.index(name) + 1) if name in answer.chosen else "–"


def _reports(report: Report | None) -> list[Report]:
    return [] if report is None else [report]


def _name(step: Step) -> str:
    return (step.label or step.text).shown(language())
