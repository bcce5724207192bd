"""Hidden tests of flash_attention: a float64 reference, laws, and the memory it takes."""

from __future__ import annotations

import torch

from quizapp.grader.testing import (
    agree,
    draw,
    gradients_agree,
    ignores_the_future,
    named,
    stays_small,
    strided,
    unchanged,
)

# Sizes that differ: an axis taken for another one shows. A block divides neither length.
B, H, S_q, S_k, d_k, d_v, BLOCK = 2, 3, 7, 11, 6, 5, 4
OUTPUT, ROWS = ("B", "H", "S_q", "d_v"), ("B", "H", "S_q")
AXES = {"Q": ("B", "H", "S_q", "d_k"), "K": ("B", "H", "S_k", "d_k"), "V": ("B", "H", "S_k", "d_v")}
CAUSAL = True


def inputs(seed, S_q=S_q, S_k=S_k, *, dtype=torch.float32, std=1.0):
    Q = draw(seed, B, H, S_q, d_k, dtype=dtype, std=std)
    K = draw(seed + 1, B, H, S_k, d_k, dtype=dtype, std=std)
    return Q, K, draw(seed + 2, B, H, S_k, d_v, dtype=dtype)


def square(seed, S=9, *, dtype=torch.float32):
    """As many queries as keys, as causal attention has."""
    return inputs(seed, S, S, dtype=dtype)


def reference(Q, K, V, _block_size=0, causal=False):
    Q, K, V = Q.double(), K.double(), V.double()
    scores = torch.einsum("bhqd,bhkd->bhqk", Q, K) * Q.shape[-1] ** -0.5
    if causal:
        scores = scores.masked_fill(torch.ones(scores.shape[-2:]).triu(1) == 1, -torch.inf)
    lse = scores.logsumexp(-1)
    return torch.einsum("bhqk,bhkv->bhqv", (scores - lse[..., None]).exp(), V), lse


def compare(got, right, dtype, **how):
    """The lse first: the output rests on the same sums."""
    agree(got[1], right[1], "lse", ROWS, dtype=torch.promote_types(dtype, torch.float32), **how)
    agree(got[0], right[0], "output", OUTPUT, dtype=dtype, **how)


def agrees(submission, Q, K, V, block_size=BLOCK, *causal, **how):
    got = submission(Q, K, V, block_size, *causal)
    compare(got, reference(Q, K, V, block_size, *causal), Q.dtype, **how)


def any_block(submission, arguments, sizes, *causal):
    """The same numbers whatever the block."""
    for size in sizes:
        lead = (f"With block_size = {size}:", f"block_size = {size} 时：")
        agrees(submission, *arguments, size, *causal, lead=lead)


@named(
    en="output and lse are those of the formula, the last blocks being partial",
    zh="输出和 lse 与公式一致，包括不满一块的末尾",
)
def test_formula(submission):
    agrees(submission, *inputs(10))


@named(
    en="any block size gives the same: 1, 5, all keys, more than all",
    zh="任何块大小结果都相同：1、5、全部键、比全部还多",
)
def test_any_block(submission):
    any_block(submission, inputs(20), (1, 5, S_k, 16))


@named(
    en="it is right whether the maximum rises from tile to tile or falls",
    zh="最大值逐块升高或逐块降低，结果都正确",
)
def test_rising_and_falling(submission):
    # Every query scores the keys by their place, 0 to 5: in this order, then backwards.
    Q, K, V = inputs(30)
    Q, K = Q.abs() * 0 + 1, torch.linspace(0.0, 5.0, S_k)[:, None].expand_as(K) * d_k**-0.5
    agrees(submission, Q, K, V)
    agrees(submission, Q, K.flip(-2), V)


@named(
    en="causal, each query sees itself and what lies before",
    zh="因果时，每个查询看到自己和之前的键",
)
def test_causal(submission):
    agrees(submission, *square(40), BLOCK, CAUSAL)


@named(
    en="causal attention does not depend on the block size either",
    zh="因果注意力的结果也不随块大小变化",
)
def test_causal_blocks(submission):
    any_block(submission, square(50), (1, 3, 12), CAUSAL)


@named(
    en="causal, later keys and values have no influence",
    zh="因果时，之后的键和值没有任何影响",
)
def test_future(submission):
    ignores_the_future(submission, *square(60), BLOCK, CAUSAL)


@named(
    en="the order of the keys, values along with them, does not matter",
    zh="键与值一起换顺序，结果不变",
)
def test_order_of_keys(submission):
    Q, K, V = inputs(70)
    order = torch.randperm(S_k, generator=torch.Generator().manual_seed(0))
    before = submission(Q, K, V, BLOCK)
    after = submission(Q, K[..., order, :], V[..., order, :], BLOCK)
    lead = (
        "Permuting the keys together with their values changed the result.",
        "键和值按同一顺序重排之后，结果变了。",
    )
    compare(after, [x.detach().double() for x in before], Q.dtype, lead=lead)


@named(en="scores of thousands, of either sign, leave no NaN", zh="分数达到正负几千时不出现 NaN")
def test_large_scores(submission):
    # In float32 a score of 3000 is rounded by 0.0001, and every weight with it.
    Q, K, V = inputs(80, std=30.0)
    agrees(submission, Q, K, V, rtol=2e-3, atol=2e-3)
    agrees(submission, Q.abs() + 40.0, -K.abs() - 10.0, V, rtol=2e-3, atol=2e-3)


@named(
    en="one query, or more queries than keys, is as right",
    zh="只有一个查询，或查询比键多，结果同样正确",
)
def test_other_lengths(submission):
    agrees(submission, *inputs(90, 1, S_k))
    agrees(submission, *inputs(93, 10, 3))


@named(en="float64 stays float64 and is as precise", zh="float64 输入得到 float64，且精度相当")
def test_float64(submission):
    agrees(submission, *inputs(100, dtype=torch.float64))


@named(
    en="bfloat16 is summed in float32: 600 tiles of one key count 600",
    zh="bfloat16 在 float32 中累加：600 块各一个键，数出来就是 600",
)
def test_bfloat16(submission):
    # Scores may have been rounded to bfloat16 on the way, so the lse is given some room.
    agrees(submission, *inputs(110, dtype=torch.bfloat16), rtol=4e-2, atol=2e-2)
    # Equal scores: every key adds 1 to the sum, which bfloat16 loses from 256 on.
    Q, K, V = (draw(113 + i, 1, 1, n, 2).bfloat16() for i, n in enumerate((1, 600, 600)))
    agrees(submission, Q * 0, K, V + 1, 1)


@named(en="inputs may be views that are not contiguous", zh="输入可以是不连续的视图")
def test_views(submission):
    agrees(submission, *map(strided, inputs(120)))


@named(
    en="a call leaves no trace, neither in its inputs nor in the next result",
    zh="一次调用不留痕迹：既不改动输入，也不影响下一次的结果",
)
def test_no_trace(submission):
    agrees(submission, *inputs(130))
    agrees(submission, *inputs(133))
    unchanged(submission)


@named(
    en="gradients reach Q, K and V through output and lse",
    zh="梯度经 output 和 lse 传到 Q、K、V",
)
def test_gradients(submission):
    for arguments, *rest in (
        (inputs(140, dtype=torch.float64), BLOCK),
        (square(143, dtype=torch.float64), BLOCK, CAUSAL),
    ):
        named_inputs = dict(zip("QKV", arguments, strict=True))
        gradients_agree(submission, reference, named_inputs, *rest, axes=AXES)


def long(seed, S_q, S_k):
    """One head of width 4: next to its scores the inputs are nothing."""
    return [draw(seed + i, 1, 1, n, 4) for i, n in enumerate((S_q, S_k, S_k))]


@named(
    en="causal, 6144 × 6144 scores never exist at once, nor a mask of that size",
    zh="因果时，6144 × 6144 的分数从不同时存在，同样大小的掩码也不行",
)
def test_memory(submission):
    # In MiB: all scores 144 as float32; a mask 36 as bool; all queries with one block of keys
    # 1.5, of which a loop may well hold a dozen.
    small, large = ([*long(150, S, S), 64, CAUSAL] for S in (8, 6144))
    stays_small(submission, small, large, mib=30, headroom_mib=72)


@named(
    en="a block of queries never holds its scores with all 32768 keys",
    zh="一块查询与全部 32768 个键的分数，从不同时存在",
)
def test_memory_of_long_rows(submission):
    # In MiB: all scores 64; a block of queries with all keys 32; with a block of keys 0.25.
    small, large = ([*long(160, S_q, S_k), 256] for S_q, S_k in ((8, 8), (512, 32768)))
    stays_small(submission, small, large, mib=20, headroom_mib=56)
