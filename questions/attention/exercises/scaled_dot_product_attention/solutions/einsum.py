import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    # en einsum names the axes: d is summed over, so nothing has to be transposed.
    # zh einsum 直接写出各轴：对 d 求和，不需要任何转置。
    # en Scaling Q touches B·H·S_q·d_k numbers; scaling the scores would touch B·H·S_q·S_k.
    # zh 缩放 Q 只动 B·H·S_q·d_k 个数；缩放分数要动 B·H·S_q·S_k 个。
    scores = torch.einsum("bhqd,bhkd->bhqk", Q * Q.shape[-1] ** -0.5, K)

    if mask is not None:
        # en −inf where hidden, 0 elsewhere, added to the scores: the form libraries call a bias.
        # zh 隐藏处 −inf，其余 0，加到分数上：库里常把这种形式叫作 bias。
        bias = torch.zeros_like(scores).masked_fill(mask == 0, float("-inf"))
        scores = scores + bias

    # en softmax by hand. Subtracting the row's maximum changes nothing in exact arithmetic,
    # en and keeps exp from overflowing: in float32 it does at 88.7.
    # zh 手写 softmax。减去每行最大值在数学上不改变结果，
    # zh 却能防止 exp 溢出：float32 到 88.7 就会溢出。
    exps = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    weights = exps / exps.sum(dim=-1, keepdim=True)

    return torch.einsum("bhqk,bhkv->bhqv", weights, V), weights
