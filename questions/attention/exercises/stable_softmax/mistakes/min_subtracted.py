import torch


def stable_softmax(x, dim):
    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    lowest = scores.masked_fill(scores == float("-inf"), float("inf")).amin(dim, keepdim=True)
    lowest = lowest.masked_fill(lowest == float("inf"), 0.0)
    exps = (scores - lowest).exp()
    total = exps.sum(dim, keepdim=True)
    return (exps / total.masked_fill(total == 0, 1.0)).to(x.dtype)
