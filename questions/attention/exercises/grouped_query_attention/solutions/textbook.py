import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    # en Query heads 0 … group−1 read key/value head 0, the next ones head 1: each head is
    # en repeated in place, 0 0 1 1. `repeat` would give 0 1 0 1: as many heads, other partners,
    # en and no shape that tells.
    # zh 第 0 … group−1 个查询头读第 0 个键值头，接下来的读第 1 个：每个头就地重复，0 0 1 1。
    # zh `repeat` 得到的是 0 1 0 1：头数一样，搭配却错了，形状上看不出来。
    group = Q.shape[1] // K.shape[1]
    K = K.repeat_interleave(group, dim=1)  # (B, H_q, S_k, d_k)
    V = V.repeat_interleave(group, dim=1)

    # en From here on it is plain multi-head attention. Its two limits need no case of their own:
    # en group = 1 is multi-head attention, H_kv = 1 multi-query attention.
    # zh 从这里起就是普通的多头注意力。两个极端不用单独处理：
    # zh group = 1 就是多头注意力，H_kv = 1 就是多查询注意力。
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
