import math

import torch


def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    B, S, d_model = X.shape
    d_k = d_model // n_heads

    # en One product for all three, as libraries do: X is read once.
    # zh 三个投影合成一次乘法，库里就是这样做的：X 只读一遍。
    Q, K, V = (X @ torch.cat([W_q, W_k, W_v], dim=1)).chunk(3, dim=-1)

    # en Heads become more items: cut along the width, stacked along the batch, head by head.
    # zh 把头当作更多的样本：沿维度切开，逐头沿批方向叠起来。
    def fold(x):
        return torch.cat(x.split(d_k, dim=-1), dim=0)  # (H·B, S, d_k)

    scores = torch.bmm(fold(Q), fold(K).mT) / math.sqrt(d_k)
    if mask is not None:
        # en Head by head: so the whole batch of masks is repeated, H times over.
        # zh 是逐头叠的，所以整批掩码重复 H 次。
        mask = mask.expand(B, S, S).repeat(n_heads, 1, 1)
        scores = scores.masked_fill(mask == 0, -math.inf)
    heads = torch.bmm(scores.softmax(dim=-1), fold(V))

    # en Unfolded the way it was folded: pieces of B items, side by side again.
    # zh 怎么叠的就怎么拆：每 B 个样本一块，重新左右拼起来。
    return torch.cat(heads.split(B, dim=0), dim=-1) @ W_o
