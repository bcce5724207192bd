import torch


def cross_attention(X, memory, W_q, W_k, W_v, W_o, n_heads, memory_mask=None):
    # en Keys and values share their input, so one product makes both. A server does this
    # en once per source sentence and keeps the result: it is the same at every decoding step.
    # zh 键和值的输入相同，一次乘法就能得到两者。服务端对每个源句只算一次并保存下来：
    # zh 每一步解码用的都是它。
    both = memory @ torch.cat([W_k, W_v], dim=1)  # (B, S_k, D_k + d_model)
    K, V = both.split([W_k.shape[1], W_v.shape[1]], dim=-1)
    Q = X @ W_q

    # en One head after the other, each on its own columns. Slower than a batched product,
    # en and the plainest statement of what a head is.
    # zh 一个头接一个头，各用自己的那几列。比批量乘法慢，却最直白地说明了“头”是什么。
    outputs, weights = [], []
    for q, k, v in zip(*(x.chunk(n_heads, dim=-1) for x in (Q, K, V)), strict=True):
        scores = q @ k.mT * q.shape[-1] ** -0.5  # (B, S_q, S_k)
        if memory_mask is not None:
            # en The same row of hidden keys for every query of an item.
            # zh 同一个样本的每个查询，隐藏的都是同一组键。
            lowest = torch.finfo(scores.dtype).min
            scores = torch.where(memory_mask.bool()[:, None], scores, lowest)
        weights.append(scores.softmax(dim=-1))
        outputs.append(weights[-1] @ v)  # (B, S_q, d_v)

    return torch.cat(outputs, dim=-1) @ W_o, torch.stack(weights, dim=1)
