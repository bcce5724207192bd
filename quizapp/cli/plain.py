"""The same session on standard input and output: for screen readers, pipes and dumb terminals."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from quizapp.cli import plain_answers
from quizapp.errors import INTERRUPTED, OK, TROUBLE, WRONG
from quizapp.plot import Look, draw_grid, wrap
from quizapp.plot.drawings import describe
from quizapp.plot.prose import prose_text
from quizapp.text import clean
from quizapp.text.i18n import _, language

if TYPE_CHECKING:
    from quizapp.session.answers import Confidence
    from quizapp.session.library import Entry
    from quizapp.session.session import Session
    from quizapp.session.sitting import Sitting
    from quizapp.session.trial import Trial

WIDTH = 78
LEVELS: tuple[Confidence, ...] = ("guess", "fairly", "certain")


class Ended(Exception):  # noqa: N818 - the input has ended: not an error
    """Standard input is at its end, or the learner typed q."""


def daily(options: dict[str, Any]) -> int:
    """Today's question in plain text; returns the exit code."""
    try:
        return asyncio.run(_daily(options))
    except KeyboardInterrupt:
        click.echo()
        return INTERRUPTED


async def _daily(options: dict[str, Any]) -> int:
    from quizapp.session.session import open_session

    session = open_session(language=options["lang"])
    front = Plain(session, ascii_only=options["ascii"])
    try:
        # The engine warms while the person reads.
        warming = asyncio.create_task(session.warm())
        code = await front.run()
        await warming
        return code
    finally:
        await session.close()
        if session.unsaved:
            click.echo(_("These answers could not be saved:"), err=True)
            click.echo(session.unsaved, err=True)


class Plain:
    """One sitting, line by line."""

    def __init__(self, session: Session, *, ascii_only: bool = False) -> None:
        self.session = session
        self.look = Look(ascii=ascii_only, depth="none")

    def say(self, text: str = "") -> None:
        """Prose of a bank or of our own, wrapped."""
        for line in prose_text(text, WIDTH, ascii=self.look.ascii):
            click.echo(line)

    async def ask(self, prompt: str) -> str:
        """One line typed; raises Ended at the end of input or on q."""
        click.echo(prompt, nl=False)
        line: str = await asyncio.to_thread(sys.stdin.readline)
        if not line or line.strip().lower() == "q":
            click.echo()
            raise Ended
        return line.rstrip("\n")

    async def run(self) -> int:
        """From the first question to the last card."""
        for problem in (*self.session.trouble, *self.session.library.problems):
            click.echo(problem, err=True)
        sitting = await self.session.sit("daily")
        entry = sitting.start()
        try:
            while entry is not None:
                trial = await self._question(entry, sitting)
                sitting.trials.append(trial)
                await self._verdict(entry, trial)
                entry = await self._onward(sitting, trial)
        except Ended:
            self.say(_("Until next time. Everything answered is saved."))
        else:
            await self._card(sitting)
        if self.session.unsaved:
            return TROUBLE
        return WRONG if any(trial.outcome == "wrong" for trial in sitting.trials) else OK

    async def about(self, reference: str) -> None:
        """One certain question and its verdict. Raises ContentError where it is gone."""
        sitting = self.session.about(reference)
        entry = sitting.start()
        assert entry is not None
        try:
            await self._verdict(entry, await self._question(entry, sitting))
        except Ended:
            return

    # --- one question ----------------------------------------------------------------

    async def _question(self, entry: Entry, sitting: Sitting) -> Trial:
        from quizapp.session.asking import asked

        question, said = entry.question, language()
        title = clean(question.title.shown(said))
        click.echo(f"\n# {title} ({sitting.position}/{sitting.total})\n")
        self.say(asked(question))
        click.echo()
        began, hints = time.monotonic(), 0
        self._options(entry)
        while True:
            typed = await self.ask(self._prompt(entry, hints))
            if typed.strip().lower() in ("h", "hint"):
                if hints < len(question.hints):
                    self.say(question.hints[hints].shown(said))
                    hints += 1
                continue
            words, confidence = _sure(typed)
            answer = await plain_answers.read(self, entry, words)
            if answer is not None:
                seconds = time.monotonic() - began
                return self.session.answer(
                    entry, answer, confidence=confidence, hints=hints, seconds=seconds
                )

    def _options(self, entry: Entry) -> None:
        from quizapp.session.asking import listed, partners

        if entry.question.kind == "open":
            return
        if entry.question.kind == "blank":
            plain_answers.blank_options(self, entry, 0)
        options, beside = listed(entry.question), partners(entry.question)
        for number, option in enumerate(options, 1):
            self.list_one(str(number), option.words)
        if beside:
            click.echo()
        for letter, partner in zip("abcdef", beside, strict=False):
            self.list_one(letter, partner.words)
        if options:
            click.echo()

    def list_one(self, head: str, text: str) -> None:
        """One entry of a list, its number or letter before it."""
        lead = f"  {head}  "
        for index, line in enumerate(wrap(clean(text), WIDTH - len(lead))):
            click.echo((lead if index == 0 else " " * len(lead)) + line)

    def _prompt(self, entry: Entry, hints: int) -> str:
        from quizapp.session.asking import asked_for

        kind = entry.question.kind
        ways = {
            "single": _("Number of your choice"),
            "multi": _("Numbers of all that are right, as 1 3"),
            "claim": _("Number of your choice"),
            "numeric": _("Your number"),
            "predict": _("Your prediction"),
            "match": _("A letter for each number, as 1b 2a"),
            "blank": _("Blank 1"),
            "order": _("Numbers of the steps in order, as 3 1 2"),
            "shape": _("The shape, all axes in order, as (2, 3)"),
            "open": _("Say or write your answer, then Enter"),
        }
        more = _("h hint, q quit") if hints < len(entry.question.hints) else _("q quit")
        return f"{ways[kind]}{asked_for(entry.question)} ({more}): "

    # --- the verdict -----------------------------------------------------------------

    async def _verdict(self, entry: Entry, trial: Trial) -> None:
        from quizapp.session.evidence import evidence

        click.echo(_("Running …"), err=True)
        await self.session.meet(trial, entry)
        await self.session.settle(trial, entry)
        shown, said = evidence(trial), language()
        click.echo(f"\n== {shown.headline}\n")
        for trouble in shown.troubles:
            click.echo(clean(trouble), err=True)
        for line in draw_grid(shown.grid, WIDTH, self.look.ascii):
            click.echo(line)
        for plot in shown.plots:
            click.echo(describe(plot, said))
        for text in (shown.feedback, shown.argued, shown.interval, shown.explanation):
            if text:
                click.echo()
                self.say(text)
        click.echo()
        self.say(_("SAY: “{words}”").format(words=shown.say))

    async def _onward(self, sitting: Sitting, trial: Trial) -> Entry | None:
        coming = sitting.after(trial)
        words = {
            "followup": _("Enter: follow-up"),
            "next": _("Enter: next"),
            "finish": _("Enter: finish"),
        }
        more = _("n one more, q quit")
        typed = await self.ask(f"\n{words[coming.kind]} ({more}): ")
        if typed.strip().lower() == "n":
            return await self.session.one_more(sitting)
        return sitting.advance(trial)

    async def _card(self, sitting: Sitting) -> None:
        card = await self.session.last_card(sitting)
        if card.done:
            click.echo(_("Today's question is answered."))
        for heading, lines in (
            (_("You can now say"), card.can_say),
            (_("Refuted, and coming back"), card.returns),
        ):
            if lines:
                click.echo(f"\n{heading}")
                for line in lines:
                    self.say(f"- {line}")
        if card.tomorrow is not None:
            click.echo("\n" + _("Tomorrow: {title}").format(title=clean(card.tomorrow)))


def _sure(typed: str) -> tuple[str, Confidence | None]:
    """What was typed, and how sure: the last word may be guess, fairly or certain."""
    head, _, last = typed.rstrip().rpartition(" ")
    for level in LEVELS:
        if last.lower() == level and head:
            return head, level
    return typed, None
