"""Verdict grids, tables and matrices: aligned by columns, numbers never cut."""

from __future__ import annotations

import math
import random

import pytest

from quizapp.plot import Grid, GridRow, Look, display_width, draw_grid, grid_rows, lines_of, text_of
from quizapp.plot.drawings import draw_matrix, draw_step, draw_table
from quizapp.report import Matrix, Row, Step, Table
from quizapp.text import Text

VERDICT = Grid(
    ("you expected", "no scale", "with 1/√d_k"),
    (
        GridRow(
            "row Jacobian norm, median",
            ("below 0.01", "0.23 ± 0.04", "0.148 ± 0.002"),
            "refuted",
            deciding=True,
        ),
        GridRow("  its lowest tenth", ("", "0.004", "0.132")),
        GridRow("largest weight, mean", ("above 0.5", "0.78 ± 0.02", "0.08"), "held"),
    ),
    "20 draws of 100 rows",
)
CHINESE = Grid(
    ("你的预期", "不缩放", "除以 √d_k"),
    (
        GridRow("每行雅可比范数的中位数", ("小于 0.01", "0.23", "0.148"), "refuted", True),
        GridRow("  最低的十分之一", ("", "0.004", "0.132")),
    ),
    "20 次抽样，各 100 行",
)


def test_a_verdict_fits_78_columns_with_its_deciding_row_marked() -> None:
    assert draw_grid(VERDICT, 78) == [
        "  20 draws of 100 rows        you expected     no scale      with 1/√d_k",
        "▸ row Jacobian norm, median   below 0.01   ✗   0.23 ± 0.04   0.148 ± 0.002",
        "    its lowest tenth                           0.004         0.132",
        "  largest weight, mean        above 0.5    ✓   0.78 ± 0.02   0.08",
    ]


def test_chinese_columns_line_up() -> None:
    lines = draw_grid(CHINESE, 78)
    starts = {
        display_width(line[: line.index(value)])
        for line, value in zip(lines, ("除以", "0.148", "0.132"), strict=True)
    }
    assert len(starts) == 1
    assert "✗" in lines[1]


def test_headings_wrap_and_labels_end_in_an_ellipsis_before_a_number_is_cut() -> None:
    lines = draw_grid(VERDICT, 58)
    assert lines[1].split() == ["rows", "expected"]
    assert "…" in lines[2]
    assert "0.148 ± 0.002" in lines[2]
    assert max(map(display_width, lines)) <= 58


def test_columns_that_do_not_fit_move_below_with_their_labels() -> None:
    lines = draw_grid(VERDICT, 36)
    text = "\n".join(lines)
    assert all(number in text for number in ("below 0.01", "0.23 ± 0.04", "0.148 ± 0.002"))
    assert sum(line.startswith("▸ row") for line in lines) >= 2
    assert max(map(display_width, lines)) <= 36


def test_ascii_marks_are_words() -> None:
    lines = draw_grid(VERDICT, 78, ascii=True)
    assert lines[1].startswith("> row")
    assert " no " in lines[1]
    assert " ok " in lines[3]


def test_marks_and_the_deciding_row_have_an_ink_of_their_own() -> None:
    rows = grid_rows(VERDICT, 78, Look(depth="truecolor"))
    (cross,) = [run for run in rows[1] if "✗" in run.text]
    assert cross.ink.fg == Look(depth="truecolor").mark(held=False)
    assert rows[1][0].ink.bold
    assert not rows[2][0].ink.bold


@pytest.mark.parametrize("grid", [Grid((), ()), Grid(("a",), ()), Grid((), (GridRow("x", ()),))])
def test_empty_grids_are_drawn_without_complaint(grid: Grid) -> None:
    assert len(draw_grid(grid, 40)) <= 1


def test_random_grids_keep_their_width_and_every_cell() -> None:
    draw = random.Random(2)
    pieces = ("", "0.23 ± 0.04", "14 %", "小于 0.01", "x[i][j]", "[/]", "-1.2e-7")
    for _ in range(800):
        count = draw.randint(0, 5)
        rows = tuple(
            GridRow(
                draw.choice(("", "标准差", "a long label of several words " * 2, "  indented")),
                tuple(draw.choice(pieces) for _ in range(draw.randint(0, count))),
                draw.choice((None, "held", "refuted")),
                draw.random() < 0.3,
            )
            for _ in range(draw.randint(0, 6))
        )
        grid = Grid(tuple("heading" for _ in range(count)), rows, "corner")
        width = draw.randint(34, 120)
        lines = draw_grid(grid, width, ascii=draw.random() < 0.5)
        assert all(display_width(line) <= width for line in lines)
        text = "\n".join(lines)
        assert all(cell in text for row in rows for cell in row.cells)


TABLE = Table(
    id="t",
    title=Text.of("Entropy"),
    columns=(Text.of("scaled"), Text.of("share"), Text.of("memory")),
    units=("nats", "share", "B"),
    rows=(
        Row(label=Text.of("d_k = 16"), cells=(4.123, 0.143, 131072.0)),
        Row(label=Text.of({"en": "sixty-four", "zh": "六十四"}), cells=(math.nan, None)),
    ),
)


def test_a_table_has_its_units_and_lines_up_by_column() -> None:
    assert lines_of(draw_table(TABLE, 60, Look(), "zh", deciding=1)) == [
        "  Entropy    scaled (nats)   share    memory",
        "  d_k = 16            4.12    14 %   128 KiB",
        "▸ 六十四               NaN",
    ]


def matrix(*rows: tuple[float, ...]) -> Matrix:
    shape = (len(rows), max(map(len, rows), default=0))
    return Matrix(name="Q", axes=("S_q", "d_k"), shape=shape, values=rows)


def test_a_matrix_stands_in_brackets_with_aligned_decimals() -> None:
    assert lines_of(draw_matrix(matrix((1.0, -0.5), (0.25, 12.0)), 40, Look())) == [
        "Q  S_q 2 × d_k 2",
        "⎡ 1.0 -0.5 ⎤",
        "⎣ 0.2 12.0 ⎦",
    ]
    assert lines_of(draw_matrix(matrix((1.0, 3.0)), 40, Look(ascii=True))) == [
        "Q  S_q 1 x d_k 2",
        "[ 1 3 ]",
    ]


def test_a_wide_matrix_leaves_out_columns_in_the_middle() -> None:
    wide = matrix(tuple(float(n) for n in range(40)))
    (line,) = lines_of(draw_matrix(wide, 30, Look()))[1:]
    assert line.startswith("[ 0 1 2")
    assert line.endswith("38 39 ]")
    assert "…" in line
    assert display_width(line) <= 30


@pytest.mark.parametrize(
    "rows", [(), ((),), ((math.nan, math.inf),), ((1e-9, 1e9),), ((1.0,), (1.0, 2.0)), ((0.0,),)]
)
def test_odd_matrices_are_drawn(rows: tuple[tuple[float, ...], ...]) -> None:
    drawn = draw_matrix(matrix(*rows), 40, Look())
    assert len(drawn) == 1 + len(rows)


def test_a_step_puts_matrices_side_by_side_as_far_as_they_fit() -> None:
    small = matrix((1.0, 2.0), (3.0, 4.0))
    step = Step(
        title=Text.of("Scores"),
        note=Text.of({"en": "each query against each key", "zh": "每个查询与每个键"}),
        matrices=(small, small),
    )
    beside = [text_of(row) for row in draw_step(step, 60, Look(), "en")]
    assert len(beside) == 5
    assert beside[3].count("⎡") == 2
    assert len(draw_step(step, 24, Look(), "zh")) == 8
