import math

import torch


def cross_attention(X, memory, W_q, W_k, W_v, W_o, n_heads, memory_mask=None):
    B, S_q, _ = X.shape
    S_k = memory.shape[1]
    Q = (X @ W_q).view(B, S_q, n_heads, -1).transpose(1, 2)
    K = (memory @ W_k).view(B, S_k, n_heads, -1).transpose(1, 2)
    V = (memory @ W_v).view(B, S_k, n_heads, -1).transpose(1, 2)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(W_q.shape[1])
    if memory_mask is not None:
        hidden = memory_mask[:, None, None, :] == 0
        scores = scores.masked_fill(hidden, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = (weights @ V).transpose(1, 2).reshape(B, S_q, -1) @ W_o
    return output, weights
