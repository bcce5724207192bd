def softmax(x, mask=None):
    return x.exp() / x.exp().sum(-1, keepdim=True)
