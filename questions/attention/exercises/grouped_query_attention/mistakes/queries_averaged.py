import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    B, H_q, S_q, d_k = Q.shape
    H_kv = K.shape[1]
    group = H_q // H_kv
    Q = Q.view(B, H_kv, group, S_q, d_k).mean(2).repeat_interleave(group, dim=1)
    K = K.repeat_interleave(group, dim=1)
    V = V.repeat_interleave(group, dim=1)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    return output, weights
