"""Hostile and Chinese text in the two text widgets."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Offset
from textual.selection import Selection
from textual.widget import Widget

from quizapp.plot import display_width
from quizapp.tui.widgets.plain import PlainText, Prose

HOSTILE = [
    ("[/]", "[/]"),
    ("x[i][j] = w[0]", "x[i][j] = w[0]"),
    ("[@click=app.quit]now[/]", "[@click=app.quit]now[/]"),
    ("[bold red]loud[/bold red]", "[bold red]loud[/bold red]"),
    ("\x1b[31mred\x1b[0m \x1b]0;title\x07bell\x07", "red bell"),
    ("safe \u202eevil\u2066", "safe evil"),
]


class Host(App[None]):
    """Shows one widget."""

    def __init__(self, child: Widget) -> None:
        super().__init__()
        self.child = child

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield self.child


def shown(widget: Widget) -> list[str]:
    return [widget.render_line(y).text.rstrip() for y in range(widget.size.height)]


@pytest.mark.parametrize(("written", "seen"), HOSTILE)
async def test_text_is_never_markup(written: str, seen: str) -> None:
    for widget in (PlainText(written), Prose(written)):
        app = Host(widget)
        async with app.run_test(size=(60, 10)) as pilot:
            await pilot.pause()
            assert shown(widget) == [seen]
            metas = [s.style.meta for s in widget.render_line(0) if s.style is not None]
            assert not any("@click" in meta for meta in metas)
            await pilot.click(widget, offset=(1, 0))
            assert app.is_running


@pytest.mark.parametrize(("written", "seen"), HOSTILE)
async def test_an_update_is_never_markup_either(written: str, seen: str) -> None:
    for widget in (PlainText("before"), Prose("before")):
        async with Host(widget).run_test(size=(60, 10)) as pilot:
            widget.update(written)
            await pilot.pause()
            assert shown(widget) == [seen]


async def test_an_error_object_is_shown_as_its_text() -> None:
    widget = PlainText()
    async with Host(widget).run_test(size=(60, 10)) as pilot:
        widget.update(ValueError("bad [/] index"))
        await pilot.pause()
        assert shown(widget) == ["bad [/] index"]
        assert widget.text == "bad [/] index"


async def test_prose_wraps_chinese_and_grows_and_shrinks_with_its_text() -> None:
    text = (
        "去掉缩放：一个头，`d_k = 64`，100 个键，q 与 k 独立同分布，未训练。"
        "softmax 对**典型的一行**做了什么？"
    )
    widget = Prose(text)
    async with Host(widget).run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        lines = shown(widget)
        assert len(lines) == 3
        assert all(display_width(line) <= 40 for line in lines)
        assert "".join(lines).replace(" ", "") == (
            text.replace("`", "").replace("**", "").replace(" ", "")
        )
        assert lines[1][0] not in "，。"
        widget.update("短")
        await pilot.pause()
        assert shown(widget) == ["短"]
        await pilot.resize_terminal(20, 12)
        widget.update(text)
        await pilot.pause()
        assert len(shown(widget)) >= 5


async def test_code_and_bold_look_different_from_plain() -> None:
    widget = Prose("plain `code` **bold**")
    async with Host(widget).run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        styles = {s.text.strip(): s.style for s in widget.render_line(0) if s.text.strip()}
        plain, code, bold = styles["plain"], styles["code"], styles["bold"]
        assert plain is not None
        assert code is not None
        assert bold is not None
        assert code.color != plain.color
        assert bold.bold
        assert not plain.bold


async def test_prose_can_be_selected() -> None:
    widget = Prose("first line of it\n\n- second")
    async with Host(widget).run_test(size=(60, 10)) as pilot:
        await pilot.pause()
        chosen = widget.get_selection(Selection(Offset(6, 0), Offset(8, 2)))
        assert chosen is not None
        assert chosen[0] == "line of it\n\n• second"
