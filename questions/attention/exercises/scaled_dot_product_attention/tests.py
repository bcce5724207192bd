"""Hidden tests of scaled_dot_product_attention, against a float64 reference and against laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    agree,
    draw,
    draw_mask,
    gradients_agree,
    hides,
    ignores_hidden_keys,
    ignores_order_of_keys,
    named,
    only_class,
    rows_sum_to_1,
    same_dtype,
    strided,
    unchanged,
    within_hull,
)

# Six different sizes: an axis taken for another one shows.
B, H, S_q, S_k, d_k, d_v = 2, 3, 4, 5, 6, 7
WEIGHTS = ("B", "H", "S_q", "S_k")
AXES = {"Q": ("B", "H", "S_q", "d_k"), "K": ("B", "H", "S_k", "d_k"), "V": ("B", "H", "S_k", "d_v")}


def inputs(seed, *, dtype=torch.float32, std=1.0, width=d_k):
    Q = draw(seed, B, H, S_q, width, dtype=dtype, std=std)
    K = draw(seed + 1, B, H, S_k, width, dtype=dtype, std=std)
    return Q, K, draw(seed + 2, B, H, S_k, d_v, dtype=dtype)


def reference(Q, K, V, mask=None, width=None):
    Q, K, V = Q.double(), K.double(), V.double()
    scores = torch.einsum("bhqd,bhkd->bhqk", Q, K) * (width or Q.shape[-1]) ** -0.5
    if mask is not None:
        scores = torch.where(mask != 0, scores, -torch.inf)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return torch.einsum("bhqk,bhkv->bhqv", weights, V), weights


def agrees(submission, Q, K, V, *mask, width=None):
    """The weights first: a wrong one explains a wrong output, not the other way round."""
    output, weights = submission(Q, K, V, *mask)
    right_output, right_weights = reference(Q, K, V, *mask, width=width)
    agree(weights, right_weights, "weights", WEIGHTS, dtype=Q.dtype)
    agree(output, right_output, "output", dtype=Q.dtype)


@named(
    en="without a mask, output and weights are those of the formula",
    zh="没有掩码时，输出和权重与公式一致",
)
def test_formula(submission):
    agrees(submission, *inputs(10))


@named(en="each query's weights sum to 1", zh="每个查询的权重之和为 1")
def test_rows_sum_to_1(submission):
    Q, K, V = inputs(20)
    rows_sum_to_1(submission(Q, K, V)[1])
