"""A full verdict on a small terminal: blank lines give way before words go out of sight."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import Drive, Driven

SHIPPED = Path(__file__).parents[2] / "questions"


async def answered(d: Driven, name: str) -> None:
    """Answer a shipped question with a number that is far off."""
    await d.until(lambda: d.app.session is not None and d.app.lab_word)
    d.app.flow.about(f"attention/{name}")
    await d.until(lambda: d.app.screen is d.app.question)
    await d.press(*"123456", "enter")
    await d.verdict()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["where-exp-overflows", "tokens-recomputed"])
async def test_numbers_plot_feedback_and_what_to_say_are_in_sight(
    drive: Drive, name: str, language: str
) -> None:
    async with drive("home", (80, 24), banks=SHIPPED, language=language) as d:
        await answered(d, name)
        verdict = d.app.verdict
        body, say = verdict.query_one("#body"), verdict.query_one("#say")
        await d.until(lambda: say.region.bottom <= body.region.bottom)
        assert say.region.height > 1
        assert verdict.query_one("#plots").size.height >= 7
        if language == "en":
            assert verdict.query_one("#verdict").has_class("-tight")


async def test_where_there_is_room_blank_lines_stay(drive: Drive) -> None:
    async with drive("home", (80, 32), banks=SHIPPED) as d:
        await answered(d, "where-exp-overflows")
        assert not d.app.verdict.query_one("#verdict").has_class("-tight")
        assert d.app.verdict.query_one("#numbers").styles.margin.bottom == 1
