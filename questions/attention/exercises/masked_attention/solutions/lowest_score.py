import math

import torch


def masked_attention(Q, K, V, key_mask=None, causal=False):
    S_q, S_k = Q.shape[-2], K.shape[-2]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])  # (B, H, S_q, S_k)

    # en What may be seen, True: both masks start from all of it, and each takes some away.
    # zh 能看见的为 True：从全部可见开始，两个掩码各去掉一部分。
    visible = torch.ones(S_q, S_k, dtype=torch.bool)
    if causal:
        # en The last query is at the last key, so query i is at key i + S_k − S_q: with a
        # en cache S_q is 1 and sees everything. tril() without the offset aligns the first.
        # zh 最后一个查询与最后一个键对齐，所以查询 i 位于键 i + S_k − S_q：
        # zh 用缓存解码时 S_q = 1，能看见全部。不写偏移的 tril() 对齐的是第一个。
        visible = visible.tril(S_k - S_q)
    if key_mask is not None:
        # en (B, 1, 1, S_k): the same for every head and query, one row per item.
        # zh (B, 1, 1, S_k)：对每个头、每个查询都一样，每个样本一行。
        visible = visible & key_mask[:, None, None, :]

    # en The lowest finite number, not −inf: a row without any key gets equal weights then,
    # en and not 0/0 = NaN. −1e9 would not do: float16 ends at −65504.
    # zh 用最小的有限数而不是 −inf：没有任何键的行得到均匀权重，而不是 0/0 = NaN。
    # zh −1e9 不行：float16 到 −65504 为止。
    scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)

    # en In every other row hidden weights are 0 already: this clears the empty rows, and
    # en stops their gradients.
    # zh 其他行里被隐藏的权重本来就是 0：这一步清空的是没有键的行，也截断它们的梯度。
    weights = weights.masked_fill(~visible, 0.0)
    return weights @ V, weights
