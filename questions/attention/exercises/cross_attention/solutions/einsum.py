import torch


def cross_attention(X, memory, W_q, W_k, W_v, W_o, n_heads, memory_mask=None):
    # en The weights are cut into heads, not the activations: W_q as (d_model, H, d_k). Head h
    # en owns columns h·d_k to (h + 1)·d_k, so the head is the slower of the two axes.
    # zh 被切成多头的是权重，不是激活：W_q 看作 (d_model, H, d_k)。
    # zh 第 h 个头占第 h·d_k 到 (h + 1)·d_k 列，所以头是两个轴中较慢的那个。
    W_q, W_k, W_v = (W.unflatten(1, (n_heads, -1)) for W in (W_q, W_k, W_v))
    W_o = W_o.unflatten(0, (n_heads, -1))  # (H, d_v, d_model)

    # en q runs over decoder positions, k over memory positions: with a letter for each,
    # en the two lengths cannot be confused.
    # zh q 遍历解码器的位置，k 遍历 memory 的位置：各用一个字母，两种长度就不会混。
    Q = torch.einsum("bqm,mhd->bhqd", X, W_q)
    K = torch.einsum("bke,ehd->bhkd", memory, W_k)
    V = torch.einsum("bke,ehv->bhkv", memory, W_v)
    scores = torch.einsum("bhqd,bhkd->bhqk", Q * Q.shape[-1] ** -0.5, K)

    if memory_mask is not None:
        # en A bias that is added once for all queries: −inf at padding, 0 elsewhere.
        # zh 对所有查询加同一个偏置：填充处为 −inf，其余为 0。
        bias = torch.zeros(memory_mask.shape, dtype=scores.dtype)
        bias = bias.masked_fill(memory_mask == 0, float("-inf"))
        scores = scores + bias[:, None, None]

    weights = scores.softmax(dim=-1)

    # en Merging the heads and multiplying by W_o is one sum over h and v: the output is the
    # en sum of what each head writes through its own rows of W_o.
    # zh 合并各头再乘 W_o，就是对 h 和 v 求一次和：
    # zh 输出等于每个头经 W_o 中自己那几行写入的结果之和。
    return torch.einsum("bhqk,bhkv,hvm->bqm", weights, V, W_o), weights
