import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    B, H_q, S_q = Q.shape[:3]
    H_kv = K.shape[1]
    group = H_q // H_kv
    K = K.repeat_interleave(group, dim=1)
    V = V.repeat_interleave(group, dim=1)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = (weights @ V).view(B, H_kv, group, S_q, -1)
    output = output.sum(2).repeat_interleave(group, dim=1)
    return output, weights
