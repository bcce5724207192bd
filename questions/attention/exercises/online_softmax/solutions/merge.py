import torch


def online_softmax(scores, V, output=None, m=None, l=None):
    dtype = torch.promote_types(scores.dtype, torch.float32)
    new = softmax_of_chunk(scores.to(dtype), V.to(dtype))
    if m is None:
        return new
    return merge((output, m, l), new)


def softmax_of_chunk(scores, V):
    # en The chunk by itself, as if there were no other: an ordinary softmax that also tells
    # en its maximum and its sum.
    # zh 单独处理这一块，就当没有别的块：普通的 softmax，但也交出最大值与和。
    m = scores.amax(dim=-1)
    weights = torch.exp(scores - finite(m)[..., None])
    l = weights.sum(dim=-1)
    return (weights @ V) / at_least_one_key(l)[..., None], m, l


def merge(one, other):
    # en Two partial results of the same queries over different keys. Which came first does
    # en not matter, so partial results may be merged in a tree or across GPUs: that is how
    # en flash-decoding splits a long cache.
    # zh 同一批查询在不同键上的两个部分结果。先后无关，
    # zh 所以可以按树形、或跨 GPU 合并：flash-decoding 就是这样切分长缓存的。
    m = torch.maximum(one[1], other[1])
    # en Each l counts its own keys in units of exp(its m); both are brought to units of exp(m).
    # zh 每个 l 都以 exp(自己的 m) 为单位计数；把两者都换算成以 exp(m) 为单位。
    shares = [l_i * torch.exp(m_i - finite(m)) for _, m_i, l_i in (one, other)]
    l = shares[0] + shares[1]
    # en The outputs are averages already: their average is weighted by how much each counted.
    # zh 两个 output 本身已是平均：合并就是按各自的分量再做一次加权平均。
    summed = shares[0][..., None] * one[0] + shares[1][..., None] * other[0]
    return summed / at_least_one_key(l)[..., None], m, l


def finite(m):
    # en −inf − (−inf) is NaN; where all is hidden, 0 in place of −inf leaves exp(−inf) = 0.
    # zh −inf − (−inf) 是 NaN；全被隐藏处用 0 代替 −inf，exp(−inf) 仍是 0。
    return torch.where(m == -torch.inf, 0.0, m)


def at_least_one_key(l):
    # en l is 1 or more once a key has been seen, for the largest adds exp(0). 0 means none.
    # zh 只要见过一个键，l 就不小于 1，因为最大的那个贡献 exp(0)。0 表示一个也没见过。
    return torch.where(l == 0, 1.0, l)
