import torch

CHUNK = 4096


def stable_softmax(x, dim):
    scores = x.to(torch.promote_types(x.dtype, torch.float32))
    one = scores.narrow(dim, 0, 1)
    highest = torch.full_like(one, float("-inf"))
    total = torch.zeros_like(one)

    # en One pass: the maximum and the sum so far are all that is kept, as in FlashAttention.
    # en When a chunk raises the maximum, the old sum is brought to the new one's scale.
    # zh 只扫一遍：只需记住到目前为止的最大值与和，FlashAttention 就是这样做的。
    # zh 某一块让最大值变大时，把旧的和换算到新的尺度。
    for chunk in scores.split(CHUNK, dim):
        previous, highest = highest, torch.maximum(highest, chunk.amax(dim, keepdim=True))
        # en Nothing seen so far: 0 for −inf, or the differences below would be NaN.
        # zh 至今全被隐藏：用 0 代替 −inf，否则下面的差会是 NaN。
        shift = torch.where(highest == float("-inf"), 0.0, highest)
        total = total * (previous - shift).exp() + (chunk - shift).exp().sum(dim, keepdim=True)

    shift = torch.where(highest == float("-inf"), 0.0, highest)
    total = torch.where(total == 0, 1.0, total)
    return ((scores - shift).exp() / total).to(x.dtype)
