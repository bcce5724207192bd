"""What learners type: words compared without what has no meaning, and shapes."""

import pytest

from quizapp.text.shape_entry import ShapeRefused, parse_shape
from quizapp.text.typed import folded


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("D_k ^ 2", "d_k²"),
        ("dₖ", "d_k"),
        ("d_k**2", "d_k^2"),
        ("ｄ_ｋ", "d_k"),
        ("a · b", "ab"),
        ("−1", "-1"),
        ("`x`", "x"),
        ("x⁻¹", "x^-1"),
    ],
)
def test_spellings_that_are_one(typed: str, same: str) -> None:
    assert folded(typed) == folded(same)


@pytest.mark.parametrize(
    ("one", "other"),
    [("2³", "23"), ("d_k^2", "d_k2"), ("x_{t-1}", "x_t-1"), ("-1", "1"), ("√d_k", "d_k")],
)
def test_spellings_that_differ_in_meaning(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@pytest.mark.parametrize(
    ("typed", "shape"),
    [
        ("(8, 24, 40)", (8, 24, 40)),
        ("[8,24]", (8, 24)),
        ("8 24 40", (8, 24, 40)),
        ("8x24×40", (8, 24, 40)),
        ("torch.Size([8, 24])", (8, 24)),
        ("（８，２４）", (8, 24)),
        ("8、24", (8, 24)),
        ("(5,)", (5,)),
        (" 0 ", (0,)),
    ],
)
def test_shapes_as_people_type_them(typed: str, shape: tuple[int, ...]) -> None:
    assert parse_shape(typed) == shape


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "Type the sizes of all axes"),
        ("()", "Type the sizes of all axes"),
        ("(B, S)", "Type numbers instead of names"),
        ("批, 头", "Type numbers instead of names"),
        ("8,,3", "This is not a shape"),
        ("-1, 2", "This is not a shape"),
        ("2.5, 3", "This is not a shape"),
        ("1 2 3 4 5 6 7 8 9 1", "Nine axes"),
        ("9" * 400, "This is not a shape"),
    ],
)
def test_what_is_no_shape_is_refused_with_the_reason(typed: str, why: str) -> None:
    with pytest.raises(ShapeRefused) as refused:
        parse_shape(typed)
    assert refused.value.what.startswith(why)
