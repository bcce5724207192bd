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
        scores = scores.masked_fill(mask == 0, float("-inf"))
    grouped = scores.view(B, H_kv, group, S_q, S_k).transpose(2, 3)
    weights = torch.softmax(grouped.flatten(-2), dim=-1).view(B, H_kv, S_q, group, S_k)
    weights = weights.transpose(2, 3).reshape(B, H_q, S_q, S_k)
    output = weights @ V
    return output, weights
