"""The question: read it, say it, answer it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input, TextArea

from quizapp.text.i18n import _, language
from quizapp.tui.keys import binding
from quizapp.tui.screens import question_keys
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.choices import Choices, Option
from quizapp.tui.widgets.plain import PlainText, Prose

if TYPE_CHECKING:
    from quizapp.session.answers import Answer, Confidence
    from quizapp.session.library import Entry
    from quizapp.session.sitting import Sitting

#: Kinds answered by picking from a list, and in a single field.
PICKED = ("single", "multi", "claim", "order")
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
        yield Choices(id="choices")
        yield Vertical(id="typing")
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
        self.query_one(Choices).set_options(
            self._options(), multi=question.kind == "multi", ordered=question.kind == "order"
        )
        await self._typing_field(question.kind)
        self.words()
        self.query_one("#body").scroll_home(animate=False)
        self._focus()

    async def _typing_field(self, kind: str) -> None:
        """The field a typed answer goes into: made at its first use, then kept."""
        area = self.query_one("#typing", Vertical)
        area.display = kind in (*TYPED, "open")
        if kind in TYPED and not self.query("#number"):
            await area.mount(Input(id="number"))
        if kind == "open" and not self.query("#essay"):
            await area.mount(TextArea(id="essay", tab_behavior="focus"))
        for field in self.query("#number").results(Input):
            field.display = kind in TYPED
            field.value = ""
        for essay in self.query("#essay").results(TextArea):
            essay.display = kind == "open"
            if kind == "open" and self.entry and self.quiz.session:
                essay.load_text(await self.quiz.session.draft(self.entry))

    def _options(self) -> list[Option]:
        assert self.entry is not None
        from quizapp.session.asking import listed

        return [Option(one.id, one.words) for one in listed(self.entry.question)]

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
        self.query_one("#prompt", Prose).update(asked(question))
        hints = [hint.to(said) for hint in question.hints[: self.hints_shown]]
        shown = self.query_one("#hints", Prose)
        shown.display = bool(hints)
        shown.update("\n\n".join(_("Hint: {hint}").format(hint=hint) for hint in hints))
        choices = self.query_one(Choices)
        choices.reword(self._options())
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
            model.update(f"{question.model_answer.to(said)}\n\n{tick}")
        for field in self.query("#number").results(Input):
            field.placeholder = placeholder(question)

    def _sure(self) -> str:
        if self.aloud:
            return _("Say your answer aloud, as to an interviewer. Space shows the options.")
        if self.rubric or self.entry is None or self.entry.question.kind == "open":
            return ""
        words = {"guess": _("guess"), "fairly": _("fairly"), "certain": _("certain")}
        shown = [f"[{word}]" if name == self.confidence else word for name, word in words.items()]
        return _("Sure?  {levels}   (tab; optional)").format(levels=" / ".join(shown))

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
        return kind in TYPED or (kind == "open" and not self.rubric)

    def key_label(self, name: str) -> str:
        kind = "" if self.entry is None else self.entry.question.kind
        return question_keys.word(kind, name, rubric=self.rubric) or super().key_label(name)

    def _focus(self) -> None:
        assert self.entry is not None
        kind = self.entry.question.kind
        if kind in TYPED:
            self.query_one("#number").focus()
        elif kind == "open" and not self.rubric:
            self.query_one("#essay").focus()
        else:
            self.query_one(Choices).focus()

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
        if self.aloud:
            self.action_aloud()
            return
        from quizapp.session.answers import Answer

        written = "".join(essay.text for essay in self.query("#essay").results(TextArea))
        self._hand_in(Answer(chosen=event.chosen, text=written if self.rubric else ""))

    @on(Input.Submitted, "#number")
    def _number(self, event: Input.Submitted) -> None:
        from quizapp.errors import UsageError
        from quizapp.session.reading import typed

        assert self.entry is not None
        try:
            answer = typed(self.entry.question, event.value)
        except UsageError as refused:
            self.query_one("#refusal", PlainText).update(_(refused.what))
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
        for essay in self.query("#essay").results(TextArea):
            if essay.display:
                await session.keep_draft(entry, essay.text)

    def action_confirm(self) -> None:
        """Enter outside a field, or ^s in one: hand in what is there."""
        if self.entry is None:
            return
        kind = self.entry.question.kind
        if kind == "open" and not self.rubric:
            self.rubric = True
            self.query_one("#typing").display = False
            self.query_one(Choices).set_options(self._options(), multi=True)
            self.words()
            self._focus()
        elif kind in TYPED:
            field = self.query_one("#number", Input)
            field.post_message(Input.Submitted(field, field.value))
        else:
            self.query_one(Choices).action_confirm()

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
