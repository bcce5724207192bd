import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        exps = (scores - scores.amax(dim, keepdim=True)).exp().nan_to_num(nan=0.0)
        weights = exps / exps.sum(dim, keepdim=True).clamp(min=1.0)
        ctx.save_for_backward(weights)
        return weights.to(x.dtype)

    @staticmethod
    def backward(ctx, gradient):
        (weights,) = ctx.saved_tensors
        return (gradient * weights * (1 - weights)).to(gradient.dtype), None


def stable_softmax(x, dim):
    return Softmax.apply(x, dim)
