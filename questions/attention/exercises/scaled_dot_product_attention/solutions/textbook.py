import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    # en The width of one head's queries and keys; d_v may be another.
    # zh 单个头里查询和键的维度；d_v 可以不同。
    d_k = Q.shape[-1]

    # en One score for each query and key. transpose(-2, -1) turns K into (B, H, d_k, S_k);
    # en .T would reverse all four axes.
    # zh 每对查询与键一个分数。transpose(-2, -1) 把 K 变成 (B, H, d_k, S_k)；
    # zh .T 会把四个轴全部倒过来。
    # en A score adds d_k products, so its std grows like √d_k; the division makes it 1 again.
    # zh 分数是 d_k 个乘积之和，标准差随 √d_k 增长；除以 √d_k 使它回到 1。
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)  # (B, H, S_q, S_k)

    if mask is not None:
        # en Before the softmax: exp(−inf) = 0, and the other weights of the row share the 1.
        # en mask == 0 makes a bool of an int or float mask, which ~mask would not.
        # zh 必须在 softmax 之前：exp(−inf) = 0，同一行其余的权重分掉这个 1。
        # zh mask == 0 能把整数或浮点掩码变成 bool，~mask 不能。
        scores = scores.masked_fill(mask == 0, float("-inf"))

    # en Over the keys, the last axis: each query's weights sum to 1.
    # zh 沿键方向，即最后一个轴：每个查询的权重之和为 1。
    weights = torch.softmax(scores, dim=-1)

    # en Each output row is an average of value rows.
    # zh 输出的每一行是若干值的加权平均。
    output = weights @ V  # (B, H, S_q, d_v)
    return output, weights
