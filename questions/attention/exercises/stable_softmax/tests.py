"""Hidden tests of stable_softmax, against a float64 reference and against laws."""

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

# Four different sizes: an axis taken for another one shows.
B, H, S_q, S_k = 2, 3, 4, 5
SHAPE = ("B", "H", "S_q", "S_k")
HIDDEN = -torch.inf
#: One rounding to the dtype, with some room: what computing in float32 leaves.
ROUNDED = {torch.float16: 1.5e-3, torch.bfloat16: 8e-3}


def scores(seed, *, dtype=torch.float32, std=1.0):
    return draw(seed, B, H, S_q, S_k, dtype=dtype, std=std)


def partly_hidden(seed, dim=-1, *, dtype=torch.float32):
    """Some scores at −inf, at least one in each row along `dim` left."""
    shape = [B, H, S_q, S_k]
    shape[dim], shape[-1] = shape[-1], shape[dim]
    seen = draw_mask(seed + 1, *shape).transpose(dim, -1)
    return scores(seed, dtype=dtype).masked_fill(~seen, HIDDEN)


def reference(x, dim):
    x = x.double()
    empty = (x == HIDDEN).all(dim, keepdim=True)
    return x.masked_fill(empty, 0.0).softmax(dim).masked_fill(empty, 0.0)


def agrees(submission, x, dim=-1, **tolerance):
    got = submission(x, dim)
    agree(got, reference(x, dim), "weights", SHAPE, dtype=x.dtype, **tolerance)


def as_rounded(submission, x, dim=-1):
    agrees(submission, x, dim, rtol=ROUNDED[x.dtype], atol=1e-6)


@named(en="along the last axis it is the formula", zh="沿最后一个轴，结果与公式一致")
def test_formula(submission):
    agrees(submission, scores(10))


@named(en="dim chooses the axis, counted from the front", zh="dim 从前数，选定是哪个轴")
def test_positive_dims(submission):
    for dim in (0, 1, 3):
        agrees(submission, scores(20 + dim), dim)


@named(en="a negative dim counts from the back", zh="dim 为负时从后往前数")
def test_negative_dims(submission):
    for dim in (-2, -3):
        agrees(submission, scores(30 - dim), dim)


@named(en="weights are not negative and sum to 1", zh="权重不为负，每行之和为 1")
def test_sums(submission):
    rows_sum_to_1(submission(scores(40, std=4.0), -1))


@named(en="scores of hundreds do not overflow", zh="分数达到几百时不溢出")
def test_large_scores(submission):
    agrees(submission, scores(50, std=300.0))
    agrees(submission, scores(51) + 200.0, -2)


@named(
    en="each row is shifted by a maximum of its own",
    zh="每一行减去的是自己的最大值",
)
def test_rows_far_apart(submission):
    # exp of −97 is still a number in float32, but one of a few bits only: a wrong shift shows
    # in the digits, and is told by them, before it shows as NaN.
    rows = torch.arange(S_q)[:, None]
    agrees(submission, scores(61) - 49.0)
    agrees(submission, scores(60) - 97.0 * (rows % 2))
    agrees(submission, scores(62) - 2000.0 * rows)


@named(
    en="a score of −inf gets weight 0, the others share the 1",
    zh="分数为 −inf 的权重为 0，其余的分掉这个 1",
)
def test_hidden_scores(submission):
    agrees(submission, partly_hidden(70))
    agrees(submission, partly_hidden(72, 1), 1)


@named(
    en="a row that is −inf throughout gives zeros, not NaN",
    zh="整行都是 −inf 时得到 0，而不是 NaN",
)
def test_hidden_rows(submission):
    x = partly_hidden(80)
    x[1, :, 2] = HIDDEN
    agrees(submission, x)
    x = scores(82)
    x[:, 1, :, 3] = HIDDEN
    agrees(submission, x, -2)


@named(
    en="a constant added to a row changes nothing",
    zh="给一行加上同一个常数，结果不变",
)
def test_shift(submission):
    x = scores(90, dtype=torch.float64)
    before = submission(x, 2)
    after = submission(x + 50.0 * draw(91, B, H, 1, S_k, dtype=torch.float64), 2)
    lead = ("A constant was added to each row.", "给每一行加了一个常数。")
    agree(after, before.double(), "weights", SHAPE, dtype=torch.float64, lead=lead)


@named(
    en="float64 stays float64 and is computed in it",
    zh="float64 输入在 float64 中计算，结果也是 float64",
)
def test_float64(submission):
    x = scores(100, dtype=torch.float64) + 1e5
    agrees(submission, x, rtol=1e-9, atol=1e-12)


@named(
    en="float16 gives what float32 gives, rounded once",
    zh="float16 的结果等于用 float32 计算后只舍入一次",
)
def test_float16(submission):
    as_rounded(submission, scores(110, dtype=torch.float16, std=3.0))
    as_rounded(submission, scores(111, dtype=torch.float16, std=60.0), 1)


@named(
    en="bfloat16 gives what float32 gives, rounded once",
    zh="bfloat16 的结果等于用 float32 计算后只舍入一次",
)
def test_bfloat16(submission):
    as_rounded(submission, scores(120, dtype=torch.bfloat16, std=3.0))


@named(
    en="70,000 equal scores in float16 keep their weight",
    zh="float16 的 70,000 个相等分数各有其权重",
)
def test_long_row(submission):
    # Their sum is beyond float16's largest number, 65504.
    as_rounded(submission, torch.full((1, 1, 1, 70_000), 2.0, dtype=torch.float16))


@named(en="the input may be a view that is not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    agrees(submission, strided(scores(140)), -2)


@named(en="the input is left as it was", zh="输入保持原样")
def test_input_unchanged(submission):
    submission(scores(150), -1)
    unchanged(submission)


@named(en="the same shape with new numbers gives new results", zh="形状相同、数据不同时，重新计算")
def test_no_memory(submission):
    agrees(submission, scores(160), 1)
    agrees(submission, scores(161) + 300.0, 1)


@named(en="the gradient is that of softmax", zh="梯度就是 softmax 的梯度")
def test_gradients(submission):
    x = scores(170, dtype=torch.float64)
    gradients_agree(submission, reference, {"x": x}, 1, axes={"x": SHAPE})


@named(
    en="hidden scores and hidden rows have gradient 0, not NaN",
    zh="被隐藏的分数和整行的梯度为 0，而不是 NaN",
)
def test_gradients_of_hidden_rows(submission):
    x = partly_hidden(180, dtype=torch.float64)
    x[0, 2, 1] = HIDDEN
    gradients_agree(submission, reference, {"x": x}, -1, axes={"x": SHAPE})
