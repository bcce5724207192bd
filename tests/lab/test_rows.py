"""Statistics of attention rows: right by definition, honest about their error, and twice."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from quizapp.lab.context import RunContext
from quizapp.lab.experiment import BaseParams
from quizapp.lab.maths import rows
from quizapp.lab.maths.rows import Rows
from quizapp.lab.pictures import rows as pictures
from quizapp.lab.second_way import odds
from quizapp.lab.second_way.odds import Odds


def weights(draws: int, n: int, width: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    q, k = (
        torch.randn(draws, n, width, generator=generator, dtype=torch.float64) for _ in range(2)
    )
    return torch.softmax(q @ k.mT, -1)


def test_measures_are_those_of_the_definition() -> None:
    shown = weights(3, 7, 4)
    part = Rows.of(shown)
    for draw, row in ((0, 0), (2, 6)):
        p = shown[draw, row]
        jacobian = torch.diag(p) - torch.outer(p, p)
        torch.testing.assert_close(part.jacobian[draw, row], torch.linalg.matrix_norm(jacobian))
        torch.testing.assert_close(part.entropy[draw, row], -(p * p.log()).sum())
        torch.testing.assert_close(part.max_weight[draw, row], p.max())


def test_shares_and_means_count_rows() -> None:
    one_hot = torch.zeros(2, 4, 5)
    one_hot[..., 1] = 1
    uniform = torch.full((2, 4, 5), 0.2)
    mixed = torch.cat([one_hot[:, :1], uniform[:, :3]], dim=1)  # one dead row in four
    found = Rows.of(mixed).summary("x_")
    assert found["x_dead_share"] == (0.25, 0.0)
    assert found["x_saturated_share"] == (0.25, 0.0)
    assert found["x_max_weight"][0] == pytest.approx(0.4)
    assert found["x_entropy"][0] == pytest.approx(0.75 * math.log(5))
    assert set(found) == set(rows.row_metrics("x_"))


def test_non_finite_weights_are_counted() -> None:
    broken = torch.full((2, 2, 2), 0.5)
    broken[1, 0] = math.nan
    assert Rows.of(broken).non_finite.tolist() == [0.0, 0.5]


@pytest.mark.parametrize("width", [1, 64, 1024])
def test_odds_find_the_same_rows(width: int) -> None:
    generator = torch.Generator().manual_seed(width)
    q, k = (torch.randn(2, 30, width, generator=generator, dtype=torch.float64) for _ in range(2))
    measured = Rows.of(torch.softmax(q @ k.mT, -1)).summary()
    found = Odds.of(odds.scores64(q.numpy(), k.numpy())).summary()
    assert set(found) == set(measured)
    for name, (value, _) in measured.items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-15), name


@pytest.mark.parametrize("gap", [0.0, 1.0, 50.0, 300.0])
def test_odds_keep_their_digits_on_saturated_rows(gap: float) -> None:
    part = Odds.of(np.array([[[gap, 0.0]]]))
    p = math.exp(-gap) / (1 + math.exp(-gap))  # of the lesser key
    assert part.jacobian.item() == pytest.approx(2 * p * (1 - p), rel=1e-12)
    assert part.entropy.item() == pytest.approx(math.log1p(math.exp(-gap)) + p * gap, rel=1e-12)


@pytest.mark.parametrize("width", [3, 100])
def test_score_variance_is_that_of_the_scores(width: int) -> None:
    generator = np.random.default_rng(width)
    q, k = generator.normal(1.0, 2.0, (2, 3, 20, width))  # width 100 takes the other route
    scores = np.einsum("bid,bjd->bij", q, k)
    np.testing.assert_allclose(odds.score_variance64(q, k), scores.var((1, 2), ddof=1), rtol=1e-10)


def test_quantiles_are_of_all_rows_together() -> None:
    norms = Rows.of(weights(5, 40, 64)).jacobian
    found = rows.quantiles(norms)
    for name, share in rows.QUANTILES.items():
        assert found[name][0] == pytest.approx(torch.quantile(norms.flatten(), share).item())


def test_standard_errors_are_as_large_as_the_spread_of_repeated_runs() -> None:
    repeated = [Rows.of(weights(20, 50, 64, seed)).summary() for seed in range(60)]
    for name in ("entropy", "max_weight", "jacobian_median", "jacobian_p10", "dead_share"):
        values = torch.tensor([found[name][0] for found in repeated])
        stated = sum(found[name][1] for found in repeated) / len(repeated)
        assert stated == pytest.approx(values.std().item(), rel=0.4), name


def test_pooled_std_is_the_root_of_the_mean_variance() -> None:
    std, error = rows.pooled_std(torch.tensor([3.0, 5.0], dtype=torch.float64))
    assert std == 2.0
    assert error == pytest.approx(1.0 / 4)  # the delta method: error of the variance over 2·std
    assert rows.pooled_std(torch.zeros(3)) == (0.0, 0.0)


@pytest.mark.parametrize("size", [1, 10_000, rows.BLOCK * 3])
def test_blocks_hold_every_draw_once(size: int) -> None:
    assert [i for block in rows.blocks(53, size) for i in block] == list(range(53))


def test_a_draw_is_the_same_in_any_block() -> None:
    ctx = RunContext("rows", {}, BaseParams(seed=4), "cpu")
    whole = rows.drawn(ctx, "q", range(5), 3, 2)
    assert torch.equal(rows.drawn(ctx, "q", range(3, 5), 3, 2), whole[3:])
    np.testing.assert_array_equal(odds.drawn64(ctx, "q", range(5), 3, 2), whole.double().numpy())


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((41, 320, 16), r"draws × seq_len² may be at most 4,000,000, here it is 4,198,400"),
        (
            (50, 100, 4096),
            r"draws × seq_len × d_k may be at most 16,777,216, here it is 20,480,000",
        ),
    ],
)
def test_too_much_work_is_refused(sizes: tuple[int, int, int], message: str) -> None:
    draws, seq_len, width = sizes
    with pytest.raises(ValueError, match=message):
        rows.refuse_too_much(draws, seq_len, "d_k", width)
    rows.refuse_too_much(draws // 2, seq_len, "d_k", width)


def test_a_weight_map_shows_real_weights() -> None:
    shown = weights(1, 100, 64)[0]
    drawn = pictures.weight_map("w", {"en": "weights"}, shown)
    assert len(drawn.values) == 64
    assert drawn.values[63][10] == pytest.approx(shown[63, 10].item())
    assert drawn.high == pytest.approx(shown[:64, :64].max().item())


def test_the_norm_histogram_counts_every_row() -> None:
    parts = {"raw": Rows.of(weights(3, 20, 64)), "flat": Rows.of(torch.full((1, 2, 2), 0.5))}
    drawn = pictures.norm_histogram(parts, {"raw": {"en": "raw"}, "flat": {"en": "flat"}})
    raw, flat = drawn.series
    assert sum(raw.values) == 60
    assert flat.values[-1] == 2  # two keys at one half have the largest norm there is


def test_a_table_marks_shares() -> None:
    table = pictures.measures_table(
        "t",
        "title",
        {"entropy": "entropy", "dead_share": "dead"},
        [("row", {"entropy": (1.5, 0.1), "dead_share": (0.2, 0.0)})],
    )
    assert table.units == ("", "share")
    assert table.rows[0].cells == (1.5, 0.2)
