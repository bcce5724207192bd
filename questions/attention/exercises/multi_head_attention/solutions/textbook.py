import math

import torch


def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    B, S, d_model = X.shape
    d_k = d_model // n_heads

    # en Project first, split afterwards: each head has its own columns of W, but all of X.
    # zh 先投影，再拆分：每个头用 W 中自己的那几列，但看得到整个 X。
    def heads_of(W):
        # en view cuts the last axis into heads, (B, S, H, d_k), and transpose moves them to
        # en the front. view(B, H, S, d_k) would give the right shape, filled with numbers
        # en of other positions.
        # zh view 把最后一个轴切成头，得到 (B, S, H, d_k)，transpose 再把头移到前面。
        # zh 直接 view(B, H, S, d_k) 形状也对，里面却是别的位置的数。
        return (X @ W).view(B, S, n_heads, d_k).transpose(1, 2)  # (B, H, S, d_k)

    Q, K, V = heads_of(W_q), heads_of(W_k), heads_of(W_v)

    # en √d_k of one head, not √d_model: a score adds d_k products.
    # zh 用单个头的 √d_k，而不是 √d_model：一个分数是 d_k 个乘积之和。
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)  # (B, H, S, S)
    if mask is not None:
        # en One mask for all heads: their axis goes third from the end. Without it, B would
        # en meet H, and where the two are equal nothing would complain.
        # zh 所有头共用一个掩码：在倒数第三个位置加上头这个轴。
        # zh 不加的话，B 会对上 H，而两者相等时不会报错。
        scores = scores.masked_fill(mask.unsqueeze(-3) == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)

    # en Back the same way: transpose first, then join the last two axes. reshape copies,
    # en as view cannot after a transpose.
    # zh 原路返回：先 transpose，再合并最后两个轴。transpose 之后 view 做不到，reshape 会复制。
    joined = (weights @ V).transpose(1, 2).reshape(B, S, d_model)

    # en Until here no head knows of another; W_o mixes them.
    # zh 到这里为止各头互不相通；W_o 才把它们混合起来。
    return joined @ W_o
