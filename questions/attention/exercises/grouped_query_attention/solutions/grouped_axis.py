import torch


def grouped_query_attention(Q, K, V, mask=None):
    H_q, H_kv = Q.shape[1], K.shape[1]

    # en The head axis of Q becomes two, (H_kv, group): h = head·group + member. K and V keep
    # en theirs, and einsum broadcasts them over the group: nothing is copied, which is the point
    # en of sharing, for the cache is what a decoder reads at every step.
    # zh Q 的头轴拆成两个 (H_kv, group)：h = 键值头·group + 组内序号。K、V 保持原样，
    # zh einsum 让它们对组广播：什么也不复制。这正是共享的意义，因为解码器每一步都要读缓存。
    grouped = Q.unflatten(1, (H_kv, H_q // H_kv)) * Q.shape[-1] ** -0.5
    scores = torch.einsum("bhgqd,bhkd->bhgqk", grouped, K)

    # en The mask knows query heads only, so it meets the scores on the joined axis again.
    # zh 掩码只认查询头，所以先把两个轴合回去再用掩码。
    scores = scores.flatten(1, 2)  # (B, H_q, S_q, S_k)
    if mask is not None:
        scores = torch.where(mask != 0, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)

    output = torch.einsum("bhgqk,bhkv->bhgqv", weights.unflatten(1, (H_kv, -1)), V)
    return output.flatten(1, 2), weights
