"""Hidden tests of masked_attention, against a float64 reference and against laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    agree,
    draw,
    draw_mask,
    gradients_agree,
    ignores_the_future,
    named,
    strided,
    unchanged,
)

# Six different sizes: an axis taken for another one shows.
B, H, S_q, S_k, d_k, d_v = 2, 3, 4, 5, 6, 7
WEIGHTS = ("B", "H", "S_q", "S_k")
OUTPUT = ("B", "H", "S_q", "d_v")
AXES = {"Q": ("B", "H", "S_q", "d_k"), "K": ("B", "H", "S_k", "d_k"), "V": ("B", "H", "S_k", "d_v")}
#: Padding at the end of one text, at the start of the other.
PADDED = torch.tensor([[True, True, True, False, False], [False, True, True, True, True]])


def inputs(seed, queries=S_q, keys=S_k, *, items=B, dtype=torch.float32, std=1.0):
    Q = draw(seed, items, H, queries, d_k, dtype=dtype, std=std)
    K = draw(seed + 1, items, H, keys, d_k, dtype=dtype, std=std)
    return Q, K, draw(seed + 2, items, H, keys, d_v, dtype=dtype)


def visible_to(Q, K, key_mask, causal):
    keys = torch.arange(K.shape[-2])
    position = torch.arange(Q.shape[-2])[:, None] + K.shape[-2] - Q.shape[-2]
    seen = (keys <= position) if causal else torch.ones(Q.shape[-2], K.shape[-2], dtype=torch.bool)
    seen = seen.expand(Q.shape[0], 1, -1, -1)
    return seen if key_mask is None else seen & key_mask[:, None, None, :]


def reference(Q, K, V, key_mask=None, causal=False):
    Q, K, V = Q.double(), K.double(), V.double()
    scores = torch.einsum("bhqd,bhkd->bhqk", Q, K) * Q.shape[-1] ** -0.5
    seen = visible_to(Q, K, key_mask, causal)
    some = seen.any(-1, keepdim=True)
    weights = torch.where(seen | ~some, scores, -torch.inf).softmax(-1).where(some, 0.0)
    return torch.einsum("bhqk,bhkv->bhqv", weights, V), weights


def agrees(submission, *arguments):
    """The weights first: a wrong one explains a wrong output, not the other way round."""
    output, weights = submission(*arguments)
    right_output, right_weights = reference(*arguments)
    dtype = arguments[0].dtype
    agree(weights, right_weights, "weights", WEIGHTS, dtype=dtype)
    agree(output, right_output, "output", OUTPUT, dtype=dtype)


@named(
    en="without any mask it is scaled dot-product attention",
    zh="没有任何掩码时，就是缩放点积注意力",
)
def test_formula(submission):
    agrees(submission, *inputs(10))


@named(
    en="padding is hidden at the end of one item and at the start of another",
    zh="填充无论在末尾还是在开头，都被隐藏",
)
def test_padding(submission):
    agrees(submission, *inputs(20), PADDED)


@named(
    en="each item keeps its own padding where there are as many items as heads",
    zh="样本数等于头数时，每个样本仍用自己的填充",
)
def test_as_many_items_as_heads(submission):
    # Here a mask without an axis for the heads broadcasts as well: to the wrong axis.
    agrees(submission, *inputs(30, S_k, S_k, items=H), draw_mask(33, H, S_k))


@named(
    en="causal: each query sees its own key and those before",
    zh="causal：每个查询看到自己的键和之前的键",
)
def test_causal(submission):
    agrees(submission, *inputs(40, S_k, S_k), None, True)


@named(
    en="causal with fewer queries than keys: the last query sees every key",
    zh="causal 且查询少于键：最后一个查询看到所有的键",
)
def test_causal_with_a_cache(submission):
    agrees(submission, *inputs(50, 2, 5), None, True)


@named(en="causal with a single query hides nothing", zh="causal 且只有一个查询：什么也不隐藏")
def test_decoding(submission):
    agrees(submission, *inputs(60, 1, 5), None, True)


@named(
    en="causal and padding hide together",
    zh="causal 与填充同时生效",
)
def test_both(submission):
    key_mask = torch.tensor([[True, True, True, True, False], [True, False, True, True, True]])
    agrees(submission, *inputs(70), key_mask, True)


@named(
    en="causal with more queries than keys: the first ones see nothing and get zeros",
    zh="causal 且查询多于键：最前面的查询什么也看不到，得到 0",
)
def test_more_queries_than_keys(submission):
    agrees(submission, *inputs(80, 6, 3), None, True)


@named(en="an item that is all padding gets zeros, not NaN", zh="全是填充的样本得到 0，而不是 NaN")
def test_item_of_padding(submission):
    key_mask = torch.tensor([[True, False, True, True, True], [False] * 5])
    agrees(submission, *inputs(90), key_mask)


@named(
    en="padding at the start and causal leave the first queries zeros",
    zh="开头有填充又 causal：最前面的查询得到 0",
)
def test_left_padding(submission):
    key_mask = torch.tensor([[False, False, True, True, True], [False, True, True, True, True]])
    agrees(submission, *inputs(100, S_k, S_k), key_mask, True)


@named(
    en="padded keys and values have no influence, however large",
    zh="填充的键和值再大也没有影响",
)
def test_hidden_keys(submission):
    Q, K, V = inputs(110)
    before = submission(Q, K, V, PADDED, False)[0]
    real = PADDED[:, None, :, None]
    K = torch.where(real, K, draw(113, *K.shape, std=30.0))
    V = torch.where(real, V, draw(114, *V.shape, std=30.0))
    lead = ("Changing only padded keys and values changed the output.", "只改动填充，输出却变了。")
    agree(submission(Q, K, V, PADDED, False)[0], before.double(), "output", OUTPUT, lead=lead)


@named(
    en="causal: later keys and values have no influence on earlier outputs",
    zh="causal：后面的键和值不影响前面的输出",
)
def test_future(submission):
    ignores_the_future(submission, *inputs(120, 6, 6), None, True)


@named(
    en="float64, bfloat16 and float16 stay what they are",
    zh="float64、bfloat16、float16 各自保持不变",
)
def test_dtypes(submission):
    for seed, dtype in ((130, torch.float64), (133, torch.bfloat16), (136, torch.float16)):
        agrees(submission, *inputs(seed, dtype=dtype), PADDED, True)


@named(en="scores near 100 leave no NaN", zh="分数接近 100 时不出现 NaN")
def test_large_scores(submission):
    agrees(submission, *inputs(140, std=7.0), PADDED, True)


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    Q, K, V = (strided(x) for x in inputs(150))
    agrees(submission, Q, K, V, strided(PADDED), False)


@named(en="the inputs are left as they were", zh="输入保持原样")
def test_inputs_unchanged(submission):
    submission(*inputs(160), PADDED, True)
    unchanged(submission)


@named(en="the same shapes with another mask give new results", zh="形状相同、掩码不同时，重新计算")
def test_no_memory(submission):
    agrees(submission, *inputs(170), PADDED, True)
    agrees(submission, *inputs(173), draw_mask(176, B, S_k), True)


@named(
    en="gradients are right and finite, also where a query sees nothing",
    zh="梯度正确且有限，查询什么也看不到时也一样",
)
def test_gradients(submission):
    Q, K, V = inputs(180, 6, 5, dtype=torch.float64)
    key_mask = torch.tensor([[False, True, True, True, False], [True, True, False, True, True]])
    inputs_by_name = {"Q": Q, "K": K, "V": V}
    gradients_agree(submission, reference, inputs_by_name, key_mask, True, axes=AXES)
