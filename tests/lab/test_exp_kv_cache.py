"""The KV cache: exact, cheaper, and what a missing mask or a wrong position breaks."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from pydantic import ValidationError
from torch.utils.flop_counter import FlopCounterMode

from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiments import kv_cache as experiment
from quizapp.lab.maths import kv_cache as maths
from quizapp.report import Report


def context(params: experiment.Params) -> RunContext:
    return RunContext("kv_cache", experiment.METRICS, params, "cpu")


@cache
def last(**settings: Any) -> Report:
    params = experiment.Params(**{"draws": 4, "new_tokens": 8, "prompt": 12, **settings})
    return list(experiment.run(params, context(params)))[-1]


def value(name: str, index: int | None = None, **settings: Any) -> float:
    return last(**settings).metrics[name].scalar(index)


def stack(layers: int = 2, encoding: maths.Encoding = "none") -> maths.Stack:
    generator = torch.Generator().manual_seed(5)
    weights = [
        [torch.randn(12, 12, generator=generator, dtype=torch.float64) / 12**0.5 for _ in range(4)]
        for _ in range(layers)
    ]
    return maths.Stack([maths.Layer(*four) for four in weights], 3, encoding)


def tokens(n: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(6)
    return torch.randn(2, n, 12, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize(
    "settings",
    [
        {"position": "off_by_one", "layers": 1},
        {"position": "restarted", "encoding": "added"},
        {"position": "stuck", "prefill_mask": "none", "layers": 3},
        {"position": "all_shifted", "encoding": "added", "dtype": "float64"},
        {"prefill_mask": "none", "encoding": "none", "heads": 1},
        {"stored": "float16"},
        {"prompt": 1, "new_tokens": 1},
    ],
)
def test_the_check_agrees(settings: dict[str, Any]) -> None:
    params = experiment.Params(**{"draws": 3, "new_tokens": 7, "prompt": 10, **settings})
    ctx = context(params)
    report = list(experiment.run(params, ctx))[-1]
    found = compare(report.metrics, experiment.check(params, ctx), ctx.dtype, experiment.METHOD)
    assert found.ok, found


def test_a_layer_is_pytorch_s_own_attention() -> None:
    one, x = stack(layers=1), tokens(9)
    ctx = context(experiment.Params())
    h = F.rms_norm(x, (12,), eps=1e-6)
    layer = one.layers[0]
    q, k, v = ((h @ w).reshape(2, 9, 3, 4).transpose(1, 2) for w in (layer.q, layer.k, layer.v))
    attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    expected = x + attended.transpose(1, 2).flatten(-2) @ layer.o
    torch.testing.assert_close(one.run(ctx, x, torch.arange(9)), expected)


@pytest.mark.parametrize("encoding", ["rope", "added", "none"])
def test_any_split_of_the_tokens_gives_the_same_outputs(encoding: maths.Encoding) -> None:
    """A chunk of several new tokens needs its own causal part beside the whole cache."""
    x, ctx, at = tokens(9), context(experiment.Params()), torch.arange(9)
    whole = stack(encoding=encoding).run(ctx, x, at)
    parts, outputs, start = stack(encoding=encoding), [], 0
    caches = [maths.Cache(*torch.zeros(2, 2, 3, 9, 4, dtype=torch.float64)) for _ in range(2)]
    for size in (4, 1, 3, 1):
        now = slice(start, start + size)
        outputs.append(parts.run(ctx, x[:, now], at[now], caches))
        start += size
    torch.testing.assert_close(torch.cat(outputs, 1), whole)


def test_multiply_adds_are_those_torch_counts() -> None:
    counted, x, ctx = stack(), tokens(9), context(experiment.Params())
    with FlopCounterMode(display=False) as counter:
        counted.run(ctx, x, torch.arange(9))
    assert counted.work.products * len(x) * 2 == counter.get_total_flops()


def test_bytes_count_each_tensor_once() -> None:
    one, x, ctx = stack(layers=1), tokens(9), context(experiment.Params())
    one.run(ctx, x, torch.arange(9))
    projections = 4 * (9 * 12 + 12 * 12 + 9 * 12)
    attention = 2 * (9 * 12 + 9 * 12 + 3 * 9 * 9)  # q, kᵀ, scores; weights, v, output
    assert one.work.bytes == 8 * (projections + attention)


def test_decoding_from_the_cache_is_exact() -> None:
    for encoding in ("rope", "added", "none"):
        assert value("error", encoding=encoding) < 1e-6
        assert value("max_error", encoding=encoding, dtype="float64") < 1e-13
    assert 1e-5 < value("error", stored="float16") < value("error", stored="bfloat16") < 1e-2


def test_a_missing_prefill_mask_reaches_the_cache_from_the_second_layer_on() -> None:
    for layers in (1, 2, 3):
        found = last(prefill_mask="none", layers=layers).metrics["cache_error_by_layer"].value
        assert isinstance(found, tuple)
        assert found[0] == 0
        assert all(error > 0.05 for error in found[1:])
    assert value("prompt_error", prefill_mask="none", layers=1) > 0.1
    assert value("error", prefill_mask="none", layers=1) < 1e-6
    assert value("error", prefill_mask="none") > 0.05


def test_only_distances_count_for_rope() -> None:
    assert value("error", position="all_shifted") < 1e-5
    assert value("error", position="all_shifted", encoding="added") > 0.1
    for position in ("off_by_one", "stuck", "restarted"):
        assert value("error", position=position) > 0.03
        assert value("error", position=position, encoding="none") < 1e-6
    # Where the counter sticks, the first new token still has the right position.
    assert value("first_error", position="stuck") < 1e-6


def test_costs_and_bytes_grow_as_they_should() -> None:
    assert value("last_step_ratio") == 20  # as many tokens as there are by then
    assert value("attention_growth") == pytest.approx(20 / 13)
    assert 1 < value("step_growth") < value("attention_growth")
    assert value("products_ratio") > 5
    assert value("prefill_intensity") > 5 * value("decode_intensity")
    per_token = 2 * 2 * 64 * 4  # K and V, layers, width, bytes
    assert value("bytes_per_token") == per_token == 2 * value("bytes_per_token", stored="float16")
    assert value("cache_bytes") == 20 * per_token
    assert value("cache_growth") == pytest.approx(20 / 12)
    assert value("weights_bytes") == 2 * 4 * 20**2 * 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"d_k": 5}, "make it even"),
        ({"prompt": 512, "new_tokens": 128, "heads": 16, "d_k": 128}, "multiply-adds"),
        (
            {"prompt": 512, "new_tokens": 1, "draws": 32, "d_k": 4, "layers": 1},
            "tokens² may be at most",
        ),
    ],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        experiment.Params(**settings)
