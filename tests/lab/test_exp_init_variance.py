"""Initialisation check: Var(q) and Var(k) as promised, and what hangs on them."""

from __future__ import annotations

import math
from functools import cache
from itertools import islice
from typing import Any

import pytest
import torch
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import init_variance
from quizapp.lab.maths.init_variance import layers
from quizapp.lab.wording import init_variance as wording
from quizapp.report import Report

#: Var(q) at d_model 512, 8 heads, unit inputs.
VARIANCE = {
    "identity": 1.0,
    "xavier": 1.0,
    "xavier_narrow": 2 * 512 / (512 + 64),
    "kaiming": 2.0,
    "linear_default": 1 / 3 + 1 / (3 * 512),
    "mha_packed": 0.5,
    "gpt2": 512 * 0.02**2,
    "t5": 1 / 64,
    "too_large": 512.0,
    "too_small": 512 * 0.002**2,
}


def context(params: init_variance.Params) -> RunContext:
    return RunContext("init_variance", init_variance.METRICS, params, "cpu")


@cache
def last(**settings: Any) -> Report:
    params = init_variance.Params(**settings)
    return list(init_variance.run(params, context(params)))[-1]


@cache
def own(**settings: Any) -> Report:
    """All draws of the chosen layer, before the other widths and layers."""
    params = init_variance.Params(**settings)
    return list(islice(init_variance.run(params, context(params)), 2))[-1]


def value(name: str, **settings: Any) -> float:
    return own(**settings).metrics[name].scalar()


def assert_promised(name: str, promised: float, **settings: Any) -> None:
    measured = own(**settings).metrics[name]
    error = measured.error()
    assert error is not None
    assert abs(measured.scalar() - promised) < 4 * error, (name, measured.value, error, promised)


@pytest.mark.parametrize("init", wording.LAYERS)
def test_each_layer_keeps_its_promise(init: str) -> None:
    assert value("promised_var_q", init=init) == pytest.approx(VARIANCE[init])
    assert_promised("var_q", VARIANCE[init], init=init)
    assert_promised("var_k", 1.0 if init == "t5" else VARIANCE[init], init=init)
    assert_promised("scaled_std", value("promised_scaled_std", init=init), init=init)


@pytest.mark.parametrize(
    "settings",
    [
        {"init": "mha_packed", "d_model": 768, "heads": 12},
        {"init": "xavier_narrow", "d_model": 128, "heads": 4, "draws": 16},
        {"init": "linear_default", "input_std": 0.25, "gain": 3.0},
        {"init": "identity", "gain": 2.0, "input_std": 0.5},
        {"init": "t5", "heads": 4, "gain": 0.5},
        {"init": "xavier", "tied": True, "heads": 2, "draws": 16},
    ],
)
def test_theory_follows_the_learners_layer(settings: dict[str, Any]) -> None:
    for name in ("var_q", "var_k", "scaled_std"):
        assert_promised(name, value(f"promised_{name}", **settings), **settings)


def test_published_figures() -> None:
    assert value("var_q", init="xavier") == pytest.approx(1.0, abs=0.02)
    assert value("var_q", init="xavier_narrow") == pytest.approx(1.78, abs=0.03)
    assert value("var_q", init="linear_default") == pytest.approx(0.33, abs=0.01)
    assert value("var_q", init="mha_packed") == pytest.approx(0.50, abs=0.01)
    assert 3.9 < value("score_std", init="mha_packed") < 4.1
    assert value("folklore_score_std") == 8


@pytest.mark.parametrize("init", wording.LAYERS)
def test_only_unit_variances_pass(init: str) -> None:
    assert value("unit_variance", init=init) == float(init in ("identity", "xavier"))


def test_a_gain_mends_the_variance_and_the_scale() -> None:
    assert value("gain_for_one", init="linear_default") == pytest.approx(math.sqrt(3), rel=0.02)
    mended = {"init": "mha_packed", "gain": math.sqrt(2)}
    assert value("unit_variance", **mended) == 1
    assert value("scale_holds", **mended) == 1


def test_tied_projections_score_a_token_with_itself() -> None:
    """q = k: the variances stay 1, and a token's own score is √d_k."""
    assert_promised("own_score", 8.0, init="xavier", tied=True)
    assert_promised("own_score", 0.0, init="xavier")
    assert value("unit_variance", init="xavier", tied=True) == 1
    assert value("own_weight", init="xavier", tied=True) > 0.9
    assert value("own_weight", init="xavier") == pytest.approx(1 / 32, rel=0.2)


def test_a_fixed_std_grows_with_the_width_and_xavier_does_not() -> None:
    for init, power in (("gpt2", 1.0), ("xavier", 0.0)):
        found = last(init=init).metrics["var_q_by_width"].value
        assert isinstance(found, tuple)
        slope = math.log(found[-1] / found[0]) / math.log(1024 / 64)
        assert slope == pytest.approx(power, abs=0.03)


def test_widths_are_shared_by_the_heads() -> None:
    found = last(d_model=768, heads=12, draws=4).metrics["widths"].value
    assert isinstance(found, tuple)
    assert found == (60, 132, 252, 516, 1020)


def test_packed_layer_is_torchs_own() -> None:
    params = init_variance.Params(init="mha_packed", gain=2.0)
    q, k = layers(params, context(params), 0)
    torch.manual_seed(context(params).stream("layer#0"))
    theirs = torch.nn.MultiheadAttention(512, 8).in_proj_weight
    assert theirs is not None
    assert q.weight is not None
    assert k.weight is not None
    assert torch.equal(q.weight, 2 * theirs[:512])
    assert torch.equal(k.weight, 2 * theirs[512:1024])


@pytest.mark.parametrize(
    "settings",
    [
        {"init": "t5", "gain": 4.0, "input_std": 0.5},
        {"init": "linear_default", "tied": True, "heads": 4, "seed": 3, "gain": 2.0},
        {"init": "identity", "gain": 2.0, "d_model": 32, "heads": 1, "positions": 64},
        {"init": "too_large", "input_std": 5.0, "d_model": 64, "heads": 2, "draws": 4},
    ],
)
def test_check_finds_the_same_numbers(settings: dict[str, Any]) -> None:
    params = init_variance.Params(**settings)
    reference = init_variance.check(params, context(params))
    assert {"var_q", "var_k", "score_variance", "scaled_std", "own_score"} <= set(reference)
    found = last(**settings).metrics
    assert compare(found, reference, "float32", init_variance.METHOD).ok


def test_the_table_lists_every_layer_with_its_verdict() -> None:
    (table,) = last().tables
    assert [row.label.to("en").split(":")[0] for row in table.rows] == list(wording.LAYERS)
    verdicts = [row.cells[-2] for row in table.rows]  # the last says how the layer is made
    assert [str(getattr(v, "to")("en")) for v in verdicts].count("yes") == 2  # noqa: B009


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(ValidationError, match="d_model 100 must be a multiple of heads 8"):
        init_variance.Params(d_model=100)
