import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    B, H_q, S_q = Q.shape[:3]
    H_kv, S_k = K.shape[1:3]
    group = H_q // H_kv
    K = K.repeat_interleave(group, dim=1)
    V = V.repeat_interleave(group, dim=1)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        mask = mask.expand(scores.shape).reshape(B, group, H_kv, S_q, S_k).transpose(1, 2)
        mask = mask.reshape(scores.shape)
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    return output, weights
