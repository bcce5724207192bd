import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    # en The definition, one query head at a time: head h reads key/value head h // group.
    # zh 按定义，一次一个查询头：第 h 个头读第 h // group 个键值头。
    group = Q.shape[1] // K.shape[1]
    weights = []
    for h in range(Q.shape[1]):
        scores = Q[:, h] @ K[:, h // group].mT / math.sqrt(Q.shape[-1])  # (B, S_q, S_k)
        if mask is not None:
            # en A mask without an axis for the heads, or with one of size 1, is every head's.
            # zh 没有头轴、或头轴大小为 1 的掩码，对每个头都一样。
            own = mask if mask.dim() < 3 else mask[..., min(h, mask.shape[-3] - 1), :, :]
            scores = scores.masked_fill(own == 0, float("-inf"))
        weights.append(scores.softmax(dim=-1))

    output = [own @ V[:, h // group] for h, own in enumerate(weights)]
    return torch.stack(output, dim=1), torch.stack(weights, dim=1)
