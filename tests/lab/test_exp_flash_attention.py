"""Tiled attention: exact, small in memory, and wrong in the right way when a step is missing."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from pydantic import ValidationError

from quizapp.lab.attention import attention
from quizapp.lab.context import RunContext
from quizapp.lab.experiment import Tolerant
from quizapp.lab.experiments import flash_attention
from quizapp.lab.maths import tiled
from quizapp.lab.maths.live_bytes import LiveBytes, allocated_peak, peak_bytes, saved_bytes
from quizapp.report import Report

SMALL: dict[str, Any] = {"seq_len": 256, "d_k": 64, "block": 32}


def context(params: flash_attention.Params) -> RunContext:
    return RunContext("flash_attention", flash_attention.METRICS, params, "cpu")


@cache
def reports(**settings: Any) -> list[Report]:
    params = flash_attention.Params(**SMALL | settings)
    return list(flash_attention.run(params, context(params)))


def value(name: str, **settings: Any) -> float:
    return reports(**settings)[-1].metrics[name].scalar()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block", [7, 32, 40, 64])
def test_tiled_is_pytorch_s_own_attention(block: int, causal: bool) -> None:
    generator = torch.Generator().manual_seed(2)
    q, k, v = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((33, 8), (40, 8), (40, 5))
    )
    tiling = tiled.Tiling(block, 8**-0.5, causal=causal)
    output, lse = tiled.forward(q, k, v, tiling)
    torch.testing.assert_close(output, F.scaled_dot_product_attention(q, k, v, is_causal=causal))
    scores = q @ k.mT / 8**0.5
    if causal:
        scores = scores.masked_fill(torch.ones(33, 40).tril() == 0, float("-inf"))
    torch.testing.assert_close(lse, scores.logsumexp(-1))
    assert max(strip.rises.max() for strip in tiled.strips(q, k, v, tiling)) < -(-40 // block)


@pytest.mark.parametrize("causal", [False, True])
def test_recomputed_gradients_are_autograd_s(causal: bool) -> None:
    generator = torch.Generator().manual_seed(3)
    q, k, v, upstream = (
        torch.randn(24, 8, generator=generator, dtype=torch.float64) for _ in range(4)
    )
    tiling = tiled.Tiling(7, 8**-0.5, causal=causal)
    output, lse = tiled.forward(q, k, v, tiling)
    found = tiled.backward((q, k, v), tiled.Kept(output, lse), upstream, tiling)
    for x in (q, k, v):
        x.requires_grad_()
    output = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    expected = torch.autograd.grad(output, (q, k, v), upstream)
    for got, want in zip(found, expected, strict=True):
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"dtype": "float64"},
        {"rescale": "dropped", "seed": 5},
        {"rescale": "dropped", "order": "ascending"},
        {"scale": "dropped"},
        {"seq_len": 100, "block": 24, "order": "descending", "rescale": "dropped"},
        {"causal": True},
        {"causal": True, "seq_len": 100, "block": 24, "rescale": "dropped"},
        {"causal": True, "fused_call": "matrix"},
    ],
)
def test_check_finds_the_same_numbers(settings: dict[str, Any]) -> None:
    params = flash_attention.Params(**SMALL | settings)
    reference = flash_attention.check(params, context(params))
    assert {"output_rms", "lse_mean", "max_rises", "peak_bytes_standard"} <= set(reference)
    relative = 1e-9 if params.dtype == "float64" else 2e-4
    for name, expected in reference.items():
        assert isinstance(expected, float)
        tolerance = expected.tolerance if isinstance(expected, Tolerant) else relative * expected
        assert abs(value(name, **settings) - expected) <= tolerance, name


def test_tiling_is_exact_in_each_dtype() -> None:
    assert value("max_abs_error") < 1e-6
    assert value("grad_error") < 1e-5
    assert value("max_abs_error", dtype="float64") < 1e-14
    assert value("grad_error", dtype="float64") < 1e-13


def test_no_rescale_is_wrong_only_where_the_maximum_rises() -> None:
    for dtype in ("float32", "float64"):
        assert value("max_abs_error", rescale="dropped", dtype=dtype) > 0.1
    assert value("max_abs_error", rescale="dropped", order="descending") < 1e-6
    assert value("max_rises", rescale="dropped", order="descending") == 0
    assert value("max_rises", order="ascending") == value("key_tiles") - 1
    assert value("max_abs_error", order="ascending") < 1e-6


def test_random_keys_raise_the_maximum_as_often_as_records_fall() -> None:
    """The maximum of 8 equal tiles is a new record at tile i with probability 1/i."""
    expected = sum(1 / i for i in range(2, 9))
    assert value("max_rises") == pytest.approx(expected, abs=0.15)


def test_no_scale_is_wrong_by_more_than_rounding() -> None:
    assert value("max_abs_error", scale="dropped") > 0.5
    assert value("output_rms", scale="dropped") > 2 * value("output_rms")


def test_memory_is_a_matter_of_tiles() -> None:
    S, d = 256, 64
    assert value("peak_bytes_standard") == 4 * (2 * S * S + S * d)
    assert value("saved_bytes_standard") == 4 * (S * S + S * d)  # weights, and q · scale
    assert value("saved_bytes_tiled") == 4 * (S * d + S)
    assert value("peak_bytes_tiled") < value("peak_bytes_standard") / 4
    # twice the length: four times the scores, twice the tiled peak at most
    assert value("peak_bytes_standard", seq_len=512) > 3.5 * value("peak_bytes_standard")
    assert value("peak_bytes_tiled", seq_len=512) < 2 * value("peak_bytes_tiled")


def test_tiling_saves_no_arithmetic() -> None:
    assert value("flops_tiled") == value("flops_standard") == 4 * 256 * 256 * 64
    assert value("backward_flops_ratio") == 1.25  # five products where autograd has four


def test_a_causal_mask_skips_the_tiles_above_the_diagonal() -> None:
    assert (value("tiles"), value("tiles_skipped")) == (64, 0)
    assert (value("tiles", causal=True), value("tiles_skipped", causal=True)) == (36, 28)
    # tiles on the diagonal are computed whole: more than half, the less the smaller they are
    assert value("flops_ratio", causal=True) == 36 / 64
    assert value("flops_ratio", causal=True, block=64) == 10 / 16
    assert value("backward_flops_ratio", causal=True) == 1.25 * 36 / 64
    assert value("max_abs_error", causal=True) < 1e-6
    assert value("grad_error", causal=True) < 1e-5
    # two rows of scores at the masking, and the mask of a byte a pair
    assert value("peak_bytes_standard", causal=True) == 9 * 256 * 256


@pytest.mark.parametrize("causal", [False, True])
def test_torch_s_kernel_stands_beside_the_tiled_loop(causal: bool) -> None:
    for error in ("fused_error", "fused_grad_error"):
        assert 0 < value(error, causal=causal) < 1e-5
        assert value(error, causal=causal, dtype="float64") < 1e-13
    assert value("saved_bytes_fused", causal=causal) == value("saved_bytes_tiled")
    assert value("peak_bytes_fused", causal=causal) < value("peak_bytes_standard") / 2


def test_matrices_without_a_batch_get_no_kernel_of_their_own() -> None:
    kept = value("saved_bytes_fused", fused_call="matrix")
    assert kept > value("saved_bytes_standard")
    tables = {table.id: table for table in reports(fused_call="matrix")[-1].tables}
    assert tables["ways"].rows[-1].label.to("en") == "torch's own (math)"
    assert "(flash, CPU)" in {t.id: t for t in reports()[-1].tables}["ways"].rows[-1].label.to("en")


def test_the_allocator_and_the_operations_tell_the_same_peak() -> None:
    """The one sees inside operations, the other does not; plain ones have nothing inside."""
    generator = torch.Generator().manual_seed(4)
    qkv = tuple(torch.randn(64, 16, generator=generator) for _ in range(3))
    seen = allocated_peak(lambda: attention(*qkv))
    assert seen == peak_bytes(qkv, lambda: attention(*qkv)) == 4 * (2 * 64 * 64 + 64 * 16)


def test_the_longest_run_s_peak_is_under_a_tenth() -> None:
    """On tensors that hold no numbers: bytes are all that is asked."""
    q, k, v = (torch.empty(4096, 64, device="meta") for _ in range(3))
    tiles = peak_bytes((q, k, v), lambda: tiled.forward(q, k, v, tiled.Tiling(512, 0.125)))
    standard = peak_bytes((q, k, v), lambda: attention(q, k, v))
    assert standard == 4 * (2 * 4096**2 + 4096 * 64)
    assert tiles < standard / 10


def test_watching_operations_does_not_load_torch_s_compiler() -> None:
    code = (
        "import sys, torch; from quizapp.lab.maths.products import Products\n"
        "with Products() as counted: torch.ones(2, 3) @ torch.ones(3, 4)\n"
        "print(counted.multiply_adds, 'torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["24", "False"]


def test_live_bytes_follow_birth_and_death() -> None:
    x = torch.zeros(100)
    with LiveBytes([x]) as live:
        view = x.view(10, 10)  # an input's storage: not counted
        first = x + 1
        assert live.live == 400
        second = first * 2
        assert live.live == 800
        del first
        assert live.live == 400
        third = second[:50]  # a view keeps its storage alive
        del second
        assert live.live == 400
        del third
        assert live.live == 0
    assert live.peak == 800
    assert view.shape == (10, 10)
    assert peak_bytes([x], lambda: (x + 1) * 2) == 800


def test_saved_bytes_count_what_backward_needs_once() -> None:
    x = torch.zeros(100, requires_grad=True)
    assert saved_bytes([x], lambda: x * 2) == 0
    assert saved_bytes([x], x.exp) == 400
    assert saved_bytes([x], lambda: x * x) == 0


def test_the_trace_follows_query_0_to_the_exact_output() -> None:
    last = reports()[-1]
    assert len(last.trace) == 8
    table = next(table for table in last.tables if table.id == "tiles")
    errors = [row.cells[-1] for row in table.rows]
    assert isinstance(errors[-1], float)
    assert isinstance(errors[0], float)
    assert errors[-1] < 1e-6 < errors[0]
    assert all(step.note.languages == {"en", "zh"} for step in last.trace)


def test_the_trace_of_a_causal_run_ends_with_the_tiles_it_skips() -> None:
    *done, skipped = reports(causal=True)[-1].trace
    assert len(done) == 5  # query 128 of 256 lies in the fifth tile of eight
    assert skipped.title.to("en") == "tiles 5–7: skipped"
    assert "after query 128" in skipped.note.to("en")
    assert "3 of 8 tiles" in skipped.note.to("en")
    assert "8 块中跳过 3 块" in skipped.note.to("zh")


def test_reports_fill_up_and_the_first_has_the_error() -> None:
    parts = reports()
    assert [part.status for part in parts[:-1]] == ["partial"] * (len(parts) - 1)
    assert parts[-1].status == "final"
    assert "max_abs_error" in parts[0].metrics
    assert "saved_bytes_tiled" in parts[2].metrics
    for before, after in pairwise(parts):
        assert before.metrics.keys() <= after.metrics.keys()
    assert {curve.id for curve in parts[-1].curves} == {"running", "memory"}
    memory = next(curve for curve in parts[-1].curves if curve.id == "memory")
    assert len(memory.series) == 3


def test_the_first_report_is_about_the_first_tile_of_queries() -> None:
    first, last = reports()[0], reports()[-1]
    assert first.metrics["output_rms"].scalar() == pytest.approx(
        last.metrics["output_rms"].scalar(), rel=0.2
    )
    assert first.metrics["output_rms"] != last.metrics["output_rms"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seq_len": 1024, "block": 16}, "raise block to at least 32"),
        ({"seq_len": 2048, "block": 128, "order": "ascending"}, "seq_len up to 1024"),
        ({"causal": True, "order": "descending"}, "order=random only"),
        ({"seq_len": 4096, "block": 128, "dtype": "float64"}, "2 times the work of one run"),
        ({"seq_len": 4096, "block": 128, "d_k": 128}, "1.5 times the work"),
    ],
)
def test_limits_are_told(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        flash_attention.Params(**settings)
