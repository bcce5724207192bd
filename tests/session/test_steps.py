"""What + and - do."""

import pytest

from quizapp.report import ParamInfo, ParamValue
from quizapp.session.steps import movable, neighbour
from quizapp.text import Text

NONE = Text.of("x")
WIDTH = ParamInfo("d_k", "int", 64, NONE, 1, 4096, step="double")
COUNT = ParamInfo("n", "int", 3, NONE, 2, 5)
MEAN = ParamInfo("mean", "float", 0.0, NONE, -4, 4)
HEAT = ParamInfo("temperature", "float", 1.0, NONE, 0.01, 100, step="double")
CHOICE = ParamInfo("scale", "choice", "sqrt", NONE, choices=("none", "sqrt", "linear"))
LIST = ParamInfo("logits", "floats", (1.0,), NONE)


@pytest.mark.parametrize(
    ("info", "value", "direction", "wanted"),
    [
        (WIDTH, 64, 1, 128),
        (WIDTH, 64, -1, 32),
        (WIDTH, 4096, 1, None),
        (WIDTH, 3000, 1, 4096),
        (WIDTH, 3, -1, 1),
        (WIDTH, 1, -1, None),
        (HEAT, 1.0, -1, 0.5),
        (HEAT, 0.015, -1, 0.01),
        (HEAT, 64.0, 1, 100),
        (COUNT, 4, 1, 5),
        (COUNT, 5, 1, None),
        (MEAN, 0.0, 1, 0.5),
        (MEAN, 0.5, -1, 0.0),
        (MEAN, 4.0, 1, None),
        (CHOICE, "none", 1, "sqrt"),
        (CHOICE, "linear", 1, None),
    ],
)
def test_the_neighbour(
    info: ParamInfo, value: ParamValue, direction: int, wanted: ParamValue | None
) -> None:
    assert neighbour(info, value, direction) == wanted


def test_neither_the_seed_nor_a_list_is_stepped() -> None:
    seed = ParamInfo("seed", "int", 0, NONE, 0, 9)
    assert movable({"seed": seed, "logits": LIST, "d_k": WIDTH}) == ("d_k",)
