import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_model = Q.shape[1] * Q.shape[-1]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_model)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
