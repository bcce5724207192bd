import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        scores = x.to(torch.promote_types(x.dtype, torch.float32))
        highest = scores.amax(dim, keepdim=True)
        # en No graph is recorded in here, so NaN may be made and replaced: nothing goes
        # en back through it.
        # zh 这里不记录计算图，可以先得到 NaN 再替换：反向传播不经过它。
        exps = (scores - highest).exp().nan_to_num(nan=0.0)
        weights = exps / exps.sum(dim, keepdim=True).clamp(min=1.0)
        ctx.save_for_backward(weights)
        ctx.dim = dim
        return weights.to(x.dtype)

    @staticmethod
    def backward(ctx, gradient):
        (weights,) = ctx.saved_tensors
        # en The Jacobian is diag(y) − yyᵀ, and its product with g takes no matrix:
        # en y·(g − Σ g·y). It needs y alone, not x. The y's of a hidden row are 0, and so is
        # en its gradient.
        # zh 雅可比矩阵是 diag(y) − yyᵀ，与 g 相乘不必写出矩阵：y·(g − Σ g·y)。
        # zh 只用到 y，不用保存 x。被隐藏的行 y 全为 0，梯度也是 0。
        pulled = gradient.to(weights.dtype)
        mean = (pulled * weights).sum(ctx.dim, keepdim=True)
        return (weights * (pulled - mean)).to(gradient.dtype), None


def stable_softmax(x, dim):
    return Softmax.apply(x, dim)
