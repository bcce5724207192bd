import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    B, H_q, S_q, d_k = Q.shape
    H_kv, S_k = K.shape[1:3]
    group = H_q // H_kv
    Q = Q.transpose(1, 2).reshape(B, H_kv, group * S_q, d_k)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    scores = scores.view(B, H_q, S_q, S_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V.repeat_interleave(group, dim=1)
    return output, weights
