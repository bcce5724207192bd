"""The learner's way through a day, key by key."""

import sqlite3
from pathlib import Path

import pytest
from driving import Drive, LocalEngine
from textual.widgets import Input, TextArea

from quizapp.text import i18n


def saved(home: Path) -> list[tuple[str, str, str]]:
    """What the study log holds: event, question, verdict."""
    with sqlite3.connect(home / "study.db") as db:
        return list(db.execute("SELECT event, question, verdict FROM review ORDER BY seq"))


async def test_home_tells_what_there_is(drive: Drive) -> None:
    async with drive("home") as d:
        await d.until(lambda: d.app.home.home is not None)
        text = d.screen()
        assert "Welcome." in text
        assert "Today: " in text
        assert "0 questions due" in text
        assert "A small bank: 0 of 5 met" in text


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_wrong_answer_meets_its_computation(
    drive: Drive, size: tuple[int, int], tmp_path: Path
) -> None:
    async with drive("daily", size) as d:
        await d.question()
        text = d.screen()
        assert "How wide? 1/2" in text
        assert "first visit" in text
        assert "> 1  about 1" in text
        assert "no [/] number tells" in text
        await d.press("enter")
        await d.verdict()
        text = d.screen()
        assert "NOT YET: 1, right is 2" in text
        assert "you expected" in text
        assert "about 1" in text
        assert "8.0" in text
        assert "SAY: “It is 8.”" in text
        assert "cpu" in text.splitlines()[0]
    assert saved(tmp_path) == [("answer", "small/spread", "wrong")]


async def test_first_visit_opening_then_today_then_followups_then_card(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("2", "enter")
        await d.verdict()
        assert "RIGHT" in d.screen()
        assert "enter next" in d.screen()  # no follow-ups while the opening lasts
        await d.press("enter")
        await d.until(lambda: d.app.screen is d.app.question)
        today = d.app.flow.sitting.current.reference
        assert today != "small/spread"
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.home)


async def test_the_last_card_tells_what_can_be_said_and_what_returns(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("2", "enter")
        await d.verdict()
        await d.press("n")
        await d.question()
        await d.press("escape", "t")
        await d.question()
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.home)
    async with drive("daily") as d:  # no longer a first visit: today's question alone
        await d.question()
        assert "first visit" not in d.screen()


async def test_escape_from_a_verdict_gives_the_card(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("enter")
        await d.verdict()
        await d.press("escape")
        await d.until(lambda: "Refuted, and coming back" in d.screen())
        assert "How wide?" in d.screen()
        assert "Tomorrow:" in d.screen()
        assert "1 day in a row." in d.screen()


async def test_hints_and_confidence_are_kept_with_the_answer(drive: Drive, tmp_path: Path) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("i")
        assert "Hint: Variances add." in d.screen()
        assert "Then take the root." not in d.screen()
        await d.press("i", "i")
        assert "Hint: Then take the root." in d.screen()
        await d.press("tab", "tab")
        assert "[fairly]" in d.screen()
        await d.press("2", "enter")
        await d.verdict()
    with sqlite3.connect(tmp_path / "study.db") as db:
        row = db.execute("SELECT hints, confidence, rating FROM review").fetchone()
    assert row == (2, "fairly", 2)  # right, but with hints: hard


async def test_say_it_first_hides_the_options(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("space")
        assert "about 8" not in d.screen()
        assert "Say your answer aloud" in d.screen()
        await d.press("enter")  # nothing can be handed in unseen: this shows the options
        assert d.app.screen is d.app.question
        assert "about 8" in d.screen()


async def test_the_language_switches_live_and_is_remembered(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("L")
        assert "有多宽？" in d.screen()
        assert "约 8" in d.screen()
        await d.press("2", "enter")
        await d.verdict()
        assert "d_k 的平方根。" in d.screen()
        await d.press("L")
        assert "The root of d_k." in d.screen()
        await d.press("L")
    assert i18n.language() == "en"  # the fixture's own clean-up
    async with drive("home", language=None) as d:
        await d.until(lambda: d.app.home.home is not None)
        assert i18n.language() == "zh"


async def _to(d, name: str) -> None:  # type: ignore[no-untyped-def]
    """Bring a certain question of the small bank to the screen."""
    await d.question()
    entry = d.app.session.library.entries[f"small/{name}"]
    d.app.flow.sitting.more(entry)
    await d.app.question.ask(entry, d.app.flow.sitting)
    await d.pilot.pause()


async def test_a_number_is_typed_refused_in_words_and_judged_by_the_run(drive: Drive) -> None:
    async with drive("daily") as d:
        await _to(d, "number")
        assert isinstance(d.app.focused, Input)
        await d.press(*"1,5", "enter")
        assert "Write a point for decimals" in d.screen()
        assert d.app.question.query_one(Input).value == "1,5"  # nothing typed is lost
        for _ in range(3):
            await d.press("backspace")
        await d.press(*"16", "enter")
        await d.verdict()
        assert "RIGHT" in d.screen()
        assert "taken as right: 15" in d.screen()


async def test_letters_type_in_a_text_field(drive: Drive) -> None:
    async with drive("daily") as d:
        await _to(d, "number")
        await d.press("n", "L", "i")
        assert d.app.question.query_one(Input).value == "nLi"
        assert d.app.screen is d.app.question
        footer = d.screen().splitlines()[-1]
        assert "enter run" in footer
        assert "F2 hint" in footer
        assert "F3 中文" in footer
        await d.press("f2")
        assert "Hint: The root." in d.screen()
        assert d.app.question.query_one(Input).value == "nLi"


async def test_several_are_ticked_and_the_missed_one_is_shown(drive: Drive) -> None:
    async with drive("daily") as d:
        await _to(d, "true-ones")
        await d.press("1", "3")
        assert "[x]" in d.screen()
        await d.press("enter")
        await d.verdict()
        text = d.screen()
        assert "NOT YET" in text
        assert "not about 16" in text


async def test_an_open_answer_is_written_then_ticked(drive: Drive, tmp_path: Path) -> None:
    async with drive("daily") as d:
        await _to(d, "aloud")
        assert isinstance(d.app.focused, TextArea)
        await d.press(*"it is", "space", "n", "ctrl+s")
        assert "The variance is d_k." in d.screen()
        assert "names the variance" in d.screen()
        await d.press("1", "2", "enter")
        await d.verdict()
        assert "PARTLY" in d.screen()
    with sqlite3.connect(tmp_path / "study.db") as db:
        answer, rating = db.execute("SELECT answer, rating FROM review").fetchone()
    assert "it is n" in answer
    assert rating == 2


async def test_a_draft_outlives_the_program(drive: Drive) -> None:
    async with drive("daily") as d:
        await _to(d, "aloud")
        await d.press(*"half")
        await d.press("ctrl+q")
    async with drive("daily") as d:
        await _to(d, "aloud")
        assert d.app.question.query_one(TextArea).text == "half"


async def test_a_parameter_steps_and_old_numbers_stay_dimmed(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("2", "enter")
        await d.verdict()
        assert "+ d_k 128" in d.screen()
        d.engine.gate.clear()
        await d.press("plus")
        from quizapp.tui.widgets.numbers import NumbersTable

        numbers = d.app.verdict.query_one(NumbersTable)
        await d.until(lambda: numbers.dimmed)
        assert "8.0" in d.screen()
        d.engine.gate.set()
        await d.until(lambda: not numbers.dimmed)
        await d.until(lambda: "11." in d.screen())
        assert "(your own run)" in d.screen()
        assert "RIGHT" in d.screen()  # what was played changes no verdict
        await d.press("minus", "minus")
        await d.until(lambda: "+ d_k 64" in d.screen())
        await d.press("r")
        await d.until(lambda: "(your own run)" not in d.screen())


async def test_a_new_seed_gives_other_numbers(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("2", "enter")
        await d.verdict()
        await d.press("s")
        await d.until(lambda: "seed 1" in d.screen())


async def test_the_next_parameter_is_chosen_with_p(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("2", "enter")
        await d.verdict()
        await d.press("p")
        assert "+ mean 0.5" in d.screen()


async def test_easy_and_undo(drive: Drive, tmp_path: Path) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("2", "enter")
        await d.verdict()
        await d.press("e")
        await d.until(lambda: "Noted as easy" in d.screen())
        await d.press("u", "u")
        await d.until(lambda: "Taken back: How wide?" in d.screen())
    assert [event for event, *_ in saved(tmp_path)] == ["answer", "easy", "undo", "undo"]


async def test_help_lists_the_keys_of_the_screen(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("question_mark")
        assert "show a hint" in d.screen()
        await d.press("question_mark")
        assert d.app.screen is d.app.question


async def test_keys_can_be_remapped(drive: Drive, tmp_path: Path) -> None:
    from quizapp.session import settings
    from quizapp.session.session import open_store

    with open_store(tmp_path) as store:
        settings.put(store, "keys", "hint=h")
    async with drive("daily") as d:
        await d.question()
        assert "h hint" in d.screen()
        await d.press("i")
        assert "Hint:" not in d.screen()
        await d.press("h")
        assert "Hint: Variances add." in d.screen()


async def test_copy_puts_one_line_on_the_clipboard(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("enter")
        await d.verdict()
        await d.press("y")
        assert d.app.clipboard.startswith("std of q·k: expected about 1, measured 8.0")
        assert d.app.clipboard.endswith("How wide?, seed 0")


async def test_the_device_steps_through_what_there_is(drive: Drive) -> None:
    engine = LocalEngine()
    engine.devices = ("cuda", "cpu")
    async with drive("daily", engine=engine) as d:
        await d.question()
        assert "cuda" in d.screen().splitlines()[0]
        await d.press("2", "enter")
        await d.verdict()
        await d.press("d")
        await d.until(lambda: d.app.session.settings.device == "cpu")


async def test_a_returning_learner_meets_what_was_refuted(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("enter")
        await d.verdict()
        await d.press("escape")
        await d.until(lambda: d.app.screen is d.app.card)
        d.clock.move(days=1)
        await d.press("enter")
        await d.until(lambda: "1 question due" in d.screen())
        await d.press("d")
        await d.question()
        assert d.app.flow.sitting.current.reference == "small/spread"


async def test_the_palette_offers_the_same_keys(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        names = [command.title for command in d.app.get_system_commands(d.app.screen)]
        assert "hint" in names
        assert "light or dark" in names


async def test_a_day_that_is_done_shows_the_card(drive: Drive) -> None:
    async with drive("daily") as d:
        await d.question()
        await d.press("2", "enter")
        await d.verdict()
        await d.press("enter")
        await d.question()
        await _hand_in_anything(d)
        await d.verdict()
    async with drive("daily") as d:
        await d.until(lambda: "Today's question is answered." in d.screen())
        assert "Tomorrow:" in d.screen()
        await d.press("n")
        await d.question()


async def _hand_in_anything(d) -> None:  # type: ignore[no-untyped-def]
    kind = d.app.question.entry.question.kind
    if kind == "numeric":
        await d.press(*"16", "enter")
    elif kind == "open":
        await d.press("ctrl+s", "1", "enter")
    else:
        await d.press("enter")


async def test_a_key_that_does_not_exist_is_told(drive: Drive, tmp_path: Path) -> None:
    from quizapp.session import settings
    from quizapp.session.session import open_store

    with open_store(tmp_path) as store:
        settings.put(store, "keys", "hnit=h,choices.down=z")
    async with drive("daily") as d:
        await d.question()
        assert "There is no key called hnit." in d.screen()
        await d.press("z")
        assert "> 2  about 8" in d.screen()


@pytest.mark.parametrize(
    ("setting", "ground", "dark"),
    [("", "", True), ("", "0;15", False), ("dark", "0;15", True), ("light", "", False)],
)
async def test_light_and_dark_follow_the_setting_then_the_terminal(
    drive: Drive,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: str,
    ground: str,
    dark: bool,
) -> None:
    from quizapp.session import settings
    from quizapp.session.session import open_store

    monkeypatch.setenv("COLORFGBG", ground)
    with open_store(tmp_path) as store:
        settings.put(store, "theme", setting)
    async with drive("home") as d:
        await d.until(lambda: d.app.home.home is not None)
        assert d.app.current_theme.dark is dark
