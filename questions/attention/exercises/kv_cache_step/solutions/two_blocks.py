import torch


def kv_cache_step(q, k, v, K_cache, V_cache):
    q = q * q.shape[-1] ** -0.5
    S_new, S_past = q.shape[-2], K_cache.shape[-2]

    # en Two blocks of scores. What is cached lies before every new token: nothing to hide.
    # en Only the small S_new × S_new block of the new tokens among themselves is causal.
    # zh 分数分成两块。缓存里的都在新词元之前：没有可隐藏的。
    # zh 只有新词元之间那个小的 S_new × S_new 块需要因果掩码。
    past = torch.einsum("bhqd,bhkd->bhqk", q, K_cache)
    new = torch.einsum("bhqd,bhkd->bhqk", q, k)
    new = new + torch.full((S_new, S_new), float("-inf"), dtype=q.dtype).triu(1)

    # en One softmax over both: weights of the two blocks compete for the same 1.
    # zh 两块一起做一次 softmax：它们的权重分同一个 1。
    weights = torch.cat([past, new], dim=-1).softmax(dim=-1)
    on_past, on_new = weights.split([S_past, S_new], dim=-1)
    output = on_past @ V_cache + on_new @ v

    return output, torch.cat([K_cache, k], dim=2), torch.cat([V_cache, v], dim=2)
