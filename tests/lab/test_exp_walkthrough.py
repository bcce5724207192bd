"""The step-by-step attention: its laws, its slips, and the words that tell them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from pydantic import ValidationError

from quizapp.lab.context import RunContext
from quizapp.lab.experiments import walkthrough
from quizapp.report import Report


def context(params: walkthrough.Params) -> RunContext:
    return RunContext("walkthrough", walkthrough.METRICS, params, "cpu")


def report(**settings: Any) -> Report:
    params = walkthrough.Params(**settings)
    return list(walkthrough.run(params, context(params)))[-1]


def values(shown: Report, name: str) -> torch.Tensor:
    value = shown.metrics[name].value
    return torch.tensor(value if isinstance(value, tuple) else [value])


SETTINGS: list[dict[str, Any]] = [
    {},
    {"causal": "yes", "scaled": "no"},
    {"softmax": "queries", "causal": "yes", "seed": 3},
    {"seq_len": 6, "d_k": 8, "d_v": 8, "seed": 9},
    {"key_transpose": ".T"},
    {"key_transpose": ".T", "seq_len": 4},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_check_finds_the_same_numbers(settings: dict[str, Any]) -> None:
    params = walkthrough.Params(**settings)
    shown = report(**settings)
    reference = walkthrough.check(params, context(params))
    assert reference
    for name, expected in reference.items():
        wanted = torch.tensor(expected).reshape(-1)
        torch.testing.assert_close(values(shown, name), wanted, rtol=2e-5, atol=2e-6)


def test_output_is_pytorch_s_own() -> None:
    params = walkthrough.Params(causal="yes")
    ctx = context(params)
    q, k, v = (ctx.normal(name, 1, 5, width) for name, width in (("q", 4), ("k", 4), ("v", 3)))
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(values(report(causal="yes"), "output"), expected.flatten())


def test_plain_attention_keeps_its_laws() -> None:
    shown = report()
    assert set(shown.metrics) == set(walkthrough.METRICS)
    assert values(shown, "scores_shape").tolist() == [1, 5, 5]
    assert values(shown, "output_shape").tolist() == [1, 5, 3]
    assert values(shown, "row_sum_error") < 1e-6
    assert values(shown, "output_in_hull") == 1
    assert values(shown, "permute_pairs_change") < 1e-6
    assert values(shown, "permute_all_error") < 1e-6
    assert values(shown, "permute_values_change") > 0.1
    assert values(shown, "future_influence") > 0.1
    assert values(shown, "top_key_kept") == 1


def test_the_causal_mask_hides_later_keys_and_breaks_permutation() -> None:
    shown = report(causal="yes")
    assert values(shown, "hidden_weight") == 0
    assert values(shown, "future_influence") == 0
    assert values(shown, "first_output_error") == 0
    assert values(shown, "row_sum_error") < 1e-6
    assert values(shown, "permute_all_error") > 0.1


def test_softmax_over_queries_spoils_the_row_sums_and_mixes_queries() -> None:
    errors = [values(report(softmax="queries", seed=s), "row_sum_error") for s in range(5)]
    assert min(errors) > 0.05
    assert values(report(), "query_influence") < 1e-6
    assert values(report(softmax="queries"), "query_influence") > 0.05
    columns = values(report(softmax="queries"), "column_sums")
    torch.testing.assert_close(columns, torch.ones(5))


def test_dot_t_raises_unless_the_sizes_happen_to_agree() -> None:
    raised = report(key_transpose=".T")
    assert values(raised, "transpose_raises") == 1
    assert values(raised, "transposed_shape").tolist() == [4, 5, 1]
    assert "scores" not in raised.metrics
    silent = report(key_transpose=".T", seq_len=4)
    assert values(silent, "transpose_raises") == 0
    assert values(silent, "scores_shape").tolist() == [4, 4, 1]
    assert values(silent, "weights").eq(1).all()
    assert values(silent, "weighted_sum_raises") == 1


def test_dot_t_takes_no_mask() -> None:
    with pytest.raises(ValidationError, match=r"key_transpose=\.T goes with causal=no"):
        walkthrough.Params(key_transpose=".T", causal="yes")


@pytest.mark.parametrize(
    ("settings", "titles"),
    [
        ({}, ["Q, K, V", "scores = QKᵀ", "× 1/√d_k", "softmax, dim −1", "output = weights · V"]),
        (
            {"causal": "yes", "scaled": "no"},
            [
                "Q, K, V",
                "scores = QKᵀ",
                "no scale",
                "causal mask",
                "softmax, dim −1",
                "output = weights · V",
            ],
        ),
        ({"key_transpose": ".T"}, ["Q, K, V", "Q @ K.T"]),
    ],
)
def test_the_trace_tells_each_step_in_both_languages(
    settings: dict[str, Any], titles: list[str]
) -> None:
    trace = report(**settings).trace
    assert [step.title.to("en") for step in trace] == titles
    for step in trace:
        assert step.note.languages == {"en", "zh"}


def test_a_note_quotes_the_matrix_it_shows() -> None:
    shown = report()
    softmax = next(step for step in shown.trace if step.title.to("en") == "softmax, dim −1")
    row = softmax.matrices[0].values[0]
    assert ", ".join(f"{weight:.2f}" for weight in row) in softmax.note.to("en")
    assert ", ".join(f"{weight:.2f}" for weight in row) in softmax.note.to("zh")


def test_report_survives_the_wire() -> None:
    shown = report(causal="yes")  # its logits hold −inf
    assert Report.model_validate_json(shown.model_dump_json()) == shown
