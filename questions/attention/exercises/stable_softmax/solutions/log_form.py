import torch


def stable_softmax(x, dim):
    scores = x.to(torch.promote_types(x.dtype, torch.float32))

    # en The shift cancels, so it needs no gradient; detached, its backward pass is saved.
    # en nan_to_num puts 0 for the −inf of a row that is hidden throughout.
    # zh 平移量会抵消，不需要梯度；detach 之后省去它的反向传播。
    # zh 整行被隐藏时，nan_to_num 把 −inf 换成 0。
    shift = scores.detach().amax(dim, keepdim=True).nan_to_num(neginf=0.0)

    # en One term of the sum is exp(0) = 1 unless the row is hidden, so clamping at 1
    # en changes no other row; and log(1) = 0 leaves the hidden one at exp(−inf) = 0.
    # zh 除非整行被隐藏，和里总有一项是 exp(0) = 1，所以在 1 处截断不影响其他行；
    # zh 而 log(1) = 0，被隐藏的行就停在 exp(−inf) = 0。
    total = (scores - shift).exp().sum(dim, keepdim=True).clamp(min=1.0)

    # en exp(x − logsumexp): no division. Keep the exponent and it is log_softmax.
    # zh exp(x − logsumexp)：没有除法。留着指数不取 exp，就是 log_softmax。
    return (scores - shift - total.log()).exp().to(x.dtype)
