import torch


class FeatureMap(torch.nn.Module):
    def forward(self, x):
        # en exp only ever sees what is not positive: inside `where`, an overflow of the branch
        # en that is not taken would make its gradient 0·∞, NaN.
        # zh exp 只看到非正数：在 `where` 里，没被选中的分支一旦溢出，
        # zh 它的梯度就成了 0·∞，即 NaN。
        return torch.where(x > 0, x + 1, x.clamp(max=0).exp())


def linear_attention(Q, K, V, causal=False):
    dtype = torch.promote_types(Q.dtype, torch.float32)
    phi = FeatureMap()
    q, k = phi(Q.to(dtype)), phi(K.to(dtype))

    # en A column of ones beside the values: its weighted sum is the denominator, so that one
    # en state carries both.
    # zh 在值旁边添一列 1：它的加权和就是分母，一个状态就够了。
    v = torch.cat([V, torch.ones_like(V[..., :1])], dim=-1).to(dtype)

    if causal:
        # en Attention as an RNN. The state is d_k × (d_v + 1) numbers, and does not grow: this
        # en is decoding without a KV cache.
        # zh 把注意力看成 RNN。状态只有 d_k × (d_v + 1) 个数，不随长度增长：
        # zh 这就是不需要 KV 缓存的解码。
        state = torch.zeros_like(k[:, :, :1].mT @ v[:, :, :1])  # (B, H, d_k, d_v + 1)
        rows = []
        for q_i, k_i, v_i in zip(q.split(1, 2), k.split(1, 2), v.split(1, 2), strict=True):
            # en Update first, then read: a query sees its own key.
            # zh 先更新再读取：查询要看到自己位置上的键。
            state = state + k_i.mT @ v_i
            rows.append(q_i @ state)
        summed = torch.cat(rows, dim=2)
    else:
        summed = q @ (k.mT @ v)

    return (summed[..., :-1] / summed[..., -1:]).to(Q.dtype)
