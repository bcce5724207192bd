import torch


def stable_softmax(x, dim):
    highest = x.amax(dim, keepdim=True)
    exps = torch.exp2(x - highest)
    return exps / exps.sum(dim, keepdim=True)
