import torch


def masked_attention(Q, K, V, key_mask=None, causal=False):
    # en Positions say the same as a triangle, and go on saying it for windows or packed texts.
    # zh 用位置表达与三角矩阵等价，换成滑动窗口或拼接文本时也照样适用。
    S_q, S_k = Q.shape[-2], K.shape[-2]
    keys = torch.arange(S_k)
    queries = torch.arange(S_k - S_q, S_k)
    visible = torch.ones(1, 1, S_q, S_k, dtype=torch.bool)
    if causal:
        visible = visible & (keys <= queries[:, None])
    if key_mask is not None:
        visible = visible & key_mask[:, None, None, :]

    scores = torch.einsum("bhqd,bhkd->bhqk", Q * Q.shape[-1] ** -0.5, K)
    # en where sends no gradient to a hidden score, whatever becomes of the −inf.
    # zh where 不向被隐藏的分数传梯度，不管那个 −inf 之后变成什么。
    scores = torch.where(visible, scores, float("-inf"))

    # en A row without a key has −inf for its maximum, and −inf − (−inf) is NaN. With 0
    # en there instead its exps are 0, its sum is 0, and dividing by 1 leaves zeros.
    # zh 没有键的行最大值是 −inf，而 −inf − (−inf) 是 NaN。
    # zh 换成 0，它的 exp 都是 0，和也是 0，再除以 1，得到 0。
    highest = scores.amax(dim=-1, keepdim=True)
    highest = torch.where(highest == float("-inf"), 0.0, highest)
    exps = (scores - highest).exp()
    total = exps.sum(dim=-1, keepdim=True)
    weights = exps / torch.where(total == 0, 1.0, total)

    return torch.einsum("bhqk,bhkv->bhqv", weights, V), weights
