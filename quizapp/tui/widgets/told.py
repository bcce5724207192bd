"""The words of the verdict: feedback, explanation, what to say, and what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical

from quizapp.text.i18n import _
from quizapp.tui.widgets.choices import Choices, Option
from quizapp.tui.widgets.plain import Prose

if TYPE_CHECKING:
    from quizapp.session.evidence import Evidence
    from quizapp.session.trial import Trial


class Told(Vertical):
    """Everything on the verdict that is neither a number nor a plot."""

    def compose(self) -> ComposeResult:
        yield Prose(id="feedback")
        yield Prose(id="explanation")
        yield Prose(id="say")
        yield Prose(id="asked")
        options = Choices(id="options")
        options.can_focus = False  # they are for reading: the keys belong to the screen
        yield options

    def ask(self, trial: Trial) -> None:
        """Take the options of a new question."""
        kind = trial.question.kind
        self.query_one(Choices).set_options(
            _options(trial), multi=kind in ("multi", "open"), ordered=kind == "order"
        )

    def show(self, shown: Evidence, trial: Trial, *, whole: bool) -> None:
        """Show the words of `shown`; whole: with the explanation."""
        from quizapp.session.asking import asked

        texts = (shown.feedback or shown.summary, shown.argued, shown.interval)
        self.query_one("#feedback", Prose).update("\n\n".join(text for text in texts if text))
        explanation = self.query_one("#explanation", Prose)
        explanation.display = whole
        explanation.update(shown.explanation)
        self.query_one("#say", Prose).update(_("SAY: “{words}”").format(words=shown.say))
        self.query_one("#asked", Prose).update(asked(trial.question))
        options = self.query_one(Choices)
        options.reword(_options(trial))
        # Which side of a claim is right is known only once its run has ended.
        options.show_verdict(trial.given_ids(), trial.right_ids())


def _options(trial: Trial) -> list[Option]:
    """The options as they were asked, to be marked: nobody remembers what "1" was."""
    from quizapp.session.asking import to_be_marked

    return [Option(one.id, one.words) for one in to_be_marked(trial.question)]
