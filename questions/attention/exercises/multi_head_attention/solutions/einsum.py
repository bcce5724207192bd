import torch


def multi_head_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    d_model = X.shape[-1]
    d_k = d_model // n_heads

    # en The weights are split, not the results: column h·d_k + d of W is [:, h, d], and row
    # en h·d_k + d of W_o is [h, d]. Nothing has to be transposed after that.
    # zh 拆的是权重，不是结果：W 的第 h·d_k + d 列就是 [:, h, d]，
    # zh W_o 的第 h·d_k + d 行就是 [h, d]。之后不需要任何转置。
    W_q, W_k, W_v = (W.reshape(d_model, n_heads, d_k) for W in (W_q, W_k, W_v))
    W_o = W_o.reshape(n_heads, d_k, d_model)

    Q = torch.einsum("bsm,mhd->bhsd", X, W_q)
    K = torch.einsum("bsm,mhd->bhsd", X, W_k)
    V = torch.einsum("bsm,mhd->bhsd", X, W_v)

    scores = torch.einsum("bhqd,bhkd->bhqk", Q * d_k**-0.5, K)
    if mask is not None:
        # en [..., None, :, :] puts the axis of the heads in, for a mask of two axes as well.
        # zh [..., None, :, :] 加上头这个轴，两个轴的掩码也适用。
        lowest = torch.finfo(scores.dtype).min
        scores = torch.where(mask[..., None, :, :] != 0, scores, lowest)
    weights = scores.softmax(dim=-1)

    # en One sum over heads and widths: joining and the product with W_o at once.
    # zh 对头和维度一起求和：拼接与乘 W_o 一步完成。
    return torch.einsum("bhqk,bhkd,hdm->bqm", weights, V, W_o)
