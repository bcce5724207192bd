import math

import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    scale = math.sqrt(Q.shape[-1])
    scores = (Q / scale) @ K.transpose(-2, -1) / scale
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
