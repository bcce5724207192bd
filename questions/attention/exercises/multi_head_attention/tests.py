"""Hidden tests of multi_head_attention, against a float64 reference and against laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    agree,
    draw,
    draw_mask,
    gradients_agree,
    named,
    strided,
    unchanged,
)

# Five different sizes: an axis taken for another one shows.
B, S, H, d_k = 2, 5, 3, 4
d_model = H * d_k
OUTPUT = ("B", "S", "d_model")
SQUARE = ("d_model", "column")
AXES = {"X": OUTPUT} | dict.fromkeys(("W_q", "W_k", "W_v", "W_o"), SQUARE)


def inputs(seed, *, items=B, length=S, dtype=torch.float32, std=1.0):
    """X and the four weights, such that queries and keys have the standard deviation `std`."""
    X = draw(seed, items, length, d_model, dtype=dtype)
    spread = d_model**-0.5
    W_q, W_k = (draw(seed + i, d_model, d_model, dtype=dtype, std=std * spread) for i in (1, 2))
    W_v, W_o = (draw(seed + i, d_model, d_model, dtype=dtype, std=spread) for i in (3, 4))
    return X, W_q, W_k, W_v, W_o


def reference(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    """Head by head: each an attention of its own, whose share of the output is added up."""
    X, W_q, W_k, W_v, W_o = (x.double() for x in (X, W_q, W_k, W_v, W_o))
    width = X.shape[-1] // n_heads
    output = torch.zeros_like(X)
    for cut in torch.arange(X.shape[-1]).split(width):
        Q, K, V = X @ W_q[:, cut], X @ W_k[:, cut], X @ W_v[:, cut]
        scores = torch.einsum("bqd,bkd->bqk", Q, K) * width**-0.5
        if mask is not None:
            scores = torch.where(mask != 0, scores, -torch.inf)
        weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
        output = output + weights @ V @ W_o[cut]
    return output


def agrees(submission, inputs, n_heads, *mask):
    expected = reference(*inputs, n_heads, *mask)
    got = submission(*inputs, n_heads, *mask)
    agree(got, expected, "output", OUTPUT, dtype=inputs[0].dtype)


@named(en="three heads give the sum of three attentions", zh="三个头的结果等于三次注意力之和")
def test_formula(submission):
    agrees(submission, inputs(10), H)


@named(en="one head is attention of the full width", zh="只有一个头时，就是全宽的注意力")
def test_one_head(submission):
    agrees(submission, inputs(20), 1)


@named(en="the scale follows the width of a head: 6, 2, 1", zh="缩放随头的宽度变化：6、2、1")
def test_other_heads(submission):
    for seed, n_heads in ((30, 2), (35, 6), (40, 12)):
        agrees(submission, inputs(seed), n_heads)


@named(
    en="a head whose rows of W_o are 0 has no influence",
    zh="W_o 中对应行为 0 的头没有任何影响",
)
def test_silent_head(submission):
    X, *projections, W_o = inputs(50)
    own = slice(d_k, 2 * d_k)
    W_o[own] = 0.0
    before = submission(X, *projections, W_o, H)
    others = [W.clone() for W in projections]
    for seed, W in enumerate(others, 55):
        W[:, own] = draw(seed, d_model, d_k)
    lead = (
        "Only head 1 was changed, and its rows of W_o are 0.",
        "只改动了第 1 个头，而 W_o 中它的那些行为 0。",
    )
    agree(submission(X, *others, W_o, H), before.double(), "output", OUTPUT, lead=lead)


@named(
    en="the order of the heads does not matter, if it is the same in all weights",
    zh="四个权重一致地调换头的顺序，结果不变",
)
def test_order_of_heads(submission):
    X, *projections, W_o = inputs(60)
    order = torch.arange(d_model).view(H, d_k).roll(1, 0).flatten()
    before = submission(X, *projections, W_o, H)
    after = submission(X, *(W[:, order] for W in projections), W_o[order], H)
    lead = ("The heads were put into another order.", "调换了头的顺序。")
    agree(after, before.double(), "output", OUTPUT, lead=lead)


@named(
    en="positions in another order give the same outputs in that order",
    zh="调换位置的顺序，输出也按同样的顺序调换",
)
def test_order_of_positions(submission):
    X, *weights = inputs(70)
    order = torch.tensor([3, 0, 4, 1, 2])
    before = submission(X, *weights, H)
    after = submission(X[:, order], *weights, H)
    lead = ("The positions were put into another order.", "调换了位置的顺序。")
    agree(after, before[:, order].double(), "output", OUTPUT, lead=lead)


@named(en="a single position gives X·W_v·W_o", zh="只有一个位置时，结果是 X·W_v·W_o")
def test_one_position(submission):
    agrees(submission, inputs(80, items=1, length=1), H)


@named(
    en="a mask of its own for each item hides in every head",
    zh="每个样本各自的掩码在每个头都起作用",
)
def test_mask(submission):
    agrees(submission, inputs(90), H, draw_mask(95, B, S, S))


@named(
    en="0 and 1 as integers or floats hide the same",
    zh="用整数或浮点数写的 0 和 1 效果相同",
)
def test_number_masks(submission):
    mask = draw_mask(105, B, S, S)
    agrees(submission, inputs(100), H, mask.long())
    agrees(submission, inputs(100), H, mask.float())


@named(
    en="one mask for the batch, or one row per item, broadcasts",
    zh="整批共用一个掩码，或每个样本一行，都能广播",
)
def test_broadcast_masks(submission):
    agrees(submission, inputs(110), H, draw_mask(115, B, 1, S))
    agrees(submission, inputs(116), H, torch.ones(S, S, dtype=torch.bool).tril())


@named(
    en="each item keeps its own mask where there are as many items as heads",
    zh="样本数等于头数时，每个样本仍用自己的掩码",
)
def test_as_many_items_as_heads(submission):
    # Here a mask without an axis for the heads broadcasts as well: to the wrong axis. Every
    # query and every key has something hidden and something seen, the other way round too.
    ahead = torch.arange(S) - torch.arange(S)[:, None]
    agrees(submission, inputs(120, items=H), H, ahead % S != torch.arange(H)[:, None, None])


@named(en="scores near 100 leave no NaN", zh="分数接近 100 时不出现 NaN")
def test_large_scores(submission):
    agrees(submission, inputs(130, std=7.0), H)


@named(
    en="float64 and bfloat16 stay what they are",
    zh="float64、bfloat16 各自保持不变",
)
def test_dtypes(submission):
    for seed, dtype in ((140, torch.float64), (145, torch.bfloat16)):
        agrees(submission, inputs(seed, dtype=dtype), H, draw_mask(150, B, S, S))


@named(
    en="inputs may be views that are not contiguous",
    zh="输入可以是不连续的视图",
)
def test_views(submission):
    views = [strided(x) for x in inputs(160)]
    agrees(submission, views, H, strided(draw_mask(165, B, S, S)))


@named(en="the inputs are left as they were", zh="输入保持原样")
def test_inputs_unchanged(submission):
    submission(*inputs(170), H, draw_mask(175, B, S, S).float())
    unchanged(submission)


@named(en="the same shapes with new numbers give new results", zh="形状相同、数据不同时，重新计算")
def test_no_memory(submission):
    agrees(submission, inputs(180), H)
    agrees(submission, inputs(185), H)


@named(en="gradients reach X and all four weights", zh="梯度传到 X 和全部四个权重")
def test_gradients(submission):
    given = dict(zip(AXES, inputs(190, dtype=torch.float64), strict=True))
    gradients_agree(submission, reference, given, H, draw_mask(195, B, S, S), axes=AXES)
