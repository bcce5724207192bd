import math

import torch


def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    d_k = X.shape[-1] // n_heads
    output = torch.zeros_like(X)

    # en A head is an attention of its own: d_k columns of W_q, W_k and W_v, d_k rows of W_o.
    # en To join the heads and multiply by W_o is to add up what each contributes.
    # zh 一个头就是一次独立的注意力：W_q、W_k、W_v 的 d_k 列，W_o 的 d_k 行。
    # zh 拼接各头再乘 W_o，等于把每个头的贡献相加。
    for head in range(n_heads):
        own = slice(head * d_k, (head + 1) * d_k)
        Q, K, V = X @ W_q[:, own], X @ W_k[:, own], X @ W_v[:, own]  # (B, S, d_k)

        # en Without an axis for heads the mask fits as it is.
        # zh 没有头这个轴，掩码可以直接用。
        scores = Q @ K.mT / math.sqrt(d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -math.inf)
        output = output + scores.softmax(dim=-1) @ V @ W_o[own]

    return output
