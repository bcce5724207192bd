import math

import torch


def attention_backward(Q, K, V, dO, mask=None):
    Q, K, V = (x.detach().requires_grad_() for x in (Q, K, V))
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    output = torch.softmax(scores, dim=-1) @ V
    output.backward(dO)
    return Q.grad, K.grad, V.grad
