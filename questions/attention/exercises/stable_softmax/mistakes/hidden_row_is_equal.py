import torch


def stable_softmax(x, dim):
    x = x.clamp(min=torch.finfo(x.dtype).min)
    highest = x.amax(dim, keepdim=True)
    exps = (x - highest).exp()
    return exps / exps.sum(dim, keepdim=True)
