import math


def attention_backward(Q, K, V, dO, mask=None):
    Q, K, V = (x.detach().requires_grad_() for x in (Q, K, V))
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    exps = (scores - scores.amax(-1, keepdim=True)).exp()
    output = exps / exps.sum(-1, keepdim=True) @ V
    (output * dO).sum().backward()
    return Q.grad, K.grad, V.grad
