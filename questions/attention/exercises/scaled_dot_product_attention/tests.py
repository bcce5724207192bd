"""Hidden tests of scaled_dot_product_attention, against a float64 reference and against laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    agree,
    draw,
    draw_mask,
    gradients_agree,
    ignores_hidden_keys,
    ignores_order_of_keys,
    named,
    only_class,
    rows_sum_to_1,
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


@named(en="each query's weights sum to 1 under a mask too", zh="有掩码时，每个查询的权重之和也为 1")
def test_rows_sum_to_1(submission):
    rows_sum_to_1(submission(*inputs(20), draw_mask(23, B, H, S_q, S_k))[1])


@named(en="the scale follows d_k, 9 or 40", zh="缩放系数随 d_k 变化：9 和 40")
def test_other_widths(submission):
    agrees(submission, *inputs(30, width=9))
    agrees(submission, *inputs(33, width=40))


@named(
    en="the class scales by the d_k it was made with, not by the width of Q",
    zh="类按构造时的 d_k 缩放，而不是按 Q 的宽度",
)
@only_class
def test_constructor_sets_the_scale(submission):
    agrees(submission.with_init(d_k=24), *inputs(40), width=24)


@named(en="scores near 100 leave no NaN", zh="分数接近 100 时不出现 NaN")
def test_large_scores(submission):
    agrees(submission, *inputs(50, std=7.0))


@named(en="a bool mask hides where it is False", zh="bool 掩码在 False 处隐藏")
def test_bool_mask(submission):
    Q, K, V = inputs(60)
    agrees(submission, Q, K, V, draw_mask(63, B, H, S_q, S_k))


@named(en="0 and 1 as integers or floats hide the same", zh="用整数或浮点数写的 0 和 1 效果相同")
def test_number_masks(submission):
    Q, K, V = inputs(70)
    mask = draw_mask(73, B, H, S_q, S_k)
    agrees(submission, Q, K, V, mask.long())
    agrees(submission, Q, K, V, mask.float())


@named(en="a mask broadcasts over heads, queries and batch", zh="掩码可在头、查询和批上广播")
def test_broadcast_masks(submission):
    Q, K, V = inputs(80)
    agrees(submission, Q, K, V, draw_mask(83, B, 1, 1, S_k))
    agrees(submission, Q, K, V, draw_mask(84, S_q, S_k))


@named(en="hidden keys and values have no influence", zh="被隐藏的键和值没有任何影响")
def test_hidden_keys(submission):
    ignores_hidden_keys(submission, *inputs(90), draw_mask(93, B, 1, 1, S_k))


@named(
    en="the order of the keys, values along with them, does not matter",
    zh="键与值一起换顺序，结果不变",
)
def test_order_of_keys(submission):
    ignores_order_of_keys(submission, *inputs(100))


@named(en="each output row is an average of value rows", zh="输出的每一行都是各个值的平均")
def test_averages(submission):
    Q, K, V = inputs(110)
    within_hull(submission(Q, K, V)[0], V)


@named(en="one query and one head work (decoding)", zh="只有一个查询、一个头时也正确（解码）")
def test_one_query(submission):
    Q, K, V = draw(120, 1, 1, 1, d_k), draw(121, 1, 1, S_k, d_k), draw(122, 1, 1, S_k, d_v)
    agrees(submission, Q, K, V)


@named(en="float64 stays float64 and is as precise", zh="float64 输入得到 float64，且精度相当")
def test_float64(submission):
    Q, K, V = inputs(130, dtype=torch.float64)
    agrees(submission, Q, K, V, draw_mask(133, B, H, S_q, S_k))


@named(en="bfloat16 stays bfloat16", zh="bfloat16 输入得到 bfloat16")
def test_bfloat16(submission):
    agrees(submission, *inputs(140, dtype=torch.bfloat16))


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    Q, K, V = (strided(x) for x in inputs(150))
    agrees(submission, Q, K, V, strided(draw_mask(153, B, H, S_q, S_k)))


@named(en="the inputs are left as they were", zh="输入保持原样")
def test_inputs_unchanged(submission):
    submission(*inputs(160), draw_mask(163, B, H, S_q, S_k).float())
    unchanged(submission)


@named(en="the same shapes with new numbers give new results", zh="形状相同、数据不同时，重新计算")
def test_no_memory(submission):
    mask = draw_mask(176, B, H, S_q, S_k)
    agrees(submission, *inputs(170), mask)
    agrees(submission, *inputs(173), ~mask | mask.roll(1, -1))


@named(
    en="gradients reach Q, K and V through output and weights",
    zh="梯度经 output 和 weights 传到 Q、K、V",
)
def test_gradients(submission):
    Q, K, V = inputs(180, dtype=torch.float64)
    mask = draw_mask(183, B, H, S_q, S_k)
    gradients_agree(submission, reference, {"Q": Q, "K": K, "V": V}, mask, axes=AXES)
