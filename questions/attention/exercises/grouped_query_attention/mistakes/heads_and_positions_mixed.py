import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    B, H_q = Q.shape[:2]
    group = H_q // K.shape[1]
    K = K.repeat_interleave(group, dim=2).reshape(B, H_q, *K.shape[2:])
    V = V.repeat_interleave(group, dim=2).reshape(B, H_q, *V.shape[2:])
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    return output, weights
