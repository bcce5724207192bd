"""The question: read it, say it, answer it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, TextArea

from quizapp.text.i18n import _, language
from quizapp.tui.keys import binding
from quizapp.tui.screens import question_keys
from quizapp.tui.screens.page import Page
from quizapp.tui.screens.question_lists import blank_options, options, partners, show_field
from quizapp.tui.widgets.blanks import Blanks
from quizapp.tui.widgets.choices import Choices
from quizapp.tui.widgets.pairs import Pairs
from quizapp.tui.widgets.plain import PlainText, Prose
from quizapp.tui.widgets.typing_area import TypingArea

if TYPE_CHECKING:
    from quizapp.session.answers import Answer, Confidence
    from quizapp.session.library import Entry
    from quizapp.session.sitting import Sitting

#: Kinds answered by picking from a list, and in a single field.
PICKED = ("single", "multi", "claim", "order", "match")
TYPED = ("numeric", "predict", "shape")

SURE: tuple[Confidence | None, ...] = (None, "guess", "fairly", "certain")


class QuestionScreen(Page):
    """One question of any kind; used again for the next one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("confirm"),
        binding("hand_in"),
        binding("aloud"),
        binding("hint"),
        binding("confidence"),
        binding("more"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.entry: Entry | None = None
        self.sitting: Sitting | None = None
        self.hints_shown = 0
        self.confidence: Confidence | None = None
        self.aloud = False
        self.rubric = False
        self._began = 0.0

    def body(self) -> ComposeResult:
        yield Prose(id="prompt")
        yield Prose(id="hints")
        yield Pairs(id="choices")
        yield TypingArea(id="typing")
        yield Prose(id="model-answer")
        yield PlainText(id="refusal")
        yield PlainText(id="sure")

    # --- showing -------------------------------------------------------------------

    async def ask(self, entry: Entry, sitting: Sitting) -> None:
        """Show `entry`, with nothing chosen, no hint shown and the clock at zero."""
        self.entry, self.sitting = entry, sitting
        self.hints_shown, self.confidence, self.aloud, self.rubric = 0, None, False, False
        self._began = time.monotonic()
        question = entry.question
        self.query_one("#refusal", PlainText).update("")
        choices = self.query_one(Pairs)
        if question.kind == "match":
            choices.pair_up(options(self.entry), partners(self.entry))
        else:
            choices.set_options(
                options(self.entry),
                multi=question.kind == "multi",
                ordered=question.kind == "order",
            )
        await show_field(self.query_one(TypingArea), entry, self.quiz.session)
        self.words()
        self.query_one("#body").scroll_home(animate=False)
        self._focus()

    def words(self) -> None:
        super().words()
        if self.entry is None or self.sitting is None:
            self.query_one("#prompt", Prose).update(_("Opening your study log …"))
            return
        from quizapp.session.asking import asked

        question, said = self.entry.question, language()
        self.top.place = self.quiz.flow.place()
        visit = _("first visit") + ", " if self.sitting.first_visit else ""
        self.top.middle = visit + _("{n} min").format(n=self.sitting.minutes)
        filled, at = self._filled()
        self.query_one("#prompt", Prose).update(asked(question, filled, at))
        hints = [hint.shown(said) for hint in question.hints[: self.hints_shown]]
        shown = self.query_one("#hints", Prose)
        shown.display = bool(hints)
        shown.update("\n\n".join(_("Hint: {hint}").format(hint=hint) for hint in hints))
        choices = self.query_one(Pairs)
        choices.reword(options(self.entry))
        choices.reword_partners(partners(self.entry))
        choices.language = said
        choices.display = not self.aloud and (question.kind in PICKED or self.rubric)
        self._typing_words()
        self.query_one("#sure", PlainText).update(self._sure())
        self.show_keys()

    def _typing_words(self) -> None:
        from quizapp.session.asking import placeholder

        assert self.entry is not None
        question, said = self.entry.question, language()
        model = self.query_one("#model-answer", Prose)
        model.display = self.rubric
        if question.kind == "open" and self.rubric:
            tick = _("Tick what your answer had.")
            model.update(f"{question.model_answer.shown(said)}\n\n{tick}")
        self.query_one(TypingArea).hint(placeholder(question))
        if question.kind == "blank":
            self.query_one(Blanks).reword(blank_options(self.entry))

    def _filled(self) -> tuple[tuple[str, ...], int | None]:
        """What stands in the blanks, and which of them is being filled."""
        found = self.query(Blanks)
        kind = None if self.entry is None else self.entry.question.kind
        return (found.first().filled, found.first().at) if kind == "blank" and found else ((), None)

    def _sure(self) -> str:
        if self.aloud:
            return _("Say your answer aloud, as to an interviewer. Space shows the options.")
        if self.rubric or self.entry is None or self.entry.question.kind == "open":
            return ""
        return question_keys.sure_line(self.confidence)

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys that work now: in a text field every printable key types."""
        if self.entry is None:
            return ("back", "quit")
        return question_keys.hints(self.entry.question.kind, rubric=self.rubric)

    @property
    def typing(self) -> bool:  # type: ignore[override]
        """Whether the question is answered in a text field."""
        kind = None if self.entry is None else self.entry.question.kind
        return kind in (*TYPED, "blank") or (kind == "open" and not self.rubric)

    def key_label(self, name: str) -> str:
        kind = "" if self.entry is None else self.entry.question.kind
        return question_keys.word(kind, name, rubric=self.rubric) or super().key_label(name)

    def _focus(self) -> None:
        assert self.entry is not None
        if self.typing:
            self.query_one(TypingArea).focus_field()
        else:
            self.query_one(Pairs).focus()

    # --- answering -----------------------------------------------------------------

    def action_hint(self) -> None:
        """One more hint, if there is one."""
        if self.entry is None:
            return
        if self.hints_shown < len(self.entry.question.hints):
            self.hints_shown += 1
            self.words()
        else:
            self.quiz.tell(_("There are no more hints."))

    def action_aloud(self) -> None:
        """Hide the options while the learner says the answer; again shows them."""
        if self.entry is not None and self.entry.question.kind in PICKED:
            self.aloud = not self.aloud
            self.words()
            self._focus()

    def action_confidence(self) -> None:
        """Step through guess, fairly, certain and nothing."""
        self.confidence = SURE[(SURE.index(self.confidence) + 1) % len(SURE)]
        self.words()

    @on(Choices.Confirmed)
    def _chosen(self, event: Choices.Confirmed) -> None:
        from quizapp.session.answers import Answer

        if self.aloud:
            self.action_aloud()
            return
        assert self.entry is not None
        if self.entry.question.kind == "match":
            self._hand_in(Answer(filled=event.chosen))
            return
        written = self.query_one(TypingArea).written if self.rubric else ""
        self._hand_in(Answer(chosen=event.chosen, text=written))

    @on(Choices.Changed)
    def _changed(self) -> None:
        self._refuse("")

    @on(Pairs.Unfinished)
    def _unfinished(self) -> None:
        self._refuse(_("Give each of them a letter first."))

    @on(Blanks.Moved)
    def _moved(self) -> None:
        self._refuse("")
        self.words()

    @on(Blanks.Refused)
    def _refused(self, event: Blanks.Refused) -> None:
        self._refuse(_(event.why))

    @on(Blanks.Filled)
    def _blanks_filled(self, event: Blanks.Filled) -> None:
        from quizapp.session.answers import Answer

        self._hand_in(Answer(filled=event.filled))

    def _refuse(self, why: str) -> None:
        self.query_one("#refusal", PlainText).update(why)

    @on(Input.Submitted, "#number")
    def _number(self, event: Input.Submitted) -> None:
        from quizapp.errors import UsageError
        from quizapp.session.reading import typed

        assert self.entry is not None
        try:
            answer = typed(self.entry.question, event.value)
        except UsageError as refused:
            self._refuse(_(refused.what))
            return
        self._hand_in(answer)

    @on(TextArea.Changed, "#essay")
    def _keep_draft(self, event: TextArea.Changed) -> None:
        if self.entry is not None and self.quiz.session is not None:
            self.quiz.keep_draft(self.entry, event.text_area.text)

    async def keep_draft_now(self) -> None:
        """Keep what is being written before the program ends."""
        session, entry = self.quiz.session, self.entry
        if session is None or entry is None or entry.question.kind != "open" or self.rubric:
            return
        if self.query("#essay"):
            await session.keep_draft(entry, self.query_one(TypingArea).written)

    def action_confirm(self) -> None:
        """Enter outside a field, or ^s in one: hand in what is there."""
        if self.entry is None:
            return
        kind = self.entry.question.kind
        if kind == "open" and not self.rubric:
            self.rubric = True
            self.query_one(TypingArea).hide()
            self.query_one(Pairs).set_options(options(self.entry), multi=True)
            self.words()
            self._focus()
        elif kind in TYPED:
            self.query_one(TypingArea).confirm()
        elif kind == "blank":
            self.query_one(Blanks).confirm()
        else:
            self.query_one(Pairs).action_confirm()

    def _hand_in(self, answer: Answer) -> None:
        assert self.entry is not None
        session = self.quiz.session
        assert session is not None
        trial = session.answer(
            self.entry,
            answer,
            confidence=self.confidence,
            hints=self.hints_shown,
            seconds=time.monotonic() - self._began,
        )
        self.quiz.flow.show_verdict(self.entry, trial)

    def action_more(self) -> None:
        """Another question instead of this one."""
        self.quiz.flow.one_more()

    def action_back(self) -> None:
        self.quiz.flow.go_home()
