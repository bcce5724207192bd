import torch
from torch.nn.functional import elu


def linear_attention(Q, K, V, causal=False):
    dtype = torch.promote_types(Q.dtype, torch.float32)
    q, k, v = (x.to(dtype) for x in (Q, K, V))
    q, k = elu(q) + 1, elu(k) + 1
    scores = q @ k.mT
    if causal:
        scores = scores.masked_fill(~torch.ones_like(scores).tril().bool(), float("-inf"))
    return (scores.softmax(-1) @ v).to(Q.dtype)
