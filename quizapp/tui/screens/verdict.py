"""The verdict: what was expected beside what is measured, and the run to play with."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from quizapp.plot.grid import Grid
from quizapp.text.i18n import _, language
from quizapp.tui.keys import binding
from quizapp.tui.screens.page import Page
from quizapp.tui.widgets.numbers import NumbersTable
from quizapp.tui.widgets.plain import PlainText
from quizapp.tui.widgets.plot_area import PlotArea
from quizapp.tui.widgets.told import Told

if TYPE_CHECKING:
    from quizapp.session.evidence import Evidence
    from quizapp.session.library import Entry
    from quizapp.session.playing import Playing
    from quizapp.session.sitting import Sitting
    from quizapp.session.trial import Trial


class VerdictScreen(Page):
    """One answered question; used again for the next one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding("go_on"),
        binding("up"),
        binding("down"),
        binding("parameter"),
        binding("reseed"),
        binding("rerun"),
        binding("cancel"),
        binding("device"),
        binding("why"),
        binding("copy"),
        binding("in_lab"),
        binding("easy"),
        binding("undo"),
        binding("more"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.entry: Entry | None = None
        self.trial: Trial | None = None
        self.sitting: Sitting | None = None
        self.playing: Playing | None = None
        self.why = False
        self.cancelled = False
        self._arrived = asyncio.Event()

    def body(self) -> ComposeResult:
        with Vertical(id="verdict"):
            with Vertical(id="measured"):
                yield PlainText(id="draws")
                yield NumbersTable(Grid((), ()), id="numbers")
                yield PlotArea(id="plots")
                yield PlainText(id="trouble")
            yield Told(id="told")

    # --- showing -------------------------------------------------------------------

    def start(self, entry: Entry, trial: Trial, sitting: Sitting) -> asyncio.Event:
        """Start the runs that meet `trial`; `show` then puts them on the screen.

        The event is set when the first numbers are there.
        """
        from quizapp.session.playing import Playing

        assert self.quiz.session is not None
        self.entry, self.trial, self.sitting = entry, trial, sitting
        self.playing = Playing(trial, self.quiz.session.parameters(trial))
        self.why = False
        self._arrived = asyncio.Event()
        self._run(None)
        return self._arrived

    def show(self) -> None:
        """Show the verdict that was started."""
        assert self.trial is not None
        self.query_one(Told).ask(self.trial)
        self.words()
        self.query_one("#body").scroll_home(animate=False)

    def _run(self, overrides: dict[str, object] | None) -> None:
        """Meet the answer again, with other parameters, in place of what still runs."""
        assert self.quiz.session is not None
        assert self.trial is not None
        assert self.entry is not None
        self.cancelled = False
        meet = self.quiz.session.meet
        self.quiz.work("meet", meet, self.trial, self.entry, self._updated, overrides)

    def _updated(self) -> None:
        self._arrived.set()
        if self.is_current:
            self.call_next(self.words)

    def words(self) -> None:
        super().words()
        if self.trial is None or self.sitting is None:
            return
        from quizapp.session.evidence import evidence

        shown = evidence(self.trial)
        self.top.place = self.quiz.flow.place()
        self.top.middle = shown.headline
        self.top.right = f"{language()}  {self._lab_word(shown)}{self._saved_mark()}"
        numbers = self.query_one(NumbersTable)
        numbers.update(shown.grid)
        numbers.language, numbers.dimmed = language(), self.trial.pending is not None
        # Side by side needs the room: on a narrow screen the learner's own run is the one.
        plots = shown.plots if self.has_class("-wide") else shown.plots[:1]
        self.query_one(PlotArea).show(plots, language(), dimmed=numbers.dimmed)
        self._tell(shown)
        self.show_keys()
        self.call_after_refresh(self._fit_plots)

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit_plots)

    def _fit_plots(self) -> None:
        """Plots take the rows that numbers and words leave, so that all of it is in sight."""
        wide = self.has_class("-wide")
        names = ["draws", "numbers", "trouble", *([] if wide else ["feedback", "say"])]
        shown = [part for name in names if (part := self.query_one(f"#{name}")).display]
        room = self.query_one("#body").size.height - sum(part.outer_size.height for part in shown)
        blanks = sum(part.id not in ("draws", "say") for part in shown)
        tight = self.query_one(PlotArea).fit(room, wide=wide, blanks=blanks)
        self.query_one("#verdict").set_class(tight, "-tight")

    def _lab_word(self, shown: Evidence) -> str:
        """Device and milliseconds of the run on show, or how far it has come."""
        if shown.progress is not None and not self.cancelled:
            return _("running {share:.0%}").format(share=shown.progress)
        made = shown.provenance
        if made is None:
            return self.quiz.lab_word
        return f"{made.device} {1000 * made.seconds:.0f} ms"

    def _saved_mark(self) -> str:
        """A tick once the answer is in the study log: from here on nothing can lose it."""
        if self.trial is None or not self.trial.saved:
            return ""
        return "  ok" if self.quiz.ascii_glyphs else "  ✓"

    def _tell(self, shown: Evidence) -> None:
        assert self.trial is not None
        whole = self.why or self.has_class("-wide")
        self.query_one(Told).show(shown, self.trial, whole=whole)
        assert self.playing is not None
        self.query_one("#draws", PlainText).update(self.playing.line())
        problems = list(shown.troubles)
        if self.cancelled and self.trial.pending is None and not self.trial.complete:
            problems.append(_("Cancelled; r runs it again."))
        trouble = self.query_one("#trouble", PlainText)
        trouble.display = bool(problems)
        trouble.update("\n".join(problems))

    @property
    def _waiting(self) -> bool:
        waits = self.trial is not None and (
            not self.trial.complete or self.trial.pending is not None
        )
        return waits and not self.cancelled

    @property
    def hints(self) -> tuple[str, ...]:  # type: ignore[override]
        """The keys that work now."""
        if self.trial is None:
            return ("back",)
        first = ("go_on", "cancel") if self._waiting else ("go_on",)
        return (*first, "up", "why", "reseed", "more", "copy", "help", "in_lab", "down", "language")

    def key_label(self, name: str) -> str:
        if self.trial is None or self.sitting is None or self.playing is None:
            return super().key_label(name)
        if name == "go_on":
            kinds = {"followup": _("follow-up"), "next": _("next"), "finish": _("finish")}
            return kinds[self.sitting.after(self.trial).kind]
        if name in ("up", "down"):
            return self.playing.neighbour_words(1 if name == "up" else -1)
        return super().key_label(name)

    # --- playing -------------------------------------------------------------------

    def action_step(self, direction: str) -> None:
        """The next value of the parameter that + and - move."""
        self._play(self.playing.step(int(direction)) if self.playing else None)

    def _play(self, overrides: dict[str, object] | None) -> None:
        if overrides is None:
            self.quiz.tell(_("That is the end of its range."))
        elif self.trial is not None and not self.trial.saved and not self.trial.complete:
            self.quiz.tell(_("One moment: the first run decides, and it is not there yet."))
        else:
            self._run(overrides)
            self.words()

    def action_parameter(self) -> None:
        """Let + and - move the next parameter."""
        if self.playing is not None:
            self.playing.next_parameter()
            self.words()

    def action_reseed(self) -> None:
        """The same run with other draws."""
        if self.playing is not None:
            self._play(self.playing.reseed())

    def action_rerun(self) -> None:
        """Back to the question's own run."""
        if self.playing is None or self.trial is None:
            return
        if not self.trial.complete and not self.trial.overrides:
            self._run(None)
        else:
            self._play(self.playing.reset())

    async def action_cancel(self) -> None:
        """Stop what is running; the numbers it has stay."""
        if self.trial is not None and self._waiting and self.quiz.session is not None:
            self.cancelled = True
            await self.quiz.session.stop(self.trial)
            self.words()

    async def action_device(self) -> None:
        """Run on the next device this machine has."""
        if await self.quiz.next_device():
            self._play(dict(self.trial.overrides) if self.trial else None)

    def action_why(self) -> None:
        """Show or hide the whole explanation."""
        self.why = not self.why
        self.words()
        if self.why:
            self.query_one("#explanation").scroll_visible(animate=False)

    def action_copy(self) -> None:
        """One line worth sharing, to the clipboard."""
        if self.trial is not None:
            from quizapp.session.evidence import evidence

            line = evidence(self.trial).share_line
            if line:
                self.quiz.copy_to_clipboard(line)
                self.quiz.tell(line, title=_("Copied"))

    def action_in_lab(self) -> None:
        """The question's run, with the parameters in force, in the lab."""
        if self.trial is not None:
            run = self.trial.main
            self.quiz.flow.open_experiment(run.experiment, dict(run.params))

    async def action_easy(self) -> None:
        """The learner says it was easy."""
        if self.trial is not None:
            await self.quiz.easy(self.trial)

    async def action_undo(self) -> None:
        """Take back the last answer, and say which."""
        await self.quiz.undo()

    # --- leaving -------------------------------------------------------------------

    def action_go_on(self) -> None:
        """The follow-up, the next question, or the last card."""
        if self.trial is not None and self.entry is not None:
            self.quiz.flow.go_on(self.entry, self.trial)

    def action_more(self) -> None:
        """One more question, always."""
        self.quiz.flow.one_more()

    def action_back(self) -> None:
        self.quiz.flow.finish()

    def key_j(self) -> None:
        self.query_one("#body").scroll_down(animate=False)

    def key_k(self) -> None:
        self.query_one("#body").scroll_up(animate=False)

    def key_down(self) -> None:
        self.key_j()

    def key_up(self) -> None:
        self.key_k()
