"""Plot and number widgets: what they draw, when they redraw, and how they fade."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget

from quizapp.plot import Grid, GridRow, Look, lines_of
from quizapp.plot.drawings import describe, draw
from quizapp.plot.look import ramp
from quizapp.report import Curve, HeatMap, Histogram, Series
from quizapp.text import Text
from quizapp.tui.widgets.cells import CellWidget, look_of
from quizapp.tui.widgets.numbers import NumbersTable
from quizapp.tui.widgets.plots import CurveView, HeatMapView, HistogramView, plot_view

CURVE = Curve(
    id="c",
    title=Text.of({"en": "Entropy", "zh": "熵"}),
    x_label=Text.of("d_k"),
    y_label=Text.of({"en": "nats", "zh": "奈特"}),
    x=(16, 64, 256),
    log_x=True,
    series=(
        Series(name=Text.of({"en": "scaled", "zh": "缩放"}), values=(4.13, 4.12, 4.12)),
        Series(name=Text.of({"en": "unscaled", "zh": "不缩放"}), values=(1.54, 0.65, 0.29)),
    ),
)
HISTOGRAM = Histogram(
    id="h",
    title=Text.of({"en": "rows by norm", "zh": "各行的范数"}),
    x_label=Text.of("norm"),
    edges=(0, 0.1, 0.2, 0.3),
    series=(
        Series(name=Text.of("a"), values=(3, 2, 1)),
        Series(name=Text.of("b"), values=(0, 5, 0)),
    ),
)
HEAT = HeatMap(
    id="m",
    title=Text.of({"en": "Weights [/]", "zh": "权重 [/]"}),
    row_label=Text.of({"en": "query", "zh": "查询"}),
    column_label=Text.of({"en": "key", "zh": "键"}),
    values=((1.0, 0.0), (0.5, 0.5)),
    low=0,
    high=1,
)
PLOTS = (CURVE, HISTOGRAM, HEAT)


class Host(App[None]):
    """Shows one widget under another that can take the focus."""

    def __init__(self, child: Widget) -> None:
        super().__init__()
        self.child = child

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield self.child


def shown(widget: Widget) -> list[str]:
    return [widget.render_line(y).text.rstrip() for y in range(widget.size.height)]


def test_each_plot_has_its_view() -> None:
    views = [type(plot_view(plot)) for plot in PLOTS]
    assert views == [CurveView, HistogramView, HeatMapView]


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [78, 118])
async def test_a_view_shows_the_drawing_and_its_sentence(
    plot: Curve | Histogram | HeatMap, language: str, width: int
) -> None:
    view = plot_view(plot, language=language)
    app = Host(view)
    async with app.run_test(size=(width, 30)) as pilot:
        await pilot.pause()
        lines = shown(view)
        sentence = describe(plot, language)
        assert lines[-1] == sentence
        look = look_of(app)
        expected = lines_of(draw(plot, view.size.width, len(lines) - 1, look, language))
        assert lines[:-1] == expected
        assert any(line.strip() for line in expected)


async def test_updates_language_and_theme_are_drawn_at_once() -> None:
    view = CurveView(CURVE)
    app = Host(view)
    async with app.run_test(size=(78, 30)) as pilot:
        await pilot.pause()
        before = shown(view)
        other = CURVE.model_copy(update={"x": (1, 2, 3)})
        view.update(other)
        await pilot.pause()
        assert shown(view) != before
        assert view.plot is other
        view.language = "zh"
        await pilot.pause()
        assert shown(view)[0].startswith("熵")
        assert "从 1.54 降到" in shown(view)[-1]
        dark = view.render_line(0)
        app.theme = "textual-light"
        await pilot.pause()
        light = view.render_line(0)
        assert [s.style for s in dark] != [s.style for s in light]


async def test_a_histogram_with_more_series_grows() -> None:
    view = HistogramView(HISTOGRAM)
    async with Host(view).run_test(size=(78, 30)) as pilot:
        await pilot.pause()
        assert view.size.height == 4
        many = HISTOGRAM.model_copy(update={"series": HISTOGRAM.series * 2})
        view.update(many)
        await pilot.pause()
        # Four series take four rows; the sentence about three of them may take a second line.
        assert view.size.height in (6, 7)


async def test_nothing_is_drawn_again_while_nothing_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = HeatMapView(HEAT)
    async with Host(view).run_test(size=(78, 30)) as pilot:
        await pilot.pause()
        shown(view)
        drawings: list[int] = []
        original = HeatMapView.cell_rows

        def counted(self: HeatMapView, width: int, height: int | None, look: Look) -> object:
            drawings.append(1)
            return original(self, width, height, look)

        monkeypatch.setattr(HeatMapView, "cell_rows", counted)
        shown(view)
        assert not drawings
        view.dimmed = True
        shown(view)
        assert len(drawings) == 1


async def test_stale_numbers_fade_and_say_so() -> None:
    view = HeatMapView(HEAT)
    async with Host(view).run_test(size=(78, 30)) as pilot:
        await pilot.pause()

        def colours() -> set[object]:
            return {s.style.color for s in view.render_line(1) if s.style and "▀" in s.text}

        fresh = colours()
        assert shown(view)[-1].startswith("Largest")
        view.dimmed = True
        await pilot.pause()
        assert not fresh & colours()
        assert shown(view)[-1].startswith("(previous run) Largest")


async def test_half_blocks_have_the_ramp_as_colours() -> None:
    view = HeatMapView(HEAT)
    async with Host(view).run_test(size=(78, 30)) as pilot:
        await pilot.pause()
        first = next(s for s in view.render_line(1) if "▀" in s.text)
        assert first.style is not None
        assert first.style.color is not None
        assert first.style.color.triplet == ramp("truecolor", 1.0)


@pytest.mark.parametrize("depth", ["256", "none"])
async def test_fewer_colours(depth: str) -> None:
    view = HeatMapView(HEAT)
    view.look = Look(depth="256" if depth == "256" else "none")
    async with Host(view).run_test(size=(78, 30)) as pilot:
        await pilot.pause()
        text = "".join(shown(view)[1:-2])
        if depth == "256":
            numbers = {s.style.color.number for s in view.render_line(1)
                       if s.style and s.style.color and "▀" in s.text}  # fmt: skip
            assert numbers <= {ramp("256", share / 100) for share in range(101)}
            assert len(numbers) == 2
        else:
            assert "█" in text
            assert "▀" not in text


async def test_no_color_in_the_environment_means_shades(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    view = HeatMapView(HEAT)
    app = Host(view)
    async with app.run_test(size=(78, 30)) as pilot:
        await pilot.pause()
        assert look_of(app).depth == "none"
        assert "█" in "".join(shown(view)[1:-2])


async def test_an_app_that_wants_ascii_gets_it() -> None:
    class AsciiHost(Host):
        ascii_glyphs = True

    view = CurveView(CURVE)
    async with AsciiHost(view).run_test(size=(78, 30)) as pilot:
        await pilot.pause()
        assert "".join(shown(view)).isascii()


@pytest.mark.parametrize("size", [(5, 3), (20, 4), (24, 2), (60, 18)])
async def test_small_terminals_get_what_fits(size: tuple[int, int]) -> None:
    for plot in PLOTS:
        view = plot_view(plot)
        view.styles.height = size[1]
        async with Host(view).run_test(size=size) as pilot:
            await pilot.pause()
            assert len(shown(view)) == size[1]


GRID = Grid(
    ("you expected", "no scale"),
    (
        GridRow("row Jacobian norm", ("below 0.01", "0.23 ± 0.04"), "refuted", deciding=True),
        GridRow("x[i][j] [/]", ("most", "14 %"), "held"),
    ),
    "20 draws",
)


async def test_the_numbers_table_shows_its_grid_and_follows_updates() -> None:
    table = NumbersTable(GRID)
    async with Host(table).run_test(size=(78, 20)) as pilot:
        await pilot.pause()
        assert shown(table) == [
            "  20 draws            you expected     no scale",
            "▸ row Jacobian norm   below 0.01   ✗   0.23 ± 0.04",
            "  x[i][j] [/]         most         ✓   14 %",
        ]
        table.update(Grid(GRID.headings, GRID.rows[:1], GRID.corner))
        await pilot.pause()
        assert table.size.height == 2
        table.dimmed = True
        await pilot.pause()
        assert isinstance(table, CellWidget)


async def test_a_sentence_without_room_speaks_of_fewer_series_and_is_not_cut() -> None:
    three = (*CURVE.series, CURVE.series[0])[:3]
    view = CurveView(CURVE.model_copy(update={"series": three}))
    async with Host(view).run_test(size=(78, 30)) as pilot:
        await pilot.pause()
        whole = describe(view.plot, "en", 1)
        (line,) = view.caption(len(whole), 1)
        assert line == whole
        every = describe(view.plot, "en")
        assert view.caption(len(every), 1) == [every]
        (cut,) = view.caption(len(whole) - 1, 1)  # one series alone is too long: an ellipsis
        assert cut.endswith("…")
