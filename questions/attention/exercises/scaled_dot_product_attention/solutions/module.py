import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, d_k):
        super().__init__()
        # en A plain number, computed once: it is no parameter, so nothing can train it away,
        # en and no tensor, so .to(device) and half precision leave it exact.
        # zh 只算一次的普通数字：它不是参数，训练不会改掉它；
        # zh 也不是张量，.to(device) 和半精度都不影响它的精度。
        self.scale = d_k**-0.5

    def forward(self, Q, K, V, mask=None):
        # en .mT transposes the last two axes only, unlike .T.
        # zh .mT 只转置最后两个轴，与 .T 不同。
        scores = (Q @ K.mT) * self.scale  # (B, H, S_q, S_k)

        if mask is not None:
            # en The lowest finite number of the dtype does as well as −inf where every query
            # en sees a key: the difference to any real score is so large that exp gives 0.
            # en And a fully hidden row would get equal weights instead of NaN.
            # zh 只要每个查询至少看到一个键，dtype 的最小有限数与 −inf 效果相同：
            # zh 它与任何真实分数相差极大，exp 得 0。
            # zh 而整行被隐藏时，得到的是均匀权重，而不是 NaN。
            lowest = torch.finfo(scores.dtype).min
            scores = torch.where(mask.bool(), scores, lowest)

        weights = scores.softmax(dim=-1)
        return weights @ V, weights
