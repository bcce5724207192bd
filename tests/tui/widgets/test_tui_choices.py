"""The option list: keys, ticks, the verdict's marks, and text that is never markup."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll

from quizapp.plot import display_width
from quizapp.tui.widgets.choices import Choices, Option

OPTIONS = (
    Option("vanish", "Its gradient has vanished; the Jacobian norm is near zero"),
    Option(
        "little",
        "Very little; the order of the keys is the same as before, and the `softmax` "
        "output hardly moves at all",
    ),
    Option("peaky", "It gives one key **most** of the weight [/] x[i][j]"),
    Option(
        "overflow",
        "已经溢出；部分权重变成 NaN，所以这一行的输出不再有意义，之后的层也一样，训练会停止",
    ),
)


class Host(App[None]):
    """Holds one list and remembers what it posted."""

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self.choices = choices
        self.changed: list[tuple[str, ...]] = []
        self.confirmed: list[tuple[str, ...]] = []

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield self.choices

    def on_mount(self) -> None:
        self.choices.focus()

    def on_choices_changed(self, message: Choices.Changed) -> None:
        assert message.control is self.choices
        self.changed.append(message.chosen)

    def on_choices_confirmed(self, message: Choices.Confirmed) -> None:
        self.confirmed.append(message.chosen)


def shown(choices: Choices) -> list[str]:
    return [choices.render_line(y).text.rstrip() for y in range(choices.size.height)]


async def test_four_options_of_two_lines_fit_80_columns() -> None:
    choices = Choices(OPTIONS)
    async with Host(choices).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert shown(choices) == [
            " > 1  Its gradient has vanished; the Jacobian norm is near zero",
            "   2  Very little; the order of the keys is the same as before, and the softmax",
            "      output hardly moves at all",
            "   3  It gives one key most of the weight [/] x[i][j]",
            "   4  已经溢出；部分权重变成 NaN，所以这一行的输出不再有意义，之后的层也一样，",
            "      训练会停止",
        ]
        assert all(display_width(line) <= 80 for line in shown(choices))


async def test_arrows_and_letters_move_and_enter_confirms() -> None:
    app = Host(Choices(OPTIONS))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("up", "j", "down", "k", "end", "j")
        assert app.choices.cursor == 3
        assert app.changed == [("little",), ("peaky",), ("little",), ("overflow",)]
        await pilot.press("home", "3", "enter")
        assert app.confirmed == [("peaky",)]
        assert shown(app.choices)[3].startswith(" > 3")


async def test_digits_beyond_the_options_do_nothing() -> None:
    app = Host(Choices(OPTIONS))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("9", "t")
        assert app.choices.cursor == 0
        assert not app.changed


async def test_digits_tick_and_untick_where_several_may_be_right() -> None:
    app = Host(Choices(OPTIONS, multi=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3", "1", "3", "4", "t", "t")
        assert app.choices.chosen == ("vanish", "overflow")
        assert shown(app.choices)[0].startswith("   [x] 1  Its")
        await pilot.press("enter")
        assert app.confirmed == [("vanish", "overflow")]


async def test_nothing_ticked_is_an_answer_too_when_none_may_be_right() -> None:
    app = Host(Choices(OPTIONS, multi=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert app.confirmed == [()]


async def test_the_verdict_marks_chosen_and_right_and_takes_no_more_answers() -> None:
    app = Host(Choices(OPTIONS))
    async with app.run_test(size=(80, 24)) as pilot:
        app.choices.show_verdict(["vanish"], ["peaky"])
        await pilot.pause()
        lines = shown(app.choices)
        assert lines[0].startswith(" ▸ ✗ 1  Its")
        assert lines[1].startswith("     2  Very")
        assert next(line for line in lines if " 3  " in line).startswith("   ✓ 3  It")
        await pilot.press("down", "2", "enter")
        assert not app.confirmed
        assert not app.changed
        app.choices.set_options(OPTIONS[:2])
        await pilot.pause()
        assert app.choices.verdict is None
        assert app.choices.size.height == 3
        await pilot.press("2", "enter")
        assert app.confirmed == [("little",)]


async def test_the_verdict_of_several_keeps_the_boxes() -> None:
    app = Host(Choices(OPTIONS, multi=True))
    async with app.run_test(size=(80, 24)) as pilot:
        app.choices.show_verdict(["vanish", "peaky"], ["peaky", "little"])
        await pilot.pause()
        heads = [line[:12] for line in shown(app.choices) if line[9:11].strip().isdigit()]
        assert heads == [" ▸ [x] ✗ 1  ", "   [ ] ✓ 2  ", " ▸ [x] ✓ 3  ", "   [ ]   4  "]


async def test_the_focus_shows_without_colour() -> None:
    app = Host(Choices(OPTIONS))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert shown(app.choices)[0].startswith(" > 1")
        app.set_focus(None)
        await pilot.pause()
        assert shown(app.choices)[0].startswith(" · 1")


async def test_a_click_points_at_the_option_under_it() -> None:
    app = Host(Choices(OPTIONS))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(Choices, offset=(20, 2))
        assert app.choices.cursor == 1
        await pilot.click(Choices, offset=(20, 3))
        assert app.choices.cursor == 2


async def test_another_language_keeps_the_answer() -> None:
    app = Host(Choices(OPTIONS, multi=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2")
        app.choices.reword([Option(o.id, "换") for o in OPTIONS])
        await pilot.pause()
        assert app.choices.chosen == ("little",)
        assert shown(app.choices)[1] == " > [x] 2  换"


@pytest.mark.parametrize("key", ["end", "4"])
async def test_the_pointer_is_scrolled_into_sight(key: str) -> None:
    app = Host(Choices(OPTIONS))
    async with app.run_test(size=(40, 4)) as pilot:
        await pilot.press(key)
        await pilot.pause()
        scroll = app.query_one(VerticalScroll)
        assert scroll.scroll_offset.y > 0
        last = app.choices.size.height
        assert scroll.scroll_offset.y + scroll.size.height == last


async def test_an_empty_list_takes_every_key() -> None:
    app = Host(Choices())
    async with app.run_test(size=(40, 6)) as pilot:
        await pilot.press("down", "1", "t", "enter", "end")
        assert not app.confirmed
