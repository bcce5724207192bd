import math

import torch


def cross_attention(X, memory, W_q, W_k, W_v, W_o, n_heads, memory_mask=None):
    # en The decoder asks, the encoder answers: queries come from X, keys and values both
    # en from the memory. In self-attention all three would come from X.
    # zh 解码器提问，编码器回答：查询来自 X，键和值都来自 memory。
    # zh 自注意力中三者都来自 X。
    Q = split_heads(X @ W_q, n_heads)  # (B, H, S_q, d_k)
    K = split_heads(memory @ W_k, n_heads)  # (B, H, S_k, d_k)
    V = split_heads(memory @ W_v, n_heads)  # (B, H, S_k, d_v)

    # en d_k is one head's width, not D_k: each head computes its own dot products.
    # zh d_k 是单个头的宽度，不是 D_k：每个头各算各的点积。
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])  # (B, H, S_q, S_k)

    if memory_mask is not None:
        # en Padding belongs to the keys, the last axis, and is the same for every head and
        # en query: so two axes of size 1 between B and S_k. No causal mask: the whole source
        # en sentence is known before the first word is written.
        # zh 填充属于键，即最后一个轴，对每个头和每个查询都一样：
        # zh 所以在 B 与 S_k 之间插入两个大小为 1 的轴。不需要因果掩码：
        # zh 写第一个词之前，整个源句就已经知道了。
        hidden = memory_mask[:, None, None, :] == 0
        scores = scores.masked_fill(hidden, float("-inf"))

    weights = torch.softmax(scores, dim=-1)
    output = weights @ V  # (B, H, S_q, d_v)

    # en The heads side by side again, each position on its own row; W_o mixes them. After
    # en transpose the memory is out of order: reshape copies, view would refuse.
    # zh 把各个头重新并排放回每个位置的那一行，再由 W_o 混合。
    # zh transpose 之后内存不再连续：reshape 会复制，view 会报错。
    return output.transpose(1, 2).flatten(-2) @ W_o, weights


def split_heads(x, n_heads):
    # en First cut the last axis into heads, then move the heads in front. A view straight to
    # en (B, H, S, d) has the same size, but mixes positions into heads.
    # zh 先把最后一个轴切成各个头，再把头移到前面。直接 view 成 (B, H, S, d)
    # zh 大小相同，却会把位置混进头里。
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)
