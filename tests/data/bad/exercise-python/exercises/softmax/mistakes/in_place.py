def soft_max(x, mask=None):
    return x.exp() / x.exp().sum(-1, keepdim=True)
