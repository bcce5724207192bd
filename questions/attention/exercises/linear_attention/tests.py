"""Hidden tests of linear_attention, against a quadratic float64 reference and against laws."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    agree,
    draw,
    gradients_agree,
    gradients_flow,
    ignores_order_of_keys,
    ignores_the_future,
    named,
    stays_small,
    strided,
    unchanged,
    within_hull,
)

# Six different sizes: an axis taken for another one shows.
B, H, S_q, S_k, d_k, d_v = 2, 3, 4, 5, 6, 7
CAUSAL = True
AXES = {"Q": ("B", "H", "S_q", "d_k"), "K": ("B", "H", "S_k", "d_k"), "V": ("B", "H", "S_k", "d_v")}


def inputs(seed, n_queries=S_q, n_keys=S_k, *, dtype=torch.float32, width=d_k, shift=0.0):
    """Q, K and V; `shift` is added to queries and keys."""
    lengths = n_queries, n_keys
    Q, K = (draw(seed + i, B, H, n, width, dtype=torch.float64) for i, n in enumerate(lengths))
    V = draw(seed + 2, B, H, n_keys, d_v, dtype=dtype)
    return (Q + shift).to(dtype), (K + shift).to(dtype), V


def square(seed, **kind):
    """As many queries as keys, as causal asks for."""
    return inputs(seed, S_k, S_k, **kind)


def feature_map(x):
    return torch.relu(x) + torch.exp(-torch.relu(-x))


def reference(Q, K, V, causal=False):
    """The weights written out, S_q × S_k of them, which the exercise forbids."""
    Q, K, V = Q.double(), K.double(), V.double()
    weights = torch.einsum("bhqd,bhkd->bhqk", feature_map(Q), feature_map(K))
    if causal:
        weights = weights.tril()
    return torch.einsum("bhqk,bhkv->bhqv", weights, V) / weights.sum(-1, keepdim=True)


def agrees(submission, Q, K, V, *causal):
    agree(submission(Q, K, V, *causal), reference(Q, K, V, *causal), dtype=Q.dtype)


@named(
    en="each key counts φ(q)·φ(k), divided by the sum over the keys",
    zh="每个键的权重是 φ(q)·φ(k)，再除以对所有键的和",
)
def test_formula(submission):
    agrees(submission, *inputs(10))


@named(en="causal, query i sees keys 0 to i", zh="causal 时，查询 i 能看到键 0 到 i")
def test_causal(submission):
    agrees(submission, *square(20), CAUSAL)


@named(
    en="without causal every query sees every key, also where S_q = S_k",
    zh="没有 causal 时每个查询都能看到所有键，S_q = S_k 时也一样",
)
def test_not_causal(submission):
    agrees(submission, *square(30), False)


@named(
    en="the last query of a causal call sees what it would see without",
    zh="causal 时的最后一个查询，看到的与没有 causal 时相同",
)
def test_last_query(submission):
    Q, K, V = square(40)
    causal, whole = submission(Q, K, V, CAUSAL), submission(Q, K, V)
    last = (slice(None), slice(None), slice(-1, None))
    agree(causal[last], whole[last].detach().double(), dtype=Q.dtype)


@named(
    en="causal, later keys and values have no influence",
    zh="causal 时，后面的键和值没有任何影响",
)
def test_future(submission):
    ignores_the_future(submission, *square(50), CAUSAL)


@named(
    en="the order of the keys, values along with them, does not matter",
    zh="键与值一起换顺序，结果不变",
)
def test_order_of_keys(submission):
    ignores_order_of_keys(submission, *inputs(60))


@named(
    en="each output row is an average of value rows, causal or not",
    zh="输出的每一行都是各个值的平均，causal 与否都是",
)
def test_averages(submission):
    Q, K, V = square(70)
    within_hull(submission(Q, K, V), V)
    within_hull(submission(Q, K, V, CAUSAL), V)


@named(
    en="queries and keys near −2, whose weights are small, average as well",
    zh="查询和键在 −2 附近、权重很小时，仍是平均",
)
def test_small_weights(submission):
    agrees(submission, *inputs(80, shift=-2.0))
    agrees(submission, *square(83, shift=-2.0), CAUSAL)


@named(
    en="queries and keys near 100 leave no NaN, in gradients neither",
    zh="查询和键在 100 附近时不出现 NaN，梯度里也没有",
)
def test_large_inputs(submission):
    Q, K, V = inputs(90, shift=100.0)
    agrees(submission, Q, K, V)
    gradients_flow(submission, {"Q": Q, "K": K, "V": V})


@named(
    en="one key gives back its value; one query, one feature work",
    zh="只有一个键时返回它的值；一个查询、一个特征也正确",
)
def test_ones(submission):
    agrees(submission, *inputs(100, 1, 1), CAUSAL)
    agrees(submission, *inputs(103, 1, S_k, width=1))


@named(en="float64 stays float64 and is as precise", zh="float64 输入得到 float64，且精度相当")
def test_float64(submission):
    agrees(submission, *inputs(110, dtype=torch.float64))
    agrees(submission, *square(113, dtype=torch.float64), CAUSAL)


@named(
    en="bfloat16 stays bfloat16, and 600 keys count 600, not 256",
    zh="bfloat16 输入得到 bfloat16；600 个键数出来是 600，不是 256",
)
def test_bfloat16(submission):
    agrees(submission, *inputs(120, dtype=torch.bfloat16))
    # φ(0) = 1: every key adds 1 to both sums where its value is 1, and a bfloat16 sum loses
    # it from 256 on. The first 300 values are 0.
    Q, K = (torch.zeros(1, 1, 600, 1, dtype=torch.bfloat16) for _ in "QK")
    V = (torch.arange(600) >= 300).to(torch.bfloat16)[None, None, :, None]
    agrees(submission, Q, K, V, CAUSAL)


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    agrees(submission, *map(strided, inputs(130)))
    agrees(submission, *map(strided, square(133)), CAUSAL)


@named(
    en="a call leaves no trace, neither in its inputs nor in the next result",
    zh="一次调用不留痕迹：既不改动输入，也不影响下一次的结果",
)
def test_no_trace(submission):
    agrees(submission, *square(140), CAUSAL)
    agrees(submission, *square(143), CAUSAL)
    agrees(submission, *square(146))
    unchanged(submission)


@named(en="gradients reach Q, K and V, causal or not", zh="梯度传到 Q、K、V，causal 与否都是")
def test_gradients(submission):
    for arguments, *causal in (
        (inputs(150, dtype=torch.float64),),
        (square(153, dtype=torch.float64), CAUSAL),
    ):
        named_inputs = dict(zip("QKV", arguments, strict=True))
        gradients_agree(submission, reference, named_inputs, *causal, axes=AXES)


def stays_linear(submission, length, width, *causal, mib, headroom_mib):
    """One head of `length` queries and keys: the inputs are nothing next to its scores."""
    small, large = (
        [*(draw(160 + i, 1, 1, n, width) for i in range(3)), *causal] for n in (8, length)
    )
    stays_small(submission, small, large, mib=mib, headroom_mib=headroom_mib)


@named(
    en="causal, 4096 × 4096 scores never exist, nor a mask of that size",
    zh="causal 时，4096 × 4096 的分数从不存在，同样大小的掩码也没有",
)
def test_memory(submission):
    # 4096 matrices φ(k)vᵀ of 4 × 4 are 0.25 MiB, scores of a chunk of 512 keys 1; all of them 64.
    stays_linear(submission, 4096, 4, CAUSAL, mib=24, headroom_mib=60)


@named(
    en="131,072 queries meet as many keys in linear time and memory",
    zh="131,072 个查询与同样多的键，时间和内存都是线性的",
)
def test_length(submission):
    # Each input is 1 MiB. 1.7·10¹⁰ scores are 64 GiB, and would take longer than a call may
    # even where they are made a few rows at a time.
    stays_linear(submission, 131_072, 2, mib=100, headroom_mib=300)
