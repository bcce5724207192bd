"""Hidden tests of cross_attention, against a float64 reference and against laws."""

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

# Sizes that differ: an axis taken for another one shows. H·d_v = d_model.
B, H, S_q, S_k, d_model, d_memory, d_k = 2, 3, 5, 7, 12, 10, 6
OUTPUT, WEIGHTS = ("B", "S_q", "d_model"), ("B", "H", "S_q", "S_k")
NAMES = {
    "X": OUTPUT,
    "memory": ("B", "S_k", "d_memory"),
    "W_q": ("d_model", "D_k"),
    "W_k": ("d_memory", "D_k"),
    "W_v": ("d_memory", "d_model"),
    "W_o": ("d_model", "d_model"),
}


def inputs(seed, *, dtype=torch.float32, std=1.0, S_q=S_q, S_k=S_k, B=B, equal=False):
    """X, memory and the four weights; std is that of queries and keys."""
    encoded, D_k = (d_model, d_model) if equal else (d_memory, H * d_k)
    X, memory = (draw(seed, B, S_q, d_model), draw(seed + 1, B, S_k, encoded))
    W_q = draw(seed + 2, d_model, D_k, std=std * d_model**-0.5)
    W_k = draw(seed + 3, encoded, D_k, std=std * encoded**-0.5)
    W_v = draw(seed + 4, encoded, d_model, std=encoded**-0.5)
    W_o = draw(seed + 5, d_model, d_model, std=d_model**-0.5)
    return tuple(x.to(dtype) for x in (X, memory, W_q, W_k, W_v, W_o))


def padding(seed, B=B):
    return draw_mask(seed, B, S_k)


def reference(X, memory, W_q, W_k, W_v, W_o, n_heads, mask=None):
    X, memory, *W = (x.double() for x in (X, memory, W_q, W_k, W_v, W_o))
    W_q, W_k, W_v = (w.unflatten(1, (n_heads, -1)) for w in W[:3])
    scores = torch.einsum("bqm,mhd,bke,ehd->bhqk", X, W_q, memory, W_k) * W_q.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where((mask != 0)[:, None, None], scores, -torch.inf)
    weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
    heads = torch.einsum("bhqk,bke,ehv->bqhv", weights, memory, W_v)
    return heads.flatten(-2) @ W[3], weights


def agrees(submission, arguments, n_heads=H, *mask):
    """The weights first: a wrong one explains a wrong output, not the other way round."""
    dtype = arguments[0].dtype
    output, weights = submission(*arguments, n_heads, *mask)
    right_output, right_weights = reference(*arguments, n_heads, *mask)
    agree(weights, right_weights, "weights", WEIGHTS, dtype=dtype)
    agree(output, right_output, "output", OUTPUT, dtype=dtype)


def same_output(after, before, dtype, *lead):
    agree(after[0], before[0].double(), "output", OUTPUT, dtype=dtype, lead=lead)


@named(
    en="without a mask, output and weights are those of the formula",
    zh="没有掩码时，输出和权重与公式一致",
)
def test_formula(submission):
    agrees(submission, inputs(10))


@named(en="n_heads sets how many heads there are, 6 or 1", zh="头数由 n_heads 决定：6 个或 1 个")
def test_other_heads(submission):
    agrees(submission, inputs(20), 6)
    agrees(submission, inputs(26), 1)


@named(
    en="each query's weights over the memory sum to 1, padding or not",
    zh="无论有无填充，每个查询在 memory 上的权重之和为 1",
)
def test_rows_sum_to_1(submission):
    rows_sum_to_1(submission(*inputs(30), H, padding(36))[1])


@named(en="a bool mask hides the memory's padding", zh="bool 掩码隐藏 memory 的填充")
def test_bool_mask(submission):
    agrees(submission, inputs(40), H, padding(46))


@named(en="0 and 1 as integers or floats hide the same", zh="用整数或浮点数写的 0 和 1 效果相同")
def test_number_masks(submission):
    mask = padding(56)
    agrees(submission, inputs(50), H, mask.long())
    agrees(submission, inputs(50), H, mask.float())


@named(
    en="where all sizes are equal, keys and values are still the memory's",
    zh="各个大小都相等时，键和值仍然来自 memory",
)
def test_equal_sizes(submission):
    # As many queries as keys and as many items as heads: no shape tells a mix-up.
    arguments = inputs(60, S_q=S_k, B=H, equal=True)
    agrees(submission, arguments, H, padding(66, H))
    agrees(submission, arguments)


@named(
    en="what lies under the padding has no influence",
    zh="填充处是什么内容，对结果没有影响",
)
def test_padding(submission):
    X, memory, *W = inputs(70)
    mask = padding(76)
    other = torch.where(mask[..., None], memory, draw(77, B, S_k, d_memory, std=3.0))
    before, after = submission(X, memory, *W, H, mask), submission(X, other, *W, H, mask)
    same_output(
        after,
        before,
        X.dtype,
        "Changing only the memory's padding changed the output.",
        "只改动 memory 的填充，输出却变了。",
    )


@named(
    en="the order of the memory does not matter, its mask along with it",
    zh="memory 连同掩码一起换顺序，结果不变",
)
def test_order_of_memory(submission):
    X, memory, *W = inputs(80)
    mask, order = padding(86), torch.randperm(S_k, generator=torch.Generator().manual_seed(0))
    before = submission(X, memory, *W, H, mask)
    after = submission(X, memory[:, order], *W, H, mask[:, order])
    same_output(
        after,
        before,
        X.dtype,
        "Permuting the memory together with its mask changed the output.",
        "memory 与掩码按同一顺序重排之后，输出变了。",
    )


@named(
    en="one decoding step alone, or more queries than keys, is as right",
    zh="只解码一步，或查询比键多，结果同样正确",
)
def test_other_lengths(submission):
    agrees(submission, inputs(90, S_q=1), H, padding(96))
    agrees(submission, inputs(97, S_q=8, S_k=3))


@named(en="scores near 100 leave no NaN", zh="分数接近 100 时不出现 NaN")
def test_large_scores(submission):
    agrees(submission, inputs(110, std=6.0), H, padding(116))


@named(en="float64 stays float64 and is as precise", zh="float64 输入得到 float64，且精度相当")
def test_float64(submission):
    agrees(submission, inputs(120, dtype=torch.float64), H, padding(126))


@named(en="bfloat16 stays bfloat16", zh="bfloat16 输入得到 bfloat16")
def test_bfloat16(submission):
    agrees(submission, inputs(130, dtype=torch.bfloat16))


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    agrees(submission, tuple(strided(x) for x in inputs(140)), H, strided(padding(146)))


@named(en="the inputs are left as they were", zh="输入保持原样")
def test_inputs_unchanged(submission):
    submission(*inputs(150), H, padding(156).float())
    unchanged(submission)


@named(
    en="another memory of the same shape gives new results",
    zh="形状相同的另一个 memory 得到新的结果",
)
def test_no_memory_of_the_last_call(submission):
    X, memory, *W = inputs(160)
    agrees(submission, (X, memory, *W), H, padding(166))
    agrees(submission, (X, draw(167, B, S_k, d_memory), *W), H, padding(168))


@named(
    en="gradients reach X, the memory and all four weights",
    zh="梯度传到 X、memory 和全部四个权重",
)
def test_gradients(submission):
    arguments = dict(zip(NAMES, inputs(180, dtype=torch.float64), strict=True))
    gradients_agree(submission, reference, arguments, H, padding(186), axes=NAMES)
