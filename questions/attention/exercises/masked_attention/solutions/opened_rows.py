import math

import torch


def masked_attention(Q, K, V, key_mask=None, causal=False):
    S_q, S_k = Q.shape[-2], K.shape[-2]
    hidden = torch.zeros(Q.shape[0], 1, S_q, S_k, dtype=torch.bool)
    if causal:
        # en triu from one above the diagonal: the future.
        # zh 从对角线上方一格开始的 triu：未来。
        hidden |= torch.ones(S_q, S_k, dtype=torch.bool).triu(S_k - S_q + 1)
    if key_mask is not None:
        hidden |= ~key_mask[:, None, None, :]

    # en A query without a key is opened to all of them, so that softmax has something to
    # en share out; its result is cleared afterwards.
    # zh 看不到任何键的查询先放开全部的键，让 softmax 有东西可分；之后再清掉结果。
    empty = hidden.all(dim=-1, keepdim=True)  # (B, 1, S_q, 1)
    bias = torch.zeros(hidden.shape, dtype=Q.dtype).masked_fill(hidden & ~empty, -math.inf)

    # en (B·H) products in one call; the bias is added with its head axis still there.
    # zh (B·H) 个乘积一次算完；加 bias 时头这个轴还在。
    scores = torch.matmul(Q / math.sqrt(Q.shape[-1]), K.mT) + bias
    weights = scores.softmax(dim=-1).masked_fill(empty, 0.0)

    # en Weights of 0 make the output 0 too: it needs no clearing of its own.
    # zh 权重为 0，输出也就为 0，不必另外清零。
    return torch.matmul(weights, V), weights
