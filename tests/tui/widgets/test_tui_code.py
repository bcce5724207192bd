"""The Python editor: indentation, keys that are the screen's, and colours while one types."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.events import Key
from textual.pilot import Pilot

from quizapp.tui.widgets.code import COLOURED, CodeEditor, CodeView


class Coding(App[None]):
    """An editor and a view."""

    def compose(self) -> ComposeResult:
        yield CodeEditor(id="code")
        yield CodeView(id="view")


@asynccontextmanager
async def editing(text: str = "") -> AsyncIterator[tuple[CodeEditor, Pilot[None]]]:
    async with Coding().run_test() as pilot:
        editor = pilot.app.query_one(CodeEditor)
        editor.load_text(text)
        editor.move_cursor(editor.document.end)
        editor.focus()
        await pilot.pause()
        yield editor, pilot


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ((*"if x:", "enter", *"a", "enter", *"b"), "if x:\n    a\n    b"),
        ((*"if x:", "enter", *"a", "enter", "backspace", *"b"), "if x:\n    a\nb"),
        ((*"a = {1:", "enter"), "a = {1:\n    "),
        (("tab", *"a", "backspace", "backspace"), ""),
        ((*" " * 6, "backspace"), "    "),
        ((*"ab", "backspace"), "a"),
        ((*"ab", "enter", "backspace"), "ab"),
    ],
)
async def test_it_indents_as_python_does(keys: tuple[str, ...], text: str) -> None:
    async with editing() as (editor, pilot):
        await pilot.press(*keys)
        assert editor.text == text


async def test_keys_typed_fast_keep_their_order() -> None:
    async with editing() as (editor, pilot):
        await pilot.press(*(("a", "b", "enter", "backspace") * 5))
        assert editor.text == "ab" * 5


async def test_letters_do_not_overtake_the_keys_before_them() -> None:
    async with editing("one\ntwo") as (editor, pilot):
        await pilot.press("ctrl+u", "x", "up", "home", "y", "end", "z", "ctrl+end", "!")
        assert editor.text == "yonez\nx!"
        for key in ("ctrl+u", "a", "ctrl+home", "b"):  # in one go, none waiting for the one before
            editor.post_message(Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert editor.text == "byonez\na"


async def test_what_is_to_be_written_is_typed_over() -> None:
    async with editing("def f():\n    # raise it\n    raise it\n") as (editor, pilot):
        editor.select_words("raise it")
        await pilot.press(*"pass")
        assert editor.text == "def f():\n    # raise it\n    pass\n"
        editor.select_words("raise it")
        assert editor.cursor_location == (0, 0)


async def test_a_selection_is_replaced_and_deleted_whole() -> None:
    async with editing("    one two") as (editor, pilot):
        await pilot.press("f7", "backspace")
        assert editor.text == ""
        await pilot.press("ctrl+z")
        assert editor.text == "    one two"


async def test_what_is_typed_takes_its_colour() -> None:
    async with editing("def f(x):\n    return x  # [bold]\n") as (editor, pilot):
        before = editor.get_line(1)
        assert before.plain == "    return x  # [bold]"
        colours = {str(span.style) for span in before.spans}
        assert len(colours) == 2  # the keyword's and the comment's
        pilot.app.theme = "textual-light"
        await pilot.pause()
        (light,) = {str(span.style) for span in editor.get_line(1).spans[-1:]}
        assert light not in colours  # a comment is read on either ground
        await pilot.press("up", "up", "home", *'"""')
        assert len(editor.get_line(1).spans) == 1  # it is a string now


async def test_a_very_long_text_goes_without() -> None:
    async with editing("x = 1\n" * (COLOURED // 6 + 1)) as (editor, _):
        assert editor.get_line(0).spans == []


async def test_source_to_read_is_never_markup() -> None:
    async with editing() as (_, pilot):
        view = pilot.app.query_one(CodeView)
        view.source = "x[i][j] = '[/]'\x1b[31m  # [@click=app.quit]hi[/]\n"
        await pilot.pause()
        lines = [strip.text.rstrip() for strip in view.render_lines(view.size.region)]
        assert lines[0] == "x[i][j] = '[/]'  # [@click=app.quit]hi[/]"
