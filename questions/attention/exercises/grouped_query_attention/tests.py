"""Hidden tests of grouped_query_attention, against a float64 reference and against laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    agree,
    draw,
    draw_mask,
    gradients_agree,
    named,
    rows_sum_to_1,
    strided,
    unchanged,
)

# Sizes that differ: an axis taken for another one shows. Groups of 4.
B, H_q, H_kv, S_q, S_k, d_k, d_v = 2, 12, 3, 5, 7, 6, 8
WEIGHTS = ("B", "H_q", "S_q", "S_k")
OUTPUT = ("B", "H_q", "S_q", "d_v")
AXES = {
    "Q": ("B", "H_q", "S_q", "d_k"),
    "K": ("B", "H_kv", "S_k", "d_k"),
    "V": ("B", "H_kv", "S_k", "d_v"),
}


def inputs(seed, heads=(H_q, H_kv), *, dtype=torch.float32, std=1.0, width=d_k):
    Q = draw(seed, B, heads[0], S_q, width, dtype=dtype, std=std)
    K = draw(seed + 1, B, heads[1], S_k, width, dtype=dtype, std=std)
    return Q, K, draw(seed + 2, B, heads[1], S_k, d_v, dtype=dtype)


def reference(Q, K, V, mask=None):
    """Which head reads which by a table of 0 and 1, so that no repeat stands in it."""
    Q, K, V = Q.double(), K.double(), V.double()
    group = Q.shape[1] // K.shape[1]
    reads = torch.eye(K.shape[1]).kron(torch.ones(group, 1)).double()  # (H_q, H_kv)
    K, V = (torch.einsum("hg,bgkd->bhkd", reads, x) for x in (K, V))
    scores = torch.einsum("bhqd,bhkd->bhqk", Q, K) * Q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask != 0, scores, -torch.inf)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    return torch.einsum("bhqk,bhkv->bhqv", weights, V), weights


def agrees(submission, Q, K, V, *mask):
    """The weights first: a wrong one explains a wrong output, not the other way round."""
    output, weights = submission(Q, K, V, *mask)
    right_output, right_weights = reference(Q, K, V, *mask)
    agree(weights, right_weights, "weights", WEIGHTS, dtype=Q.dtype)
    agree(output, right_output, "output", OUTPUT, dtype=Q.dtype)


@named(
    en="12 query heads over 3: heads 0 to 3 read the first, 4 to 7 the second",
    zh="12 个查询头、3 个键值头：0 到 3 读第一个，4 到 7 读第二个",
)
def test_formula(submission):
    agrees(submission, *inputs(10))


@named(en="groups of 2 and of 3 are formed too", zh="每组 2 个、3 个查询头时也正确")
def test_other_groups(submission):
    agrees(submission, *inputs(20, (8, 4)))
    agrees(submission, *inputs(23, (6, 2)))


@named(
    en="with one key/value head it is multi-query attention",
    zh="只有一个键值头时，就是多查询注意力",
)
def test_multi_query(submission):
    agrees(submission, *inputs(30, (4, 1)))


@named(
    en="with as many key/value heads as query heads it is multi-head attention",
    zh="键值头与查询头一样多时，就是多头注意力",
)
def test_multi_head(submission):
    agrees(submission, *inputs(40, (4, 4)))


@named(
    en="changing one key/value head changes its own group's outputs alone",
    zh="只改动一个键值头，只有它那一组的输出改变",
)
def test_own_group(submission):
    Q, K, V = inputs(50)
    before = submission(Q, K, V)[0]
    K, V = K.clone(), V.clone()
    K[:, 1], V[:, 1] = draw(53, B, S_k, d_k), draw(54, B, S_k, d_v)
    after = submission(Q, K, V)[0]
    others = torch.tensor([0, 1, 2, 3, 8, 9, 10, 11])
    lead = (
        "Only key/value head 1 was changed; these are the 8 query heads that read another.",
        "只改动了第 1 个键值头；这里是读其他键值头的 8 个查询头。",
    )
    agree(after[:, others], before[:, others].double(), "output", OUTPUT, lead=lead)


@named(
    en="query heads of one group may change places, and their outputs do the same",
    zh="同组的查询头调换位置，输出也同样调换",
)
def test_order_within_group(submission):
    Q, K, V = inputs(60)
    order = torch.tensor([2, 0, 3, 1, 4, 7, 6, 5, 9, 8, 11, 10])
    before = submission(Q, K, V)[0]
    lead = (
        "Query heads changed places within their groups.",
        "查询头在各自的组内调换了位置。",
    )
    agree(submission(Q[:, order], K, V)[0], before[:, order].double(), "output", OUTPUT, lead=lead)


@named(
    en="in every query head each query's weights sum to 1",
    zh="每个查询头中，每个查询的权重之和为 1",
)
def test_rows_sum_to_1(submission):
    rows_sum_to_1(submission(*inputs(70), draw_mask(73, B, H_q, S_q, S_k))[1])


@named(
    en="a mask may differ between the query heads of a group",
    zh="同组的各个查询头可以有不同的掩码",
)
def test_mask(submission):
    agrees(submission, *inputs(80), draw_mask(83, B, H_q, S_q, S_k))


@named(
    en="0 and 1 as integers or floats hide the same",
    zh="用整数或浮点数写的 0 和 1 效果相同",
)
def test_number_masks(submission):
    mask = draw_mask(93, B, H_q, S_q, S_k)
    agrees(submission, *inputs(90), mask.long())
    agrees(submission, *inputs(90), mask.float())


@named(
    en="a padding mask and a causal one broadcast over the heads",
    zh="填充掩码和因果掩码可在头上广播",
)
def test_broadcast_masks(submission):
    agrees(submission, *inputs(100), draw_mask(103, B, 1, 1, S_k))
    agrees(submission, *inputs(104), torch.ones(S_q, S_k).tril(S_k - S_q).bool())


@named(en="the scale follows d_k, 9 or 40", zh="缩放系数随 d_k 变化：9 和 40")
def test_other_widths(submission):
    agrees(submission, *inputs(110, width=9))
    agrees(submission, *inputs(113, width=40))


@named(en="scores near 100 leave no NaN", zh="分数接近 100 时不出现 NaN")
def test_large_scores(submission):
    agrees(submission, *inputs(120, std=7.0))


@named(
    en="float64 and bfloat16 stay what they are",
    zh="float64、bfloat16 各自保持不变",
)
def test_dtypes(submission):
    for seed, dtype in ((130, torch.float64), (133, torch.bfloat16)):
        agrees(submission, *inputs(seed, dtype=dtype), draw_mask(136, B, 1, S_q, S_k))


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    # As a projection leaves them: (B, S, H, d) in memory.
    views = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in inputs(140)]
    agrees(submission, *views, strided(draw_mask(143, B, H_q, S_q, S_k)))


@named(en="the inputs are left as they were", zh="输入保持原样")
def test_inputs_unchanged(submission):
    submission(*inputs(150), draw_mask(153, B, H_q, S_q, S_k).float())
    unchanged(submission)


@named(en="the same shapes with new numbers give new results", zh="形状相同、数据不同时，重新计算")
def test_no_memory(submission):
    agrees(submission, *inputs(160))
    agrees(submission, *inputs(163))


@named(
    en="the gradient of a shared head adds up those of its whole group",
    zh="共享的键值头，梯度是整组之和",
)
def test_gradients(submission):
    given = dict(zip(AXES, inputs(170, dtype=torch.float64), strict=True))
    mask = draw_mask(173, B, H_q, S_q, S_k)
    gradients_agree(submission, reference, given, mask, axes=AXES)
