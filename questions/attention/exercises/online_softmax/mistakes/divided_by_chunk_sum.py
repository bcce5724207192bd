import torch


def online_softmax(scores, V, output=None, m=None, l=None):
    wide = torch.promote_types(scores.dtype, torch.float32)
    scores, V = scores.to(wide), V.to(wide)
    if m is None:
        rows = scores.shape[:-1]
        m = torch.full(rows, float("-inf"), dtype=wide)
        l = torch.zeros(rows, dtype=wide)
        output = torch.zeros(*rows, V.shape[-1], dtype=wide)
    m_new = torch.maximum(m, scores.amax(-1))
    shift = torch.where(m_new == float("-inf"), 0.0, m_new)
    alpha = torch.exp(m - shift)
    p = torch.exp(scores - shift[..., None])
    l_new = alpha * l + p.sum(-1)
    acc = (alpha * l)[..., None] * output + p @ V
    output = acc / torch.where(p.sum(-1) == 0, 1.0, p.sum(-1))[..., None]
    return output, m_new, l_new
