def softmax(x, mask=None):
    raise NotImplementedError
